import {plot} from 'asciichart';
import type {Glyphs} from '../terminal/glyphs.ts';
import {brailleCanvas} from './braille.ts';
import {type Bins, isPresent, largest, smallest} from './sparkline.ts';
import {fitLine, type Line, padStart, type Span, widthOf} from './text.ts';
import type {Tone} from './theme.ts';

export type ChartOptions = {
  readonly width: number;
  readonly height: number;
  /** A value with its unit, for the axis: short. */
  readonly format: (value: number) => string;
  readonly glyphs: Glyphs;
  /** Fixed ends of the axis; the data's own where absent, and zero below if the data is not far from it. */
  readonly min?: number;
  readonly max?: number;
  /** Filled below the line, as for a share of something. */
  readonly isArea?: boolean;
  readonly threshold?: number;
  readonly tone?: Tone;
  /** What stands below the axis, from the oldest bin to the newest: `['19:58', '20:28', '20:58']`. */
  readonly times?: readonly string[];
};

type Axis = {readonly min: number; readonly max: number};

const MIN_PLOT_WIDTH = 4;

/**
 * Values over time with an axis at the left: braille dots, or a line of characters where that was chosen or there are no dots.
 * The values span the whole width, however many there are. Exactly `height` lines of `width` cells. What is undefined
 * stays empty, with a dot on the ground line.
 */
export function axisChart(values: Bins, options: ChartOptions): readonly Line[] {
  const {width, height} = options;
  const timeRows = options.times === undefined || height < 3 ? 0 : 1;
  const plotHeight = height - timeRows;
  if (plotHeight < 1 || width < 1) return [];
  const axis = axisOf(values, options);
  if (axis === undefined) return noData(options);
  const labels = axisLabels(axis, plotHeight, options.format);
  const labelWidth = Math.max(...labels.map(label => widthOf(label ?? '')));
  const plotWidth = width - labelWidth - 1;
  if (plotWidth < MIN_PLOT_WIDTH) return noData(options);
  const rows =
    options.glyphs.charts === 'braille'
      ? braillePlot(values, axis, {...options, plotWidth, plotHeight})
      : linePlot(values, axis, {...options, plotWidth, plotHeight});
  const lines = rows.map((row, index) => {
    const label = labels[index];
    const tick = label === undefined ? options.glyphs.vertical : options.glyphs.axisTick;
    return fitLine([{text: `${padStart(label ?? '', labelWidth)}${tick}`, tone: 'dim'}, ...row], width);
  });
  return timeRows === 0 ? lines : [...lines, timeLine(options.times ?? [], labelWidth + 1, options)];
}

/** `now 61%  max 97%  min 3%`: what the eye looks for in the chart, in words. */
export function chartSummary(values: Bins, format: (value: number) => string): string {
  const last = values.findLast(isPresent);
  const [min, max] = [smallest(values), largest(values)];
  if (last === undefined || min === undefined || max === undefined) return 'no samples';
  return `last ${format(last)}  max ${format(max)}  min ${format(min)}`;
}

function axisOf(values: Bins, {min, max, threshold}: ChartOptions): Axis | undefined {
  const [least, most] = [smallest(values), largest(values)];
  if (least === undefined || most === undefined) return undefined;
  const top = max ?? Math.max(most, threshold ?? most);
  const range = top - least;
  // The ground line is zero unless that would flatten the data into the top of the chart; a level without any range
  // stands high above it, as it would otherwise look like nothing.
  const isFromZero = least >= 0 && (range === 0 || least <= 2 * range);
  const bottom = min ?? (isFromZero ? 0 : Math.min(least, threshold ?? least));
  return top > bottom ? {min: bottom, max: top} : {min: bottom, max: bottom + 1};
}

/** A label at the top, at the bottom and between where there is room, each with the value at its row. */
function axisLabels(
  {min, max}: Axis,
  rows: number,
  format: (value: number) => string,
): readonly (string | undefined)[] {
  const last = rows - 1;
  const step = rows >= 9 ? 4 : 2;
  return Array.from({length: rows}, (_, row) => {
    const isShown = row === 0 || row === last || (rows >= 5 && row % step === 0 && last - row >= step - 1);
    if (!isShown) return undefined;
    // The ends are told as they are: what floating point leaves of a zero would be a trace, or no number at all.
    return format(row === 0 ? max : row === last ? min : max - ((max - min) * row) / last);
  });
}

