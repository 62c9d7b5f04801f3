import {parseDecimal, type Rate, ratePerHour, rational} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs} from '../../../src/domain/time.ts';
import type {TimelineEntry, TimelineSubject} from '../../../src/domain/timeline/entry.ts';

/** Ten past two at night. */
export const TWO_TEN = epochMs(Date.UTC(2026, 10, 20, 2, 10));

export function vm(id: number, name = `train-${String(id).padStart(2, '0')}`): TimelineSubject {
  return {type: 'vm', id, name: safeText(name)};
}

let counted = 0;

/** An event of train-03 at ten past two, except for what the test changes. */
export function anEntry(rest: Partial<TimelineEntry> = {}): TimelineEntry {
  counted += 1;
  return {
    key: `entry ${counted}`,
    at: TWO_TEN,
    source: 'event',
    alsoFrom: [],
    subjects: [vm(3)],
    what: safeText('an event'),
    changes: [],
    notes: [],
    isTrouble: false,
    ...rest,
  };
}

export function dollarsPerHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}
