import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {burnAnomaly, burnIncident} from '../../../src/domain/money/anomaly.ts';
import {forecastRemaining} from '../../../src/domain/money/forecast.ts';
import {slopesOf, spendCurve} from '../../../src/domain/money/spend-curve.ts';
import {spanAges, survivalOf} from '../../../src/domain/money/survival.ts';
import {hourlyUsd, rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {chanceOf} from '../../tools/accuracy/chance.ts';
import {fleetOf, MONTH_END, MONTH_START} from '../../tools/accuracy/fleets.ts';
import {aRecord, MONTH, NOW, perHour} from './a-usage-record.ts';

/** A machine at `dollarsPerHour`, from `fromHoursAgo` to `toHoursAgo` or until now. */
function machine(
  id: number,
  dollarsPerHour: number,
  {fromHoursAgo, toHoursAgo}: {fromHoursAgo: number; toHoursAgo?: number},
): UsageRecord {
  const hours = fromHoursAgo - (toHoursAgo ?? 0);
  return aRecord({
    resourceId: id,
    name: safeText(`machine-${id}`),
    createdAt: epochMs(NOW - fromHoursAgo * HOUR_MS),
    billedCost: usd(rational(BigInt(Math.round(hours * dollarsPerHour * 1e6)), 1_000_000n)),
    isActive: toHoursAgo === undefined,
    ...(toHoursAgo === undefined
      ? {rate: perHour(String(dollarsPerHour))}
      : {terminatedAt: epochMs(NOW - toHoursAgo * HOUR_MS)}),
  });
}

const STEADY = machine(1, 10, {fromHoursAgo: 100 * 24});

function forecast(records: readonly UsageRecord[], fields = {}) {
  return forecastRemaining({
    curve: spendCurve(records, NOW),
    now: NOW,
    monthEnd: MONTH.end,
    cliffs: [],
    hasStep: false,
    ...fields,
  });
}

describe('spendCurve', () => {
  test('adds up what was spent, and gives the burn rate of what ran at a moment', () => {
    const curve = spendCurve([STEADY, machine(2, 5, {fromHoursAgo: 10, toHoursAgo: 4})], NOW);
    expect(curve.burnBefore(NOW)).toBeCloseTo(10 / HOUR_MS, 12);
    expect(curve.burnBefore(NOW - 5 * HOUR_MS)).toBeCloseTo(15 / HOUR_MS, 12);
    // Ten hours at ten dollars and six at five.
    expect(curve.spentBefore(NOW) - curve.spentBefore(NOW - 10 * HOUR_MS)).toBeCloseTo(130, 6);
    expect(curve.spentBefore(NOW - 200 * DAY_MS)).toBe(0);
  });
});

describe('the expected cost of a machine too young to show when it is hibernated', () => {
  // A hundred days old, at ten dollars an hour while running, and running for a quarter of the time.
  const hibernated = aRecord({
    createdAt: epochMs(NOW - 100 * DAY_MS),
    billedCost: usd(rational(6000n, 1n)),
    upTimeMinutes: rational(25n * 1440n, 1n),
    rate: perHour('10'),
  });
  /** This many days old, and running all the time at eight dollars an hour. */
  const young = (days: number) =>
    aRecord({
      resourceId: 2,
      createdAt: epochMs(NOW - days * DAY_MS),
      billedCost: usd(rational(BigInt(days * 192), 1n)),
      upTimeMinutes: rational(BigInt(days * 1440), 1n),
      rate: perHour('8'),
    });
  const aheadPerHour = (...records: readonly UsageRecord[]) =>
    (spendCurve(records, NOW).open.at(-1)?.aheadPerMs ?? 0) * HOUR_MS;

  test.each([
    // Two sevenths of a week by its own history, five by that of the others: 8 × (2 + 5 × 0.25) ÷ 7.
    [
      'assumes that it is hibernated as the others are, less so the older it is',
      aheadPerHour(hibernated, young(2)),
      3.714_285_7,
    ],
    ['is its present rate when it is a week old', aheadPerHour(hibernated, young(7)), 8],
    ['is its present rate when no other machine is hibernated', aheadPerHour(young(30), young(2)), 8],
  ])('%s', (_, perHourAhead, expected) => {
    expect(perHourAhead).toBeCloseTo(expected, 6);
  });
});

describe('survivalOf', () => {
  test('expects machines that live for ten hours to live for what is left of them', () => {
    const ended = Array.from({length: 50}, (_, index) =>
      machine(index, 1, {fromHoursAgo: 110 + index, toHoursAgo: 100 + index}),
    );
    const survival = survivalOf(spanAges(slopesOf(spendCurve(ended, NOW)), NOW));
    expect(survival.expectedMs(0, 5 * HOUR_MS)).toBeCloseTo(5 * HOUR_MS, -3);
    // Ages are counted by the hour, so the end may be anywhere in the tenth hour.
    expect(survival.expectedMs(0, 100 * HOUR_MS) / HOUR_MS).toBeCloseTo(10.5, 6);
    expect(survival.expectedMs(8 * HOUR_MS, 100 * HOUR_MS) / HOUR_MS).toBeCloseTo(2.5, 6);
  });

  test('expects machines to continue when none has ever ended', () => {
    const survival = survivalOf(spanAges(slopesOf(spendCurve([STEADY], NOW)), NOW));
    expect(survival.expectedMs(50 * DAY_MS, 20 * DAY_MS)).toBe(20 * DAY_MS);
  });

  test('expects of young machines what the last weeks show, not what the first machines of the account did', () => {
    // Twenty machines that have run for a hundred days, and one for each of the last 20 days that ended after ten hours.
    const first = Array.from({length: 20}, (_, index) => machine(index, 1, {fromHoursAgo: 100 * 24}));
    const later = Array.from({length: 20}, (_, day) =>
      machine(100 + day, 1, {fromHoursAgo: day * 24 + 20, toHoursAgo: day * 24 + 10}),
    );
    const survival = survivalOf(spanAges(slopesOf(spendCurve([...first, ...later], NOW)), NOW));
    expect(survival.expectedMs(0, 100 * HOUR_MS) / HOUR_MS).toBeCloseTo(10.5, 6);
    expect(survival.expectedMs(100 * DAY_MS, 20 * DAY_MS)).toBe(20 * DAY_MS);
  });
});

describe('forecastRemaining', () => {
  const hoursAhead = (MONTH.end - NOW) / HOUR_MS;

  test('is the burn rate for a steady account, with a narrow band and no error on the past', () => {
    const steady = forecast([STEADY]);
    expect(steady).toMatchObject({
      status: 'ready',
      replay: {meanAbsoluteErrorRatio: expect.closeTo(0, 6)},
    });
    if (steady.status !== 'ready') return;
    expect(steady.remaining).toBeCloseTo(10 * hoursAhead, 3);
    // 1.1 × 3 % × 1.2816 deviations.
    expect(steady.high80 / steady.remaining).toBeCloseTo(Math.exp(1.1 * 0.03 * 1.2816), 6);
    expect(steady.low80 * steady.high80).toBeCloseTo(steady.remaining ** 2, 2);
  });

  test('adds what the end of a contract changes, from its end on', () => {
    const at = NOW + 10 * DAY_MS;
    const plain = forecast([STEADY]);
    const ending = forecast([STEADY], {
      cliffs: [
        {at, perMs: -4 / HOUR_MS},
        {at: MONTH.end + DAY_MS, perMs: 100},
      ],
    });
    if (plain.status !== 'ready' || ending.status !== 'ready') throw new Error('no forecast');
    expect(ending.remaining - plain.remaining).toBeCloseTo(-4 * (hoursAhead - 240), 3);
  });

  test('is insufficient data when the past is too short to judge it by', () => {
    expect(forecast([machine(1, 10, {fromHoursAgo: 30 * 24})])).toEqual({
      status: 'insufficient-data',
    });
    expect(forecast([])).toEqual({status: 'insufficient-data'});
  });

  test('is less than 5 % off on average for shrinking accounts, for which each method alone expects too much', () => {
    const errors = Array.from({length: 40}, (_, fleet) => {
      const chance = chanceOf(5_000_000 + fleet);
      const now = MONTH_START + 4 * DAY_MS + chance.integer(0, 23) * HOUR_MS;
      const {records, billed, total, monthToDate} = fleetOf('shrinking', now, chance);
      const ahead = forecastRemaining({
        curve: spendCurve(records, epochMs(now)),
        now,
        monthEnd: MONTH_END,
        cliffs: [],
        billed,
        hasStep: false,
      });
      return ahead.status === 'ready' ? (monthToDate + ahead.remaining - total) / total : 1;
    });
    // Their mean was 9 % before the trend of beginnings and the skew of the future were included.
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.05);
  });

  test('follows a lasting step of the burn rate', () => {
    const records = [STEADY, machine(2, 30, {fromHoursAgo: 72})];
    const [ignored, followed] = [forecast(records), forecast(records, {hasStep: true})];
    if (ignored.status !== 'ready' || followed.status !== 'ready') throw new Error('no forecast');
    expect(followed.remaining).toBeGreaterThan(ignored.remaining);
    expect(followed.remaining).toBeGreaterThan(0.8 * 40 * hoursAhead);
  });
});

