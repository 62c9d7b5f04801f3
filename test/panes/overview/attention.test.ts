import {describe, expect, it} from 'vitest';
import {type Cluster, clusterId} from '../../../src/domain/cluster.ts';
import {type Contract, expirationPolicy} from '../../../src/domain/contract.ts';
import {pricesWith} from '../../../src/domain/cost.ts';
import {ratePerHour, rational} from '../../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {
  isTransitional,
  MACHINE_STATUSES,
  type MachineStatus,
  type VirtualMachine,
} from '../../../src/domain/virtual-machine.ts';
import {attentionList, type Known} from '../../../src/panes/overview/attention.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const UNTIL_DELETED = expirationPolicy(0);
const UNTIL_MARKET = expirationPolicy(1);

function known(rest: Partial<Known>): Known {
  return {
    machines: [],
    rates: new Map(),
    eventsOf: () => undefined,
    clusters: [],
    contracts: [],
    creditLeftMs: undefined,
    preferences: DEFAULT_PREFERENCES,
    openMachines: new Map(),
    openFirewalls: [],
    now: NOW,
    ...rest,
  };
}

function found(rest: Partial<Known>): readonly string[] {
  return attentionList(known(rest)).map(({severity, what, where}) => `${severity} ${what} @ ${where}`);
}

function aMachine(status: MachineStatus, rest: Partial<Omit<VirtualMachine, 'id'>> = {}): VirtualMachine {
  return aVirtualMachine({id: 7, name: safeText('gpu-7'), status, ...rest});
}

function aCluster(rest: Partial<Cluster>): Cluster {
  return {
    id: clusterId(31),
    name: safeText('k8s'),
    status: 'ACTIVE',
    statusText: safeText(rest.status ?? 'ACTIVE'),
    nodeGroups: [],
    nodes: [],
    hasKubeConfig: false,
    ...rest,
  };
}

function aContract(days: number | undefined, rest: Partial<Contract> = {}): Contract {
  return {
    id: 12,
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    expirationPolicy: UNTIL_DELETED,
    discounts: [],
    ...(days === undefined ? {} : {endsAt: epochMs(NOW + days * DAY_MS)}),
    ...rest,
  };
}

function eventsAgo(...agesMs: readonly number[]): Known['eventsOf'] {
  const reason = safeText('a reason');
  return () => agesMs.map(ageMs => ({occurredAt: epochMs(NOW - ageMs), reason, message: reason}));
}

describe('the account', () => {
  it.each<[string, number | undefined, readonly string[]]>([
    ['unknown', undefined, []],
    ['two days', 48 * HOUR_MS, []],
    ['just below two days', 48 * HOUR_MS - 1, ['CRIT prepaid credit ends in 47h @ account']],
    ['nothing', 0, ['CRIT prepaid credit ends in 0s @ account']],
  ])('with credit for %s', (_, creditLeftMs, expected) => {
    expect(found({creditLeftMs})).toEqual(expected);
  });
});

describe('a machine', () => {
  it.each<[MachineStatus, readonly string[]]>([
    ['ACTIVE', []],
    ['HIBERNATED', []],
    ['DELETED', []],
    ['UNKNOWN', []],
    ['ERROR', ['WARN machine in ERROR @ gpu-7']],
    ['SHUTOFF', ['WARN SHUTOFF but billed in full @ gpu-7']],
    ['STARTING', ['NOTE STARTING @ gpu-7']],
  ])('in %s', (status, expected) => {
    expect(found({machines: [aMachine(status)]})).toEqual(expected);
  });

  it.each(
    MACHINE_STATUSES.filter(isTransitional),
  )('in %s is noted while the change is young, warned of after an hour', status => {
    const machines = [aMachine(status)];
    expect(found({machines, eventsOf: eventsAgo(MINUTE_MS)})).toEqual([`NOTE ${status} @ gpu-7`]);
    expect(found({machines, eventsOf: eventsAgo(HOUR_MS)})).toEqual([`WARN ${status} for too long @ gpu-7`]);
  });

  it.each<[MachineStatus, number]>([
    ['STOPPING', 5],
    ['HIBERNATING', 45],
    ['RESTORING', 30],
  ])('in %s is late after %i minutes, not before', (status, minutes) => {
    const machines = [aMachine(status)];
    expect(found({machines, eventsOf: eventsAgo(minutes * MINUTE_MS)})).toEqual([`NOTE ${status} @ gpu-7`]);
    expect(found({machines, eventsOf: eventsAgo(minutes * MINUTE_MS + 1)})).toEqual([
      `WARN ${status} for too long @ gpu-7`,
    ]);
  });

  it('is judged by its newest event, whatever their order', () => {
    const machines = [aMachine('STOPPING')];
    for (const eventsOf of [eventsAgo(MINUTE_MS, DAY_MS), eventsAgo(DAY_MS, MINUTE_MS)]) {
      expect(attentionList(known({machines, eventsOf}))).toMatchObject([{severity: 'NOTE', since: NOW - MINUTE_MS}]);
    }
  });

  it('in creation is judged by its creation while no event was read; in another change by nothing', () => {
    const createdAt = epochMs(NOW - HOUR_MS);
    expect(found({machines: [aMachine('CREATING', {createdAt})]})).toEqual(['WARN CREATING for too long @ gpu-7']);
    expect(found({machines: [aMachine('STOPPING', {createdAt})]})).toEqual(['NOTE STOPPING @ gpu-7']);
  });

  it('is told of once more where it is open to the world', () => {
    expect(found({machines: [aMachine('ERROR')], openMachines: new Map([[7, 'tcp/22']])})).toEqual([
      'WARN machine in ERROR @ gpu-7',
      'WARN tcp/22 open to the world @ gpu-7',
    ]);
    expect(found({machines: [aMachine('ACTIVE')], openMachines: new Map([[8, 'tcp/22']])})).toEqual([]);
  });

  it('is told of with its rate, its last change and the way to it', () => {
    const rate = ratePerHour(rational(5n, 2n));
    const [item] = attentionList(
      known({machines: [aMachine('SHUTOFF')], rates: new Map([[7, rate]]), eventsOf: eventsAgo(HOUR_MS)}),
    );
    expect(item).toMatchObject({rate, since: NOW - HOUR_MS, target: {paneId: 'machines', objectId: 7}});
  });
});

