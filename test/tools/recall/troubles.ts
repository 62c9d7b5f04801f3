import {firewallFrom, OFFICE, tcp} from '../../../src/simulator/scenarios/working.ts';
import type {MachineSpec, Scenario} from '../../../src/simulator/world/scenario.ts';
import {leakFullAfterMs} from '../../../src/simulator/world/workload.ts';
import type {Chance} from '../accuracy/chance.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Place = {readonly name: string; readonly startedAt: number; readonly chance: Chance};

type Made = {
  readonly scenario: Partial<Scenario>;
  /** What the rule tells of, where it is not the thing that was made. */
  readonly names?: readonly string[];
  /** Other rules that may tell of the same thing, and are right where they do. */
  readonly also?: readonly string[];
};

/** One thing that a rule has to find, and one like it that it must not. */
export type Trouble = {
  readonly rule: string;
  readonly make: (place: Place) => Made;
  readonly nearMiss?: (place: Place) => Made;
};

export const TROUBLES: readonly Trouble[] = [
  {
    rule: 'machine-in-error',
    make: place => machine(place, {past: [{at: ago(place, 30, 300), verb: 'hibernate', fails: true}]}),
    nearMiss: place => machine(place, {past: [{at: ago(place, 300, 3000), verb: 'hibernate'}]}),
  },
  {
    rule: 'stopped-but-billed',
    make: place => machine(place, {past: [{at: ago(place, 30, 3000), verb: 'stop'}]}),
    nearMiss: place =>
      machine(place, {
        past: [
          {at: ago(place, 200, 300), verb: 'stop'},
          {at: ago(place, 100, 150), verb: 'start'},
        ],
      }),
  },
  {
    rule: 'stuck-transition',
    make: place => machine(place, {createdAt: ago(place, 30, 600), isStuck: true}),
    nearMiss: place => machine(place, {createdAt: ago(place, 2, 15), isStuck: true}),
  },
  {
    rule: 'idle',
    make: place => machine(place, {workload: {kind: 'idle'}, createdAt: ago(place, 16 * 1440, 40 * 1440)}),
    nearMiss: place => machine(place, {workload: {kind: 'cron'}, createdAt: ago(place, 16 * 1440, 40 * 1440)}),
  },
  {
    rule: 'fallen-silent',
    make: place => machine(place, {workload: {kind: 'ended', endedAt: ago(place, 45, 600)}}),
    nearMiss: place => machine(place, {workload: {kind: 'ended', endedAt: ago(place, 2, 15)}}),
  },
  {
    rule: 'saturated',
    make: place => ({...leaking(place, 0.985), also: ['memory-leak']}),
    nearMiss: place => leaking(place, 0.45),
  },
  {
    rule: 'memory-leak',
    make: place => leaking(place, place.chance.between(0.75, 0.9)),
    nearMiss: place => leaking(place, place.chance.between(0.36, 0.48)),
  },
  {
    rule: 'out-of-stock',
    make: place => machine(place, {flavorName: 'n3-H100x2', past: [{at: ago(place, 300, 9000), verb: 'hibernate'}]}),
  },
  {
    rule: 'open-to-world',
    make: place => machine(place, {hasPublicIp: true, worldPorts: [place.chance.pick([22, 3389, 5432, 8888])]}),
    nearMiss: place => machine(place, {hasPublicIp: true, worldPorts: [place.chance.pick([80, 443])]}),
  },
  {
    rule: 'unattached-volume',
    make: place => volume(place, ago(place, 8 * 1440, 60 * 1440)),
    nearMiss: place => volume(place, ago(place, 10, 6 * 1440)),
  },
  {
    rule: 'unattached-firewall',
    make: place => firewall(place, [tcp(22, OFFICE)], []),
    nearMiss: place => firewall(place, [tcp(22, OFFICE)], ['train-01']),
  },
  {
    rule: 'redundant-rules',
    make: place => firewall(place, [tcp(8080, OFFICE), tcp(8080, OFFICE)], ['train-01']),
    nearMiss: place => firewall(place, [tcp(8080, OFFICE), tcp(8081, OFFICE)], ['train-01']),
  },
  {
    rule: 'contract-ending',
    make: place => contract(place, place.chance.between(1, 25)),
    nearMiss: place => contract(place, place.chance.between(31, 200)),
  },
  {
    rule: 'credit-runway',
    make: ({chance}) => ({scenario: {credit: {runwayHours: chance.between(3, 45)}}, names: ['account']}),
  },
  {
    rule: 'burn-anomaly',
    make: sweep,
  },
];

/** So many minutes before the start, at least and at most. */
function ago({startedAt, chance}: Place, least: number, most: number): number {
  return startedAt - Math.floor(chance.between(least, most)) * MINUTE_MS;
}

function machine({name, startedAt}: Place, rest: Partial<MachineSpec>): Made {
  const spec: MachineSpec = {
    name,
    flavorName: 'n3-RTX-A6000x1',
    environmentName: 'research-ca',
    workload: {kind: 'training'},
    createdAt: startedAt - 9 * DAY_MS,
    ...rest,
  };
  return {scenario: {machines: [spec]}};
}

/** Its memory is at this part now, half a day after it was booted. */
function leaking(place: Place, ratio: number): Made {
  const upMs = 30 * HOUR_MS;
  return machine(place, {
    workload: {kind: 'leaking', fullAfterMs: leakFullAfterMs(upMs, ratio)},
    past: [{at: place.startedAt - upMs - MINUTE_MS, verb: 'hard-reboot', takesMs: MINUTE_MS}],
  });
}

function volume({name}: Place, createdAt: number): Made {
  return {scenario: {unattachedVolumes: [{name, sizeGb: 500, environmentName: 'research-ca', createdAt}]}};
}

function firewall(
  {name, startedAt, chance}: Place,
  inward: Parameters<typeof firewallFrom>[0][4],
  machineNames: readonly string[],
): Made {
  const row = [name, 'research-ca', chance.between(1, 60), 'made for a test', inward, machineNames] as const;
  return {scenario: {firewalls: [firewallFrom(row, startedAt)]}};
}

function contract({name, startedAt, chance}: Place, days: number): Made {
  return {
    scenario: {
      contracts: [
        {
          id: 500 + chance.integer(0, 400),
          description: name,
          startsAt: startedAt - 92 * DAY_MS,
          endsAt: startedAt + days * DAY_MS,
          expirationPolicy: chance.is(0.5) ? 0 : 1,
          discountPercent: 0,
          discounts: [],
        },
      ],
    },
  };
}

/** Machines of the dearest kind, one after the other, that nobody has bounded. */
function sweep({startedAt, chance}: Place): Made {
  const count = chance.integer(8, 16);
  const machines = Array.from(
    {length: count},
    (_, index): MachineSpec => ({
      name: `sweep-of-tonight-${index + 1}`,
      flavorName: 'n3-H100-SXM5x8',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: startedAt - 3 * HOUR_MS - (count - index) * MINUTE_MS,
    }),
  );
  return {scenario: {machines}, names: ['account']};
}
