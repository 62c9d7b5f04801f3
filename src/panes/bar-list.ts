import {shareBar} from '../ui/gauge.ts';
import {fitLine, type Line, lineWidth} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';

/** A named amount; undefined if unknown. */
type Amount = {readonly name: string; readonly value: number | undefined; readonly text: string};

const TEXT_CELLS = 12;
/** The bars get half of the line. */
const MAX_NAME_RATIO = 0.5;

/** Amounts as bars, largest first, each relative to the largest. */
export function barListLines(amounts: readonly Amount[], width: number, {glyphs}: Theme): readonly Line[] {
  const largest = Math.max(0, ...amounts.map(({value}) => value ?? 0));
  const longest = Math.max(0, ...amounts.map(({name}) => lineWidth([{text: name}])));
  const nameCells = Math.min(longest, Math.floor(width * MAX_NAME_RATIO));
  const barCells = Math.max(0, width - nameCells - TEXT_CELLS - 3);
  return amounts
    .toSorted((left, right) => (right.value ?? 0) - (left.value ?? 0))
    .map(({name, value, text}): Line => {
      const ratio = value === undefined || largest === 0 ? undefined : value / largest;
      return [
        {text: ' '},
        ...fitLine([{text: name, isName: true}], nameCells),
        ...fitLine([{text}], TEXT_CELLS, {align: 'right'}),
        {text: '  '},
        ...shareBar(ratio, {width: barCells, glyphs, tone: 'series'}),
      ];
    });
}
