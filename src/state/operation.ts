import type {OperationClient} from '../api/client.ts';
import {addFirewallRule, removeFirewallRule} from '../api/firewalls.ts';
import {
  addMachineRule,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  removeMachineRule,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
} from '../api/virtual-machines.ts';
import {type Act, type Subject, subjectKey, subjectOf} from '../domain/act.ts';
import {assert, unreachable} from '../domain/assert.ts';
import {describeFailure, type Result} from '../domain/failure.ts';
import type {Firewall} from '../domain/firewall.ts';
import {
  afterObservation,
  afterReply,
  afterSending,
  eventKey,
  isEnded,
  type Observation,
  type Operation,
  staleReason,
} from '../domain/operation.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type Cancel, type Clock, type EpochMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {MACHINE_STATUSES, type MachineStatus, type VirtualMachine} from '../domain/virtual-machine.ts';
import {eventsFeed, type Feed, firewallFeed, machineFeed, usageFeed} from './feeds.ts';
import type {Journal} from './journal.ts';
import type {Poller, Want} from './poller.ts';
import type {RequestBudget} from './request-budget.ts';
import type {Store} from './store.ts';

/** What the confirmation showed; the check before sending stops the act when it no longer holds. */
export type Confirmed = {
  readonly act: Act;
  readonly subjectName: SafeText;
  /** The state that was shown; power acts only. */
  readonly status?: MachineStatus;
};

export type Begun =
  | {readonly status: 'begun'; readonly operation: Operation}
  /** Another operation holds this object. */
  | {readonly status: 'locked'; readonly by: Operation};

export type Operations = {
  /** Takes the lock before anything is awaited, so that two keys in one chunk cannot both begin. */
  readonly begin: (confirmed: Confirmed) => Begun;
  /** The operation that holds the lock on this object. */
  readonly openOn: (subject: Subject) => Operation | undefined;
  /** Newest first, open and ended, as far back as this session and the open entries of the journal go. */
  readonly all: () => readonly Operation[];
  readonly subscribe: (listener: (changed: Operation) => void) => Cancel;
  /** Grows with every change: the cheap question "has anything changed?". */
  readonly version: () => number;
};

/** How fast the object is read while an operation is under way: brisk at first, then patient. */
const WATCH_PACES: readonly {readonly untilMs: number; readonly intervalMs: number}[] = [
  {untilMs: 2 * MINUTE_MS, intervalMs: 2.5 * SECOND_MS},
  {untilMs: 15 * MINUTE_MS, intervalMs: 10 * SECOND_MS},
  {untilMs: Number.POSITIVE_INFINITY, intervalMs: 30 * SECOND_MS},
];
const WATCH_PRIORITY = 0;
/** The check waits at most a read's time limit; a yes older than this was given to another state of the world. */
const MAX_CONFIRMATION_AGE_MS = 30 * SECOND_MS;
const MAX_REMEMBERED = 500;

/**
 * The way of every act: lock, check, journal, one request, watch until observed. There is no other way to the service's
 * operations, and nothing here sends twice.
 */
