import type {OperationClient} from '../api/client.ts';
import {type Subject, subjectKey, subjectOf} from '../domain/action.ts';
import {describeFailure} from '../domain/failure.ts';
import {
  afterCheck,
  afterLateObservation,
  afterObservation,
  afterReply,
  afterSending,
  awaitsLateEffect,
  type Confirmed,
  isEnded,
  newOperation,
  type Operation,
  staleReason,
  withoutHistory,
} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {secret} from '../domain/secret.ts';
import type {Sighting} from '../domain/sighting.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {Thing} from '../domain/thing.ts';
import {type Cancel, type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {organizationFeed} from './account.ts';
import {type Actions, definitionOf} from './action.ts';
import {listFeedOf, readingsOf} from './action-readings.ts';
import {usageFeed} from './billing.ts';
import type {Journal, JournalEntry, JournalWriter} from './journal.ts';
import {afterDeath, afterSilence, asEntered, awaitsOther, isAhead, reopened} from './operation-entry.ts';
import {operationLines} from './operation-lines.ts';
import {lateWants, WATCH_PRIORITY, watchWants} from './operation-watch.ts';
import type {Poller} from './poller.ts';
import type {RequestBudget} from './request-budget.ts';
import type {Store} from './store.ts';

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
  /** The secret in an operation's answer was shown, and is kept no longer. */
  readonly dropSecret: (operationId: string) => void;
  /** Grows with every change: the cheap question "has anything changed?". */
  readonly version: () => number;
};

export type OperationsOptions = {
  readonly actions: Actions;
  readonly client: OperationClient;
  readonly poller: Poller;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly budget: RequestBudget;
  readonly newId: () => string;
  /** How often the journal is looked at for what another skydeck does; never without. */
  readonly journalIntervalMs?: DurationMs | undefined;
  /** Whether what is begun here is read until its end is seen, as it is where nothing is said. */
  readonly watchesOwn?: boolean | undefined;
  /** Hears of what was sent and reached a phase that the journal could not take. */
  readonly onUnwritten?: ((operation: Operation, reason: SafeText) => void) | undefined;
  /** Who this is in the journal, and whether another one is still there: whoever is will tell the end itself. */
  readonly writer?: JournalWriter | undefined;
  /** Whether another one is still there, and will tell the end itself; undefined where nobody here can know. */
  readonly isRunning?: (writer: JournalWriter) => boolean | undefined;
};

/** The check waits at most a read's time limit; a yes older than this was given to another state of the world. */
const MAX_CONFIRMATION_AGE_MS = 30 * SECOND_MS;
const MAX_REMEMBERED = 500;
const RIVAL = say`another skydeck has begun something on it just now`;

/**
 * The way of every action: lock, check, journal, one request, watch until observed. There is no other way to the service's
 * operations, and nothing here sends twice.
 */
