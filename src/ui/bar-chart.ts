import type {Glyphs} from '../terminal/glyphs.ts';
import {axisTicks, roundAxis} from './axis.ts';
import {isPresent, largest} from './sparkline.ts';
import {fitLine, type Line, padStart, type Span, widthOf} from './text.ts';
import type {Tone} from './theme.ts';

export type Bar = {
  /** Undefined if unknown or still to come: nothing is drawn. */
  readonly value: number | undefined;
  /** Shown below the axis if it fits. */
  readonly label: string;
  /** Its label takes precedence over its neighbours'. */
  readonly isMarked?: boolean;
  readonly tone?: Tone;
  /** Less certain values are drawn with a lighter glyph, in whole cells. */
  readonly fill?: 'half' | 'light' | undefined;
  /** The upper end of an estimate. */
  readonly mayReach?: number | undefined;
  /** The lower end of an estimate. */
  readonly mayFallTo?: number | undefined;
};

export type BarChartOptions = {
  readonly width: number;
  readonly height: number;
  /** A value with its unit, for the axis. */
  readonly format: (value: number) => string;
  readonly glyphs: Glyphs;
  readonly tone?: Tone;
  /** A value to compare the bars with, drawn where they leave room. */
  readonly line?: {readonly value: number; readonly tone: Tone} | undefined;
};

/** Values as vertical bars above zero, with an axis at the left and labels below: `height` lines of `width` cells. */
export function barChart(
  bars: readonly Bar[],
  {width, height, format, glyphs, tone = 'series', line}: BarChartOptions,
): readonly Line[] {
  const plotRows = height - 1;
  if (plotRows < 1 || width < 1) return [];
  const axis = roundAxis(largest([...bars.map(({value, mayReach}) => mayReach ?? value), line?.value]) ?? 0);
  const {top} = axis;
  // A value ends at the upper edge of its row; zero is the edge below the last.
  const ticks = axisTicks(axis, plotRows, value => Math.min(plotRows - 1, Math.round((1 - value / top) * plotRows)));
  const labels = ticks.map(value => (value === undefined ? undefined : format(value)));
  const axisCells = Math.max(...labels.map(label => widthOf(label ?? ''))) + 1;
  const barCells = Math.floor((width - axisCells) / Math.max(1, bars.length));
  if (barCells < 1) return [fitLine([{text: 'too narrow for a chart', tone: 'dim'}], width)];
  // A blank between two bars, if there is room.
  const inkCells = barCells > 1 ? barCells - 1 : 1;
  const rowOf = (value: number) => plotRows - 1 - Math.min(plotRows - 1, Math.floor((value / top) * plotRows));
  const rows = Array.from({length: plotRows}, (_, row): Line => {
    const label = labels[row];
    const axis = `${padStart(label ?? '', axisCells - 1)}${label === undefined ? glyphs.vertical : glyphs.axisTick}`;
    const cells = bars.map((bar): Span => {
      const cell = barCell(bar, {top, row, plotRows, glyphs});
      if (cell === ' ' && line !== undefined && rowOf(line.value) === row) {
        return {text: glyphs.dottedHorizontal.repeat(barCells), tone: line.tone};
      }
      if (cell === ' ' && bar.mayReach !== undefined && row >= rowOf(bar.mayReach)) {
        return {text: glyphs.dottedVertical.repeat(inkCells) + ' '.repeat(barCells - inkCells), tone: 'dim'};
      }
      // An estimate's bar is hatched in rows that are mostly above its lower end.
      const middle = ((plotRows - row - 0.5) / plotRows) * top;
      if (cell === glyphs.levels.at(-1) && bar.mayFallTo !== undefined && middle > bar.mayFallTo) {
        return {text: glyphs.vertical.repeat(inkCells) + ' '.repeat(barCells - inkCells), tone: 'dim'};
      }
      return {text: cell.repeat(inkCells) + ' '.repeat(barCells - inkCells), tone: bar.tone ?? tone};
    });
    return fitLine([{text: axis, tone: 'dim'}, ...cells], width, {ellipsis: ''});
  });
  return [...rows, labelLine(bars, {axisCells, barCells, width})];
}

/** The part of a bar in one row: full, blank, or a fraction at its top. */
function barCell(
  {value, fill}: Bar,
  {
    top,
    row,
    plotRows,
    glyphs,
  }: {readonly top: number; readonly row: number; readonly plotRows: number; readonly glyphs: Glyphs},
): string {
  if (!isPresent(value) || top <= 0 || value <= 0) return ' ';
  const filledRows = (value / top) * plotRows;
  const share = Math.min(1, Math.max(0, filledRows - (plotRows - 1 - row)));
  if (fill !== undefined) {
    const isFilled = share >= 0.5 || row === plotRows - 1;
    return isFilled ? (fill === 'half' ? glyphs.halfFill : glyphs.lightFill) : ' ';
  }
  const level = Math.round(share * glyphs.levels.length);
  if (level > 0) return glyphs.levels[level - 1] ?? ' ';
  // A value above zero is always visible.
  return row === plotRows - 1 ? (glyphs.levels[0] ?? ' ') : ' ';
}

function labelLine(
  bars: readonly Bar[],
  {axisCells, barCells, width}: {readonly axisCells: number; readonly barCells: number; readonly width: number},
): Line {
  const placed = bars.map((bar, index) => ({...bar, from: axisCells + index * barCells}));
  const cells = Array.from({length: width}, () => ' ');
  for (const {label, from} of [...placed.filter(({isMarked}) => isMarked), ...placed]) {
    const to = from + widthOf(label);
    const around = cells.slice(Math.max(axisCells, from - 1), to + 1);
    if (to > width || around.some(cell => cell !== ' ')) continue;
    cells.splice(from, label.length, ...label);
  }
  return fitLine([{text: cells.join(''), tone: 'dim'}], width, {ellipsis: ''});
}
