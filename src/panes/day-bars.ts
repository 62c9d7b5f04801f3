import type {DaySource} from '../domain/money/billed-day.ts';
import type {Bar} from '../ui/bar-chart.ts';
import type {Theme} from '../ui/theme.ts';

/** How the bar of a day is filled, by the source of its cost; solid if from the provider or from our own samples. */
const FILLS = {billed: undefined, samples: undefined, events: 'half', usage: 'light'} as const satisfies Record<
  DaySource,
  Bar['fill']
>;

/** How days without a bill are known, with the fill of their bars. */
export const ESTIMATED_DAYS = [
  {source: 'samples', fill: ({levels}: Theme['glyphs']) => levels.at(-1) ?? '', words: 'sampled'},
  {source: 'events', fill: ({halfFill}: Theme['glyphs']) => halfFill, words: 'by events'},
  {source: 'usage', fill: ({lightFill}: Theme['glyphs']) => lightFill, words: 'spread evenly'},
] as const;

/** A bar drawn according to how its cost is known; the last one is not complete. */
export function barLook(source: DaySource, isLast: boolean): Pick<Bar, 'tone' | 'fill'> {
  return {tone: isLast ? 'money' : source === 'billed' ? 'series' : 'text', fill: FILLS[source]};
}
