import type {UsageRecord} from '../billing.ts';
import {isBurning, usableRate} from '../cost.ts';
import {accrue, hourlyUsd, minutesOf, type Rate, rational, scaleRate, sumRates, type Usd, usdNumber} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import type {MachineEvent, MachineStatus, VirtualMachine} from '../virtual-machine.ts';
import {isUnattached, type Volume} from '../volume.ts';
import type {Confidence, IdleVerdict} from './idle.ts';
import type {Prices} from './prices.ts';
import {resourceKey} from './spend.ts';
import {billingInStatus} from './state-billing.ts';

type WasteKind = 'stopped-but-billed' | 'idle' | 'unattached-volume' | 'kept-address' | 'ghost' | 'unmetered';

/** Money that serves nobody, and how sure that is. */
export type Waste = {
  readonly kind: WasteKind;
  readonly resourceType: 'vm' | 'volume';
  readonly resourceId: number;
  readonly name: SafeText;
  readonly confidence: Confidence;
  /** Since when; undefined where nothing tells. */
  readonly since: EpochMs | undefined;
  /** What it costs; undefined where nothing is metered for it. */
  readonly rate: Rate | undefined;
  readonly soFar: Usd | undefined;
  readonly evidence: SafeText;
};

/** Wasteful on purpose, until a date. */
export type Kept = {
  readonly resourceType: 'vm' | 'volume' | 'cluster' | 'floating-ip';
  readonly resourceId: number;
  readonly until: EpochMs;
};

export type WasteQuestion = {
  /** Active records as the service meters them. */
  readonly live: readonly UsageRecord[];
  /** Undefined where the list could not be read whole: then nothing is missing from it. */
  readonly machines: readonly VirtualMachine[] | undefined;
  readonly volumes: readonly Volume[] | undefined;
  /** Whether all of both lists came, so that what is not in them is not there. */
  readonly areWhole: {readonly machines: boolean; readonly volumes: boolean; readonly usage: boolean};
  readonly verdicts: ReadonlyMap<number, IdleVerdict>;
  /** When a machine was stopped or fell asleep, where its events tell. */
  readonly stoppedAt: ReadonlyMap<number, EpochMs>;
  readonly prices: Prices;
  readonly keep: readonly Kept[];
  readonly now: EpochMs;
};

/** An unattached volume is somebody's plan for a week. */
const VOLUME_GRACE_MS = 7 * DAY_MS;
/** The lists are not read at one moment: what is younger may be in the one and not yet in the other. */
const SETTLING_MS = 10 * MINUTE_MS;

/** All waste, the most money lost first; what is kept on purpose is left out of it, and given apart. */
export function wasteOf(question: WasteQuestion): {readonly waste: readonly Waste[]; readonly kept: readonly Waste[]} {
  const rates = ratesByResource(question.live);
  const all = [
    ...(question.machines ?? []).flatMap(machine => machineWaste(machine, rates.get(`vm ${machine.id}`), question)),
    ...(question.volumes ?? []).flatMap(volume => volumeWaste(volume, rates.get(`volume ${volume.id}`), question)),
    ...ghosts(question),
    ...unmetered(question),
  ].sort(byMoneyLost);
  const isKept = (each: Waste) => question.keep.some(kept => isMeant(kept, each) && kept.until > question.now);
  return {waste: all.filter(each => !isKept(each)), kept: all.filter(isKept)};
}

function isMeant({resourceType, resourceId}: Kept, waste: Waste): boolean {
  const type = waste.kind === 'kept-address' ? 'floating-ip' : waste.resourceType;
  return resourceType === type && resourceId === waste.resourceId;
}

/** What is lost already counts first; what nothing is known of stands last. */
function byMoneyLost(left: Waste, right: Waste): number {
  const lost = ({soFar}: Waste) => (soFar === undefined ? -1 : usdNumber(soFar));
  const burning = ({rate}: Waste) => (rate === undefined ? -1 : hourlyUsd(rate));
  return lost(right) - lost(left) || burning(right) - burning(left) || left.resourceId - right.resourceId;
}

function machineWaste(machine: VirtualMachine, rate: Rate | undefined, question: WasteQuestion): readonly Waste[] {
  const {prices, now, stoppedAt, verdicts} = question;
  const subject = {resourceType: 'vm', resourceId: machine.id, name: machine.name} as const;
  const verdict = verdicts.get(machine.id);
  const since = stoppedAt.get(machine.id);
  if (machine.status === 'SHUTOFF' && billingInStatus(machine.status, prices) === 'full' && rate !== undefined) {
    const evidence = say`stopped, and billed like a running machine: its hardware stays reserved`;
    return [
      {...subject, kind: 'stopped-but-billed', confidence: 'high', since, rate, ...lost(rate, since, now), evidence},
    ];
  }
  if (machine.status === 'HIBERNATED' && machine.floatingIp !== undefined) {
    const evidence = say`hibernated, and its address ${machine.floatingIp} is kept and billed`;
    const address = prices.publicIp;
    return [
      {
        ...subject,
        kind: 'kept-address',
        confidence: 'high',
        since,
        rate: address,
        ...lost(address, since, now),
        evidence,
      },
    ];
  }
  if (machine.status === 'ACTIVE' && verdict?.verdict === 'idle') {
    const evidence = idleEvidence(verdict, now);
    return [
      {
        ...subject,
        kind: 'idle',
        confidence: verdict.confidence,
        since: verdict.since,
        rate,
        ...lost(rate, verdict.since, now),
        evidence,
      },
    ];
  }
  return [];
}

