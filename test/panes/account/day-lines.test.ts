import {expect, it} from 'vitest';
import {monthStart} from '../../../src/domain/money/spend.ts';
import {epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {dayLines} from '../../../src/panes/account/pane.tsx';
import {usageFeed} from '../../../src/state/billing.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, listed} from '../a-read-scene.ts';

it('draws today in the tone of what is not complete, and days estimated from usage in a lighter glyph', () => {
  const now = epochMs(monthStart(NOW) + 60 * HOUR_MS);
  const record = {...aUsageRecord(1, '2'), createdAt: monthStart(NOW)};
  const lines = dayLines(aReadScene([listed(usageFeed, [record])], {now}), {columns: 60, rows: 12});
  // Two days and twelve hours; the lowest line of bars is above that of the labels.
  const bars = (lines.at(-2) ?? []).filter(({text}) => text.includes('░'));
  expect(bars.map(({tone}) => tone)).toEqual(['text', 'text', 'money']);
});
