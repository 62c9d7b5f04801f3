import type {OperationClient} from '../../api/client.ts';
import type {Subject} from '../../domain/action.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {Observation} from '../../domain/observation.ts';
import {
  afterLateObservation,
  afterObservation,
  afterReply,
  afterSending,
  afterWithdrawal,
  type Confirmed,
  isEnded,
  newOperation,
  type Operation,
  otherMade,
  withoutHistory,
} from '../../domain/operation.ts';
import type {Preferences} from '../../domain/preferences.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {Cancel, Clock, DurationMs, MonotonicMs} from '../../domain/time.ts';
import {organizationFeed} from '../account.ts';
import {type Actions, definitionOf} from './action.ts';
import {usageFeed} from '../billing.ts';
import {flavorsFeed, stocksFeed} from '../catalogue.ts';
import type {Journal, JournalEntry, JournalWriter} from './journal.ts';
import {lockKey, OperationBook} from './operation-book.ts';
import {checkAtSending, checkBeforeSending} from './operation-check.ts';
import {
  afterLostAnswer,
  afterSenderEnded,
  afterSilence,
  asEntered,
  awaitsOther,
  awaitsOutcome,
  reopened,
} from './operation-entry.ts';
import {type OperationLines, operationLines} from './operation-lines.ts';
import {OperationWatch} from './operation-watch.ts';
import type {Poller} from '../poller/poller.ts';
import type {RequestBudget} from '../poller/request-budget.ts';
import type {Store} from '../store.ts';

export type Begun =
  | {readonly status: 'begun'; readonly operation: Operation}
  /** Another operation holds the lock on this object. */
  | {readonly status: 'locked'; readonly by: Operation};

export type Operations = {
  /**
   * Takes the lock before anything is awaited, so that two keys in one chunk of input cannot both begin. If it is the
   * first that a person has just been asked about, everything its question quoted is read again, however young.
   */
  readonly begin: (confirmed: Confirmed, asked?: {readonly isJustAnswered: boolean}) => Begun;
  /** Takes back an operation that is still being checked: it is never sent. False if that is too late. */
  readonly withdraw: (operationId: string) => boolean;
  /** The operation that holds the lock on this object. */
  readonly openOn: (subject: Subject) => Operation | undefined;
  /** Newest first, open and ended: those of this session, and those still open in the journal. */
  readonly all: () => readonly Operation[];
  /** What was last read of an operation's subject, if all of it is fresh. */
  readonly lastRead: (operation: Operation) => Observation<CloudResource> | undefined;
  readonly subscribe: (listener: (changed: Operation) => void) => Cancel;
  /** Calls back once the budget has room for the next of many; undefined if it has room now. */
  readonly untilRoom: (resume: () => void) => Cancel | undefined;
  /** How long the computer slept so far, or seemed to. */
  readonly sleptMs: () => DurationMs;
  /** Drops the secret in an operation's answer once it was shown. */
  readonly dropSecret: (operationId: string) => void;
  /**
   * Writes down what was confirmed and is not sent, and why: by default because the program ends. Gives the reason if
   * it cannot.
   */
  readonly writeUnsent: (unsent: readonly (Confirmed | Operation)[], why?: SafeText) => SafeText | undefined;
  /** Grows with every change, so that callers can ask cheaply whether anything changed. */
  readonly version: () => number;
  /** Looks at no reading and into no journal any more. The answer to what was sent is still journaled. */
  readonly stop: () => void;
};

export type OperationsOptions = {
  readonly actions: Actions;
  readonly client: OperationClient;
  readonly poller: Poller;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly budget: RequestBudget;
  /** Whose prices the question showed; the defaults if absent. */
  readonly preferences?: Preferences | undefined;
  readonly newId: () => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** How often to look in the journal for what another skydeck does; never if absent. */
  readonly journalIntervalMs?: DurationMs | undefined;
  /** Whether operations begun here are watched until they end; true if absent. */
  readonly watchesOwn?: boolean | undefined;
  /** Called for phases after sending that could not be journaled. */
  readonly onUnwritten?: ((operation: Operation, reason: SafeText) => void) | undefined;
  /** Names this process in the journal. */
  readonly writer?: JournalWriter | undefined;
  /**
   * Whether another process is still running and will journal the end itself; undefined if that cannot be known here.
   */
  readonly isRunning?: (writer: JournalWriter) => boolean | undefined;
};