function idleEvidence({since, rule, activeRatio}: Extract<IdleVerdict, {verdict: 'idle'}>, now: EpochMs): SafeText {
  const days = Math.floor((now - since) / DAY_MS);
  const length = days >= 2 ? say`${days} d` : say`${Math.floor((now - since) / HOUR_MS)} h`;
  const before = rule === 'went-quiet' ? say`; it worked at this time a week ago` : say``;
  return say`no host-side activity for ${length}: active in ${Math.round(activeRatio * 1000) / 10} % of the time${before} (GPU load is not reported)`;
}

function volumeWaste(volume: Volume, metered: Rate | undefined, {prices, now}: WasteQuestion): readonly Waste[] {
  const since = volume.updatedAt ?? volume.createdAt;
  if (!isUnattached(volume) || (since !== undefined && now - since < VOLUME_GRACE_MS)) return [];
  const rate = metered ?? volumeListRate(volume, prices);
  const size = volume.sizeGb === undefined ? say`` : say`${volume.sizeGb} GB, `;
  return [
    {
      kind: 'unattached-volume',
      resourceType: 'volume',
      resourceId: volume.id,
      name: volume.name,
      confidence: since === undefined ? 'low' : 'high',
      since,
      rate,
      ...lost(rate, since, now),
      evidence: say`${size}attached to no machine`,
    },
  ];
}

/** The list price of a volume; undefined where its size is not known. */
export function volumeListRate({sizeGb}: Volume, {storagePerGb}: Pick<Prices, 'storagePerGb'>): Rate | undefined {
  return sizeGb === undefined ? undefined : scaleRate(storagePerGb, rational(BigInt(Math.round(sizeGb)), 1n));
}

/** Billed, and not there any more. */
function ghosts({live, machines, volumes, areWhole, now}: WasteQuestion): readonly Waste[] {
  const known = {
    vm: areWhole.machines ? new Set<number>(machines?.map(({id}) => id)) : undefined,
    volume: areWhole.volumes ? new Set<number>(volumes?.map(({id}) => id)) : undefined,
  };
  return live.flatMap((record): Waste[] => {
    const type = record.resourceType.toLowerCase();
    if (type !== 'vm' && type !== 'volume') return [];
    const {resourceId, name, createdAt: since} = record;
    const rate = usableRate(record);
    const isYoung = since !== undefined && now - since < SETTLING_MS;
    if (!isBurning(record) || isYoung || rate?.numerator === 0n || known[type]?.has(resourceId) !== false) return [];
    const evidence = say`billed, and not in the list of ${type === 'vm' ? say`machines` : say`volumes`}`;
    // Since when it is gone, nothing tells.
    const gone = {since: undefined, soFar: undefined};
    return [{kind: 'ghost', resourceType: type, resourceId, name, confidence: 'medium', rate, ...gone, evidence}];
  });
}

/** There, and not billed: new, excluded in another way, or forgotten by the meter. */
function unmetered({live, machines, volumes, areWhole, prices, now}: WasteQuestion): readonly Waste[] {
  if (!areWhole.usage) return [];
  const metered = new Set(live.map(({resourceType, resourceId}) => `${resourceType.toLowerCase()} ${resourceId}`));
  const isMissing = (type: 'vm' | 'volume', {id, createdAt}: VirtualMachine | Volume) =>
    !metered.has(`${type} ${id}`) && (createdAt === undefined || now - createdAt >= SETTLING_MS);
  const isBilledState = ({status}: VirtualMachine) => billingInStatus(status, prices) !== 'free';
  const missing = [
    ...(machines ?? [])
      .filter(each => isBilledState(each) && isMissing('vm', each))
      .map(each => ({type: 'vm' as const, each})),
    ...(volumes ?? []).filter(each => isMissing('volume', each)).map(each => ({type: 'volume' as const, each})),
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
    evidence: say`in the list, and in no usage record: what it costs is not known`,
  }));
}

/** The present rate of each resource that has a usable one. */
function ratesByResource(live: readonly UsageRecord[]): ReadonlyMap<string, Rate> {
  const spans = Map.groupBy(live.filter(isBurning), resourceKey);
  return new Map(
    [...spans].flatMap(([key, records]): [string, Rate][] => {
      const rates = records.flatMap(record => usableRate(record) ?? []);
      return rates.length === 0 ? [] : [[key, sumRates(rates)]];
    }),
  );
}

function lost(rate: Rate | undefined, since: EpochMs | undefined, now: EpochMs): {readonly soFar: Usd | undefined} {
  const isKnown = rate !== undefined && since !== undefined;
  return {soFar: isKnown ? accrue(rate, minutesOf(Math.max(0, now - since))) : undefined};
}

/** When a machine was last stopped, or fell asleep, as its events have it: requests and failures are neither. */
export function stoppedSince(status: MachineStatus, events: readonly MachineEvent[]): EpochMs | undefined {
  const word = status === 'HIBERNATED' ? /hibernat/i : /stop|shut/i;
  return events
    .filter(({reason, message}) => word.test(`${reason} ${message}`) && !/request|fail/i.test(reason))
    .flatMap(({occurredAt}) => occurredAt ?? [])
    .sort((left, right) => right - left)[0];
}
