import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {billedDifference, differenceReason} from '../../../src/domain/money/billed-difference.ts';
import {burnChange, pastBurn, unexplainedPerHour} from '../../../src/domain/money/burn-change.ts';
import type {Commitment} from '../../../src/domain/money/commitment.ts';
import {spendGroups} from '../../../src/domain/money/group.ts';
import {
  budgetPace,
  type CostReport,
  costReport,
  forecastByDay,
  gpuPrices,
  knownMonthToDate,
  monthEndAt,
  recordCosts,
  spendByHour,
} from '../../../src/domain/money/report.ts';
import {recordsOf} from '../../../src/domain/money/settled.ts';
import {usageFlags} from '../../../src/domain/money/usage-flag.ts';
import {allocate, rational, ratePerMinute, scaleRate, scaleUsd, sumUsd, toMicroUsd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import type {MachineStatus} from '../../../src/domain/virtual-machine.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {sweepOf} from '../../support/tier.ts';
import {aCostReading, anyRecords, aRecord, at, dollars, MONTH, NOW, perHour} from './a-usage-record.ts';

const runs = {numRuns: sweepOf({sample: 25, deep: 10_000})};
const EMPTY = {machines: new Map(), volumes: new Map()};

test('the coming days have equal forecasts except for what a contract ends, and add up to the rest of the month', () => {
  const report = costReport(aCostReading([aRecord({createdAt: at('2026-07-01T00:00:00Z'), rate: perHour('10')})]));
  const {forecast} = report;
  if (forecast.status !== 'ready') throw new Error('no forecast');
  const sumOf = (days: readonly {readonly dollars: number}[]) => days.reduce((sum, {dollars: each}) => sum + each, 0);
  const [plain, now] = [forecastByDay(report), report.reading.now];
  const [tomorrow] = plain;
  const today = ((tomorrow?.start ?? 0) - now) / DAY_MS;
  expect(plain.map(({start}) => start).at(-1)).toBe(MONTH.end - DAY_MS);
  expect(sumOf(plain) + today * (tomorrow?.dollars ?? 0)).toBeCloseTo(forecast.remaining, 6);
  // A contract that takes four dollars an hour away from the middle of the last day but one.
  const endsAt = epochMs(MONTH.end - 1.5 * DAY_MS);
  const commitment: Commitment = {
    contract: {
      id: 118,
      status: 'ACTIVE',
      statusText: safeText('Active'),
      expirationPolicy: {kind: 'delete', code: 0},
      discounts: [],
      endsAt,
    },
    daysLeft: undefined,
    machines: [],
    use: undefined,
    cliff: perHour('-4'),
  };
  const ending = {
    ...report,
    commitments: [commitment],
    forecast: {...forecast, remaining: forecast.remaining - 4 * 36},
  };
  const changes = forecastByDay(ending).map(({dollars: each}, index) => each - (plain[index]?.dollars ?? 0));
  expect(changes.slice(0, -2).every(change => Math.abs(change) < 1e-6)).toBe(true);
  expect(changes.slice(-2)).toEqual([expect.closeTo(-48, 6), expect.closeTo(-96, 6)]);
});

test('a record dated in the future counts in the burn rate, is flagged, and is no step of the burn rate', () => {
  // Two days old, so that it is compared with its previous day.
  const steady = aRecord({createdAt: at('2026-11-09T00:00:00Z'), rate: perHour('10')});
  const odd = (createdAt: string) => {
    const record = aRecord({resourceId: 2, createdAt: at(createdAt), rate: perHour('30')});
    const {burn, anomaly} = costReport(aCostReading([steady, record]));
    return {burn, perHour: anomaly?.perHour, flags: usageFlags([record], NOW).map(({flag}) => flag)};
  };
  expect(odd('2027-01-01T00:00:00Z')).toEqual({
    burn: perHour('40'),
    perHour: undefined,
    flags: ['FUTURE', 'NO_BILL'],
  });
  expect(odd('2026-11-11T03:00:00Z')).toMatchObject({burn: perHour('40'), perHour: 40});
});

describe('properties of the report', {timeout: 300_000}, () => {
  test('days, groups and the month have the same sum, in micro-dollars', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        const report = costReport(aCostReading(records));
        const total = toMicroUsd(report.monthToDate);
        const sum = (parts: readonly number[]) => parts.reduce((left, right) => left + right, 0);
        expect(sum(allocate(report.days.map(({cost}) => cost)))).toBe(total);
        for (const by of ['vm', 'type', 'label', 'flavor'] as const) {
          const groups = spendGroups(recordCosts(report), by, {inventory: EMPTY, total: report.monthToDate});
          expect(sum(groups.map(({spent}) => spent ?? 0))).toBe(total);
        }
      }),
      runs,
    );
  });

  test('with billed days the month is the sum of the days shown', () => {
    const days = fc.uniqueArray(fc.integer({min: 0, max: 9}));
    fc.assert(
      fc.property(anyRecords(), days, fc.bigInt(0n, 10n ** 9n), (records, billedDays, micro) => {
        const cost = dollars(`${micro}e-6`);
        const billed = billedDays.map(day => {
          const start = epochMs(MONTH.start + day * DAY_MS);
          return {start, until: epochMs(start + DAY_MS), cost};
        });
        const report = costReport(aCostReading(records, {billed}));
        const shown = report.days.filter(({source}) => source === 'billed');
        expect(shown.map(each => each.cost)).toEqual(billedDays.map(() => cost));
        expect(report.monthToDate).toEqual(sumUsd(report.days.map(each => each.cost)));
      }),
      runs,
    );
  });

  test('order, duplicates and records excluded from billing change nothing', () => {
    fc.assert(
      fc.property(anyRecords(), anyRecords(4), (records, others) => {
        const excluded = others.map(record => ({...record, isExcludedFromBilling: true, resourceId: 99}));
        const plain = costReport(aCostReading(records));
        const shuffled = costReport(aCostReading([...excluded, ...[...records].reverse()], {deleted: records}));
        expect(shuffled.days).toEqual(plain.days);
        expect(shuffled.monthToDate).toEqual(plain.monthToDate);
        expect(shuffled.burn).toEqual(plain.burn);
        const flagsOf = ({usage}: CostReport) => usageFlags(recordsOf(usage), NOW);
        expect(flagsOf(shuffled).length).toBe(flagsOf(plain).length);
        expect(shuffled.projection).toEqual(plain.projection);
      }),
      runs,
    );
  });

  test('doubled rates and bills double the month-to-date, the projection and the forecast', () => {
    fc.assert(
      fc.property(anyRecords(30), records => {
        const two = rational(2n, 1n);
        const doubled = records.map(record => ({
          ...record,
          ...(record.billedCost === undefined ? {} : {billedCost: scaleUsd(record.billedCost, two)}),
          ...(record.rate === undefined ? {} : {rate: scaleRate(record.rate, two)}),
        }));
        const [once, twice] = [costReport(aCostReading(records)), costReport(aCostReading(doubled))];
        expect(twice.monthToDate).toEqual(scaleUsd(once.monthToDate, two));
        const {ifNothingChanges} = once.projection;
        expect(twice.projection.ifNothingChanges).toEqual(ifNothingChanges && scaleUsd(ifNothingChanges, two));
        if (once.forecast.status === 'ready' && twice.forecast.status === 'ready' && !once.forecast.followsStep) {
          const isSame = twice.forecast.followsStep === once.forecast.followsStep;
          if (isSame) expect(twice.forecast.remaining).toBeCloseTo(2 * once.forecast.remaining, 6);
        }
      }),
      runs,
    );
  });

  test('at the end of the month every forecast is what was spent, without a band', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        const report = costReport(aCostReading(records, {now: MONTH.end}));
        const {forecast, monthToDate, projection} = report;
        // When nothing is known to be spent and a record of the month has neither bill nor price, the month is
        // unknown, and so is its end by any method.
        const hasPrice = ({billedCost, rate, terminatedAt}: UsageRecord) =>
          [billedCost, rate].some(price => price !== undefined && price.numerator >= 0n) ||
          (terminatedAt ?? MONTH.end) <= MONTH.start;
        const isKnown = monthToDate.numerator > 0n || records.every(hasPrice);
        const known = isKnown ? monthToDate : undefined;
        expect(knownMonthToDate(report)).toEqual(known);
        expect(forecast).toMatchObject({status: 'ready', remaining: 0, low80: 0, high80: 0});
        expect(monthEndAt(monthToDate, 0)).toEqual(monthToDate);
        expect(projection).toEqual({ifNothingChanges: known, runRate: known});
      }),
      runs,
    );
  });
});

