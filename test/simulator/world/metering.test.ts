import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {scenarioNamed} from '../../../src/simulator/scenarios/scenarios.ts';
import {operate, POWER_OPERATIONS} from '../../../src/simulator/world/lifecycle.ts';
import type {Machine} from '../../../src/simulator/world/machine.ts';
import {
  billAt,
  costWithin,
  createMeter,
  type Meter,
  minutesWithin,
  paidInSteps,
  pricedStretches,
  printedDollars,
  secondsByState,
  setRate,
  stateOf,
  terminate,
} from '../../../src/simulator/world/metering.ts';
import {createWorld, type World} from '../../../src/simulator/world/world.ts';
import {sweepOf} from '../../support/tier.ts';
import {found, HOUR_MS, MINUTE_MS, STARTED_AT} from '../a-simulator.ts';

// The published prices in pico-dollars an hour, so that they are integers.
const PICO_PER_DOLLAR = 1_000_000_000_000n;
const PRICES: Readonly<Record<string, bigint>> = {
  'n3-H100-SXM5x8': (256n * PICO_PER_DOLLAR) / 10n,
  'n3-H100x8': 20n * PICO_PER_DOLLAR,
  'n3-H100x2': 5n * PICO_PER_DOLLAR,
  'n3-A100x4': (54n * PICO_PER_DOLLAR) / 10n,
  'n3-RTX-A6000x1': PICO_PER_DOLLAR / 2n,
  'n3-L40x1': PICO_PER_DOLLAR,
};
const STORAGE_PER_GB_HOUR = 96_774_000n;
const ADDRESS_PER_HOUR = 6_720_430_000n;
const ROOT_DISK_GB = 100n;

// Machines with and without an address, under contract, stopped, hibernated, broken and out of stock. The list of each
// machine says, for every earlier successful hibernation, whether it retained the address.
const SUBJECTS: ReadonlyMap<string, readonly boolean[]> = new Map([
  ['train-01', []],
  ['train-02', []],
  ['train-03', []],
  ['sweep-02', [true]],
  ['sweep-04', []],
  ['dev-ines', [false]],
  ['etl-03', []],
  ['infer-04', []],
]);

describe("a machine's bill", () => {
  test('is the rate times the complete minutes in each state, after any sequence of operations', () => {
    const command = fc.record({
      name: fc.constantFrom(...SUBJECTS.keys()),
      verb: fc.constantFrom(...POWER_OPERATIONS.map(({verb}) => verb)),
      retainsIp: fc.boolean(),
      waitMs: fc.oneof(fc.integer({min: 0, max: 30_000}), fc.integer({min: 0, max: 5 * HOUR_MS})),
    });
    fc.assert(
      fc.property(fc.array(command, {maxLength: 30}), commands => {
        const world = aWorld();
        const retained = new Map([...SUBJECTS].map(([name, past]) => [name, [...past]]));
        for (const {name, verb, retainsIp, waitMs} of commands) {
          const outcome = operate(world, named(world, name), verb, {userId: 1, retainsIp});
          if (outcome.isAccepted && verb === 'hibernate') retained.get(name)?.push(retainsIp);
          world.advanceTo(world.now() + waitMs);
        }
        for (const [name, decisions] of retained) {
          const machine = named(world, name);
          const expected = expectedBill(machine, decisions, world.now());
          const bill = billAt(machine.meter, world.now());
          expect(bill.minutes).toBe(expected.minutes);
          // Half of the last printed digit, which is a millionth of a dollar.
          expect(Math.abs(printedDollars(bill.nanoDollars) - expected.dollars)).toBeLessThanOrEqual(0.51e-6);
        }
      }),
      {numRuns: sweepOf({sample: 20, deep: 1000})},
    );
  });

  test('does not grow in ERROR', () => {
    const world = aWorld();
    const machine = named(world, 'etl-03');
    expect(machine.status).toBe('ERROR');
    const before = billAt(machine.meter, world.now());
    world.advanceTo(world.now() + 10 * HOUR_MS);
    expect(billAt(machine.meter, world.now())).toEqual(before);
  });

  test('grows at the full price while the machine is stopped', () => {
    const world = aWorld();
    const machine = named(world, 'train-03');
    expect(machine.status).toBe('SHUTOFF');
    const before = billAt(machine.meter, world.now()).nanoDollars;
    world.advanceTo(world.now() + 10 * HOUR_MS);
    expect(billAt(machine.meter, world.now()).nanoDollars - before).toBeCloseTo(256e9, -1);
  });
});

