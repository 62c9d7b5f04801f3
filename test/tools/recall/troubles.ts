import type {Failure} from '../../../src/domain/failure.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import type {Preferences} from '../../../src/domain/preferences.ts';
import {say} from '../../../src/domain/safe-text.ts';
import {firewallFrom, MASTERS, OFFICE, tcp} from '../../../src/simulator/scenarios/working.ts';
import type {ClusterNode, ClusterTrouble} from '../../../src/simulator/world/cluster.ts';
import type {MachineSpec, Scenario} from '../../../src/simulator/world/scenario.ts';
import {leakFullAfterMs} from '../../../src/simulator/world/workload.ts';
import type {LinkFacts} from '../../../src/state/triage.ts';
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
  readonly watching?: Partial<Watching>;
};

/** What is seen of the account besides what is in it: settings, the line, and lists that fail at the second reading. */
export type Watching = {
  readonly preferences: Partial<Preferences>;
  readonly link: Partial<LinkFacts>;
  readonly failing: readonly {readonly what: string; readonly failure: Failure}[];
};

/** One thing that a rule has to find, and one like it that it must not. */
export type Trouble = {
  readonly rule: string;
  readonly make: (place: Place) => Made;
  readonly nearMiss: (place: Place) => Made;
  /** There is one of it in an account: it is in trouble, or nearly. */
  readonly isOfAccount?: true;
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
    nearMiss: place => machine(place, {past: [{at: ago(place, 300, 9000), verb: 'hibernate'}]}),
  },
  {
    rule: 'power-state-mismatch',
    make: place => machine(place, {power: {at: ago(place, 5, 600), state: place.chance.pick(['CRASHED', 'SHUTDOWN'])}}),
    // What a host says that does not know.
    nearMiss: place => machine(place, {power: {at: ago(place, 5, 600), state: 'NOSTATE'}}),
  },
  {
    rule: 'silent-metrics',
    make: place => machine(place, {metricsEndAt: ago(place, 16, 600)}),
    nearMiss: place =>
      place.chance.is(0.5)
        ? machine(place, {metricsEndAt: ago(place, 1, 8)})
        : // It was asleep until a moment ago.
          machine(place, {
            past: [
              {at: ago(place, 200, 600), verb: 'hibernate'},
              {at: ago(place, 8, 10), verb: 'hibernate-restore'},
            ],
          }),
  },
  {
    rule: 'ghost-spend',
    make: place => machine(place, {unlistedAt: ago(place, 15, 3000)}),
    // The lists and the meter are read at different moments.
    nearMiss: place => machine(place, {createdAt: ago(place, 5, 7), unlistedAt: ago(place, 1, 3)}),
  },
  {
    rule: 'unguarded-address',
    make: place => machine(place, {hasPublicIp: true, hasNoInboundRule: true}),
    nearMiss: place => machine(place, {hasPublicIp: true}),
  },
  {
    rule: 'cluster-not-ready',
    make: place => cluster(place, {status: 'CREATING', reason: 'Waiting for the masters', events: []}, [21, 300]),
    nearMiss: place => cluster(place, {status: 'CREATING', reason: 'Waiting for the masters', events: []}, [2, 15]),
  },
  {
    rule: 'cluster-nodes',
    make: place => withWorkers(place, {status: 'ERROR', reason: 'the host did not answer'}),
    nearMiss: place => withWorkers(place, {status: 'RECONCILING', reason: 'kubelet is restarted'}),
  },
  {
    rule: 'rule-pending',
    make: place => firewall(place, [{...tcp(22, OFFICE), isPending: true}], ['train-01'], [12, 600]),
    nearMiss: place => firewall(place, [{...tcp(22, OFFICE), isPending: true}], ['train-01'], [1, 7]),
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
    rule: 'discount-ending',
    make: place => contract(place, 200, place.chance.between(1, 13)),
    nearMiss: place => contract(place, 200, place.chance.between(15, 150)),
  },
  {
    rule: 'credit-runway',
    isOfAccount: true,
    make: ({chance}) => ({scenario: {credit: {runwayHours: chance.between(3, 45)}}, names: ['account']}),
    nearMiss: ({chance}) => ({scenario: {credit: {runwayHours: chance.between(52, 900)}}, names: ['account']}),
  },
  {
    rule: 'burn-anomaly',
    isOfAccount: true,
    make: place => sweep(place, place.chance.integer(8, 16), 'n3-H100-SXM5x8'),
    // One small machine more is nothing out of the ordinary.
    nearMiss: place => sweep(place, 1, 'n3-RTX-A6000x1'),
  },
  {
    rule: 'budget-crossing',
    isOfAccount: true,
    // The account spends more than that in its first hours of a month.
    make: ({chance}) => ({...ofAccount({preferences: {budget: dollars(chance.integer(10, 50))}}), names: ['account']}),
    nearMiss: () => ofAccount({preferences: {budget: dollars(10_000_000)}}),
  },
  {
    rule: 'clock-skew',
    isOfAccount: true,
    make: ({chance}) => offBy(chance.between(2.1, 600) * MINUTE_MS * (chance.is(0.5) ? 1 : -1)),
    nearMiss: ({chance}) => offBy(chance.between(0, 1.9) * MINUTE_MS * (chance.is(0.5) ? 1 : -1)),
  },
  {
    rule: 'request-ceiling',
    isOfAccount: true,
    make: ({chance}) => busyLine(chance.integer(90, 100)),
    nearMiss: ({chance}) => busyLine(chance.integer(30, 89)),
  },
  {
    rule: 'stale-readings',
    isOfAccount: true,
    make: () => failing('machines', AWAY),
    // Read every five minutes: one that fails makes nothing old.
    nearMiss: () => failing('contracts', AWAY),
  },
  {
    rule: 'key-refused',
    isOfAccount: true,
    make: () => ({
      ...failing('contracts', {kind: 'not-authorised', httpStatus: 401, message: say`no such key`}),
      names: ['the service'],
    }),
    nearMiss: () => failing('contracts', AWAY),
  },
  {
    rule: 'missing-permission',
    isOfAccount: true,
    make: () => failing('flavors', {kind: 'not-authorised', httpStatus: 403, message: say`no permission`}),
    nearMiss: () => failing('flavors', {kind: 'timed-out', afterMs: 15_000}),
  },
];

