import {billingHistory, machineHistory, usage} from '../../api/billing.ts';
import type {Answer, ReadClient} from '../../api/client.ts';
import {contracts} from '../../api/contracts.ts';
import {priceBook} from '../../api/price-book.ts';
import type {ReadEndpoint} from '../../api/endpoint.ts';
import {listVirtualMachines, virtualMachineEvents} from '../../api/virtual-machines.ts';
import {listVolumes} from '../../api/volumes.ts';
import type {UsageRecord} from '../../domain/billing.ts';
import type {ChargePeriod} from '../../domain/billing-history.ts';
import {costliestFirst, machineRates} from '../../domain/cost.ts';
import {describeReadFailure, type Failure, type Result} from '../../domain/failure.ts';
import {type BilledDay, type BilledSoFar, billableDays} from '../../domain/money/billed-day.ts';
import {burnWindow, type PastBurn, pastBurn} from '../../domain/money/burn-change.ts';
import type {Grouping, Inventory} from '../../domain/money/group.ts';
import type {IdleVerdict} from '../../domain/money/idle.ts';
import {unsteadyMachineIds} from '../../domain/money/paid-times.ts';
import {type Prices, withPriceBook} from '../../domain/money/prices.ts';
import {type CostReading, isBeforeRecords} from '../../domain/money/report.ts';
import {costWithin, isUnknownWithin} from '../../domain/money/spend.ts';
import {stoppedSince, type WasteInput} from '../../domain/money/waste.ts';
import {areCostsUnreadable} from '../../domain/money/usage-flag.ts';
import {WEEKDAY_DAYS} from '../../domain/money/weekday.ts';
import {isPositive} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {failureOf} from '../../domain/snapshot.ts';
import {DAY_MS, type EpochMs, epochMs} from '../../domain/time.ts';
import {isStopped, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {MAX_BILLED_MACHINES} from '../../state/billing.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import {isWhole} from '../../state/feed.ts';
import {gpuLoadFeed, gpuActivityFeed} from '../../state/gpu-load.ts';
import {machinesFeed} from '../../state/machines.ts';
import {presentVerdict} from '../../state/waste.ts';
import {formatCounted} from '../../ui/format.ts';
import type {Account} from '../account.ts';
import {limitFor, readMachineActivity, unreadActivity} from '../machine-activity.ts';
import {gapsIn} from '../print/print-records.ts';

type CostInputs = {
  readonly client: ReadClient;
  readonly signal: AbortSignal;
  readonly now: EpochMs;
  readonly month: CostReading['month'];
  readonly prices: Prices;
  /** Whether the forecast is printed, which needs several weeks of bills. */
  readonly wantsForecast: boolean;
  /** Prints on stderr what could not be read. */
  readonly complain: (words: string) => void;
  readonly progress: (words: string) => void;
};

export type CostRead =
  | {readonly ok: true; readonly reading: CostReading; readonly areWhole: WasteInput['areWhole']}
  | {readonly ok: false; readonly failure: Failure};

/** How many requests of one kind are sent at the same time, at most. */
const AT_ONCE = 4;
const PROBED_DAYS = 2;
/** As many as fit into a minute's requests beside the others. */
const MAX_EVENTS_READ = 20;

/**
 * Reads an account for a cost report. Without usage there is no report; anything else that cannot be read is reported
 * and left undefined.
 */
export async function readCosts(inputs: CostInputs): Promise<CostRead> {
  const {now, month, prices} = inputs;
  const [live, deleted, machines, volumes, held, book] = await Promise.all([
    read(inputs, usage, {isDeleted: false}),
    read(inputs, usage, {isDeleted: true}),
    read(inputs, listVirtualMachines, {}),
    read(inputs, listVolumes, {}),
    read(inputs, contracts, {}),
    read(inputs, priceBook, {}),
  ]);
  if (!live.ok) return live;
  sayMissing(inputs, [
    ['the usage of deleted resources is unknown, and missing in all figures', deleted],
    ['machines are unknown: waste, environments, labels and what contracts cover', machines],
    ['volumes are unknown', volumes],
    ['contracts are unknown', held],
    ['the price list of the account is unknown', book],
  ]);
  sayCut(inputs, live.value, '');
  if (deleted.ok) sayCut(inputs, deleted.value, ' of deleted resources');
  sayGaps(inputs, [
    [say`machines`, machines],
    [say`volumes`, volumes],
    [say`contracts`, held],
  ]);
  const records = [...live.value.records, ...(deleted.ok ? deleted.value.records : [])];
  if (areCostsUnreadable(records)) return {ok: false, failure: unreadableCosts(records.length)};
  const billed = await billedDays(inputs, records);
  const billedBefore = billed.length > 0 ? await daysBefore(inputs, records) : [];
  const present = valueIn(machines)?.records;
  const events = billed.length > 0 ? undefined : await unsteadyEvents(inputs, live.value.records, present);
  const isAsked = billed.length > 0 && machines.ok && machines.value.records.length <= MAX_BILLED_MACHINES;
  const monthSoFar = {startsAt: month.start, endsAt: month.end < now ? month.end : now};
  const histories = isAsked ? await machineBills(inputs, monthSoFar) : undefined;
  const reading = {
    now,
    month,
    prices: withPriceBook(prices, valueIn(book)?.records ?? [], now),
    live: live.value.records,
    deleted: valueIn(deleted)?.records,
    billed,
    billedBefore,
    machineHistories: histories,
    machines: present,
    events,
    volumes: valueIn(volumes)?.records,
    contracts: valueIn(held)?.records,
  };
  const areWhole = {machines: isReadWhole(machines), volumes: isReadWhole(volumes), usage: isReadWhole(live)};
  return {ok: true, reading, areWhole};
}

/** The histories of the costliest machines whose bill does not match their rate, if no daily bills exist. */
async function unsteadyEvents(
  {client, signal, now, progress}: CostInputs,
  live: readonly UsageRecord[],
  machines: readonly VirtualMachine[] = [],
): Promise<CostReading['events']> {
  const unsteady = new Set(unsteadyMachineIds(live, now).slice(0, MAX_EVENTS_READ));
  const asked = machines.filter(({id}) => unsteady.has(id));
  if (asked.length > 0) progress('reading events of machines');
  const histories = await inTurn(
    asked,
    async ({id}) => [id, await client.read(virtualMachineEvents, {id}, {signal})] as const,
  );
  return new Map(histories.flatMap(([id, read]) => (read.ok ? [[id, read.value.records] as const] : [])));
}

/** Without a single figure there is no report: zeros would say that nothing was billed. */
function unreadableCosts(count: number): Failure {
  const detail = say`the costs are unknown: no usage record (of ${count}) has a rate or a bill that can be read`;
  return {kind: 'incomplete', detail};
}

/**
 * What each day of the month was billed, as far as the provider says; none if it has no bill for a day that cost money.
 */
async function billedDays(inputs: CostInputs, records: readonly UsageRecord[]): Promise<readonly BilledDay[]> {
  const {now, month} = inputs;
  const costing = isBeforeRecords(month, records, now)
    ? await daysBilledAtAll(inputs)
    : costingDays({...month, now}, records);
  // The first minutes of a day may not be billed yet, so one missing bill proves nothing; two mean that no bills are
  // kept.
  const probes: Result<BilledDay | undefined>[] = [];
  for (const day of costing.slice(0, PROBED_DAYS)) {
    const probe = await billedDay(inputs, day);
    if (!probe.ok) {
      inputs.complain(
        `the provider's bill is unknown, days are estimated from usage: ${describeReadFailure(probe.failure)}`,
      );
      return [];
    }
    probes.push(probe);
    if (probe.value !== undefined) break;
  }
  if (probes.every(probe => probe.ok && probe.value === undefined)) return [];
  inputs.progress('reading the bills of the month');
  const others = await inTurn(costing.slice(probes.length), day => billedDay(inputs, day));
  const failed = others.flatMap(other => (other.ok ? [] : [other.failure]));
  const [failure] = failed;
  if (failure !== undefined) {
    inputs.complain(
      `the bills of ${failed.length} days are unknown, they are estimated from usage: ${describeReadFailure(failure)}`,
    );
  }
  return [...probes, ...others].flatMap(each => (each.ok && each.value !== undefined ? [each.value] : []));
}

/** All days of a month that no record tells of, if the provider billed something in it. */
async function daysBilledAtAll(inputs: CostInputs): Promise<ReturnType<typeof billableDays>> {
  const {now, month} = inputs;
  const bill = await billedDay(inputs, {start: month.start, until: month.end});
  if (!bill.ok) inputs.complain(`the provider's bill is unknown: ${describeReadFailure(bill.failure)}`);
  const isBilled = bill.ok && bill.value !== undefined && isPositive(bill.value.cost);
  return isBilled ? billableDays({...month, now}) : [];
}

/** Days before this month that show what each weekday costs; if one cannot be read, there is just one less. */
async function daysBefore(inputs: CostInputs, records: readonly UsageRecord[]): Promise<readonly BilledDay[]> {
  const {now, month, wantsForecast} = inputs;
  if (!wantsForecast || now >= month.end) return [];
  const start = epochMs(Math.floor(now / DAY_MS - WEEKDAY_DAYS) * DAY_MS);
  const bills = await inTurn(costingDays({start, end: month.start, now}, records), day => billedDay(inputs, day));
  return bills.flatMap(bill => (bill.ok && bill.value !== undefined ? [bill.value] : []));
}

/** The days of a period that cost something, or may have, newest first. */
function costingDays(period: Parameters<typeof billableDays>[0], records: readonly UsageRecord[]) {
  const {now} = period;
  return billableDays(period)
    .toReversed()
    .filter(({start, until}) => {
      const day = {start, end: until, now};
      return records.some(record => isPositive(costWithin(record, day)) || isUnknownWithin(record, day));
    });
}

async function billedDay(
  inputs: CostInputs,
  {start, until}: {readonly start: EpochMs; readonly until: EpochMs},
): Promise<Result<BilledDay | undefined>> {
  const read = await inputs.client.read(
    billingHistory,
    {period: {startsAt: start, endsAt: until}},
    {signal: inputs.signal},
  );
  if (!read.ok) return read;
  const cost = read.value.records[0]?.billedCost;
  return {ok: true, value: cost === undefined ? undefined : {start, until, cost}};
}

/** What was billed in a period up to now; undefined if the provider does not say. */
export async function billOf(inputs: CostInputs, start: EpochMs, until: EpochMs): Promise<BilledSoFar | undefined> {
  const bill = await billedDay(inputs, {start, until});
  return bill.ok ? bill.value : undefined;
}

/** The billed burn rate around a past moment; by machine if there are not too many. */
export async function readPastBurn(
  inputs: CostInputs,
  at: EpochMs,
  {machines}: CostReading,
): Promise<PastBurn | undefined> {
  const {startsAt, endsAt} = burnWindow(at);
  const bill = await billOf(inputs, startsAt, endsAt);
  if (bill === undefined) return undefined;
  return pastBurn(bill.cost, await readMachineBills(inputs, {startsAt, endsAt}, {machines}));
}

/** What each machine was billed in a period, if there are not too many. */
export async function readMachineBills(
  inputs: CostInputs,
  period: ChargePeriod,
  {machines}: Pick<CostReading, 'machines'>,
): Promise<CostReading['machineHistories']> {
  return machines !== undefined && machines.length <= MAX_BILLED_MACHINES ? machineBills(inputs, period) : undefined;
}

/**
 * Group names that come from lists, because usage records do not contain them; undefined if a list it needs is unknown.
 */
export function inventoryOf({machines, volumes}: CostReading, by: Grouping): Inventory | undefined {
  if (by !== 'vm' && by !== 'type' && machines === undefined) return undefined;
  return {
    machines: new Map((machines ?? []).map(each => [each.id, each])),
    volumes: new Map((volumes ?? []).map(each => [each.id, each])),
  };
}

async function machineBills(inputs: CostInputs, period: ChargePeriod): Promise<CostReading['machineHistories']> {
  const {client, signal} = inputs;
  const read = await client.read(machineHistory, {period}, {signal});
  if (!read.ok)
    inputs.complain(
      `the bills of machines are unknown, they are estimated from usage: ${describeReadFailure(read.failure)}`,
    );
  return read.ok && read.value.incompleteReason === undefined ? read.value.records : undefined;
}

/** When the costliest stopped and hibernated machines were stopped. */
export async function readStops(inputs: CostInputs, reading: CostReading): Promise<WasteInput['stoppedAt']> {
  const machines = costliestOf(reading).filter(isStopped).slice(0, MAX_EVENTS_READ);
  const stopped = await inTurn(
    machines,
    async machine => [machine.id, await stopOf(inputs, machine, reading)] as const,
  );
  return new Map(stopped.flatMap(([id, at]) => (at === undefined ? [] : [[id, at] as const])));
}

/**
 * Whether the costliest running machines are working, judged by their metrics as in triage. Read last, since it takes
 * all requests that are left.
 */
export async function readVerdicts(
  {progress, complain}: CostInputs,
  reading: CostReading,
  {account, askedCount}: {readonly account: Account; readonly askedCount: number | undefined},
): Promise<ReadonlyMap<number, IdleVerdict>> {
  const running = costliestOf(reading).filter(({status}) => status === 'ACTIVE');
  if (running.length === 0 || askedCount === 0) return new Map();
  const {session, clock, activity, preferences} = account;
  const {store, poller} = session;
  if (session.client.prometheus !== undefined) {
    const feeds = [machinesFeed, gpuLoadFeed, gpuActivityFeed];
    await collectOnce({feeds, poller, clock, limitMs: limitFor(feeds)});
    const failure = failureOf(store.get(gpuLoadFeed)) ?? failureOf(store.get(gpuActivityFeed));
    if (failure !== undefined) complain(`GPU load is unknown: ${describeReadFailure(failure)}`);
  }
  const unreadCount = await readMachineActivity(account, running, {askedCount, progress});
  if (unreadCount > 0) complain(unreadActivity(unreadCount, account));
  const known = {store, now: clock.wallNow(), monotonicNow: clock.monotonicNow(), activity, preferences};
  const verdicts = running.map(machine => [machine.id, presentVerdict(machine, known)] as const);
  return new Map(verdicts.flatMap(([id, verdict]) => (verdict === undefined ? [] : [[id, verdict] as const])));
}

function costliestOf({machines, live}: CostReading): readonly VirtualMachine[] {
  return costliestFirst(machines ?? [], machineRates(live));
}

async function stopOf(
  {client, signal}: CostInputs,
  {id, status}: VirtualMachine,
  {events}: CostReading,
): Promise<EpochMs | undefined> {
  const known = events?.get(id);
  if (known !== undefined) return stoppedSince(status, known);
  const read = await client.read(virtualMachineEvents, {id}, {signal});
  return read.ok ? stoppedSince(status, read.value.records) : undefined;
}

async function read<Params, R>(
  {client, signal}: CostInputs,
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Promise<Result<Answer<R>>> {
  return client.read(endpoint, params, {signal});
}

function valueIn<T>(result: Result<T>): T | undefined {
  return result.ok ? result.value : undefined;
}

function isReadWhole(result: Result<Answer<unknown>>): boolean {
  return result.ok && isWhole(result.value);
}

function sayMissing({complain}: CostInputs, parts: readonly (readonly [words: string, part: Result<unknown>])[]): void {
  for (const [words, part] of parts) if (!part.ok) complain(`${words}: ${describeReadFailure(part.failure)}`);
}

/** Says when figures lack records: because a list was read only up to a limit, or records could not be parsed. */
function sayCut(
  {complain}: CostInputs,
  {records, quarantined, incompleteReason}: Answer<unknown>,
  whose: string,
): void {
  if (incompleteReason !== undefined) {
    complain(
      `the usage${whose} was not read completely (${incompleteReason}): all figures cover its first ${records.length} records only`,
    );
  }
  if (quarantined.length > 0) {
    complain(`${formatCounted(quarantined.length, 'usage record')}${whose} could not be read, missing in all figures`);
  }
}

function sayGaps(
  {complain}: CostInputs,
  lists: readonly (readonly [what: SafeText, list: Result<Answer<unknown>>])[],
): void {
  for (const [what, list] of lists) if (list.ok) for (const gap of gapsIn(what, list.value)) complain(gap);
}

/** Runs the work for each item, a few at a time, and returns the results in order. */
export async function inTurn<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const each = all[index];
      if (each !== undefined) done[index] = await work(each);
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, take));
  return done;
}
