import type {UsageRecord} from '../billing.ts';
import {excludedMachines, isBurning, isMissed, isSettled, machineRates, usableRate, volumeRates} from '../cost.ts';
import {countedWords} from '../listed-words.ts';
import {accrue, hourlyUsd, minutesOf, type Rate, rational, scaleRate, type Usd, usdNumber} from '../money.ts';
import {gigabytesText} from '../number-text.ts';
import {type SafeText, say} from '../safe-text.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS} from '../time.ts';
import {hasAddress, isNode, type MachineEvent, type MachineStatus, type VirtualMachine} from '../virtual-machine.ts';
import {isUnattached, type Volume} from '../volume.ts';
import {type Confidence, type IdleVerdict, mayBeIdle} from './idle.ts';
import type {Prices} from './prices.ts';
import {billingInStatus} from './state-billing.ts';

export const WASTE_KINDS = [
  'idle',
  'stopped-but-billed',
  'unattached-volume',
  'kept-address',
  'ghost',
  'unmetered',
] as const;
type WasteKind = (typeof WASTE_KINDS)[number];

/** Wasted money, and how certain that is. */
export type Waste = {
  readonly kind: WasteKind;
  readonly resourceType: 'vm' | 'volume';
  readonly resourceId: number;
  readonly name: SafeText;
  readonly confidence: Confidence;
  /** Since when; undefined if unknown. */
  readonly since: EpochMs | undefined;
  /** What it costs; undefined if nothing is metered for it. */
  readonly rate: Rate | undefined;
  readonly soFar: Usd | undefined;
  readonly evidence: SafeText;
};

/** Kept on purpose, until a date. */
export type KeptResource = {
  readonly resourceType: 'vm' | 'volume' | 'cluster' | 'floating-ip';
  readonly resourceId: number;
  readonly until: EpochMs;
  /** The organization it belongs to; absent if the settings keep it, which applies to every organization. */
  readonly organizationId?: number;
};

export type WasteInput = {
  /** Active records as metered. */
  readonly live: readonly UsageRecord[];
  /** Undefined if the list could not be read completely: nothing is then taken to be missing from it. */
  readonly machines: readonly VirtualMachine[] | undefined;
  readonly volumes: readonly Volume[] | undefined;
  /** Whether both lists are complete, so that what is not in them does not exist. */
  readonly areWhole: {readonly machines: boolean; readonly volumes: boolean; readonly usage: boolean};
  readonly verdicts: ReadonlyMap<number, IdleVerdict>;
  /** How long a machine must be quiet to count as idle. */
  readonly idleMs: DurationMs;
  /** When a machine was stopped or hibernated, if its events show it. */
  readonly stoppedAt: ReadonlyMap<number, EpochMs>;
  readonly prices: Prices;
  readonly keep: readonly KeptResource[];
  readonly now: EpochMs;
};

/** Volumes are often kept for some days between two machines. */
const VOLUME_GRACE_MS = 7 * DAY_MS;

export type JudgedWaste = {
  /** The costliest first. */
  readonly waste: readonly Waste[];
  /** What is kept on purpose, and left out of the waste. */
  readonly kept: readonly Waste[];
  /** Running machines that may be idle but could not be judged: the waste may be higher. */
  readonly unjudgedCount: number;
  /** What else may make it higher, in words: `volumes unknown`. */
  readonly unknown: readonly SafeText[];
  /** The kinds that cannot be told, or only in part, from what was read: none of them found is not none there. */
  readonly unknownKinds: ReadonlySet<WasteKind>;
};

/** Machines of which their record does not say enough. */
type UnreadMachines = {readonly statelessCount: number; readonly addressUnreadCount: number};