type PlotOptions = ChartOptions & {readonly plotWidth: number; readonly plotHeight: number};

/** The lowest and the highest value that fall on one column. */
type Reach = {readonly low: number; readonly high: number};

/** The values over `count` columns: a column of several keeps its extremes, so that no peak is lost. */
function spread(values: Bins, count: number): readonly (Reach | undefined)[] {
  return Array.from({length: count}, (_, column) => {
    const start = Math.floor((column * values.length) / count);
    const end = Math.max(start + 1, Math.floor(((column + 1) * values.length) / count));
    const part = values.slice(start, end);
    const [low, high] = [smallest(part), largest(part)];
    return low === undefined || high === undefined ? undefined : {low, high};
  });
}

function braillePlot(values: Bins, axis: Axis, options: PlotOptions): readonly Line[] {
  const {plotWidth, plotHeight, isArea = false, threshold, tone = 'series', glyphs} = options;
  const ground = plotHeight * 4 - 1;
  const reaches = spread(values, plotWidth * 2);
  const canvas = brailleCanvas(plotWidth, plotHeight);
  let before: Stroke | undefined;
  for (const [column, reach] of reaches.entries()) {
    const stroke = reach && {
      top: dotRow(reach.high, axis, ground),
      bottom: isArea ? ground : dotRow(reach.low, axis, ground),
    };
    if (stroke !== undefined) canvas.column(column, ...joined(stroke, before));
    before = stroke;
  }
  const limitRow = threshold === undefined ? undefined : Math.floor(dotRow(threshold, axis, ground) / 4);
  return canvas.rows().map((cells, row) =>
    merged(
      cells.map((cell, column): Span => {
        if (cell !== '\u2800') return {text: cell, tone};
        if (row === limitRow) return {text: glyphs.threshold, tone: 'threshold'};
        const isGap = reaches[column * 2] === undefined && reaches[column * 2 + 1] === undefined;
        return isGap && row === plotHeight - 1 ? {text: glyphs.gap, tone: 'dim'} : {text: ' '};
      }),
    ),
  );
}

/** Rows of dots, counted from the top. */
type Stroke = {readonly top: number; readonly bottom: number};

function dotRow(value: number, axis: Axis, ground: number): number {
  return Math.round((1 - shareOf(value, axis)) * ground);
}

/** Where a value stands on the axis, 0 to 1. Ends so far apart that their distance is no number count as the ground. */
function shareOf(value: number, {min, max}: Axis): number {
  const share = (value - min) / (max - min);
  return Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
}

/** The stroke, longer towards its neighbour where the line would fall apart between them. */
function joined({top, bottom}: Stroke, before: Stroke | undefined): readonly [number, number] {
  if (before === undefined) return [top, bottom];
  return [before.bottom < top ? before.bottom + 1 : top, before.top > bottom ? before.top - 1 : bottom];
}

function linePlot(values: Bins, axis: Axis, options: PlotOptions): readonly Line[] {
  const {plotWidth, plotHeight, threshold, tone = 'series', glyphs} = options;
  const bins = spread(values, plotWidth).map(reach => reach?.high);
  const limitRow = threshold === undefined ? undefined : dotRow(threshold, axis, plotHeight - 1);
  // The library draws from one value to the next, so it gets one more than there are columns; its own axis is cut off.
  const shares = withoutGaps([...bins, bins.at(-1)]).map(value => shareOf(value, axis));
  const drawn =
    plotHeight < 2
      ? [glyphs.horizontal.repeat(plotWidth)]
      : plot(shares, {
          height: plotHeight - 1,
          min: 0,
          max: 1,
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
        if (bin === undefined) return {text: rowIndex === drawn.length - 1 ? glyphs.gap : ' ', tone: 'dim'};
        if (cell !== ' ') return {text: cell, tone};
        return rowIndex === limitRow ? {text: glyphs.threshold, tone: 'threshold'} : {text: ' '};
      }),
    ),
  );
}

/** The charting library takes numbers only: a gap holds the value before it, and is wiped out of the drawing after. */
function withoutGaps(bins: Bins): readonly number[] {
  let last = bins.find(isPresent) ?? 0;
  return bins.map(bin => {
    if (isPresent(bin)) last = bin;
    return last;
  });
}

/** The times spread over the plot: the first at its left end, the last at its right end. */
function timeLine(times: readonly string[], start: number, {width}: ChartOptions): Line {
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