describe('burnAnomaly', () => {
  const anomalyOf = (records: readonly UsageRecord[]) => burnAnomaly(spendCurve(records, NOW), NOW);

  test('finds a step within two hours, its start and its causes, costliest first', () => {
    const found = anomalyOf([STEADY, machine(2, 3, {fromHoursAgo: 2.5}), machine(3, 5, {fromHoursAgo: 1.9})]);
    expect(found).toMatchObject({
      rule: 'usual',
      usualPerHour: expect.closeTo(10),
      perHour: expect.closeTo(18),
    });
    expect(found?.causes.map(({record}) => record.resourceId)).toEqual([3, 2]);
    expect(found?.since).toBe(NOW - 2.5 * HOUR_MS);
  });

  test.each<[string, UsageRecord[]]>([
    ['a steady account', [STEADY]],
    ['a step that is half an hour old', [STEADY, machine(2, 8, {fromHoursAgo: 0.5})]],
    ['an increase of less than a quarter', [STEADY, machine(2, 2.4, {fromHoursAgo: 5})]],
    [
      'an increase of less than ten dollars a day',
      [machine(1, 0.3, {fromHoursAgo: 2400}), machine(2, 0.4, {fromHoursAgo: 5})],
    ],
  ])('leaves %s alone', (_, records) => {
    expect(anomalyOf(records)).toBeUndefined();
  });

  test('finds its start across a weekend, although four weeks have too few weekend days to judge by', () => {
    const daysAgo = Array.from({length: 7}, (_, index) => index + 2);
    const begun = daysAgo.map(days => anomalyOf([STEADY, machine(2, 20, {fromHoursAgo: days * 24})])?.since);
    expect(begun).toEqual(daysAgo.map(days => NOW - days * DAY_MS));
  });

  test('goes back to an older rise when what began lately explains little of it', () => {
    // Of twenty working days, six were at $10/h, five at $18/h and nine at $65/h: the usual is 18, the scaled deviation
    // 11.86, and 65.44 is exceeded only with the last machine.
    const records = [
      STEADY,
      machine(2, 8, {fromHoursAgo: 20.5 * 24, toHoursAgo: 13.5 * 24}),
      machine(3, 55, {fromHoursAgo: 314}),
    ];
    expect(anomalyOf(records)).toBeUndefined();
    const found = anomalyOf([...records, machine(4, 1, {fromHoursAgo: 2.5})]);
    expect(found).toMatchObject({usualPerHour: expect.closeTo(18), perHour: expect.closeTo(66)});
    expect(found?.since).toBe(NOW - 314 * HOUR_MS);
    expect(found?.causes.map(({record}) => record.resourceId)).toEqual([3, 4]);
  });

  test('finds a step of the weekend in the first hour of Monday too', () => {
    // Monday, 00:30 UTC, six hours after it began; NOW is a Wednesday at 06:00.
    const monday = NOW - 53.5 * HOUR_MS;
    const records = [machine(1, 10, {fromHoursAgo: 100 * 24}), machine(2, 20, {fromHoursAgo: 59.5})];
    // What the first costs until NOW counts as if it were billed by then.
    const usual = (10 * 2400) / (2400 - 53.5);
    const found = burnAnomaly(spendCurve(records, epochMs(monday)), monday, 30);
    expect(found).toMatchObject({rule: 'usual', usualPerHour: expect.closeTo(usual), since: monday - 6 * HOUR_MS});
  });

  test.each([
    ['of every Sunday is not found where it lasts five minutes longer', 4, false],
    ['of one Sunday is found in the first hour of Monday', 0, true],
    ['of two Sundays, one of them the last, is found then too', 1, true],
  ])('a rise %s', (_, pastCount, isFound) => {
    // From 18:00 on Sunday to 00:05 UTC on Monday; NOW is a Wednesday at 06:00.
    const monday = NOW - 54 * HOUR_MS + 5 * MINUTE_MS;
    const past = Array.from({length: pastCount}, (_none, index) =>
      machine(10 + index, 8, {fromHoursAgo: 60 + 168 * (index + 1), toHoursAgo: 54 + 168 * (index + 1)}),
    );
    const steady = {...machine(1, 10, {fromHoursAgo: 100 * 24}), billedCost: usd(rational(23_461n, 1n))};
    // 6 h 5 min at $8.
    const present = {...machine(2, 8, {fromHoursAgo: 60}), billedCost: usd(rational(146n, 3n))};
    const records = [steady, present, ...past];
    expect(burnAnomaly(spendCurve(records, epochMs(monday)), monday, 18) !== undefined).toBe(isFound);
  });

  describe('at a weekend, for which four weeks have too few days to compare with', () => {
    /** A job at $15/h beside $10/h, begun this many hours before NOW, and the same in past weeks. */
    const withJob = (from: number, {at, past, usualHours}: {at: number; past: number; usualHours: number}) => {
      const ofWeeks = Array.from({length: past}, (_, index) => {
        const hours = from + 168 * (index + 1);
        return machine(10 + index, 15, {fromHoursAgo: hours, toHoursAgo: hours - usualHours});
      });
      const ofAll = (fromHoursAgo: number, perHourNow: number) =>
        usd(rational(BigInt(Math.round((fromHoursAgo - at) * perHourNow * 1e6)), 1_000_000n));
      const steady = {...machine(1, 10, {fromHoursAgo: 2400}), billedCost: ofAll(2400, 10)};
      const present = {...machine(2, 15, {fromHoursAgo: from}), billedCost: ofAll(from, 15)};
      return {records: [steady, present, ...ofWeeks], now: epochMs(NOW - at * HOUR_MS)};
    };
    // NOW is a Wednesday at 06:00: Sunday 10:00 is 68 hours before, and Friday 18:00 is 108.
    test.each([
      ['of every Sunday is not found', {from: 68, at: 66, past: 4, usualHours: 4}, false],
      ['of three Sundays of four neither', {from: 68, at: 66, past: 3, usualHours: 4}, false],
      ['of one Sunday before is found', {from: 68, at: 66, past: 1, usualHours: 4}, true],
      ['of no Sunday before is found', {from: 68, at: 66, past: 0, usualHours: 4}, true],
      [
        'of every Friday is not found where it lasts a few minutes longer',
        {from: 108, at: 101.9, past: 4, usualHours: 6},
        false,
      ],
      ['of every Friday is found where it lasts an hour longer', {from: 108, at: 100.9, past: 4, usualHours: 6}, true],
    ])('a doubled rate %s', (_, {from, ...given}, isFound) => {
      const {records, now} = withJob(from, given);
      expect(burnAnomaly(spendCurve(records, now), now, 25)?.rule).toBe(isFound ? 'doubled' : undefined);
    });

    test.each([
      ['of every Sunday is no incident once it has ended', 4, false],
      ['of one Sunday is', 0, true],
    ])('a doubled rate %s', (_, past, isFound) => {
      const {records, now} = withJob(68, {at: 63, past, usualHours: 4});
      const ended = records.map(each =>
        each.resourceId === 2
          ? {...machine(2, 15, {fromHoursAgo: 68, toHoursAgo: 64}), billedCost: usd(rational(60n, 1n))}
          : each,
      );
      expect(burnIncident(spendCurve(ended, now), now, 10) !== undefined).toBe(isFound);
    });
  });

  test('does not count a machine that is not billed yet among its causes', () => {
    const creating = aRecord({resourceId: 4, createdAt: epochMs(NOW - MINUTE_MS), billedCost: usd(rational(0n, 1n))});
    const found = anomalyOf([STEADY, machine(2, 3, {fromHoursAgo: 2.5}), machine(3, 5, {fromHoursAgo: 1.9}), creating]);
    expect(found?.causes.map(({record}) => record.resourceId)).toEqual([3, 2]);
  });

  test('ends when its causes are hibernated, and does not name hibernated machines while others run', () => {
    // Began five hours ago at $8 and $9 an hour; hibernated they are metered at a cent.
    const hibernated = (record: UsageRecord) => ({...record, rate: perHour('0.01')});
    const [first, second] = [machine(2, 8, {fromHoursAgo: 5}), machine(3, 9, {fromHoursAgo: 5})];
    const anomaly = (records: readonly UsageRecord[], presentPerHour: number) =>
      burnAnomaly(spendCurve(records, NOW), NOW, presentPerHour);
    expect(anomaly([STEADY, hibernated(first), hibernated(second)], 10.02)).toBeUndefined();
    const half = anomaly([STEADY, hibernated(first), second], 19.01);
    expect(half).toMatchObject({usualPerHour: expect.closeTo(10), perHour: 19.01});
    expect(half?.causes.map(({record}) => record.resourceId)).toEqual([3]);
  });

  describe('keeps its start, however much later it is computed', () => {
    const MINUTES = [0, 1, 8, 10, 59, 61, 200] as const;
    /** Runs since `from` minutes before NOW at `dollars` an hour, and at a cent from `hibernatedFrom` on. */
    const seenAt = (
      minutesLater: number,
      {
        id,
        from,
        dollars,
        hibernatedFrom = Infinity,
      }: {id: number; from: number; dollars: number; hibernatedFrom?: number},
    ): UsageRecord => {
      const [running, all] = [Math.min(minutesLater, hibernatedFrom) + from, minutesLater + from];
      const billed = (running * dollars + (all - running) * 0.01) / 60;
      return aRecord({
        resourceId: id,
        name: safeText(`sweep-${id}`),
        createdAt: epochMs(NOW - from * MINUTE_MS),
        billedCost: usd(rational(BigInt(Math.round(billed * 1e6)), 1_000_000n)),
        rate: perHour(String(hibernatedFrom <= minutesLater ? 0.01 : dollars)),
      });
    };
    const sinceAt = (minutesLater: number, machines: readonly Omit<Parameters<typeof seenAt>[1], 'id'>[]) => {
      const records = [{from: 100 * 1440, dollars: 10}, ...machines].map((each, id) =>
        seenAt(minutesLater, {id, ...each}),
      );
      const now = epochMs(NOW + minutesLater * MINUTE_MS);
      const present = records.reduce((sum, {rate}) => sum + (rate === undefined ? 0 : hourlyUsd(rate)), 0);
      const found = burnAnomaly(spendCurve(records, now), now, present);
      return found === undefined ? undefined : (found.since - NOW) / MINUTE_MS;
    };

    test.each(MINUTES)('while all machines run, %i minutes later', later => {
      const machines = [217, 152, 95].map(from => ({from, dollars: 5}));
      expect(sinceAt(later, machines)).toBe(-217);
    });

    test.each(
      MINUTES,
    )('as that of newer machines if nothing says how long the older ones ran, %i minutes later', later => {
      const hibernated = [217, 190, 152, 95].map(from => ({from, dollars: 9, hibernatedFrom: 0}));
      const since = sinceAt(later, [...hibernated, {from: 7, dollars: 9}, {from: 6, dollars: 9}]);
      expect(since).toBe(-7);
    });
  });

  /** Runs since `from` minutes before NOW at $5/h, hibernated ten minutes ago if `isHibernated`. */
  const sweep = (from: number, isHibernated: boolean) => {
    const running = isHibernated ? from - 10 : from;
    return aRecord({
      resourceId: from,
      name: safeText(`sweep-${from}`),
      createdAt: epochMs(NOW - from * MINUTE_MS),
      upTimeMinutes: rational(BigInt(running), 1n),
      billedCost: usd(rational(BigInt(running) * 5n, 60n)),
      rate: perHour(isHibernated ? '0.01' : '5'),
    });
  };
  const restOf = (others: readonly UsageRecord[]) => (hibernated: readonly number[], left: readonly number[]) => {
    const sweeps = [...hibernated.map(from => sweep(from, true)), ...left.map(from => sweep(from, false))];
    const present = 10 + 0.01 * hibernated.length + 5 * left.length;
    const found = burnAnomaly(spendCurve([...others, ...sweeps], NOW), NOW, present);
    return found && {...found, causes: found.causes.map(({record}) => record.resourceId)};
  };

  test('does not count a machine among the causes of its rest that was too small to count at its highest', () => {
    // At its highest $47/h more than the usual, of which the small one is 4%; of the $7/h that are left it is 29%.
    const small = {...machine(7, 2, {fromHoursAgo: 0.5}), name: safeText('eval-02')};
    expect(restOf([STEADY, small])([225, 200, 175, 150, 125, 100, 75, 50], [40])?.causes).toEqual([40]);
  });

  describe('after it was ended', () => {
    const first = [225, 200, 175, 150, 125, 100, 75, 50, 25];
    const incident = (records: readonly UsageRecord[], presentPerHour: number) =>
      burnIncident(spendCurve([STEADY, ...records], NOW), NOW, presentPerHour);
    const ofSweeps = (hibernated: readonly number[], left: readonly number[]) =>
      incident(
        [...hibernated.map(from => sweep(from, true)), ...left.map(from => sweep(from, false))],
        10 + 0.01 * hibernated.length + 5 * left.length,
      );

    test('tells its highest rate, its start, its end and what caused it, at the rates of then', () => {
      // Nine machines at $5/h over $10/h, until ten minutes ago.
      const told = ofSweeps(first, []);
      expect(told).toMatchObject({
        usualPerHour: expect.closeTo(10),
        peakPerHour: expect.closeTo(55),
        peakAt: NOW - 10 * MINUTE_MS,
        since: NOW - 225 * MINUTE_MS,
        endedAt: NOW - 10 * MINUTE_MS,
        // Only their bills say when they were hibernated.
        isEstimated: true,
      });
      expect(told?.causes.map(({record}) => record.resourceId).toSorted((left, right) => right - left)).toEqual(first);
    });

    test('has at least the rate that was read while it lasted', () => {
      const sweeps = first.map(from => sweep(from, true));
      const peakWith = (perHour: number, minutesAgo: number) => {
        const read = {at: NOW - minutesAgo * MINUTE_MS, perHour};
        return burnIncident(spendCurve([STEADY, ...sweeps], NOW), NOW, 10.09, undefined, [read]);
      };
      const endedAt = NOW - 10 * MINUTE_MS;
      expect(peakWith(63, 12)).toMatchObject({peakPerHour: 63, peakAt: NOW - 12 * MINUTE_MS, endedAt});
      // Its end is estimated too, and was not before that.
      const later = NOW - 5 * MINUTE_MS;
      expect(peakWith(63, 5)).toMatchObject({peakPerHour: 63, peakAt: later, endedAt: later});
      // Lower than what it is estimated to have been, and before it.
      for (const [perHour, minutesAgo] of [
        [50, 12],
        [63, 300],
      ] as const) {
        expect(peakWith(perHour, minutesAgo)).toMatchObject({
          peakPerHour: expect.closeTo(55),
          peakAt: NOW - 10 * MINUTE_MS,
        });
      }
    });

    test('has no end while enough of it is left, and is not told before anything was ended', () => {
      expect(ofSweeps(first, [2, 1])).toMatchObject({peakPerHour: expect.closeTo(55), endedAt: undefined});
      expect(ofSweeps([], first)).toBeUndefined();
      expect(ofSweeps([25], [])).toBeUndefined();
    });

    test('has a machine that is being created beside it at the rate it is metered at', () => {
      // Two minutes old at $5/h, and billed for one of them; the others were hibernated a minute ago.
      const times = [
        {from: epochMs(NOW - 300 * MINUTE_MS), until: epochMs(NOW - MINUTE_MS), share: rational(1n, 1n)},
        {from: epochMs(NOW - MINUTE_MS), until: epochMs(Infinity), share: rational(0n, 1n)},
      ];
      const created = {...sweep(2, false), upTimeMinutes: rational(1n, 1n), billedCost: usd(rational(5n, 60n))};
      const others = first.map(from => ({...sweep(from, true), paidTimes: times}));
      expect(incident([...others, created], 15.09)?.peakPerHour).toBeCloseTo(60);
    });

    test('ends when its machines were deleted', () => {
      const deleted = first.map(from => machine(from, 5, {fromHoursAgo: from / 60, toHoursAgo: 0.1}));
      expect(incident(deleted, 10)).toMatchObject({
        peakPerHour: expect.closeTo(55),
        endedAt: expect.closeTo(NOW - 6 * MINUTE_MS, -1),
        isEstimated: false,
      });
    });

    test('has its machines until the moment at which their events say they were hibernated', () => {
      const times = (from: number) => [
        {from: epochMs(NOW - from * MINUTE_MS), until: epochMs(NOW - 4 * MINUTE_MS), share: rational(1n, 1n)},
        {from: epochMs(NOW - 4 * MINUTE_MS), until: epochMs(Infinity), share: rational(0n, 1n)},
      ];
      const hibernated = first.map(from => ({...sweep(from, true), paidTimes: times(from)}));
      expect(incident(hibernated, 10.09)).toMatchObject({
        peakPerHour: expect.closeTo(55),
        peakAt: NOW - 4 * MINUTE_MS,
        isEstimated: false,
      });
    });
  });

  describe('in an account whose burn rate differs from day to day', () => {
    // $10/h, $14/h and $18/h in turn: usually $14/h, and an anomaly is 4 × 1.4826 × $4/h = $23.72/h more.
    const busyDays = Array.from({length: 28}, (_, index) => {
      const hours = (index + 1) * 24;
      return machine(100 + index, 4 * (index % 3), {fromHoursAgo: hours + 12, toHoursAgo: hours - 12});
    });
    const rest = restOf([STEADY, ...busyDays]);
    const first = [225, 200, 175, 150, 125, 100, 75, 50, 25];

    test('continues while new machines replace hibernated ones', () => {
      expect(rest([], first)).toMatchObject({
        since: NOW - 225 * MINUTE_MS,
        usualPerHour: expect.closeTo(14),
      });
      // With the two new ones it is $6/h above the usual: that alone would be no anomaly.
      expect(rest(first, [2, 1])).toMatchObject({
        causes: [2, 1],
        // Where it was before any was hibernated.
        since: NOW - 225 * MINUTE_MS,
        // The sixth machine passed $37.72/h.
        aboveSince: NOW - 100 * MINUTE_MS,
        perHour: expect.closeTo(20, 0),
      });
      expect(rest([], [2, 1])).toBeUndefined();
    });

    test('continues while a part of it is left, and ends with it', () => {
      expect(rest(first.slice(2), [225, 200])).toMatchObject({causes: [225, 200], since: NOW - 225 * MINUTE_MS});
      expect(rest(first, [])).toBeUndefined();
    });
  });

  describe('when the burn rate doubled within a day', () => {
    const young = machine(1, 10, {fromHoursAgo: 48});
    const rest = restOf([young]);

    test('covers the machines that remain, from the start of the rise, until the burn rate is near what it was', () => {
      // The burn rate rose from $10/h to $35/h, and is now $20/h, $15/h and $10/h.
      expect(rest([125, 100, 75], [50, 5])).toMatchObject({
        causes: [50, 5],
        since: NOW - 125 * MINUTE_MS,
      });
      expect(rest([125, 100, 75, 50], [5])).toMatchObject({
        causes: [5],
        since: NOW - 125 * MINUTE_MS,
        usualPerHour: expect.closeTo(10),
        perHour: expect.closeTo(15, 0),
      });
      expect(rest([125, 100, 75, 50, 15], [])).toBeUndefined();
    });

    test('is undefined for a rise that never doubled it', () => {
      expect(rest([], [50])).toBeUndefined();
      expect(rest([125], [5])).toBeUndefined();
    });

    test('starts anew after the burn rate was down for hours', () => {
      // Four at $5/h were hibernated after ten minutes, five hours ago.
      const slept = [330, 329, 328, 327].map(from => ({
        ...sweep(from, true),
        upTimeMinutes: rational(10n, 1n),
        billedCost: usd(rational(50n, 60n)),
      }));
      const anomaly = (left: readonly number[]) => {
        const records = [young, ...slept, ...left.map(from => sweep(from, false))];
        return burnAnomaly(spendCurve(records, NOW), NOW, 10.04 + 5 * left.length);
      };
      expect(anomaly([3])).toBeUndefined();
      expect(anomaly([3, 2])).toMatchObject({since: NOW - 3 * MINUTE_MS});
    });
  });

  test('compares a young account with its previous day', () => {
    const young = machine(1, 10, {fromHoursAgo: 48});
    expect(anomalyOf([young, machine(2, 9, {fromHoursAgo: 5})])).toBeUndefined();
    expect(anomalyOf([young, machine(2, 11, {fromHoursAgo: 5})])).toMatchObject({rule: 'doubled'});
  });
});