export function createOperations(options: OperationsOptions): Operations {
  const {actions, client, poller, store, clock, journal, budget, newId, journalIntervalMs, writer, onUnwritten} =
    options;
  const lines = operationLines({journal, clock, writer, organizationId, onUnwritten});
  const operations = new Map<string, Operation>();
  /** Those that this process began: what the journal says of them is what it wrote there itself. */
  const ownIds = new Set<string>();
  /** By the id of an operation from the journal: the organization it belongs to. */
  const organizations = new Map<string, number>();
  /** By the id of an operation from the journal: who sent it. */
  const senders = new Map<string, JournalWriter>();
  /** Those that ended without an effect, which may still come. */
  const lateIds = new Set<string>();
  /** By the object's key: the operation that holds it. */
  const locks = new Map<string, string>();
  const listeners = new Set<(changed: Operation) => void>();
  const seenUntil = new Map<string, MonotonicMs>();
  let version = 0;

  reopen();
  store.subscribe(observe);
  if (journalIntervalMs !== undefined) lookIntoJournal(journalIntervalMs);

  /** An operation that was open when the program last ended may have been carried out: it stays locked until observed. */
  function reopen(): void {
    for (const entry of journal.latest().entries.filter(each => isAhead(each, actions))) {
      const found = reopened(entry, actions, clock.monotonicNow());
      const isTold = entry.writer !== undefined && options.isRunning?.(entry.writer) === true;
      adopt(entry, isTold ? asEntered(found, entry) : found);
    }
    watch();
  }

  function adopt(entry: JournalEntry, operation: Operation): void {
    const key = lockKey(operation);
    if (!locks.has(key)) locks.set(key, operation.id);
    forgetLate(key);
    operations.set(operation.id, operation);
    if (entry.writer !== undefined) senders.set(operation.id, entry.writer);
    if (entry.organizationId !== undefined) organizations.set(operation.id, entry.organizationId);
  }

  function begin(confirmed: Confirmed): Begun {
    readNews();
    const {action} = confirmed;
    const rule = definitionOf(actions, action);
    const key = lockKey({action, rule});
    const holder = heldBy(key);
    if (holder !== undefined) return {status: 'locked', by: holder};
    const operation = newOperation({id: newId(), confirmedAt: clock.wallNow()}, confirmed, rule);
    ownIds.add(operation.id);
    forgetLate(key);
    locks.set(key, operation.id);
    remember(operation);
    void carryOut(operation, clock.monotonicNow());
    return {status: 'begun', operation};
  }

  async function carryOut(begun: Operation, confirmedAt: MonotonicMs): Promise<void> {
    const checked = lastCheck(await check(begun), confirmedAt);
    if (isEnded(checked.phase)) return settle(checked);
    const sent = afterSending(checked, clock.monotonicNow());
    readNews();
    if (hasRival(sent)) return settle({...checked, phase: 'STALE', detail: RIVAL}, 'unjournaled');
    const unwritten = lines.write(sent);
    if (unwritten !== undefined) return settle({...checked, phase: 'NOT_SENT', detail: unwritten}, 'unjournaled');
    if (wasForestalled(sent)) return settle({...checked, phase: 'STALE', detail: RIVAL});
    remember(sent);
    watch();
    const reply = await definitionOf(actions, sent.action).fire(client, sent.action);
    // The watch runs while the answer is awaited, so the operation may know more than it did when it was sent.
    const waiting = operations.get(sent.id) ?? sent;
    settle(reply.ok ? afterReply(waiting, undefined, reply.value.result) : afterReply(waiting, reply.failure));
    // What passes quickly is seen on its way only by a reading that begins now.
    if (reply.ok) poller.hasten(readingsOf(sent).feeds[0]);
  }

  /** Reads the object and what belongs to it afresh: what the confirmation showed must still be so. */
  async function check(operation: Operation): Promise<Operation> {
    const readCount = operation.rule.alsoReads === undefined ? 1 : 2;
    if (!budget.hasRoom('operation', readCount + 1)) return withoutRoom(operation);
    const look = await readingsOf(operation).readNow(poller);
    if (!look.ok) {
      const detail = say`the check before sending failed, ${describeFailure(look.failure)}`;
      return {...operation, phase: 'NOT_SENT', detail, failure: look.failure};
    }
    const stale = staleReason(operation, look.value);
    return stale === undefined ? afterCheck(operation, look.value) : {...operation, phase: 'STALE', detail: stale};
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

  function hasRival(operation: Operation): boolean {
    const key = lockKey(operation);
    return openOperations().some(other => !ownIds.has(other.id) && lockKey(other) === key);
  }

  /**
   * Of two processes that write down at once that they send, the one whose line stands first in the journal goes on:
   * each looks only after it has written.
   */
  function wasForestalled(operation: Operation): boolean {
    const news = readNews();
    const own = news.findIndex(({operationId}) => operationId === operation.id);
    const rivals = news.filter(entry => !ownIds.has(entry.operationId) && keyOf(entry) === lockKey(operation));
    return rivals.some(entry => isAhead(entry, actions) && news.indexOf(entry) < own);
  }

  /** What another skydeck wrote since: its open operations are locked here too, and their ends give the lock back. */
  function readNews(): readonly JournalEntry[] {
    const news = journal.news();
    for (const entry of news) {
      if (ownIds.has(entry.operationId) || isOtherOrganization(entry.organizationId)) continue;
      const known = operations.get(entry.operationId);
      if (known !== undefined) settle(asEntered(known, entry), 'unjournaled');
      else if (isAhead(entry, actions)) {
        const operation = asEntered(reopened(entry, actions, clock.monotonicNow()), entry);
        adopt(entry, operation);
        remember(operation);
        watch();
      }
    }
    return news;
  }

  function lookIntoJournal(everyMs: DurationMs): void {
    clock.after(everyMs, () => {
      readNews();
      observe();
      lookIntoJournal(everyMs);
    });
  }

  /** Every new reading of a watched object is put to its operation. */
  function observe(): void {
    askAfterSenders();
    for (const operation of openOperations()) {
      if (isOtherOrganization(organizations.get(operation.id))) {
        forget(operation);
        continue;
      }
      const seen = newestSighting(operation);
      if (seen === undefined || !isOurAccount(operation, seen)) {
        settle(afterSilence(operation, clock.monotonicNow()));
        continue;
      }
      seenUntil.set(operation.id, seen.startedAt);
      settle(afterObservation(operation, seen));
    }
    const hadLate = lateIds.size > 0;
    for (const operation of lateOperations()) lookForLateEffect(operation);
    // The pace changes with the time since sending.
    if (hadLate || openOperations().length > 0) watch();
  }

  /** Of one that died no line follows; what it wrote before is read first. */
  function askAfterSenders(): void {
    const isOrphaned = (operation: Operation) => {
      const sender = senders.get(operation.id);
      return awaitsOther(operation) && sender !== undefined && options.isRunning?.(sender) === false;
    };
    const orphaned = openOperations().filter(isOrphaned);
    if (orphaned.length === 0) return;
    readNews();
    for (const {id} of orphaned) {
      const operation = operations.get(id);
      if (operation !== undefined) settle(afterDeath(operation));
    }
  }

  function lateOperations(): readonly Operation[] {
    return [...lateIds].flatMap(id => operations.get(id) ?? []);
  }

  function lookForLateEffect(operation: Operation): void {
    const seen = newestSighting(operation);
    if (seen !== undefined) {
      seenUntil.set(operation.id, seen.startedAt);
      settle(afterLateObservation(operation, seen));
    }
    const known = operations.get(operation.id);
    if (known !== undefined && awaitsLateEffect(known, clock.monotonicNow())) return;
    lateIds.delete(operation.id);
    seenUntil.delete(operation.id);
  }

  /** What is seen on an object from now on may be the effect of what begins on it now. */
  function forgetLate(key: string): void {
    for (const operation of lateOperations()) if (lockKey(operation) === key) lateIds.delete(operation.id);
  }

  function newestSighting(operation: Operation): Sighting<Thing> | undefined {
    const seen = readingsOf(operation).newest(store);
    return seen !== undefined && seen.startedAt > (seenUntil.get(operation.id) ?? Number.NEGATIVE_INFINITY)
      ? seen
      : undefined;
  }

  function organizationId(): number | undefined {
    return lastValue(store.get(organizationFeed))?.id;
  }

  function isOtherOrganization(id: number | undefined): boolean {
    const ours = organizationId();
    return id !== undefined && ours !== undefined && id !== ours;
  }

  /**
   * An object of another organization does not exist for this key, which would look as if it were gone. One that is seen
   * is ours, also where the key may not ask for its organization.
   */
  function isOurAccount({id, action, rule}: Operation, seen: Sighting<Thing>): boolean {
    if (organizations.get(id) === undefined || organizationId() !== undefined) return true;
    return action.id !== undefined && rule.among(action, seen.records).length > 0;
  }

  function forget(operation: Operation): void {
    operations.delete(operation.id);
    release(operation);
    version += 1;
    watch();
  }

  function settle(operation: Operation, journaling?: 'unjournaled'): void {
    const previous = operations.get(operation.id);
    if (previous === operation) return;
    const isNews = previous?.phase !== operation.phase || previous.correction !== operation.correction;
    if (isNews && journaling === undefined) lines.writeSent(operation);
    if (!isEnded(operation.phase)) remember(operation, isNews);
    else {
      if (previous === undefined || !isEnded(previous.phase)) end(operation);
      remember(lateIds.has(operation.id) ? operation : withoutHistory(operation), isNews);
    }
    watch();
  }

  function end(operation: Operation): void {
    release(operation);
    if (awaitsLateEffect(operation, clock.monotonicNow())) lateIds.add(operation.id);
    // What the object costs was metered in its former state, and what is gone still stands in its list.
    poller.hasten(usageFeed);
    if (operation.after?.records.length === 0) poller.hasten(listFeedOf(subjectOf(operation.action).type));
  }

  /** Two operations on one object can both be found open in the journal: the lock stays until the last has ended. */
  function release(ended: Operation): void {
    const key = lockKey(ended);
    seenUntil.delete(ended.id);
    organizations.delete(ended.id);
    senders.delete(ended.id);
    const other = openOperations().find(operation => lockKey(operation) === key && operation.id !== ended.id);
    if (other === undefined) locks.delete(key);
    else locks.set(key, other.id);
  }

  function remember(operation: Operation, isNews = true): void {
    operations.set(operation.id, operation);
    version += 1;
    for (const [oldId, old] of operations) {
      if (operations.size <= MAX_REMEMBERED) break;
      if (!isEnded(old.phase)) continue;
      operations.delete(oldId);
      ownIds.delete(oldId);
    }
    if (isNews) for (const listener of listeners) listener(operation);
  }

  /** Asks the poller for the objects under way, and for nothing when all has ended. */
  function watch(): void {
    const now = clock.monotonicNow();
    const watched = openOperations().filter(({id}) => options.watchesOwn !== false || !ownIds.has(id));
    const wants = [...watched.flatMap(operation => watchWants(operation, now)), ...lateOperations().flatMap(lateWants)];
    const needsAccount = organizations.size > 0 && organizationId() === undefined;
    poller.want('operations', needsAccount ? [...wants, {feed: organizationFeed, priority: WATCH_PRIORITY}] : wants);
  }

  function openOperations(): readonly Operation[] {
    return [...operations.values()].filter(operation => !isEnded(operation.phase));
  }

  function keyOf({action}: JournalEntry): string {
    return lockKey({action, rule: definitionOf(actions, action)});
  }

  function heldBy(key: string): Operation | undefined {
    const holder = locks.get(key);
    return holder === undefined ? undefined : operations.get(holder);
  }

  return {
    begin,
    openOn: subject => heldBy(subjectKey(subject)),
    all: () => [...operations.values()].reverse(),
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dropSecret: operationId => {
      const operation = operations.get(operationId);
      if (operation?.result?.kind !== 'access-key') return;
      remember({...operation, result: {...operation.result, secretKey: secret('')}}, false);
    },
    version: () => version,
  };
}

/** What an action holds while it is under way. A job that changes nothing holds nothing up, and waits for nothing but another one like it. */
function lockKey({action, rule}: Pick<Operation, 'action' | 'rule'>): string {
  const key = subjectKey(subjectOf(action));
  return rule.endsWithReply === true ? `${action.kind} ${key}` : key;
}