/**
 * Requests that must be free before the next of many begins: its check, which also reads what its question quotes, its
 * request, and some to watch those before it.
 */
export const ROOM_IN_BATCH = 11;

const LEFT = say`skydeck ended before it was sent`;
const RIVAL = say`another skydeck has just started an operation on it`;
const UNREAD = say`the journal cannot be read, so another skydeck may be sending the same, and nothing was sent`;

/**
 * The way of every action: lock, check, journal, one request, watch until observed. There is no other way to the
 * service's operations, and nothing here sends twice.
 */
export function createOperations(options: OperationsOptions): Operations {
  const engine = new OperationEngine(options);
  engine.start();
  return engine;
}

/**
 * Takes each operation from its confirmation to its end. Its public functions are fields, so that each can be passed on
 * by itself.
 */
class OperationEngine implements Operations {
  readonly #options: OperationsOptions;
  /** The operations there are, and what they lock. */
  readonly #book = new OperationBook();
  /** The readings they are judged by. */
  readonly #watch: OperationWatch;
  /** What is journaled of them. */
  readonly #lines: OperationLines;
  #unsubscribe: Cancel | undefined;
  #cancelLook: Cancel | undefined;
  /** How long the computer had slept when that was last noted in the operations. */
  #sleptMs: DurationMs;

  constructor(options: OperationsOptions) {
    const {journal, clock, writer, onUnwritten} = options;
    this.#options = options;
    this.#sleptMs = this.sleptMs();
    this.#watch = new OperationWatch(options);
    const organizationId = () => this.#organizationId();
    this.#lines = operationLines({journal, clock, writer, organizationId, onUnwritten});
  }

  start(): void {
    const {store, journalIntervalMs} = this.#options;
    this.#reopen();
    this.#unsubscribe = store.subscribe(() => this.#observe());
    if (journalIntervalMs !== undefined) this.#lookIntoJournal(journalIntervalMs);
  }

  readonly stop = (): void => {
    this.#unsubscribe?.();
    this.#cancelLook?.();
  };

  readonly begin: Operations['begin'] = (confirmed, {isJustAnswered} = {isJustAnswered: false}) => {
    const {actions, clock, newId} = this.#options;
    this.#readNews();
    const {action} = confirmed;
    const traits = definitionOf(actions, action);
    const holder = this.#book.holderOf({action, traits});
    if (holder !== undefined) return {status: 'locked', by: holder};
    const operation = newOperation({id: newId(), confirmedAt: clock.wallNow()}, confirmed, traits);
    this.#watch.forgetLate(operation, this.#book);
    this.#book.add(operation, {kind: 'own'});
    void this.#carryOut(operation, {confirmedAt: clock.monotonicNow(), isJustAnswered});
    return {status: 'begun', operation};
  };