function unknownToWaste(
  {machines, volumes, areWhole}: WasteInput,
  {waste, statelessCount, addressUnreadCount}: UnreadMachines & {readonly waste: readonly Waste[]},
): readonly SafeText[] {
  const ofList = (what: SafeText, list: readonly unknown[] | undefined, isListWhole: boolean) => {
    if (list === undefined) return [say`${what} unknown`];
    return isListWhole ? [] : [say`part of the ${what} unknown`];
  };
  // Whether anything is billed for what is not metered is unknown as well, but its own kind says so.
  const unpricedCount = waste.filter(({rate, kind}) => rate === undefined && kind !== 'unmetered').length;
  return [
    ...ofList(say`machines`, machines, areWhole.machines),
    ...ofList(say`volumes`, volumes, areWhole.volumes),
    ...(statelessCount === 0 ? [] : [say`${countedWords(statelessCount, say`machine`)} of unknown state`]),
    ...(addressUnreadCount === 0
      ? []
      : [say`address of ${countedWords(addressUnreadCount, say`hibernated machine`)} unknown`]),
    ...(areWhole.usage ? [] : [say`part of the usage unknown`]),
    ...(unpricedCount === 0 ? [] : [say`${countedWords(unpricedCount, say`item`)} of unknown price`]),
  ];
}

function kindsUnknown(
  {machines, volumes, areWhole}: WasteInput,
  {areNoneJudged, statelessCount, addressUnreadCount}: UnreadMachines & {readonly areNoneJudged: boolean},
): ReadonlySet<WasteKind> {
  const lacksMachines = machines === undefined || !areWhole.machines;
  const lacksStates = lacksMachines || statelessCount > 0;
  const lacksVolumes = volumes === undefined || !areWhole.volumes;
  const lacksAttachments = volumes?.some(({hasUnreadAttachments}) => hasUnreadAttachments === true) === true;
  const lacksAny = lacksMachines || lacksVolumes || !areWhole.usage;
  const isUnknown: Readonly<Record<WasteKind, boolean>> = {
    idle: lacksStates || areNoneJudged,
    'stopped-but-billed': lacksStates,
    'unattached-volume': lacksVolumes || lacksAttachments,
    'kept-address': lacksStates || addressUnreadCount > 0,
    ghost: lacksAny,
    unmetered: lacksAny,
  };
  return new Set(WASTE_KINDS.filter(kind => isUnknown[kind]));
}

/** All waste, what is kept on purpose, and how much could not be judged. */
export function wasteOf(input: WasteInput): JudgedWaste {
  const {live, machines = [], volumes = [], verdicts, stoppedAt, prices, now} = input;
  const [ofMachines, ofVolumes] = [machineRates(live), volumeRates(live)];
  const listed = listedIn(input);
  const excluded = excludedMachines(live);
  const paid = machines.filter(({id}) => !excluded.has(id));
  const judged = [
    ...paid.map(machine => {
      const known = {rate: ofMachines.get(machine.id), since: stoppedAt.get(machine.id), prices, now};
      const verdict = verdicts.get(machine.id);
      return stoppedWaste(machine, known) ?? addressWaste(machine, known) ?? idleWaste(machine, {...known, verdict});
    }),
    ...volumes.map(volume => unattachedWaste(volume, {rate: ofVolumes.get(volume.id), prices, now})),
    ...live.map(record => ghostWaste(record, {listed, now})),
  ].flatMap(each => each ?? []);
  const all = [...judged, ...unmetered(input, judged)].sort(byMoneyLost);
  const isKept = (each: Waste) => input.keep.some(kept => isMeant(kept, each) && kept.until > now);
  const waste = all.filter(each => !isKept(each));
  const running = paid.filter(({status}) => status === 'ACTIVE');
  const unread = {
    statelessCount: paid.filter(({status}) => status === 'UNKNOWN').length,
    addressUnreadCount: paid.filter(each => each.status === 'HIBERNATED' && hasAddress(each) === undefined).length,
  };
  const unjudgedCount = running.filter(({id, createdAt}) =>
    mayBeIdle(verdicts.get(id), {createdAt, now, idleMs: input.idleMs}),
  ).length;
  return {
    waste,
    kept: all.filter(isKept),
    unknown: unknownToWaste(input, {...unread, waste}),
    unknownKinds: kindsUnknown(input, {
      ...unread,
      areNoneJudged: unjudgedCount > 0 && unjudgedCount === running.length,
    }),
    unjudgedCount,
  };
}

/** What is in no list, or has no known cost, cannot be kept on purpose. */
function isMeant({resourceType, resourceId}: KeptResource, {kind, ...waste}: Waste): boolean {
  if (kind === 'ghost' || kind === 'unmetered') return false;
  const type = kind === 'kept-address' ? 'floating-ip' : waste.resourceType;
  return resourceType === type && resourceId === waste.resourceId;
}

