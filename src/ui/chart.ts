import {plot} from 'asciichart';
import {chooseGlyphs, type Glyphs} from '../terminal/glyphs.ts';
import {type Axis, axisTicks, roundAxis, type Scale} from './axis.ts';
import {brailleCanvas} from './braille.ts';
import {type Bins, isPresent, largest, smallest, type Threshold, toneOf} from './sparkline.ts';
import {fitLine, type Line, padStart, type Span, textOf, widthOf} from './text.ts';
import type {Tone} from './theme.ts';

export type ChartOptions = {
  readonly width: number;
  readonly height: number;
  /** A value with its unit, short enough for the axis. */
  readonly format: (value: number) => string;
  readonly glyphs: Glyphs;
  /** A fixed top of the axis; by default the round value above the data. */
  readonly max?: number;
  readonly scale?: Scale;
  /** Filled below the line, for example for a share of something. */
  readonly isArea?: boolean;
  /** Columns and axis labels take the tone of the level they reach. */
  readonly levels?: readonly Threshold[];
  readonly tone?: Tone;
  /** Labels below the axis, from oldest to newest: `['19:58', '20:28', '20:58']`. */
  readonly times?: readonly string[];
};

/** One direction of something with two directions. */
export type Direction = {readonly name: string; readonly values: Bins; readonly tone: Tone};

/** Values on one side of zero: above it, or below. */
type Half = {
  readonly values: Bins;
  readonly rows: number;
  readonly tone: Tone;
  readonly isDown: boolean;
  /** Written at the axis if there is room. */
  readonly name?: string;
};

const MIN_PLOT_WIDTH = 4;

/**
 * Values above zero over time, with round figures on the axis at the left: braille dots, or a line of characters if
 * chosen or if there are no dots. The values always span the whole width. Exactly `height` lines of `width` cells.
 * Undefined values stay empty, with a dot on the zero line.
 */
export function axisChart(values: Bins, options: ChartOptions): readonly Line[] {
  const {tone = 'series'} = options;
  return chartOf([{values, rows: plotRows(options), tone, isDown: false}], options);
}

/** Two directions on one scale: the first upwards from zero, the second downwards. */
export function mirroredChart(up: Direction, down: Direction, options: ChartOptions): readonly Line[] {
  const rows = plotRows(options);
  const upRows = Math.ceil(rows / 2);
  return chartOf(
    [
      {...up, rows: upRows, isDown: false},
      {...down, rows: rows - upRows, isDown: true},
    ],
    options,
  );
}

/**
 * `last 61%  max 97%  min 3%`: the figures of a chart, or of the samples behind it.
 * @param last the last value; left out if undefined, since a bin is an average over its time and no value of a moment
 * @param peak the highest value, if it can be higher than those given
 */
export function chartSummary(
  values: Bins,
  format: (value: number) => string,
  {last, peak}: {readonly last: number | undefined; readonly peak?: number | undefined},
): string {
  const [min, max] = [smallest(values), largest([...values, peak])];
  if (min === undefined || max === undefined) return 'no samples';
  return `${last === undefined ? '' : `last ${format(last)}  `}max ${format(max)}  min ${format(min)}`;
}

function plotRows({height, times}: ChartOptions): number {
  return times === undefined || height < 3 ? height : height - 1;
}

function chartOf(halves: readonly Half[], options: ChartOptions): readonly Line[] {
  const {width, height, times = [], glyphs} = options;
  if (height < 1 || width < 1) return [];
  const most = largest(halves.flatMap(({values}) => values));
  if (most === undefined) return noData(options);
  const axis = roundAxis(options.max ?? most, options.scale);
  const labels = halves.flatMap(half => halfLabels(half, axis, options));
  const labelWidth = Math.max(...labels.map(({text}) => widthOf(text)));
  const plotWidth = width - labelWidth - 1;
  if (plotWidth < MIN_PLOT_WIDTH) return noData(options);
  const plots = halves.flatMap(half => plotted(half, {...options, axis, plotWidth}));
  const lines = plots.map((plot, row) => {
    const {text, tone, isTick} = labels[row] ?? NO_LABEL;
    const sign: Span = {text: isTick ? glyphs.axisTick : glyphs.vertical, tone: 'dim'};
    return fitLine([{text: padStart(text, labelWidth), tone}, sign, ...plot], width);
  });
  return lines.length === height ? lines : [...lines, timeLine(times, labelWidth + 1, width)];
}

