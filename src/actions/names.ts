import {nameInWords, nameRemarks, type SafeText} from '../domain/safe-text.ts';
import type {Line} from '../ui/text.ts';

/** What is odd about a name, so that a question shows the id beside it. */
export function nameLines(name: SafeText): readonly Line[] {
  return nameRemarks(name).map(text => [{text, tone: 'warning'} as const]);
}

/** A question has room for this many; the rest is counted. */
const MAX_NAMES = 4;
const MAX_CELLS = 60;

/** For example `gpu-1, gpu-2 and 7 more`: as many names as fit a line or two, at least one. */
export function someNames(named: readonly {readonly name: SafeText}[], maxCells = MAX_CELLS): string {
  const shown: string[] = [];
  let cells = 0;
  for (const {name} of named.slice(0, MAX_NAMES)) {
    const words = nameInWords(name);
    cells += words.length + 2;
    if (shown.length > 0 && cells > maxCells) break;
    shown.push(words);
  }
  const more = named.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
