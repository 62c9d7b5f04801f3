import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {type BillingFigures, computeFigures, topSpenders} from '../../../src/domain/money/figures.ts';
import {recordsOf} from '../../../src/domain/money/settled.ts';
import {usageFlags} from '../../../src/domain/money/usage-flag.ts';
import {add, rational, toMicroUsd, usd} from '../../../src/domain/money.ts';
import {type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {sweepOf} from '../../support/tier.ts';
import {anyRecords, aRecord, dollars, NOW, perHour} from './a-usage-record.ts';

const runs = {numRuns: sweepOf({sample: 12, deep: 2_000})};

/** What one poll finds: what has changed since the poll before, and how much later it is. */
type Poll = {readonly laterMs: number; readonly started: readonly UsageRecord[]; readonly isReadAnew: boolean};

const anyPoll: fc.Arbitrary<Poll> = fc.record({
  laterMs: fc.integer({min: 1, max: 400 * HOUR_MS}),
  started: anyRecords(3),
  isReadAnew: fc.boolean(),
});

/** Bills keep growing; what is created later does not exist yet. */
function seenAt(records: readonly UsageRecord[], now: EpochMs): readonly UsageRecord[] {
  return records
    .filter(({createdAt = now}) => createdAt <= now)
    .map(record => {
      if (!record.isActive || record.billedCost === undefined) return record;
      return {...record, billedCost: usd(add(record.billedCost, rational(BigInt(now - NOW), 7_000_000n)))};
    });
}

/** The figures that do not depend on which of the lists a record came from. */
function exactly(figures: BillingFigures) {
  const {burn, days, monthToDate, estimated, unpricedCount, projection, usage, reading} = figures;
  return {
    burn,
    days,
    monthToDate,
    estimated,
    unpricedCount,
    projection,
    flagCount: usageFlags(recordsOf(usage), reading.now).length,
    spenderCount: topSpenders(figures).length,
  };
}

describe('settled records', {timeout: 300_000}, () => {
  test('give, with the open ones, the same figures poll after poll as all records computed afresh', () => {
    fc.assert(
      fc.property(anyRecords(8), fc.array(anyPoll, {minLength: 1, maxLength: 6}), (first, polls) => {
        let [now, records] = [NOW, first];
        let deleted: readonly UsageRecord[] = [];
        for (const {laterMs, started, isReadAnew} of [{laterMs: 0, started: [], isReadAnew: true}, ...polls]) {
          now = epochMs(now + laterMs);
          records = [...records, ...started.map(each => ({...each, resourceId: each.resourceId + records.length}))];
          const present = seenAt(records, now);
          // The list of deleted records is read less often: until then the live list has what ended since.
          if (isReadAnew) deleted = present.filter(({isActive}) => !isActive);
          const old = deleted;
          const live = present.filter(record => record.isActive || !old.includes(record));
          const [inParts, afresh] = [
            computeFigures(live, deleted, now),
            computeFigures([...live, ...deleted], [], now),
          ];
          expect(exactly(inParts)).toEqual(exactly(afresh));
          // These are floats: a costly span of a second leaves its rounding in the rate of all weeks after it.
          expect(inParts.curve.spentBefore(now)).toBeCloseTo(afresh.curve.spentBefore(now), 3);
          expect(inParts.curve.burnBefore(now)).toBeCloseTo(afresh.curve.burnBefore(now), 9);
        }
      }),
      runs,
    );
  });

  test('are remembered for the past of a forecast for an hour, and do not change it', () => {
    const ended = Array.from({length: 40}, (_, index) => {
      const createdAt = epochMs(NOW - (90 - 2 * index) * 24 * HOUR_MS);
      const terminatedAt = epochMs(createdAt + (1 + (index % 5)) * 31 * HOUR_MS);
      const billedCost = dollars(String(10 + index));
      return aRecord({resourceId: 100 + index, createdAt, terminatedAt, billedCost, isActive: false});
    });
    const steady = aRecord({
      createdAt: epochMs(NOW - 95 * 24 * HOUR_MS),
      billedCost: dollars('2280'),
      rate: perHour('1'),
    });
    // Every seven minutes, over the full hour and over the end of some hours.
    for (let minutes = 0; minutes < 150; minutes += 7) {
      const now = epochMs(NOW + minutes * MINUTE_MS);
      const live = seenAt([steady], now);
      const [kept, afresh] = [computeFigures(live, ended, now), computeFigures(live, [...ended], now)];
      expect(kept.forecast).toMatchObject({status: 'ready'});
      expect(kept.forecast).toEqual(afresh.forecast);
    }
  });

  test('are read anew with their list, and give way to the live list when that knows more', () => {
    const ended = aRecord({isActive: false, terminatedAt: epochMs(NOW - HOUR_MS), billedCost: dollars('5')});
    const total = (live: readonly UsageRecord[], deleted: readonly UsageRecord[]) =>
      Number(toMicroUsd(computeFigures(live, deleted, NOW).monthToDate)) / 1e6;
    const list = [ended];
    expect(total([], list)).toBe(5);
    expect(total([{...ended, upTimeMinutes: rational(1n, 1n), billedCost: dollars('6')}], list)).toBe(6);
    expect(total([{...ended, billedCost: dollars('4')}], list)).toBe(5);
    expect(total([], [...list, {...ended, resourceId: 2}])).toBe(10);
  });
});