type Label = {readonly text: string; readonly tone: Tone; readonly isTick: boolean};

const NO_LABEL: Label = {text: '', tone: 'dim', isTick: false};

/**
 * Ticks in the tone of their level, with the name beside the outermost if there is room. Zero belongs to the upper
 * half.
 */
function halfLabels(half: Half, axis: Axis, {format, levels = [], glyphs}: ChartOptions): readonly Label[] {
  const labels = axisTicks(axis, half.rows, value => cellRow(value, axis, half.rows, glyphs)).map((value): Label => {
    if (value === undefined || (half.isDown && value === 0)) return NO_LABEL;
    return {text: format(value), tone: toneOf(value, levels, 'dim'), isTick: true};
  });
  if (half.name !== undefined && labels[1]?.isTick === false) {
    labels[1] = {text: half.name, tone: half.tone, isTick: false};
  }
  return half.isDown ? labels.reverse() : labels;
}

/** The row of cells, counted from the outermost, in which a value is drawn. */
function cellRow(value: number, axis: Axis, rows: number, {charts}: Glyphs): number {
  return charts === 'braille' ? Math.floor(dotRow(value, axis, rows * 4 - 1) / 4) : dotRow(value, axis, rows - 1);
}

type PlotOptions = ChartOptions & {readonly axis: Axis; readonly plotWidth: number};

function plotted(half: Half, options: PlotOptions): readonly Line[] {
  if (half.rows < 1) return [];
  return options.glyphs.charts === 'braille' ? braillePlot(half, options) : linePlot(half, options);
}

/** The lowest and highest value in one column. */
type Reach = {readonly low: number; readonly high: number};

/** The values in `count` columns: a column keeps the extremes of its values, so that no peak is lost. */
function spread(values: Bins, count: number): readonly (Reach | undefined)[] {
  return Array.from({length: count}, (_, column) => {
    const start = Math.floor((column * values.length) / count);
    const end = Math.max(start + 1, Math.floor(((column + 1) * values.length) / count));
    const part = values.slice(start, end);
    const [low, high] = [smallest(part), largest(part)];
    return low === undefined || high === undefined ? undefined : {low, high};
  });
}

function braillePlot({values, rows, tone, isDown}: Half, options: PlotOptions): readonly Line[] {
  const {axis, plotWidth, isArea = false, levels = [], glyphs} = options;
  const ground = rows * 4 - 1;
  const groundRow = isDown ? 0 : rows - 1;
  const reaches = spread(values, plotWidth * 2);
  const canvas = brailleCanvas(plotWidth, rows);
  let before: Stroke | undefined;
  for (const [column, reach] of reaches.entries()) {
    const stroke = reach && {
      top: dotRow(reach.high, axis, ground),
      bottom: isArea ? ground : dotRow(reach.low, axis, ground),
    };
    if (stroke !== undefined) {
      const [from, to] = joined(stroke, before);
      canvas.column(column, isDown ? ground - from : from, isDown ? ground - to : to);
    }
    before = stroke;
  }
  return canvas.rows().map((cells, row) =>
    merged(
      cells.map((cell, column): Span => {
        const highest = largest([reaches[column * 2]?.high, reaches[column * 2 + 1]?.high]);
        if (cell !== '\u2800') return {text: cell, tone: toneOf(highest ?? 0, levels, tone)};
        return highest === undefined && row === groundRow ? {text: glyphs.gap, tone: 'dim'} : {text: ' '};
      }),
    ),
  );
}

/** Rows of dots, counted from the outermost. */
type Stroke = {readonly top: number; readonly bottom: number};

function dotRow(value: number, axis: Axis, ground: number): number {
  return Math.round((1 - shareOf(value, axis)) * ground);
}

/** The position of a value on the axis, 0 to 1. */
function shareOf(value: number, {top}: Axis): number {
  return Math.min(1, Math.max(0, value / top));
}

