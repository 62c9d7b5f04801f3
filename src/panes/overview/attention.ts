import {type Cluster, clusterProgress} from '../../domain/cluster.ts';
import {type Contract, daysLeft} from '../../domain/contract.ts';
import {billingInStatus} from '../../domain/cost.ts';
import {hourlyUsd, type Rate} from '../../domain/money.ts';
import type {Preferences} from '../../domain/preferences.ts';
import {DAY_MS, type DurationMs, type EpochMs, MINUTE_MS} from '../../domain/time.ts';
import {
  isTransitional,
  type MachineEvent,
  type MachineStatus,
  type VirtualMachine,
} from '../../domain/virtual-machine.ts';
import {formatDuration, formatRunway} from '../../ui/format.ts';

export type Severity = 'CRIT' | 'WARN' | 'NOTE';

/** Something a person on call should look at: what, where, since when, and what it costs. */
export type Attention = {
  readonly key: string;
  readonly severity: Severity;
  readonly what: string;
  readonly where: string;
  readonly since: EpochMs | undefined;
  readonly rate: Rate | undefined;
  /** The object that `enter` opens. */
  readonly target: {readonly paneId: string; readonly objectId: number} | undefined;
};

/** All that the list is made from; what was not read yet is absent and adds nothing. */
export type Known = {
  readonly machines: readonly VirtualMachine[];
  readonly rates: ReadonlyMap<number, Rate>;
  readonly eventsOf: (machine: VirtualMachine) => readonly MachineEvent[] | undefined;
  readonly clusters: readonly Cluster[];
  readonly contracts: readonly Contract[];
  readonly creditLeftMs: DurationMs | undefined;
  readonly preferences: Pick<Preferences, 'prices' | 'runwayCriticalMs' | 'contractCriticalMs'>;
  readonly openMachines: ReadonlyMap<number, string>;
  readonly openFirewalls: readonly {
    readonly id: number;
    readonly name: string;
    readonly ports: string;
    readonly machineCount: number;
  }[];
  readonly now: EpochMs;
};

/** Worst first, and within a severity the costliest. */
export function attentionList(known: Known): readonly Attention[] {
  const all = [
    ...creditAttention(known),
    ...known.machines.flatMap(machine => machineAttention(machine, known)),
    ...known.clusters.flatMap(cluster => clusterAttention(cluster, known.now)),
    ...known.contracts.flatMap(contract => contractAttention(contract, known)),
    ...known.openFirewalls.map(firewallAttention),
  ];
  return all.sort(
    (left, right) =>
      RANKS[left.severity] - RANKS[right.severity] || costOf(right) - costOf(left) || left.key.localeCompare(right.key),
  );
}

const RANKS: Readonly<Record<Severity, number>> = {CRIT: 0, WARN: 1, NOTE: 2};

function costOf({rate}: Attention): number {
  return rate === undefined ? 0 : hourlyUsd(rate);
}

/** The service suspends everything when the credit is gone: a reason to wake somebody while there is time. */
function creditAttention({creditLeftMs, preferences}: Known): readonly Attention[] {
  if (creditLeftMs === undefined || creditLeftMs >= preferences.runwayCriticalMs) return [];
  const what = `prepaid credit ends in ${formatRunway(creditLeftMs)}`;
  return [
    {key: 'credit', severity: 'CRIT', what, where: 'account', since: undefined, rate: undefined, target: undefined},
  ];
}

/** How long a change of state may take before it is worth a look: about twice the longest the service is known for. */
const CHANGE_LIMITS_MS: Readonly<Partial<Record<MachineStatus, DurationMs>>> = {
  CREATING: 20 * MINUTE_MS,
  BUILD: 20 * MINUTE_MS,
  PRE_ACTIVE: 20 * MINUTE_MS,
  STARTING: 5 * MINUTE_MS,
  STOPPING: 5 * MINUTE_MS,
  REBOOTING: 5 * MINUTE_MS,
  HIBERNATING: 45 * MINUTE_MS,
  RESTORING: 30 * MINUTE_MS,
  DELETING: 10 * MINUTE_MS,
};