describe('a month that is billed as a whole', () => {
  const record = aRecord({billedCost: dollars('246')});
  const day = (from: number, cost: string) => {
    const start = epochMs(MONTH.start + from * DAY_MS);
    return {start, until: epochMs(start + DAY_MS), cost: dollars(cost)};
  };

  test('is split between its days by the records, which also say what was added since the bill', () => {
    // 122 dollars until 05:00 of the eleventh, then an hour at a dollar; the records say 24 a day and 6 today.
    const billedMonth = {until: at('2026-11-11T05:00:00Z'), cost: dollars('122')};
    const {days, monthToDate} = costReport(aCostReading([record], {billedMonth}));
    expect(monthToDate).toEqual(dollars('123'));
    expect(days.map(({cost}) => cost)).toEqual([...Array.from({length: 10}, () => dollars('12')), dollars('3')]);
    expect(days.every(({source}) => source === 'usage')).toBe(true);
  });

  test('gives today what the bills of the other days do not cover', () => {
    const billed = Array.from({length: 10}, (_, index) => day(index, '12'));
    const {days} = costReport(aCostReading([record], {billed, billedMonth: {until: NOW, cost: dollars('124')}}));
    expect(days.at(-1)).toMatchObject({source: 'billed', cost: dollars('4')});
  });

  // Ten dollars a day, of which today's quarter is billed by itself.
  const steady = aRecord({billedCost: dollars('102.5'), rate: ratePerMinute(rational(1n, 144n))});
  const tenDays = Array.from({length: 10}, (_, index) => day(index, '10'));
  const today = (cost: string) => ({...day(10, cost), until: NOW});

  test.each([
    ["a bill of the month that the days' own bills do not reach", [today('2.5')], '150', undefined, '2.5', '150'],
    ['a larger bill of the days before today', [today('2.5')], '122.5', '120', '2.5', '122.5'],
    ['a larger bill of the days before, with a closed day missing', [today('2.5')], '150', '100', '2.5', '150'],
    ['a bill of the month alone', [], '150', undefined, '2.5', '150'],
  ])("does not add to today what today's own billing does not explain: %s", (_, of, month, before, ofToday, total) => {
    const closed = tenDays.slice(before === '100' ? 1 : 0);
    const report = costReport(
      aCostReading([steady], {
        billed: [...closed, ...of],
        billedMonth: {until: NOW, cost: dollars(month)},
        billedBeforeToday: before === undefined ? undefined : dollars(before),
      }),
    );
    const source = of.length === 0 ? 'usage' : 'billed';
    expect(report.days.at(-1)).toMatchObject({source, cost: dollars(ofToday)});
    expect(report.monthToDate).toEqual(dollars(total));
  });

  test.each([
    ['is its bill if its records explain it', '100', '10', 'billed'],
    ['is estimated if it is more, such as a fee', '150', '60', 'usage'],
  ] as const)('what the other bills leave for a closed day without one %s', (_, before, ofDay, source) => {
    const billed = [...tenDays.slice(1), today('2.5')];
    const billedMonth = {until: NOW, cost: dollars('102.5')};
    const report = costReport(aCostReading([steady], {billed, billedMonth, billedBeforeToday: dollars(before)}));
    expect(report.days[0]).toMatchObject({source, cost: dollars(ofDay)});
  });

  test("adds to today what the month's bill may contain beyond a bill of today that is ten minutes older", () => {
    const billed = [...tenDays, today('2.5')];
    const lastDay = (month: string) =>
      costReport(aCostReading([steady], {billed, billedMonth: {until: NOW, cost: dollars(month)}})).days.at(-1)?.cost;
    // A dollar takes 144 minutes: ten minutes are 6.9 cents.
    expect(lastDay('102.56')).toEqual(dollars('2.56'));
    expect(lastDay('102.58')).toEqual(dollars('2.5'));
  });

  test('never makes the cost of a day negative', () => {
    const {days} = costReport(
      aCostReading([record], {billed: [day(0, '200')], billedMonth: {until: NOW, cost: dollars('100')}}),
    );
    expect(days.map(({cost}) => cost)).toEqual([
      dollars('200'),
      ...Array.from({length: 9}, () => dollars('24')),
      dollars('6'),
    ]);
  });
});