describe('a cluster', () => {
  const created = (minutes: number) => ({status: 'CREATING', createdAt: epochMs(NOW - minutes * MINUTE_MS)}) as const;

  it.each<[string, Partial<Cluster>, readonly string[]]>([
    ['that is up', {}, []],
    ['in creation for 20 minutes', created(20), []],
    ['in creation for 21 minutes', created(21), ['NOTE cluster slow in creation @ k8s']],
    ['in creation for an hour', created(60), ['NOTE cluster slow in creation @ k8s']],
    ['in creation for longer', created(61), ['CRIT cluster stuck 1h01 in creation @ k8s']],
    ['in creation since nobody knows when', {status: 'CREATING'}, []],
    ['in ERROR', {status: 'ERROR', statusReason: safeText('no quota')}, ['CRIT cluster in ERROR: no quota @ k8s']],
    ['that reconciles', {status: 'RECONCILING'}, ['WARN cluster RECONCILING @ k8s']],
    ['in WARNING', {status: 'WARNING'}, ['WARN cluster WARNING @ k8s']],
    ['that is being deleted', {status: 'DELETING'}, []],
  ])('%s', (_, rest, expected) => {
    expect(found({clusters: [aCluster(rest)]})).toEqual(expected);
  });
});

describe('what a person has set', () => {
  it('moves the moments from which credit and contracts are critical', () => {
    const preferences = {...DEFAULT_PREFERENCES, runwayCriticalMs: HOUR_MS, contractCriticalMs: 40 * DAY_MS};
    expect(found({creditLeftMs: 2 * HOUR_MS, preferences})).toEqual([]);
    expect(found({contracts: [aContract(35)], preferences})).toEqual(['CRIT contract ends in 35d, then deletes @ #12']);
  });

  it('takes a stopped machine off the list where it is said to cost little', () => {
    const machines = [aVirtualMachine({status: 'SHUTOFF'})];
    const prices = pricesWith({perHourByFlavor: {}, billingByState: {SHUTOFF: 'storage'}});
    expect(found({machines})).toHaveLength(1);
    expect(found({machines, preferences: {...DEFAULT_PREFERENCES, prices}})).toEqual([]);
  });
});

describe('a contract', () => {
  it.each<[string, Contract, readonly string[]]>([
    ['over in 31 days', aContract(31), []],
    ['over in 30 days', aContract(30), ['NOTE contract ends in 30d, then deletes @ #12']],
    ['over in 15 days', aContract(15), ['NOTE contract ends in 15d, then deletes @ #12']],
    ['over in 14 days', aContract(14), ['CRIT contract ends in 14d, then deletes @ #12']],
    ['over in half a day', aContract(0.5), ['CRIT contract ends in 0d, then deletes @ #12']],
    ['over', aContract(-1), []],
    [
      'that only becomes dearer',
      aContract(3, {expirationPolicy: UNTIL_MARKET}),
      ['NOTE contract ends in 3d, then market price @ #12'],
    ],
    [
      'with an end nobody knows the meaning of',
      aContract(3, {expirationPolicy: expirationPolicy(9)}),
      ['CRIT contract ends in 3d, then unknown @ #12'],
    ],
    ['without a known end', aContract(undefined), ['NOTE contract has no known end, then deletes @ #12']],
  ])('%s', (_, contract, expected) => {
    expect(found({contracts: [contract]})).toEqual(expected);
  });
});

describe('a firewall open to the world', () => {
  it('is a warning where it holds for machines, a note where it holds for none', () => {
    const firewall = {id: 5, name: 'bastion', ports: 'tcp/22'};
    expect(found({openFirewalls: [{...firewall, machineCount: 2}]})).toEqual([
      'WARN tcp/22 open to the world, 2 machines @ bastion',
    ]);
    expect(found({openFirewalls: [{...firewall, machineCount: 0}]})).toEqual([
      'NOTE tcp/22 open to the world, 0 machines @ bastion',
    ]);
  });
});

describe('the order', () => {
  it('is by severity, then by cost, then by name of the finding', () => {
    const machines = [1, 2, 3, 4].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), status: 'SHUTOFF'}));
    const rates = new Map([
      [2, ratePerHour(rational(1n, 1n))],
      [3, ratePerHour(rational(9n, 1n))],
    ]);
    const list = attentionList(
      known({
        machines: [...machines, aVirtualMachine({id: 9, name: safeText('gpu-9'), status: 'STOPPING'})],
        rates: new Map([...rates, [9, ratePerHour(rational(99n, 1n))]]),
        clusters: [aCluster({status: 'ERROR'})],
      }),
    );
    expect(list.map(({where}) => where)).toEqual(['k8s', 'gpu-3', 'gpu-2', 'gpu-1', 'gpu-4', 'gpu-9']);
  });

  it('does not depend on the order of what is known', () => {
    const machines = (['ERROR', 'SHUTOFF', 'STARTING'] as const).map((status, index) =>
      aVirtualMachine({id: index + 1, status}),
    );
    expect(found({machines: [...machines].reverse()})).toEqual(found({machines}));
  });
});

it('finds nothing where nothing is wrong or known', () => {
  expect(found({})).toEqual([]);
});