describe('a meter', () => {
  const subject = {
    resourceId: 1,
    resourceType: 'vm',
    name: 'm',
    environmentId: 1,
    environmentName: 'e',
    createdAt: 0,
    isExcluded: false,
  } as const;

  test.each([
    [59_999, 0],
    [60_000, 1],
    [119_999, 1],
    [600_000, 10],
  ])('has after %i ms at one rate billed %i minutes', (ms, minutes) => {
    const meter = createMeter(subject);
    setRate(meter, 0, 60);
    // 60 nano-dollars an hour are one a minute.
    expect(billAt(meter, ms)).toEqual({minutes, nanoDollars: minutes});
  });

  test('adds up the seconds of separate periods at the same rate', () => {
    const meter = createMeter(subject);
    for (const start of [0, 100_000, 200_000]) {
      setRate(meter, start, 60);
      setRate(meter, start + 40_000, 0);
    }
    expect(billAt(meter, 300_000)).toEqual({minutes: 2, nanoDollars: 2});
  });

  test('stops at termination', () => {
    const meter = createMeter(subject);
    setRate(meter, 0, 60);
    terminate(meter, 5 * MINUTE_MS);
    expect(billAt(meter, 50 * MINUTE_MS)).toEqual({minutes: 5, nanoDollars: 5});
  });

  test('bills nothing for an excluded resource', () => {
    const meter = createMeter({...subject, isExcluded: true});
    setRate(meter, 0, 60);
    expect(billAt(meter, 50 * MINUTE_MS)).toEqual({minutes: 0, nanoDollars: 0});
  });
});

function aWorld(): World {
  const scenario = scenarioNamed('on-call', {startedAt: STARTED_AT, seed: 7});
  return createWorld({seed: 7, startedAt: STARTED_AT, isFaithful: false, scenario});
}

function named(world: World, name: string): Machine {
  return found(world.machines, machine => machine.name === name, name);
}

type State = {readonly kind: 'full' | 'hibernated' | 'free'; readonly hasAddress: boolean};

/** The bill according to the machine's events and the published prices, without the meter. */
function expectedBill(machine: Machine, retained: readonly boolean[], now: number) {
  const decisions = [...retained];
  const msByRate = new Map<bigint, number>();
  let state: State = {kind: 'free', hasAddress: false};
  let since = machine.createdAt;
  const spend = (until: number) => {
    const rate = rateOf(machine, state);
    msByRate.set(rate, (msByRate.get(rate) ?? 0) + until - since);
    since = until;
  };
  for (const event of machine.events) {
    spend(event.at);
    state = stateAfter(event.reason, state, machine, decisions);
  }
  spend(now);
  let minutes = 0;
  let picoMinutes = 0n;
  for (const [rate, ms] of msByRate) {
    if (rate === 0n) continue;
    minutes += Math.floor(ms / MINUTE_MS);
    picoMinutes += rate * BigInt(Math.floor(ms / MINUTE_MS));
  }
  return {minutes, dollars: Number(picoMinutes / 60n) / 1e12};
}

function stateAfter(reason: string, before: State, machine: Machine, decisions: boolean[]): State {
  switch (reason) {
    case 'InstanceCreationSuccess':
    case 'RestoreHibernationInstanceSuccess':
      return {kind: 'full', hasAddress: machine.requiresPublicIp};
    case 'InstanceStartSuccess':
    case 'InstanceRebootSuccess':
    case 'InstanceStopSuccess':
      return {...before, kind: 'full'};
    case 'HibernateInstanceSuccess':
      return {kind: 'hibernated', hasAddress: decisions.shift() === true && before.hasAddress};
    case 'RestoreHibernationInstanceFailed':
      return {...before, kind: 'hibernated'};
    default:
      return {...before, kind: 'free'};
  }
}