describe('costReport', () => {
  test('gives a machine its bill, and says by how much it differs from its records', () => {
    // 10.25 days at 24 dollars by the records; the provider billed half of the ten closed days.
    const record = aRecord({billedCost: dollars('246'), rate: perHour('1')});
    const billed = Array.from({length: 10}, (_, day) => {
      const start = epochMs(MONTH.start + day * DAY_MS);
      return {start, until: epochMs(start + DAY_MS), cost: dollars('12')};
    });
    const histories = [{machineId: 1, name: safeText('train-01'), usedByState: [], billedCost: dollars('123')}];
    const report = costReport(aCostReading([record], {billed, machineHistories: histories}));
    expect(report.monthToDate).toEqual(dollars('126'));
    expect(recordCosts(report).map(({cost}) => cost)).toEqual([dollars('123')]);
    expect(billedDifference(report)).toEqual({billed: dollars('120'), estimated: dollars('240'), isLarge: true});
  });

  test.each([
    // Metered for 123 of 246 hours, and billed half of what an even spread says.
    ['train-01 was hibernated', {upTimeMinutes: rational(7380n, 1n)}, '123'],
    ['mostly train-01', {}, '123'],
    ['fees or buckets beyond the usage', {}, '246'],
  ])('says why bill and records differ: %s', (expected, fields, ofMachine) => {
    const record = aRecord({billedCost: dollars('246'), ...fields});
    const [start, until] = [at('2026-11-01T00:00:00Z'), at('2026-11-02T00:00:00Z')];
    const machineHistories = [
      {machineId: 1, name: safeText('train-01'), usedByState: [], billedCost: dollars(ofMachine)},
    ];
    // When the machine was billed what its records say, the month of $300 includes $54 of something else.
    const billedMonth = {until: NOW, cost: dollars(ofMachine === '246' ? '300' : '123')};
    const billed = ofMachine === '246' ? [{start, until, cost: dollars('78')}] : [];
    const report = costReport(aCostReading([record], {billed, billedMonth, machineHistories}));
    expect(differenceReason(report)).toBe(expected);
  });

  test("adds to today's bill what the records say since it was read", () => {
    const record = aRecord({billedCost: dollars('246')});
    const [start, until] = [at('2026-11-11T00:00:00Z'), at('2026-11-11T05:00:00Z')];
    const report = costReport(aCostReading([record], {billed: [{start, until, cost: dollars('4')}]}));
    // One hour of 246 dollars over 246 hours.
    expect(report.days.at(-1)).toMatchObject({source: 'billed', cost: dollars('5')});
  });

  test('shows what changed since an hour and a day ago, and the records that caused it', () => {
    const started = aRecord({
      resourceId: 2,
      name: safeText('new'),
      createdAt: epochMs(NOW - 30 * MINUTE_MS),
      rate: perHour('4'),
    });
    const ended = aRecord({
      resourceId: 3,
      name: safeText('gone'),
      createdAt: epochMs(NOW - 20 * DAY_MS),
      terminatedAt: epochMs(NOW - 5 * HOUR_MS),
      isActive: false,
      billedCost: dollars('950'),
    });
    const report = costReport(aCostReading([aRecord({rate: perHour('3')}), started], {deleted: [ended]}));
    const hour = burnChange(report, HOUR_MS);
    expect([hour.thenPerHour, hour.nowPerHour]).toEqual([expect.closeTo(3), expect.closeTo(7)]);
    expect(hour.causes.map(({name, perHour: change}) => [name, change])).toEqual([['new', expect.closeTo(4)]]);
    const day = burnChange(report, DAY_MS);
    // 950 dollars in 475 hours.
    expect(day.thenPerHour).toBeCloseTo(5);
    expect(day.causes.map(({name}) => name)).toEqual(['new', 'gone']);
  });

  test('names a resource without a name by its id, whether it was metered or billed', () => {
    const nameless = (resourceId: number, type: string, createdAt = epochMs(NOW - HOUR_MS)) =>
      aRecord({resourceId, resourceType: safeText(type), name: safeText(''), createdAt, rate: perHour('4')});
    const report = costReport(aCostReading([nameless(2, 'vm'), nameless(3, 'volume')]));
    expect(burnChange(report, DAY_MS).causes.map(({name}) => name)).toEqual(['vm #2', 'volume #3']);
    const gone = {machineId: 9, name: safeText(''), billedCost: dollars('5'), usedByState: []};
    const billed = burnChange(report, DAY_MS, pastBurn(dollars('5'), [gone]));
    expect(billed.causes.map(({name}) => name)).toEqual(['vm #9', 'volume #3', 'vm #2']);
  });

  test('takes the past burn rate from the bill, and names what was hibernated, restored, created and deleted since', () => {
    const live = [
      aRecord({resourceId: 1, name: safeText('hibernated'), rate: perHour('0.02')}),
      aRecord({resourceId: 2, name: safeText('woken'), rate: perHour('4')}),
      aRecord({resourceId: 3, name: safeText('same'), rate: perHour('3')}),
      aRecord({resourceId: 4, name: safeText('new'), rate: perHour('1')}),
    ];
    // In half an hour: $2.50 for the one hibernated later, a cent, $1.50, and $0.50 for one that is gone.
    const history = (machineId: number, name: string, cost: string) => ({
      machineId,
      name: safeText(name),
      billedCost: dollars(cost),
      usedByState: [],
    });
    const histories = [
      history(1, 'hibernated', '2.5'),
      history(2, 'woken', '0.01'),
      history(3, 'same', '1.5'),
      history(9, 'gone', '0.5'),
    ];
    const report = costReport(aCostReading(live));
    const change = burnChange(report, DAY_MS, pastBurn(dollars('4.51'), histories));
    expect([change.thenPerHour, change.nowPerHour]).toEqual([expect.closeTo(9.02), expect.closeTo(8.02)]);
    expect(change.causes.map(({name, perHour: each}) => [name, each])).toEqual([
      ['hibernated', expect.closeTo(-4.98)],
      ['woken', expect.closeTo(3.98)],
      ['new', expect.closeTo(1)],
      ['gone', expect.closeTo(-1)],
    ]);
    expect(change.causes.reduce((sum, {perHour: each}) => sum + each, 0)).toBeCloseTo(8.02 - 9.02);
    expect(burnChange(report, DAY_MS, pastBurn(dollars('4.51'), undefined)).thenPerHour).toBeCloseTo(9.02);
  });

  test('is the rate at the moment, although the bill covers half an hour in which machines began and ended', () => {
    const minutesAgo = (minutes: number) => epochMs(NOW - minutes * MINUTE_MS);
    const rate = perHour('24');
    const machine = (id: number, from: number, billed: string) =>
      aRecord({
        resourceId: id,
        name: safeText(`sweep-${id}`),
        createdAt: minutesAgo(from),
        rate,
        billedCost: dollars(billed),
      });
    const steady = aRecord({rate: perHour('3'), billedCost: dollars('738')});
    // Created 70 and 50 minutes ago, and not billed for the first two minutes; and one that ended 55 minutes ago.
    const [before, after] = [machine(2, 70, '27.2'), machine(3, 50, '19.2')];
    const ended = {
      ...aRecord({resourceId: 4, name: safeText('sweep-4'), createdAt: minutesAgo(175), billedCost: dollars('48')}),
      terminatedAt: minutesAgo(55),
      upTimeMinutes: rational(120n, 1n),
      isActive: false,
    };
    const report = costReport(aCostReading([steady, before, after], {deleted: [ended]}));
    // Between 75 and 45 minutes ago: all of it, 23 minutes, 3 minutes, and 20 minutes.
    const billed = [
      [1, '1.5'],
      [2, '9.2'],
      [3, '1.2'],
      [4, '8'],
    ] as const;
    const histories = billed.map(([machineId, cost]) => ({
      machineId,
      name: safeText(`sweep-${machineId}`),
      billedCost: dollars(cost),
      usedByState: [],
    }));
    for (const known of [histories, undefined]) {
      const change = burnChange(report, HOUR_MS, pastBurn(dollars('19.9'), known));
      expect(change.thenPerHour).toBeCloseTo(3 + 24 + 24, known === undefined ? -1 : 6);
      const causes = change.causes.toSorted((left, right) => left.name.localeCompare(right.name));
      expect(causes.map(({name, perHour: each}) => [name, each])).toEqual([
        ['sweep-3', expect.closeTo(24)],
        ['sweep-4', expect.closeTo(-24)],
      ]);
    }
  });

  test('shows what each of the last hours cost: scaled to the bill when the day has one, else by usage', () => {
    // A dollar an hour by the records since the first; yesterday was billed at twice that. It is half past six.
    const billed = [{start: at('2026-11-10T00:00:00Z'), until: at('2026-11-11T00:00:00Z'), cost: dollars('48')}];
    const report = costReport(aCostReading([aRecord({billedCost: dollars('246'), rate: perHour('1')})], {billed}));
    const hours = spendByHour({...report, reading: {...report.reading, now: epochMs(NOW + HOUR_MS / 2)}}, 9);
    expect(hours.map(({start}) => new Date(start).getUTCHours())).toEqual([22, 23, 0, 1, 2, 3, 4, 5, 6]);
    expect(hours.map(({source}) => source).slice(0, 3)).toEqual(['billed', 'billed', 'usage']);
    expect(hours.map(({dollars: amount}) => amount)).toEqual(
      [2, 2, 1, 1, 1, 1, 1, 1, 0.5].map(amount => expect.closeTo(amount, 6)),
    );
  });

  test('gives the times when shares of a budget were and will be reached', () => {
    const report = costReport(aCostReading([aRecord({billedCost: dollars('246'), rate: perHour('1')})]));
    const pace = budgetPace(report, dollars('480'), [0.1, 0.5, 1, 2]);
    // A dollar an hour since the first: 48 hours, 240 hours, and 234 hours from now; 960 dollars are not reached in 720 hours.
    expect(pace?.crossings).toEqual([
      {ratio: 0.1, at: at('2026-11-03T00:00:00Z')},
      {ratio: 0.5, at: at('2026-11-11T00:00:00Z')},
      {ratio: 1, at: at('2026-11-21T00:00:00Z')},
      {ratio: 2, at: undefined},
    ]);
    // 246 of 480 dollars in 246 of 720 hours.
    expect(pace?.pace).toBeCloseTo(1.5);
    expect(budgetPace(report, dollars('0'), [1])).toBeUndefined();
  });
});