/** The largest loss first; unknown costs last. */
function byMoneyLost(left: Waste, right: Waste): number {
  const lost = ({soFar}: Waste) => (soFar === undefined ? -1 : usdNumber(soFar));
  const burning = ({rate}: Waste) => (rate === undefined ? -1 : hourlyUsd(rate));
  return lost(right) - lost(left) || burning(right) - burning(left) || left.resourceId - right.resourceId;
}

// What counts as waste is decided only in the functions below: triage reports the same items that the list of
// waste adds up.

type WasteTerms = {
  /** Its metered rate; undefined if unknown. */
  readonly rate: Rate | undefined;
  readonly prices: Prices;
  readonly now: EpochMs;
};

/** A machine that is shut off and billed in full. Nodes are left to their cluster. */
export function stoppedWaste(
  machine: VirtualMachine,
  {rate, since, prices, now}: WasteTerms & {readonly since: EpochMs | undefined},
): Waste | undefined {
  const {id: resourceId, name, status} = machine;
  if (status !== 'SHUTOFF' || billingInStatus(status, prices) !== 'full' || isNode(machine)) return undefined;
  if (rate?.numerator === 0n) return undefined;
  return {
    kind: 'stopped-but-billed',
    resourceType: 'vm',
    resourceId,
    name,
    confidence: 'high',
    since,
    rate,
    soFar: lost(rate, since, now),
    evidence: say`stopped, and billed like a running machine: its hardware stays reserved`,
  };
}

function addressWaste(
  {id: resourceId, name, status, floatingIp}: VirtualMachine,
  {since, prices, now}: WasteTerms & {readonly since: EpochMs | undefined},
): Waste | undefined {
  if (status !== 'HIBERNATED' || floatingIp === undefined) return undefined;
  return {
    kind: 'kept-address',
    resourceType: 'vm',
    resourceId,
    name,
    confidence: 'high',
    since,
    rate: prices.publicIp,
    soFar: lost(prices.publicIp, since, now),
    evidence: say`hibernated, and its address ${floatingIp} is kept and billed`,
  };
}

/** A running machine that has been inactive for long. `now`: when the data of the verdict was read. */
export function idleWaste(
  {id: resourceId, name, status, flavor}: VirtualMachine,
  {verdict, rate, now}: Pick<WasteTerms, 'rate' | 'now'> & {readonly verdict: IdleVerdict | undefined},
): (Waste & {readonly since: EpochMs}) | undefined {
  if (status !== 'ACTIVE' || verdict?.verdict !== 'idle') return undefined;
  const {since, confidence} = verdict;
  return {
    kind: 'idle',
    resourceType: 'vm',
    resourceId,
    name,
    confidence,
    since,
    rate,
    soFar: lost(rate, since, now),
    evidence: idleEvidence(verdict, {hasNoGpus: flavor?.gpuCount === 0, now}),
  };
}

function idleEvidence(
  {since, rule, activeRatio, areGpusIdle}: Extract<IdleVerdict, {verdict: 'idle'}>,
  {hasNoGpus, now}: {readonly hasNoGpus: boolean; readonly now: EpochMs},
): SafeText {
  const days = Math.floor((now - since) / DAY_MS);
  const length = days >= 2 ? say`${days} d` : say`${Math.floor((now - since) / HOUR_MS)} h`;
  const before = rule === 'went-quiet' ? say`; it worked at this time a week ago` : say``;
  const unreported = hasNoGpus ? say`` : say` (GPU load is not reported)`;
  const gpus = areGpusIdle ? say` (its GPUs idle too, according to DCGM)` : unreported;
  return say`no host-side activity for ${length}: active in ${Math.round(activeRatio * 1000) / 10}% of the time${before}${gpus}`;
}

/** A volume not attached to anything for a week, at its metered rate or else its list price. */
export function unattachedWaste(volume: Volume, {rate: metered, prices, now}: WasteTerms): Waste | undefined {
  const since = volume.updatedAt ?? volume.createdAt;
  if (!isUnattached(volume) || (since !== undefined && now - since < VOLUME_GRACE_MS)) return undefined;
  const rate = metered ?? volumeListRate(volume, prices);
  const size = volume.sizeGb === undefined ? say`` : say`${gigabytesText(volume.sizeGb)}, `;
  return {
    kind: 'unattached-volume',
    resourceType: 'volume',
    resourceId: volume.id,
    name: volume.name,
    confidence: since === undefined ? 'low' : 'high',
    since,
    rate,
    soFar: lost(rate, since, now),
    evidence: say`${size}attached to no machine`,
  };
}

