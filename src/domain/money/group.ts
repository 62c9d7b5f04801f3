import type {UsageRecord} from '../billing.ts';
import {isBurning, usableRate} from '../cost.ts';
import {
  accrue,
  allocate,
  type MicroUsd,
  rational,
  scaleRate,
  scaleUsd,
  sumUsd,
  type Usd,
  ZERO_MICRO_USD,
} from '../money.ts';
import {type VirtualMachine, virtualMachineId} from '../virtual-machine.ts';
import type {Volume} from '../volume.ts';
import {NOT_ATTRIBUTED} from './report.ts';

export const GROUPINGS = ['vm', 'type', 'environment', 'label', 'flavor', 'gpu', 'region', 'contract'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What is known about the resources of the records, because a usage record itself contains none of it. */
export type Inventory = {
  readonly machines: ReadonlyMap<number, VirtualMachine>;
  readonly volumes: ReadonlyMap<number, Volume>;
};

/**
 * One group's share of past and present spending, undefined if unknown; all groups add up to both exactly.
 */
export type SpendGroup = {
  readonly key: string;
  readonly spent: MicroUsd | undefined;
  readonly perHour: MicroUsd | undefined;
  /** A part of it is unknown. */
  readonly isSpentAtLeast?: true;
  readonly isPerHourAtLeast?: true;
};

type Sums = {readonly spent: Usd[]; readonly perHour: Usd[]; isUnknown: boolean; isRateUnknown: boolean};

const SIXTY_MINUTES = rational(60n, 1n);

/**
 * The cost and rate of the records by group, costliest first. `total` is everything spent: what the records do not
 * explain is a group of its own. A record with several labels is split equally between them.
 */
export function spendGroups(
  costs: readonly {readonly record: UsageRecord; readonly cost: Usd; readonly isUnknown?: boolean}[],
  by: Grouping,
  {inventory, total}: {readonly inventory: Inventory; readonly total: Usd},
): readonly SpendGroup[] {
  const sums = new Map<string, Sums>();
  const sumsOf = (key: string) => {
    const known = sums.get(key) ?? {spent: [], perHour: [], isUnknown: false, isRateUnknown: false};
    sums.set(key, known);
    return known;
  };
  const nameCounts = countNames(costs.map(({record}) => record));
  for (const {record, cost, isUnknown = false} of costs) {
    const rate = isBurning(record) ? usableRate(record) : undefined;
    const isRateUnknown = isBurning(record) && rate === undefined;
    if (cost.numerator === 0n && rate === undefined && !isUnknown) continue;
    const keys = groupKeys(record, by, inventory, nameCounts);
    const share = rational(1n, BigInt(keys.length));
    for (const key of keys) {
      const group = sumsOf(key);
      group.spent.push(scaleUsd(cost, share));
      if (rate !== undefined) group.perHour.push(accrue(scaleRate(rate, share), SIXTY_MINUTES));
      if (isUnknown) group.isUnknown = true;
      if (isRateUnknown) group.isRateUnknown = true;
    }
  }
  const explained = sumUsd(costs.map(({cost}) => cost));
  sumsOf(NOT_ATTRIBUTED).spent.push(sumUsd([total, scaleUsd(explained, rational(-1n, 1n))]));
  return allocatedGroups(sums);
}

/** Below half a cent an amount is shown as no figure that a person can use. */
const HALF_A_CENT_MICRO_USD = 5000;

/** The groups worth a line for a person. A file has all of them, since they add up to the total. */
export function groupsWorthALine(groups: readonly SpendGroup[]): readonly SpendGroup[] {
  return groups.filter(
    ({spent, perHour}) => spent === undefined || Math.abs(spent) >= HALF_A_CENT_MICRO_USD || perHour !== 0,
  );
}

function allocatedGroups(sums: ReadonlyMap<string, Sums>): readonly SpendGroup[] {
  const each = [...sums.values()];
  const spent = allocate(each.map(group => sumUsd(group.spent)));
  const perHour = allocate(each.map(group => sumUsd(group.perHour)));
  const groups = [...sums].map(([key, {isUnknown, isRateUnknown}], index) => ({
    key,
    spent: isUnknown && !spent[index] ? undefined : (spent[index] ?? ZERO_MICRO_USD),
    perHour: isRateUnknown && !perHour[index] ? undefined : (perHour[index] ?? ZERO_MICRO_USD),
    ...(isUnknown && spent[index] ? {isSpentAtLeast: true as const} : {}),
    ...(isRateUnknown && perHour[index] ? {isPerHourAtLeast: true as const} : {}),
  }));
  // Decided after rounding: what is left of a total after subtracting many fractions is seldom exactly zero.
  const shown = groups.filter((group, index) => group.spent !== 0 || each[index]?.perHour.length !== 0);
  return shown.sort(
    (left, right) =>
      (right.spent ?? 0) - (left.spent ?? 0) || (right.perHour ?? 0) - (left.perHour ?? 0) || compareText(left, right),
  );
}

function compareText({key: left}: SpendGroup, {key: right}: SpendGroup): number {
  return left < right ? -1 : Number(left > right);
}

function groupKeys(
  record: UsageRecord,
  by: Grouping,
  inventory: Inventory,
  nameCounts: ReadonlyMap<string, number>,
): readonly string[] {
  const type = record.resourceType.toLowerCase();
  if (by === 'type') return [type];
  const machine = type === 'vm' ? inventory.machines.get(record.resourceId) : undefined;
  const volume = type === 'volume' ? inventory.volumes.get(record.resourceId) : undefined;
  switch (by) {
    case 'vm':
      return [type === 'vm' ? resourceName(record, nameCounts) : `${type} ${resourceName(record, nameCounts)}`];
    case 'environment':
      return [(machine ?? volume)?.environmentName ?? 'unknown'];
    case 'region':
      return [(machine ?? volume)?.regionName ?? 'unknown'];
    case 'label':
      return labelKeys(machine ?? holderOf(volume, inventory), (machine ?? volume) !== undefined);
    case 'flavor':
      return [type === 'vm' ? (machine?.flavor?.name ?? 'unknown') : type];
    case 'gpu':
      return [type !== 'vm' ? 'none' : machine === undefined ? 'unknown' : (machine.flavor?.gpuModel ?? 'none')];
    case 'contract':
      if (type === 'vm' && (machine === undefined || machine.hasUnreadContract === true)) return ['unknown'];
      return [String(machine?.contractId ?? 'none')];
  }
}

/** Its name, with the id if another of its type has the same name; the id alone if it has no name. */
function resourceName(record: UsageRecord, nameCounts: ReadonlyMap<string, number>): string {
  const {resourceId, name} = record;
  if (name === '') return `#${resourceId}`;
  return (nameCounts.get(typedName(record)) ?? 0) > 1 ? `${name} #${resourceId}` : name;
}

/** How many resources of a type have had each name. */
function countNames(records: readonly UsageRecord[]): ReadonlyMap<string, number> {
  const ids = new Map<string, Set<number>>();
  for (const record of records) {
    const key = typedName(record);
    ids.set(key, (ids.get(key) ?? new Set()).add(record.resourceId));
  }
  return new Map([...ids].map(([key, of]) => [key, of.size]));
}

function typedName({resourceType, name}: UsageRecord): string {
  return `${resourceType.toLowerCase()} ${name}`;
}

/** A volume counts with the labels of the machine it is attached to. */
function holderOf(volume: Volume | undefined, {machines}: Inventory): VirtualMachine | undefined {
  const id = volume?.attachments.find(({status}) => status?.toUpperCase() !== 'DETACHED')?.machineId;
  return id === undefined ? undefined : machines.get(virtualMachineId(id));
}

function labelKeys(machine: VirtualMachine | undefined, isKnown: boolean): readonly string[] {
  if (!isKnown) return ['label unknown'];
  const labels = [...new Set(machine?.labels ?? [])];
  return labels.length === 0 ? ['unlabelled'] : labels;
}