test.each([
  ['what the causes leave over', {thenPerHour: 125.71, nowPerHour: 126.74, perHour: 2.5}, -1.47],
  ['nothing within the rounding of bills', {thenPerHour: 125.71, nowPerHour: 128.2, perHour: 2.5}, 0],
  ['nothing while the rate is unknown', {thenPerHour: undefined, nowPerHour: 128.2, perHour: 2.5}, 0],
])('the unexplained part of a change is %s', (_, {perHour, ...rates}, expected) => {
  const causes = [{name: safeText('eval-02'), perHour}];
  expect(unexplainedPerHour({...rates, causes})).toBeCloseTo(expected, 6);
});

test('the price of a GPU counts only GPUs that are billed', () => {
  const machine = (id: number, status: MachineStatus, gpuCount: number) =>
    aVirtualMachine({id, status, flavor: {name: safeText('n3-H100x8'), gpuCount}});
  const machines = [
    machine(1, 'ACTIVE', 8),
    machine(2, 'SHUTOFF', 2),
    // Free in their states, or billed for a disk alone.
    machine(3, 'ERROR', 8),
    machine(4, 'CREATING', 8),
    machine(5, 'HIBERNATED', 8),
  ];
  const rates = new Map(['25', '5', '0', '0', '0.01'].map((rate, index) => [index + 1, perHour(rate)]));
  // $30 for ten billed GPUs, of which eight run.
  expect(gpuPrices(machines, rates)).toEqual({billedPerHour: 3, runningPerHour: 3.75});
});