/** The vertical stroke in a column, extended towards its neighbour so that the line stays connected. */
function joined({top, bottom}: Stroke, before: Stroke | undefined): readonly [number, number] {
  if (before === undefined) return [top, bottom];
  return [before.bottom < top ? before.bottom + 1 : top, before.top > bottom ? before.top - 1 : bottom];
}

function linePlot({values, rows, tone, isDown}: Half, options: PlotOptions): readonly Line[] {
  const {axis, plotWidth, levels = [], glyphs} = options;
  const groundRow = isDown ? 0 : rows - 1;
  const bins = spread(values, plotWidth).map(reach => reach?.high);
  // The library draws from one value to the next, so it gets one more than there are columns; its own axis is cut off.
  const shares = withoutGaps([...bins, bins.at(-1)]).map(value => shareOf(value, axis) * (isDown ? -1 : 1));
  const drawn =
    rows < 2
      ? [glyphs.horizontal.repeat(plotWidth)]
      : plot(shares, {
          height: rows - 1,
          min: isDown ? -1 : 0,
          max: isDown ? 0 : 1,
          offset: 1,
          symbols: glyphs.chartLines,
          format: () => ' ',
        })
          .split('\n')
          .map(row => row.slice(1));
  return drawn.map((row, rowIndex) =>
    merged(
      bins.map((bin, column): Span => {
        const cell = row[column] ?? ' ';
        if (bin === undefined) return {text: rowIndex === groundRow ? glyphs.gap : ' ', tone: 'dim'};
        return cell === ' ' ? {text: ' '} : {text: cell, tone: toneOf(bin, levels, tone)};
      }),
    ),
  );
}

/**
 * The charting library only takes numbers: a gap repeats the previous value, and is removed from the drawing
 * afterwards.
 */
function withoutGaps(bins: Bins): readonly number[] {
  let last = bins.find(isPresent) ?? 0;
  return bins.map(bin => {
    if (isPresent(bin)) last = bin;
    return last;
  });
}

/** The times spread along the plot: the first at its left end, the last at its right end. */
function timeLine(times: readonly string[], start: number, width: number): Line {
  const room = width - start;
  let text = '';
  for (const [index, time] of times.entries()) {
    const place = times.length === 1 ? 0 : Math.round(((room - widthOf(time)) * index) / (times.length - 1));
    if (place < widthOf(text) + (text === '' ? 0 : 1) || place + widthOf(time) > room) continue;
    text = `${text}${' '.repeat(place - widthOf(text))}${time}`;
  }
  return fitLine([{text: ' '.repeat(start)}, {text, tone: 'dim'}], width);
}

function noData({width, height, glyphs}: ChartOptions): readonly Line[] {
  const middle = Math.floor((height - 1) / 2);
  return Array.from({length: height}, (_, row): Line => {
    const text = row === middle ? 'no samples' : row === height - 1 ? glyphs.gap.repeat(width) : '';
    return fitLine([{text, tone: 'dim'}], width, {align: 'center', ellipsis: glyphs.ellipsis});
  });
}

function merged(cells: readonly Span[]): Line {
  const spans: Span[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last !== undefined && last.tone === cell.tone) spans[spans.length - 1] = {...last, text: last.text + cell.text};
    else spans.push(cell);
  }
  return spans;
}

/**
 * A chart as plain text, for output outside the deck, with a summary of its samples above. A bin is a mean over its
 * time, so a summary of bins would change with the window.
 */
export function plainChart(
  title: string,
  {bins, samples}: {readonly bins: Bins; readonly samples: Bins},
  {
    isUtf8,
    style,
    ...options
  }: Omit<ChartOptions, 'glyphs'> & {
    readonly isUtf8: boolean;
    readonly style: 'auto' | 'braille' | 'line';
  },
): readonly string[] {
  const glyphs = chooseGlyphs({isUtf8, charts: style === 'auto' ? undefined : style});
  const lines = axisChart(bins, {...options, glyphs}).map(line => textOf(line).trimEnd());
  return [`${title}  ${chartSummary(samples, options.format, {last: samples.findLast(isPresent)})}`, ...lines];
}