function rateOf(machine: Machine, {kind, hasAddress}: State): bigint {
  if (kind === 'free') return 0n;
  const address = hasAddress ? ADDRESS_PER_HOUR : 0n;
  if (kind === 'hibernated') return ROOT_DISK_GB * STORAGE_PER_GB_HOUR + address;
  const price = PRICES[machine.flavor.name];
  if (price === undefined) throw new Error(`The test knows no price for ${machine.flavor.name}.`);
  // The contract gives a discount of 30 %.
  return (machine.contract === undefined ? price : (price * 70n) / 100n) + address;
}

const STATES = ['ACTIVE', 'STOPPING', 'SHUTOFF', 'HIBERNATED'] as const;
const change = fc.record({
  afterMs: fc.integer({min: 0, max: 3 * HOUR_MS}),
  rate: fc.constantFrom(0, 60, 600, 25_600_000_000),
  state: fc.constantFrom(...STATES),
});
const changes = fc.array(change, {maxLength: 30});

describe('the cost within a period', () => {
  test('is the bill for the whole lifetime', () => {
    fc.assert(
      fc.property(changes, fc.nat(5 * HOUR_MS), fc.boolean(), (all, restMs, isEnded) => {
        const {meter, now} = played(all, restMs, isEnded);
        const bill = billAt(meter, now);
        expect(costWithin(meter, {from: 0, until: now}).paid).toBe(bill.nanoDollars);
        expect(minutesWithin(meter, {from: 0, until: now})).toBe(bill.minutes);
      }),
    );
  });

  test('adds up over consecutive periods', () => {
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

  test('is the sum of its contiguous stretches', () => {
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

  test('returns the cost within a period, with and without discount', () => {
    expect(costWithin(meter, {from: 5 * MINUTE_MS, until: 15 * MINUTE_MS})).toEqual({paid: 9, list: 18});
    expect(costWithin(meter, {from: 10 * MINUTE_MS, until: 11 * MINUTE_MS})).toEqual({paid: 0, list: 0});
  });

  test('returns the seconds in each billed state', () => {
    const seconds = secondsByState(meter, {from: 5 * MINUTE_MS, until: 15 * MINUTE_MS});
    expect([...seconds]).toEqual([
      ['ACTIVE', 300],
      ['SHUTOFF', 240],
    ]);
  });

  test('prices each stretch, including the current one', () => {
    const stretches = pricedStretches(meter, {from: 0, until: 20 * MINUTE_MS});
    expect(stretches.map(({state, paid, until}) => [state, paid, until / MINUTE_MS])).toEqual([
      ['ACTIVE', 10, 10],
      ['STOPPING', 0, 11],
      ['SHUTOFF', 9, 20],
    ]);
  });

  test('keeps its totals when it drops the oldest stretches', () => {
    const long = aMeter();
    for (let step = 0; step < 9000; step += 1) setRate(long, step * MINUTE_MS, step % 2 === 0 ? 60 : 0);
    const now = 9000 * MINUTE_MS;
    expect(long.stretches.length).toBeLessThan(5000);
    expect(costWithin(long, {from: 8998 * MINUTE_MS, until: now}).paid).toBe(1);
    expect(costWithin(long, {from: 5000 * MINUTE_MS, until: now}).paid).toBe(2000);
    expect(billAt(long, now)).toEqual({minutes: 4500, nanoDollars: 4500});
    expect(minutesWithin(long, {from: 5000 * MINUTE_MS, until: now})).toBe(2000);
  });

  test('splits a period into steps whose costs add up to the whole', () => {
    const steps = [0, 4, 12, 20].map(minute => minute * MINUTE_MS);
    const periods = steps.slice(1).map((until, index) => ({from: steps[index] ?? 0, until}));
    // Ten minutes at one nano-dollar, one minute free, nine at one.
    expect(paidInSteps(meter, periods)).toEqual([4, 7, 8]);
  });

  test('reports that a resource is deleted', () => {
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