const AWAY: Failure = {kind: 'service-error', httpStatus: 503, message: say`away`};
const CEILING = 100;

/** Nothing is wrong in the account: with who looks at it, or with the line to it. */
function ofAccount(watching: Partial<Watching>): Made {
  return {scenario: {}, watching};
}

function dollars(count: number) {
  return usd(rational(BigInt(count), 1n));
}

function offBy(clockOffsetMs: number): Made {
  return {...ofAccount({link: {clockOffsetMs}}), names: ['the service']};
}

function busyLine(requestsLastMinute: number): Made {
  return {...ofAccount({link: {requestsLastMinute, requestCeiling: CEILING}}), names: ['the service']};
}

function failing(what: string, failure: Failure): Made {
  return {...ofAccount({failing: [{what, failure}]}), names: [what]};
}

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

/** So many minutes old, at least and at most. */
function firewall(
  {name, startedAt, chance}: Place,
  inbound: Parameters<typeof firewallFrom>[0][4],
  machineNames: readonly string[],
  [least, most]: readonly [number, number] = [1440, 60 * 1440],
): Made {
  const days = (chance.between(least, most) * MINUTE_MS) / DAY_MS;
  const row = [name, 'research-ca', days, 'made for a test', inbound, machineNames] as const;
  return {scenario: {firewalls: [firewallFrom(row, startedAt)]}};
}

/** So many minutes old, at least and at most. */
function cluster(place: Place, trouble: ClusterTrouble | undefined, [least, most]: readonly [number, number]): Made {
  return {
    scenario: {
      clusters: [
        {
          id: place.chance.integer(2000, 9000),
          name: place.name,
          environmentName: 'research-ca',
          kubernetesVersion: '1.35.1',
          masterFlavorName: MASTERS,
          createdAt: ago(place, least, most),
          nodeGroups: [{name: 'a6000', flavorName: 'n3-RTX-A6000x1', count: 2, maxCount: 3}],
          ...(trouble === undefined ? {} : {trouble}),
        },
      ],
    },
  };
}

/** Two workers, of which one is as it is said. */
function withWorkers(place: Place, trouble: NonNullable<ClusterNode['trouble']>): Made {
  const {scenario} = cluster(place, undefined, [10_000, 20_000]);
  const [made] = scenario.clusters ?? [];
  const workers = [undefined, trouble].flatMap((each, index) => {
    const worker = {clusterId: made?.id ?? 0, role: 'worker', groupName: 'a6000'} as const;
    const spec = {cluster: {...worker, ...(each === undefined ? {} : {trouble: each})}};
    return machine({...place, name: `${place.name}-worker-${index}`}, spec).scenario.machines ?? [];
  });
  return {scenario: {...scenario, machines: workers}};
}

function contract({name, startedAt, chance}: Place, days: number, discountDays?: number): Made {
  const ends = discountDays === undefined ? {} : {endsAt: startedAt + discountDays * DAY_MS};
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
          discounts: discountDays === undefined ? [] : [{flavorName: 'n3-A100x1', count: 2, type: 'percent', ...ends}],
        },
      ],
    },
  };
}

/** Machines of the dearest kind, one after the other, that nobody has bounded. */
function sweep({startedAt}: Place, count: number, flavorName: string): Made {
  const machines = Array.from(
    {length: count},
    (_, index): MachineSpec => ({
      name: `sweep-of-tonight-${index + 1}`,
      flavorName,
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: startedAt - 3 * HOUR_MS - (count - index) * MINUTE_MS,
    }),
  );
  return {scenario: {machines}, names: ['account']};
}
