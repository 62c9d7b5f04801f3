import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  costWithin,
  minutesWithin,
  paidInSteps,
  pricedStretches,
  secondsByState,
  stateOf,
} from '../../../src/simulator/world/ledger.ts';
import {billAt, createMeter, type Meter, setRate, terminate} from '../../../src/simulator/world/metering.ts';
import {HOUR_MS, MINUTE_MS} from '../a-simulator.ts';

const STATES = ['ACTIVE', 'STOPPING', 'SHUTOFF', 'HIBERNATED'] as const;
const change = fc.record({
  afterMs: fc.integer({min: 0, max: 3 * HOUR_MS}),
  rate: fc.constantFrom(0, 60, 600, 25_600_000_000),
  state: fc.constantFrom(...STATES),
});
const changes = fc.array(change, {maxLength: 30});

describe('the cost within a period', () => {
  test('is the bill over the whole life', () => {
    fc.assert(
      fc.property(changes, fc.nat(5 * HOUR_MS), fc.boolean(), (all, restMs, isEnded) => {
        const {meter, now} = played(all, restMs, isEnded);
        const bill = billAt(meter, now);
        expect(costWithin(meter, {from: 0, until: now}).paid).toBe(bill.nanoDollars);
        expect(minutesWithin(meter, {from: 0, until: now})).toBe(bill.minutes);
      }),
    );
  });

  test('adds up over periods that follow each other', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.nat(20 * HOUR_MS), {maxLength: 5}), (all, cuts) => {
        const {meter, now} = played(all, HOUR_MS, false);
        const edges = [0, ...cuts.filter(cut => cut < now).toSorted((left, right) => left - right), now];
        const parts = edges.slice(1).map((until, index) => costWithin(meter, {from: edges[index] ?? 0, until}).paid);
        const whole = costWithin(meter, {from: 0, until: now}).paid;
        expect(Math.abs(parts.reduce((sum, paid) => sum + paid, 0) - whole)).toBeLessThan(1);
        expect(parts.every(paid => paid >= 0)).toBe(true);
      }),
    );
  });

  test('is that of its stretches, whatever they are', () => {
    fc.assert(
      fc.property(changes, all => {
        const {meter, now} = played(all, HOUR_MS, false);
        const stretches = pricedStretches(meter, {from: 0, until: now});
        const paid = stretches.reduce((sum, stretch) => sum + stretch.paid, 0);
        expect(Math.abs(paid - costWithin(meter, {from: 0, until: now}).paid)).toBeLessThan(1);
        for (const [index, stretch] of stretches.entries()) {
          expect(stretch.from).toBe(index === 0 ? 0 : stretches[index - 1]?.until);
        }
      }),
    );
  });
});

describe('a ledger', () => {
  // 60 nano-dollars an hour are one a minute.
  const meter = aMeter();
  setRate(meter, 0, 60, {state: 'ACTIVE', listNanoPerHour: 120});
  setRate(meter, 10 * MINUTE_MS, 0, {state: 'STOPPING'});
  setRate(meter, 11 * MINUTE_MS, 60, {state: 'SHUTOFF', listNanoPerHour: 120});

  test('cuts a period out of what was billed, with and without discount', () => {
    expect(costWithin(meter, {from: 5 * MINUTE_MS, until: 15 * MINUTE_MS})).toEqual({paid: 9, list: 18});
    expect(costWithin(meter, {from: 10 * MINUTE_MS, until: 11 * MINUTE_MS})).toEqual({paid: 0, list: 0});
  });

  test('knows the seconds of every billed state', () => {
    const seconds = secondsByState(meter, {from: 5 * MINUTE_MS, until: 15 * MINUTE_MS});
    expect([...seconds]).toEqual([
      ['ACTIVE', 300],
      ['SHUTOFF', 240],
    ]);
  });

  test('prices each stretch, the present one included', () => {
    const stretches = pricedStretches(meter, {from: 0, until: 20 * MINUTE_MS});
    expect(stretches.map(({state, paid, until}) => [state, paid, until / MINUTE_MS])).toEqual([
      ['ACTIVE', 10, 10],
      ['STOPPING', 0, 11],
      ['SHUTOFF', 9, 20],
    ]);
  });

  test('keeps its sums when it forgets the oldest stretches', () => {
    const long = aMeter();
    for (let step = 0; step < 9000; step += 1) setRate(long, step * MINUTE_MS, step % 2 === 0 ? 60 : 0);
    const now = 9000 * MINUTE_MS;
    expect(long.stretches.length).toBeLessThan(5000);
    expect(costWithin(long, {from: 8998 * MINUTE_MS, until: now}).paid).toBe(1);
    expect(costWithin(long, {from: 5000 * MINUTE_MS, until: now}).paid).toBe(2000);
    expect(billAt(long, now)).toEqual({minutes: 4500, nanoDollars: 4500});
    expect(minutesWithin(long, {from: 5000 * MINUTE_MS, until: now})).toBe(2000);
  });

  test('cuts a period into steps whose parts are the whole', () => {
    const steps = [0, 4, 12, 20].map(minute => minute * MINUTE_MS);
    const periods = steps.slice(1).map((until, index) => ({from: steps[index] ?? 0, until}));
    // Ten minutes at one nano-dollar, one for nothing, nine at one.
    expect(paidInSteps(meter, periods)).toEqual([4, 7, 8]);
  });

  test('says that a resource is deleted', () => {
    const gone = aMeter();
    setRate(gone, 0, 60, {state: 'ACTIVE'});
    expect(stateOf(gone)).toBe('ACTIVE');
    terminate(gone, MINUTE_MS);
    expect(stateOf(gone)).toBe('DELETED');
  });
});

function played(
  all: readonly {readonly afterMs: number; readonly rate: number; readonly state: string}[],
  restMs: number,
  isEnded: boolean,
): {readonly meter: Meter; readonly now: number} {
  const meter = aMeter();
  let now = 0;
  for (const {afterMs, rate, state} of all) {
    now += afterMs;
    setRate(meter, now, rate, {state});
  }
  now += restMs;
  if (isEnded) terminate(meter, now);
  return {meter, now: now + 1};
}

function aMeter(): Meter {
  return createMeter({
    resourceId: 1,
    resourceType: 'vm',
    name: 'm',
    environmentId: 1,
    environmentName: 'e',
    createdAt: 0,
    isExcluded: false,
  });
}