function machineAttention(machine: VirtualMachine, known: Known): readonly Attention[] {
  const base = {
    where: machine.name,
    rate: known.rates.get(machine.id),
    target: {paneId: 'machines', objectId: machine.id},
  };
  const lastEventAt = newestEvent(known.eventsOf(machine))?.occurredAt;
  const found: Attention[] = [];
  const add = (key: string, severity: Severity, what: string, since?: EpochMs) =>
    found.push({...base, key: `${key} ${machine.id}`, severity, what, since});
  if (machine.status === 'ERROR') add('error', 'WARN', 'machine in ERROR', lastEventAt);
  if (machine.status === 'SHUTOFF' && billingInStatus('SHUTOFF', known.preferences.prices) === 'full') {
    add('shutoff', 'WARN', 'SHUTOFF but billed in full', lastEventAt);
  }
  if (isTransitional(machine.status)) {
    const since = lastEventAt ?? (machine.status === 'CREATING' ? machine.createdAt : undefined);
    const limitMs = CHANGE_LIMITS_MS[machine.status];
    const elapsedMs = since === undefined ? undefined : known.now - since;
    const isLate = elapsedMs !== undefined && limitMs !== undefined && elapsedMs > limitMs;
    add(
      'changing',
      isLate ? 'WARN' : 'NOTE',
      isLate ? `${machine.statusText} for too long` : `${machine.statusText}`,
      since,
    );
  }
  const openPorts = known.openMachines.get(machine.id);
  if (openPorts !== undefined) add('open', 'WARN', `${openPorts} open to the world`);
  return found;
}

function newestEvent(events: readonly MachineEvent[] | undefined): MachineEvent | undefined {
  return events?.reduce<MachineEvent | undefined>(
    (newest, event) => ((event.occurredAt ?? 0) > (newest?.occurredAt ?? 0) ? event : newest),
    undefined,
  );
}

function clusterAttention(cluster: Cluster, now: EpochMs): readonly Attention[] {
  const progress = clusterProgress(cluster, now);
  const reason = cluster.statusReason === undefined ? '' : `: ${cluster.statusReason}`;
  const base = {
    key: `cluster ${cluster.id}`,
    where: cluster.name,
    since: undefined,
    rate: undefined,
    target: {paneId: 'clusters', objectId: cluster.id},
  };
  if (progress.kind === 'overdue') {
    return [
      {
        ...base,
        severity: 'CRIT',
        what: `cluster stuck ${formatDuration(progress.elapsedMs)} in creation`,
        since: cluster.createdAt,
      },
    ];
  }
  if (cluster.status === 'ERROR') return [{...base, severity: 'CRIT', what: `cluster in ERROR${reason}`}];
  if (cluster.status === 'RECONCILING' || cluster.status === 'WARNING') {
    return [{...base, severity: 'WARN', what: `cluster ${cluster.statusText}${reason}`}];
  }
  return progress.kind === 'slow'
    ? [{...base, severity: 'NOTE', what: 'cluster slow in creation', since: cluster.createdAt}]
    : [];
}

/** What a contract deletes is gone for ever, so its end is critical from fourteen days before. */
const NOTICE_DAYS = 30;

function contractAttention(contract: Contract, {now, preferences}: Known): readonly Attention[] {
  const days = daysLeft(contract, now);
  if (contract.status !== 'ACTIVE' && contract.status !== 'UNKNOWN') return [];
  const criticalDays = preferences.contractCriticalMs / DAY_MS;
  if (days !== undefined && (days > Math.max(NOTICE_DAYS, criticalDays) || days < 0)) return [];
  const {kind} = contract.expirationPolicy;
  const isDeletion = kind !== 'market';
  const end = days === undefined ? 'has no known end' : `ends in ${Math.floor(days)}d`;
  const then = kind === 'delete' ? ', then deletes' : kind === 'market' ? ', then market price' : ', then unknown';
  return [
    {
      key: `contract ${contract.id}`,
      severity: isDeletion && days !== undefined && days <= criticalDays ? 'CRIT' : 'NOTE',
      what: `contract ${end}${then}`,
      where: `#${contract.id}`,
      since: undefined,
      rate: undefined,
      target: {paneId: 'billing', objectId: contract.id},
    },
  ];
}

function firewallAttention(firewall: Known['openFirewalls'][number]): Attention {
  return {
    key: `firewall ${firewall.id}`,
    severity: firewall.machineCount > 0 ? 'WARN' : 'NOTE',
    what: `${firewall.ports} open to the world, ${firewall.machineCount} machines`,
    where: firewall.name,
    since: undefined,
    rate: undefined,
    target: {paneId: 'firewalls', objectId: firewall.id},
  };
}