/** The list price of a volume; undefined if its size is unknown. */
export function volumeListRate({sizeGb}: Volume, {storagePerGb}: Pick<Prices, 'storagePerGb'>): Rate | undefined {
  return sizeGb === undefined ? undefined : scaleRate(storagePerGb, rational(BigInt(Math.round(sizeGb)), 1n));
}

/** The ids in each list; undefined for an incomplete list, since nothing is known to be missing from it. */
export type ListedIds = Readonly<Record<'vm' | 'volume', ReadonlySet<number> | undefined>>;

function listedIn({machines, volumes, areWhole}: WasteInput): ListedIds {
  return {
    vm: areWhole.machines ? new Set(machines?.map(({id}) => id)) : undefined,
    volume: areWhole.volumes ? new Set(volumes?.map(({id}) => id)) : undefined,
  };
}

/** Billed, but no longer there. Since when is unknown. */
export function ghostWaste(
  record: UsageRecord,
  {listed, now}: {readonly listed: ListedIds; readonly now: EpochMs},
): Waste | undefined {
  const type = record.resourceType.toLowerCase();
  if (type !== 'vm' && type !== 'volume') return undefined;
  const {resourceId, name, createdAt} = record;
  const rate = usableRate(record);
  if (
    !isBurning(record) ||
    !isSettled(createdAt, now) ||
    rate?.numerator === 0n ||
    listed[type]?.has(resourceId) !== false
  )
    return undefined;
  return {
    kind: 'ghost',
    resourceType: type,
    resourceId,
    name,
    confidence: 'medium',
    since: undefined,
    rate,
    soFar: undefined,
    evidence: say`billed, but not in the list of ${type === 'vm' ? say`machines` : say`volumes`}`,
  };
}

/** There, but not billed: new, excluded in some other way, or missed by metering. */
function unmetered(
  {live, machines, volumes, areWhole, prices, now}: WasteInput,
  judged: readonly Waste[],
): readonly Waste[] {
  if (!areWhole.usage) return [];
  const metered = {vm: new Set<number>(), volume: new Set<number>()};
  for (const {resourceType, resourceId} of [...judged, ...live]) {
    const type = resourceType.toLowerCase();
    if (type === 'vm' || type === 'volume') metered[type].add(resourceId);
  }
  const missing = [
    ...(machines ?? [])
      .filter(each => !metered.vm.has(each.id) && isMissed(each, {prices, now}))
      .map(each => ({type: 'vm' as const, each})),
    ...(volumes ?? [])
      .filter(({id, createdAt}) => !metered.volume.has(id) && isSettled(createdAt, now))
      .map(each => ({type: 'volume' as const, each})),
  ];
  return missing.map(({type, each}) => ({
    kind: 'unmetered',
    resourceType: type,
    resourceId: each.id,
    name: each.name,
    confidence: 'low',
    since: each.createdAt,
    rate: undefined,
    soFar: undefined,
    evidence: say`in the list, but without a usage record: its cost is unknown`,
  }));
}

function lost(rate: Rate | undefined, since: EpochMs | undefined, now: EpochMs): Usd | undefined {
  return rate === undefined || since === undefined ? undefined : accrue(rate, minutesOf(Math.max(0, now - since)));
}

/**
 * When a machine was last stopped or hibernated, from its events; requests and failures do not count. `changedAfter`:
 * when it was last seen in another state. Events not read since then show an earlier stop.
 */
export function stoppedSince(
  status: MachineStatus,
  events: readonly MachineEvent[],
  changedAfter?: EpochMs,
): EpochMs | undefined {
  const word = status === 'HIBERNATED' ? /hibernat/i : /stop|shut/i;
  return events
    .filter(({reason, message}) => word.test(`${reason} ${message}`) && !/request|fail/i.test(reason))
    .flatMap(({occurredAt}) => occurredAt ?? [])
    .concat(changedAfter ?? [])
    .sort((left, right) => right - left)[0];
}