export function createOperations(options: {
  readonly client: OperationClient;
  readonly poller: Poller;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly budget: RequestBudget;
  readonly newId: () => string;
}): Operations {
  const {client, poller, store, clock, journal, budget, newId} = options;
  const operations = new Map<string, Operation>();
  /** By the object's key: the operation that holds it. */
  const locks = new Map<string, string>();
  const listeners = new Set<(changed: Operation) => void>();
  const seenUntil = new Map<string, MonotonicMs>();
  let version = 0;

  reopen();
  store.subscribe(observe);

  /** An operation that was open when the program last ended may have been carried out: it stays locked until observed. */
  function reopen(): void {
    for (const entry of journal.latest().entries) {
      if (isEnded(entry.phase)) continue;
      if (entry.phase === 'preflight') continue;
      const operation: Operation = {
        ...newOperation(entry.operationId, entry, entry.confirmedAt ?? entry.at),
        ...(entry.initialStatus === undefined ? {} : {initialStatus: entry.initialStatus}),
        phase: 'unknown',
        hasSeenTransition: entry.phase === 'in-progress',
        detail: say`skydeck ended before the outcome was seen`,
        sentAt: clock.monotonicNow(),
      };
      locks.set(lockKey(operation), operation.id);
      operations.set(operation.id, operation);
    }
    watch();
  }

  function begin(confirmed: Confirmed): Begun {
    const holder = openOn(subjectOf(confirmed.act));
    if (holder !== undefined) return {status: 'locked', by: holder};
    const operation: Operation = {
      ...newOperation(newId(), confirmed, clock.wallNow()),
      ...(confirmed.status === undefined ? {} : {initialStatus: confirmed.status}),
    };
    locks.set(lockKey(operation), operation.id);
    remember(operation);
    void carryOut(operation, clock.monotonicNow());
    return {status: 'begun', operation};
  }

  async function carryOut(begun: Operation, confirmedAt: MonotonicMs): Promise<void> {
    const checked = lastCheck(await check(begun), confirmedAt);
    if (isEnded(checked.phase)) return settle(checked);
    const sent = afterSending(checked, clock.monotonicNow());
    const unwritten = write(sent);
    if (unwritten !== undefined) return settle({...checked, phase: 'NOT_SENT', detail: unwritten}, 'unjournaled');
    remember(sent);
    watch();
    const reply = await fire(client, sent.act);
    // The watch runs while the answer is awaited, so the operation may know more than it did when it was sent.
    settle(afterReply(operations.get(sent.id) ?? sent, reply.ok ? undefined : reply.failure));
    // What passes quickly is seen on its way only by a reading that begins now.
    if (reply.ok) poller.hasten(subjectFeed(subjectOf(sent.act)));
  }

  /** Reads the object and its history afresh: what the confirmation showed must still be so. */
  async function check(operation: Operation): Promise<Operation> {
    const {act} = operation;
    const needsEvents = act.kind === 'vm.hard-reboot';
    if (!budget.hasRoom('operation', needsEvents ? 3 : 2)) return withoutRoom(operation);
    const [subject, events] = await Promise.all([
      poller.readNow(subjectFeed(subjectOf(act))),
      needsEvents ? poller.readNow(eventsFeed(act.id)) : undefined,
    ]);
    if (!subject.ok) {
      return {
        ...operation,
        phase: 'NOT_SENT',
        detail: say`the check before sending failed, ${describeFailure(subject.failure)}`,
      };
    }
    const stale = staleReason(operation, subject.value.value);
    if (stale !== undefined) return {...operation, phase: 'STALE', detail: stale};
    const rulesBefore = new Set(subject.value.value.rules.flatMap(({id}) => id ?? []));
    if (events?.ok !== true) return {...operation, rulesBefore};
    return {...operation, rulesBefore, eventsBefore: new Set(events.value.value.records.map(eventKey))};
  }

  /** Once more, at the moment of sending: what could change while the check waited for its answer. */
  function lastCheck(operation: Operation, confirmedAt: MonotonicMs): Operation {
    if (isEnded(operation.phase)) return operation;
    // A machine that slept stops one of the two clocks, so the longer of both times counts.
    const age = Math.max(clock.monotonicNow() - confirmedAt, clock.wallNow() - operation.confirmedAt);
    if (age > MAX_CONFIRMATION_AGE_MS) {
      const detail = say`the confirmation is ${Math.round(age / SECOND_MS)} s old; ask again`;
      return {...operation, phase: 'STALE', detail};
    }
    return budget.hasRoom('operation') ? operation : withoutRoom(operation);
  }

  function withoutRoom(operation: Operation): Operation {
    const used = budget.usedLastMinute();
    return {...operation, phase: 'NOT_SENT', detail: say`${used} requests in the last minute; try again shortly`};
  }

  /** Every new reading of a watched machine is put to its operation. */
  function observe(): void {
    for (const operation of openOperations()) {
      const seen = newestObservation(operation);
      if (seen === undefined) continue;
      seenUntil.set(operation.id, seen.startedAt);
      settle(afterObservation(operation, seen));
    }
    // The pace changes with the time since sending.
    if (locks.size > 0) watch();
  }

  function newestObservation(operation: Operation): Observation | undefined {
    const {act} = operation;
    const subject = subjectOf(act);
    const snapshot = store.get(subjectFeed(subject));
    const processedAt = seenUntil.get(operation.id) ?? Number.NEGATIVE_INFINITY;
    if (snapshot.status === 'fresh' && snapshot.readAt > processedAt) {
      const events = subject.type === 'vm' ? store.get(eventsFeed(subject.id)) : undefined;
      const {statusText, rules} = snapshot.value;
      return {
        startedAt: snapshot.readAt,
        status: machineStatus(snapshot.value.status),
        statusText,
        rules,
        ...(events?.status === 'fresh' ? {events: events.value.records} : {}),
      };
    }
    const isGone = 'failure' in snapshot && snapshot.failure.kind === 'not-found' && snapshot.failedAt > processedAt;
    return isGone ? {startedAt: snapshot.failedAt, status: 'GONE', statusText: say`gone`} : undefined;
  }

  function settle(operation: Operation, journaling?: 'unjournaled'): void {
    const previous = operations.get(operation.id);
    if (previous === operation) return;
    const isNews = previous?.phase !== operation.phase;
    if (isNews && journaling === undefined) write(operation);
    if (isEnded(operation.phase)) {
      release(operation);
      // What the object costs was metered in its former state.
      poller.hasten(usageFeed);
    }
    remember(operation, isNews);
    watch();
  }

  /** Two operations on one machine can both be found open in the journal: the lock stays until the last has ended. */
  function release(ended: Operation): void {
    const key = lockKey(ended);
    seenUntil.delete(ended.id);
    const other = openOperations().find(operation => lockKey(operation) === key && operation.id !== ended.id);
    if (other === undefined) locks.delete(key);
    else locks.set(key, other.id);
  }

  function remember(operation: Operation, isNews = true): void {
    operations.set(operation.id, operation);
    version += 1;
    for (const [oldId, old] of operations) {
      if (operations.size <= MAX_REMEMBERED) break;
      if (isEnded(old.phase)) operations.delete(oldId);
    }
    if (isNews) for (const listener of listeners) listener(operation);
  }

  /** Asks the poller for the objects under way, and for nothing when all has ended. */
  function watch(): void {
    const now = clock.monotonicNow();
    poller.want(
      'operations',
      openOperations().flatMap(operation => watchWants(operation, now)),
    );
  }

  function openOperations(): readonly Operation[] {
    return [...operations.values()].filter(operation => !isEnded(operation.phase));
  }

  function openOn(subject: Subject): Operation | undefined {
    const holder = locks.get(subjectKey(subject));
    return holder === undefined ? undefined : operations.get(holder);
  }

  /** Puts the phase on the disk; gives the reason when that failed. */
  function write(operation: Operation): SafeText | undefined {
    const {id: operationId, phase, act, subjectName, initialStatus, confirmedAt, detail} = operation;
    try {
      const shown = initialStatus === undefined ? {} : {initialStatus};
      const entry = {operationId, at: clock.wallNow(), phase, act, subjectName, ...shown, confirmedAt};
      journal.append(detail === undefined ? entry : {...entry, detail});
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return say`the journal cannot be written (${safeText(reason)}), so nothing was sent`;
    }
  }

  return {
    begin,
    openOn,
    all: () => [...operations.values()].reverse(),
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

function newOperation(
  id: string,
  about: {readonly act: Act; readonly subjectName: SafeText},
  confirmedAt: EpochMs,
): Operation {
  return {
    id,
    act: about.act,
    subjectName: about.subjectName,
    phase: 'preflight',
    confirmedAt,
    hasSeenTransition: false,
    targetReadCount: 0,
    otherReadCount: 0,
    unchangedReadCount: 0,
  };
}

function watchWants(operation: Operation, now: MonotonicMs): readonly Want[] {
  if (operation.sentAt === undefined) return [];
  const elapsedMs = now - operation.sentAt;
  const pace = WATCH_PACES.find(({untilMs}) => elapsedMs < untilMs);
  assert(pace !== undefined, 'the last watch pace has no end');
  const {act} = operation;
  const watched: Want = {feed: subjectFeed(subjectOf(act)), priority: WATCH_PRIORITY, intervalMs: pace.intervalMs};
  if (act.kind !== 'vm.hard-reboot') return [watched];
  // Events are read with the machine where the state alone proves nothing.
  const events: Want = {
    feed: {...eventsFeed(act.id), intervalMs: watched.feed.intervalMs},
    priority: WATCH_PRIORITY,
    intervalMs: pace.intervalMs,
  };
  return [watched, events];
}

function subjectFeed(subject: Subject): Feed<VirtualMachine | Firewall> {
  return subject.type === 'vm' ? machineFeed(subject.id) : firewallFeed(subject.id);
}

/** A firewall's states are its own; no act here changes them. */
function machineStatus(status: (VirtualMachine | Firewall)['status']): MachineStatus {
  return MACHINE_STATUSES.find(known => known === status) ?? 'UNKNOWN';
}

function lockKey({act}: Operation): string {
  return subjectKey(subjectOf(act));
}

/** The one place where an act becomes a request. */
function fire(client: OperationClient, act: Act): Promise<Result<unknown>> {
  switch (act.kind) {
    case 'vm.start':
      return client.fire(startVirtualMachine, {id: act.id});
    case 'vm.stop':
      return client.fire(stopVirtualMachine, {id: act.id});
    case 'vm.hard-reboot':
      return client.fire(hardRebootVirtualMachine, {id: act.id});
    case 'vm.hibernate':
      return client.fire(hibernateVirtualMachine, {id: act.id, retainsIp: act.retainsIp});
    case 'vm.restore':
      return client.fire(restoreVirtualMachine, {id: act.id});
    case 'vm.add-rule':
      return client.fire(addMachineRule, {id: act.id, rule: act.rule});
    case 'vm.remove-rule':
      return client.fire(removeMachineRule, {id: act.id, ruleId: act.ruleId});
    case 'firewall.add-rule':
      return client.fire(addFirewallRule, {id: act.id, rule: act.rule});
    case 'firewall.remove-rule':
      return client.fire(removeFirewallRule, {id: act.id, ruleId: act.ruleId});
    default:
      return unreachable(act);
  }
}
