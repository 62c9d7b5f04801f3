import {shareBar} from '../ui/gauge.ts';
import {fitLine, type Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';

/** A named amount; undefined where it is not known. */
type Amount = {readonly name: string; readonly value: number | undefined; readonly text: string};

const NAME_CELLS = 36;
const TEXT_CELLS = 12;

/** Amounts side by side, the largest first, each as a part of the largest. */
export function barListLines(amounts: readonly Amount[], width: number, {glyphs}: Theme): readonly Line[] {
  const largest = Math.max(0, ...amounts.map(({value}) => value ?? 0));
  const barCells = Math.max(0, width - NAME_CELLS - TEXT_CELLS - 3);
  return amounts
    .toSorted((left, right) => (right.value ?? 0) - (left.value ?? 0))
    .map(({name, value, text}): Line => {
      const ratio = value === undefined || largest === 0 ? undefined : value / largest;
      return [
        {text: ' '},
        ...fitLine([{text: name, isName: true}], NAME_CELLS),
        ...fitLine([{text}], TEXT_CELLS, {align: 'right'}),
        {text: '  '},
        ...shareBar(ratio, {width: barCells, glyphs, tone: 'series'}),
      ];
    });
}