  /** From the end of its check to its request nothing is awaited, so one of the two comes first. */
  readonly withdraw = (operationId: string): boolean => {
    const operation = this.#book.get(operationId);
    if (operation?.phase !== 'preflight' || !this.#isOwn(operationId)) return false;
    this.#advance(afterWithdrawal(operation));
    return true;
  };

  readonly openOn = (subject: Subject): Operation | undefined => this.#book.openOn(subject);

  readonly all = (): readonly Operation[] => this.#book.all();

  readonly lastRead = (operation: Operation): Observation<CloudResource> | undefined => this.#watch.lastRead(operation);

  readonly subscribe = (listener: (changed: Operation) => void): Cancel => this.#book.subscribe(listener);

  readonly untilRoom = (resume: () => void): Cancel | undefined => {
    const {budget, clock} = this.#options;
    const waitMs = budget.waitFor('operation', ROOM_IN_BATCH);
    return waitMs === 0 ? undefined : clock.after(waitMs, resume);
  };

  readonly sleptMs = (): DurationMs => this.#options.clock.sleptMs?.() ?? 0;

  readonly dropSecret = (operationId: string): void => this.#book.dropSecret(operationId);

  readonly version = (): number => this.#book.version;

  readonly writeUnsent = (unsent: readonly (Confirmed | Operation)[], why = LEFT): SafeText | undefined => {
    if (unsent.length === 0) return undefined;
    const {actions, clock, newId} = this.#options;
    // One moment for all: a list by time keeps them in their order.
    const confirmedAt = clock.wallNow();
    const begun = unsent.map(each =>
      'phase' in each ? each : newOperation({id: newId(), confirmedAt}, each, definitionOf(actions, each.action)),
    );
    return this.#lines.writeUnsent(begun.map(operation => ({...operation, phase: 'NOT_SENT', detail: why})));
  };

  async #carryOut(
    begun: Operation,
    {confirmedAt, isJustAnswered}: {readonly confirmedAt: MonotonicMs; readonly isJustAnswered: boolean},
  ): Promise<void> {
    const {actions, client, clock} = this.#options;
    const read = await checkBeforeSending(begun, {...this.#options, isJustAnswered});
    const checked = checkAtSending(read, confirmedAt, this.#options);
    // It was withdrawn meanwhile.
    if (this.#book.get(begun.id)?.phase !== 'preflight') return;
    if (isEnded(checked.phase)) return this.#advance(checked);
    this.#noteSleep();
    const sent = afterSending(checked, clock.monotonicNow());
    this.#readNews();
    if (this.#hasRival(sent)) return this.#advance({...checked, phase: 'STALE', detail: RIVAL});
    const unwritten = this.#lines.write(sent);
    // Its line may be on the disk nevertheless, so the end is written as well, if that is possible.
    if (unwritten !== undefined) return this.#advance({...checked, phase: 'NOT_SENT', detail: unwritten});
    const news = this.#readNews();
    // Without its own line among them, the lines of a rival would not be seen either. Not to send is undone by a key; a
    // second request for one confirmation cannot be taken back.
    if (lineIndex(sent, news) < 0) return this.#advance({...checked, phase: 'NOT_SENT', detail: UNREAD});
    if (this.#wasForestalled(sent, news)) return this.#advance({...checked, phase: 'STALE', detail: RIVAL});
    this.#book.update(sent, true);
    this.#wantReadings();
    const before = this.#watch.lastRead(sent);
    const reply = await definitionOf(actions, sent.action).sendOnce(client, sent.action);
    // Watching runs while the answer is awaited, so the operation may know more by now than when it was sent.
    const waiting = this.#book.get(sent.id) ?? sent;
    const failure = reply.ok ? otherMade(sent.action, reply.value.result, before) : reply.failure;
    this.#advance(afterReply(waiting, failure, reply.ok ? reply.value.result : undefined));
    if (failure === undefined) this.#watch.hasten(sent, this.#book.open());
  }

  /** Journals, publishes and, if it has ended, unlocks an operation in its new phase. */
  #advance(operation: Operation, journaling?: 'unjournaled'): void {
    const previous = this.#book.get(operation.id);
    if (previous === operation) return;
    const isNews = previous?.phase !== operation.phase || previous.correction !== operation.correction;
    if (isNews && journaling === undefined) this.#lines.writeSent(operation);
    if (!isEnded(operation.phase)) this.#book.update(operation, isNews);
    else {
      if (previous === undefined || !isEnded(previous.phase)) this.#end(operation);
      this.#book.update(this.#watch.isLate(operation) ? operation : withoutHistory(operation), isNews);
    }
    this.#wantReadings();
  }

  #end(operation: Operation): void {
    const {actions, poller, store} = this.#options;
    this.#watch.end(operation);
    // The object's rate was metered in its former state, and a deleted object still stands in its list.
    poller.hasten(usageFeed);
    // The action changes the stock, so the stock is read again.
    poller.hasten(stocksFeed);
    poller.hasten(flavorsFeed);
    // An older list beside a confirmed effect would contradict it.
    for (const feed of definitionOf(actions, operation.action).shownIn ?? []) poller.hasten(feed);
    if (operation.after?.records.length !== 0) return;
    const {list, namedIn} = definitionOf(actions, operation.action).feeds;
    poller.hasten(list);
    const gone = operation.before?.records ?? [];
    for (const feed of gone.flatMap(each => namedIn?.(each, store) ?? [])) poller.hasten(feed);
  }

  #hasRival(operation: Operation): boolean {
    return this.#book.open().some(other => !this.#isOwn(other.id) && lockKey(other) === lockKey(operation));
  }

  /**
   * If two processes journal at once that they are sending, the one whose line comes first goes on: each looks only
   * after it has written.
   */
  #wasForestalled(operation: Operation, news: readonly JournalEntry[]): boolean {
    const {actions} = this.#options;
    const own = lineIndex(operation, news);
    const rivals = news.filter(entry => !this.#isOwn(entry.operationId) && this.#keyOf(entry) === lockKey(operation));
    return rivals.some(entry => awaitsOutcome(entry, actions) && news.indexOf(entry) < own);
  }

  /**
   * An operation open when the program last ended may have been carried out: its object stays locked until the outcome
   * is observed.
   */
  #reopen(): void {
    const {actions, clock, journal, isRunning} = this.#options;
    for (const entry of journal.latest().entries.filter(each => awaitsOutcome(each, actions))) {
      const found = reopened(entry, actions, clock.monotonicNow());
      const isTold = entry.writer !== undefined && isRunning?.(entry.writer) === true;
      this.#adopt(entry, isTold ? asEntered(found, entry) : found);
    }
    this.#wantReadings();
  }

  #adopt({organizationId, writer}: JournalEntry, operation: Operation): void {
    this.#watch.forgetLate(operation, this.#book);
    this.#book.add(operation, {kind: 'journal', organizationId, writer});
  }

  /** What another skydeck journaled since: its open operations take locks here too, and their ends release them. */
  #readNews(): readonly JournalEntry[] {
    const {actions, clock, journal} = this.#options;
    const news = journal.news();
    for (const entry of news) {
      if (this.#isOwn(entry.operationId) || this.#isOtherOrganization(entry.organizationId)) continue;
      const known = this.#book.get(entry.operationId);
      if (known !== undefined) this.#advance(asEntered(known, entry), 'unjournaled');
      else if (awaitsOutcome(entry, actions)) {
        this.#adopt(entry, asEntered(reopened(entry, actions, clock.monotonicNow()), entry));
        this.#wantReadings();
      }
    }
    return news;
  }

  #lookIntoJournal(everyMs: DurationMs): void {
    this.#cancelLook = this.#options.clock.after(everyMs, () => {
      this.#readNews();
      this.#observe();
      this.#lookIntoJournal(everyMs);
    });
  }

  /** Every new reading of a watched object is judged by its operation. */
  #observe(): void {
    this.#noteSleep();
    this.#askAfterSenders();
    for (const operation of this.#book.open()) this.#observeOpen(operation);
    const late = this.#watch.late(this.#book);
    for (const operation of late) this.#lookForLateEffect(operation);
    // The interval depends on the time since sending.
    if (late.length > 0 || this.#book.open().length > 0 || this.#watch.wantsMoney()) this.#wantReadings();
  }

  /** The computer slept, or its clock was set forward: no effect was awaited meanwhile, and the time to wait goes on. */
  #noteSleep(): void {
    const sleptMs = this.sleptMs();
    const moreMs = sleptMs - this.#sleptMs;
    this.#sleptMs = sleptMs;
    if (moreMs === 0) return;
    for (const operation of [...this.#book.open(), ...this.#watch.late(this.#book)]) {
      const isSent = operation.sentAt !== undefined;
      if (isSent) this.#book.update({...operation, sleptMs: (operation.sleptMs ?? 0) + moreMs}, false);
    }
  }

  #observeOpen(operation: Operation): void {
    if (this.#isOtherOrganization(this.#organizationOf(operation))) {
      this.#book.drop(operation);
      this.#wantReadings();
      return;
    }
    const seen = this.#watch.newest(operation);
    if (seen === undefined || !this.#isOurAccount(operation, seen)) {
      this.#advance(afterSilence(operation, this.#options.clock.monotonicNow()));
      return;
    }
    this.#watch.markSeen(operation, seen);
    this.#advance(afterObservation(this.#afterLostAnswer(operation), seen));
  }

  /** Asked only with a reading, since both processes follow the clock of the service by then. */
  #afterLostAnswer(operation: Operation): Operation {
    const {clock, writer} = this.#options;
    const origin = this.#book.originOf(operation.id);
    const isOfThisHost = origin?.kind === 'journal' && writer !== undefined && origin.writer?.host === writer.host;
    return isOfThisHost ? afterLostAnswer(operation, clock.wallNow()) : operation;
  }

  #lookForLateEffect(operation: Operation): void {
    const seen = this.#watch.newest(operation);
    if (seen !== undefined && this.#isOurAccount(operation, seen)) {
      this.#watch.markSeen(operation, seen);
      this.#advance(afterLateObservation(operation, seen));
    }
    this.#watch.endLate(this.#book.get(operation.id) ?? operation);
  }

  /** A skydeck that has ended writes no more lines; those it wrote before are read first. */
  #askAfterSenders(): void {
    const {isRunning} = this.#options;
    const isOrphaned = (operation: Operation) => {
      const origin = this.#book.originOf(operation.id);
      const sender = origin?.kind === 'journal' ? origin.writer : undefined;
      return awaitsOther(operation) && sender !== undefined && isRunning?.(sender) === false;
    };
    const orphaned = this.#book.open().filter(isOrphaned);
    if (orphaned.length === 0) return;
    this.#readNews();
    for (const {id} of orphaned) {
      const operation = this.#book.get(id);
      if (operation !== undefined) this.#advance(afterSenderEnded(operation));
    }
  }

  #wantReadings(): void {
    const open = this.#book.open();
    const {watchesOwn} = this.#options;
    const isOfSomeAccount = open.some(operation => this.#organizationOf(operation) !== undefined);
    this.#watch.want({
      open: open.filter(({id}) => watchesOwn !== false || !this.#isOwn(id)),
      late: this.#watch.late(this.#book),
      needsOrganization: isOfSomeAccount && this.#organizationId() === undefined,
    });
  }

  #isOwn(id: string): boolean {
    return this.#book.originOf(id)?.kind === 'own';
  }

  #keyOf({action}: JournalEntry): string {
    return lockKey({action, traits: definitionOf(this.#options.actions, action)});
  }

  #organizationId(): number | undefined {
    return lastValue(this.#options.store.get(organizationFeed))?.id;
  }

  /** The organization that a journaled operation belongs to. */
  #organizationOf({id}: Operation): number | undefined {
    const origin = this.#book.originOf(id);
    return origin?.kind === 'journal' ? origin.organizationId : undefined;
  }

  #isOtherOrganization(id: number | undefined): boolean {
    const ours = this.#organizationId();
    return id !== undefined && ours !== undefined && id !== ours;
  }

  /**
   * An object of another organization does not exist for this key and would look deleted, and a name may be taken in
   * both. What the same key sent is ours; otherwise, unless both organizations are known, only an object that is
   * visible is.
   */
  #isOurAccount(operation: Operation, seen: Observation<CloudResource>): boolean {
    const origin = this.#book.originOf(operation.id);
    if (origin?.kind !== 'journal' || this.#hasSameKey(origin.writer)) return true;
    if (origin.organizationId !== undefined && this.#organizationId() !== undefined) return true;
    const {action, traits} = operation;
    return action.id !== undefined && traits.among(action, seen.records).length > 0;
  }

  #hasSameKey(writer: JournalWriter | undefined): boolean {
    return writer?.keyDigest !== undefined && writer.keyDigest === this.#options.writer?.keyDigest;
  }
}

function lineIndex({id}: Operation, news: readonly JournalEntry[]): number {
  return news.findIndex(({operationId}) => operationId === id);
}
