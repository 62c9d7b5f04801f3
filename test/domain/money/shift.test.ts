import {expect, test} from 'vitest';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {shiftReport} from '../../../src/domain/money/shift.ts';
import type {Waste} from '../../../src/domain/money/waste.ts';
import {rational} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {aRecord, dollars, NOW, perHour} from './a-usage-record.ts';

const idle = (sinceHours: number | undefined): Waste => ({
  kind: 'idle',
  resourceType: 'vm',
  resourceId: 1,
  name: safeText('train-01'),
  confidence: 'high',
  since: sinceHours === undefined ? undefined : epochMs(NOW - sinceHours * HOUR_MS),
  rate: perHour('3'),
  soFar: undefined,
  evidence: safeText(''),
});

test('reports what was spent and wasted since a shift began, and how its changes affect the end of the month', () => {
  // $3 an hour since the month began, and $4 more since two hours ago.
  const steady = aRecord({rate: perHour('3'), billedCost: dollars('738')});
  const started = aRecord({
    resourceId: 2,
    name: safeText('train-8'),
    createdAt: epochMs(NOW - 2 * HOUR_MS),
    rate: perHour('4'),
    billedCost: dollars('8'),
  });
  const figures = computeFigures([steady, started], [], NOW);
  // Idle for longer than the shift, for an hour of it, and since an unknown time.
  const shift = shiftReport(
    figures,
    {waste: [idle(9), idle(1), idle(undefined)], billed: undefined},
    epochMs(NOW - 8 * HOUR_MS),
  );
  expect(shift).toMatchObject({spent: dollars('32'), source: 'usage', wasted: dollars('27'), wastefulCount: 2});
  // Of what is wasted since an unknown time nothing is known; without waste, nothing was wasted.
  const wasted = (waste: readonly Waste[] | undefined) =>
    shiftReport(figures, {waste, billed: undefined}, epochMs(NOW - 8 * HOUR_MS)).wasted;
  expect([wasted(undefined), wasted([idle(undefined)]), wasted([])]).toEqual([undefined, undefined, dollars('0')]);
  expect(shift.change.causes.map(({name}) => name)).toEqual(['train-8']);
  // $4 an hour for the 474 hours of November that are left.
  expect(shift.monthEndChange).toBeCloseTo(4 * 474);
});

test('a shift costs what the provider billed for it, plus the present rate since the end of the bill', () => {
  // $5 an hour for 246 hours, $1,230 in all, but it is hibernated now: its present rate is a cent an hour.
  const hibernated = aRecord({rate: perHour('0.01'), billedCost: dollars('1230')});
  const figures = computeFigures([hibernated], [], NOW);
  const since = epochMs(NOW - 8 * HOUR_MS);
  const spent = (billed: Parameters<typeof shiftReport>[1]['billed']) =>
    shiftReport(figures, {waste: undefined, billed}, since);
  expect(spent(undefined)).toMatchObject({spent: dollars('40'), source: 'usage'});
  // Two cents for the two hours since the end of the bill.
  const billed = {cost: dollars('0.06'), until: epochMs(NOW - 2 * HOUR_MS)};
  expect(spent(billed)).toMatchObject({spent: dollars('0.08'), source: 'billed'});
});

test('a shift with less than ten minutes billed costs the present rate, as the bill may include a minute from before', () => {
  const figures = computeFigures([aRecord({rate: perHour('120'), billedCost: dollars('29520')})], [], NOW);
  const spentIn = (minutes: number) => {
    const billed = {cost: dollars(String(2 * minutes + 2)), until: NOW};
    return shiftReport(figures, {waste: undefined, billed}, epochMs(NOW - minutes * MINUTE_MS));
  };
  expect(spentIn(9)).toMatchObject({spent: dollars('18'), source: 'usage'});
  expect(spentIn(10)).toMatchObject({spent: dollars('22'), source: 'billed'});
});

test('a short shift costs what a machine cost before it was hibernated, and at least the present rate if that is unknown', () => {
  // $24 an hour for 117 minutes, then 2.4 cents an hour for three: $46.80 and $0.0012.
  const hibernated = aRecord({
    createdAt: epochMs(NOW - 2 * HOUR_MS),
    rate: perHour('0.024'),
    billedCost: dollars('46.8012'),
  });
  const stoppedAt = epochMs(NOW - 3 * MINUTE_MS);
  const paidTimes = [
    {from: epochMs(NOW - 2 * HOUR_MS), until: stoppedAt, share: rational(1n, 1n)},
    {from: stoppedAt, until: epochMs(Number.POSITIVE_INFINITY), share: rational(1n, 1000n)},
  ];
  const steady = aRecord({resourceId: 2, rate: perHour('60'), billedCost: dollars('14760')});
  const spent = (...records: Parameters<typeof computeFigures>[0][number][]) =>
    shiftReport(computeFigures(records, [], NOW), {waste: undefined, billed: undefined}, epochMs(NOW - 9 * MINUTE_MS));
  // Nine minutes of the other at a dollar each; six minutes of this one at 40 cents, and its last three.
  expect(spent(steady)).toMatchObject({spent: dollars('9'), isAtLeast: false});
  expect(spent(steady, {...hibernated, paidTimes})).toMatchObject({spent: dollars('11.4012'), isAtLeast: false});
  // Nine minutes at 0.04 cents.
  expect(spent(steady, hibernated)).toMatchObject({spent: dollars('9.0036'), isAtLeast: true});
  // It was seen hibernated all the time, so what it cost before is no part of the shift.
  const seen = shiftReport(
    computeFigures([steady, hibernated], [], NOW),
    {waste: undefined, billed: undefined, isSteady: ({resourceId}) => resourceId === hibernated.resourceId},
    epochMs(NOW - 9 * MINUTE_MS),
  );
  expect(seen).toMatchObject({spent: dollars('9.0036'), isAtLeast: false});
});

test('a record without a start counts as unpriced, not as free', () => {
  const {createdAt: _unknown, ...undated} = aRecord({resourceId: 2, rate: perHour('4'), billedCost: dollars('96')});
  const since = epochMs(NOW - 8 * HOUR_MS);
  const spent = (...records: Parameters<typeof computeFigures>[0][number][]) =>
    shiftReport(computeFigures(records, [], NOW), {waste: undefined, billed: undefined}, since);
  const known = aRecord({rate: perHour('3'), billedCost: dollars('738')});
  expect(spent(known, undated)).toMatchObject({spent: dollars('24'), unpricedCount: 1});
  expect(spent(undated)).toMatchObject({spent: undefined, unpricedCount: 1});
  expect(spent(known)).toMatchObject({spent: dollars('24'), unpricedCount: 0});
  expect(spent()).toMatchObject({spent: dollars('0'), unpricedCount: 0});
});
