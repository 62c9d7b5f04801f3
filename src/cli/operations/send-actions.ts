import {wordsOf} from '../../actions/actions.ts';
import {subjectOf} from '../../domain/action.ts';
import {
  describeOperation,
  knownOutcome,
  operationWords,
  outcomeWords,
  repeatAdvice,
} from '../../domain/describe-operation.ts';
import {
  awaitsLateEffect,
  isBeingChecked,
  isEnded,
  type Operation,
  sleptReason,
  stopReason,
} from '../../domain/operation.ts';
import type {OperationResult} from '../../domain/operation-result.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type Cancel, type Clock, type DurationMs, type EpochMs, MINUTE_MS, SECOND_MS} from '../../domain/time.ts';
import {type Operations, ROOM_IN_BATCH} from '../../state/operations/operation.ts';
import type {Session} from '../../state/session.ts';
import {formatElapsed} from '../../ui/format.ts';
import type {Account} from '../account.ts';
import {type CommandIo, complain} from '../command-io.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import type {Impossible, PlannedAction} from './plan.ts';
import {wordFor} from '../print/print-records.ts';
import type {Progress} from '../print/progress.ts';

/** The outcome of one action, as far as observed. */
export type SentAction = {
  readonly planned: PlannedAction;
  /** The action and its subject in words. */
  readonly words: SafeText;
  readonly exitCode: ExitCode;
  readonly phase: Operation['phase'] | 'NOT_BEGUN';
  readonly text: SafeText;
  readonly result?: OperationResult | undefined;
};

type Sending = Pick<Account, 'clock'> & {readonly session: Pick<Session, 'operations' | 'budget'>};

/** An operation found open in the journal is observed first; three readings decide its outcome. */
const FREE_WITHIN_MS: DurationMs = 30 * SECOND_MS;
/** For the room that an action of a batch needs in the deck too. Each waits this long, so a batch may take as long as it needs. */
const ROOM_WITHIN_MS: DurationMs = 5 * MINUTE_MS;
const NO_ROOM = say`the request budget had no room for ${ROOM_WITHIN_MS / MINUTE_MS} minutes; try again later`;

type SendOptions = {
  readonly waitMs: DurationMs | undefined;
  readonly progress: Progress;
  readonly io: Pick<CommandIo, 'stderr' | 'beforeSignal'>;
  /** Whether a person has just answered a question about them. */
  readonly isAsked: boolean;
};

/** What became of one action: it was begun, or is not sent. */
type Turn = SentAction | {readonly planned: PlannedAction; readonly operation: Operation};

/**
 * Sends the actions one after the other, each once, and stops where nothing may follow. With `waitMs` all effects are
 * watched together for that long. What is not sent is journaled with the reason, also if a signal ends the program.
 */
export async function sendActions(
  {session, clock}: Sending,
  actions: readonly PlannedAction[],
  options: SendOptions,
): Promise<readonly SentAction[]> {
  const {operations, budget} = session;
  if (operations === undefined) return actions.map(planned => notBegun(planned, say`this session is read-only`));
  const latest = new LatestOperations(operations);
  const waiting = new Set(actions);
  const stop = options.io.beforeSignal(() => {
    const leftCount = writeLeft(operations, waiting, options.io);
    const isSomeLeft = leftCount > 0 && leftCount < actions.length;
    if (isSomeLeft) complain(options.io, `${leftCount} of ${actions.length} were not sent`);
  });
  const turns = await sendInTurn({operations, budget, clock, latest}, waiting, options).finally(stop);
  const sent = turns.flatMap(each => ('operation' in each ? each.operation : []));
  if (options.waitMs !== undefined) await watch(latest, clock, sent, {...options, waitMs: options.waitMs});
  latest.stop();
  return turns.map(each =>
    'text' in each ? each : outcomeOf(each.planned, latest.of(each.operation), options.waitMs !== undefined),
  );
}

type Sender = {
  readonly operations: Operations;
  readonly budget: Session['budget'];
  readonly clock: Clock;
  readonly latest: LatestOperations;
};

/** Takes each action out of `waiting` when it begins, and all that are left when it stops. */
async function sendInTurn(
  {operations, budget, clock, latest}: Sender,
  waiting: Set<PlannedAction>,
  {progress, isAsked}: SendOptions,
): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  const skip = (unsent: readonly PlannedAction[], why: SafeText) => {
    const fault = operations.writeUnsent(unsent, why);
    if (fault !== undefined) progress.say(fault);
    turns.push(...unsent.map(planned => notBegun(planned, why)));
  };
  const count = waiting.size;
  const sleptBefore = operations.sleptMs();
  let whyStopped: SafeText | undefined;
  for (const planned of [...waiting]) {
    const place = `${turns.length + 1} of ${count}`;
    const hasRoom = await hasRoomInTime(budget, clock, words => progress.say(`${place} ${words}`));
    whyStopped = hasRoom ? sleptReason(operations.sleptMs() - sleptBefore) : NO_ROOM;
    if (whyStopped !== undefined) break;
    waiting.delete(planned);
    const isJustAnswered = isAsked && !turns.some(each => 'operation' in each);
    const begun = operations.begin(planned, {isJustAnswered});
    if (begun.status === 'locked') {
      skip([planned], describeOperation(begun.by, clock.wallNow()).text);
      continue;
    }
    const operation = await answered(latest, clock, begun.operation, words => progress.say(`${words} ${place}`));
    turns.push({planned, operation});
    whyStopped = stopReason(operation);
    if (whyStopped !== undefined) break;
  }
  if (whyStopped !== undefined) skip([...waiting], whyStopped);
  waiting.clear();
  return turns;
}

/** A signal ends the program: what waits or is being checked is never sent. */
function writeLeft(operations: Operations, waiting: ReadonlySet<PlannedAction>, io: SendOptions['io']): number {
  const left = [...operations.all().filter(isBeingChecked), ...waiting];
  const fault = operations.writeUnsent(left);
  if (fault !== undefined) complain(io, fault);
  return left.length;
}

/**
 * Owns the latest value of each operation that changes. The session forgets the oldest that ended, and what was sent
 * must not be reported as unsent because of that.
 */
class LatestOperations {
  readonly stop: Cancel;
  readonly #operations: Operations;
  readonly #latest = new Map<string, Operation>();

  constructor(operations: Operations) {
    this.#operations = operations;
    this.stop = operations.subscribe(changed => this.#latest.set(changed.id, changed));
  }

  /** The operation as it is now, given as it was. */
  of(operation: Operation): Operation {
    return this.#latest.get(operation.id) ?? operation;
  }

  /** Resolves once the condition holds, or at the time limit. */
  until(clock: Clock, isSo: () => boolean, limitMs: DurationMs): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise(resolve => {
      const finish = () => {
        cancel();
        stop();
        resolve();
      };
      const cancel = Number.isFinite(limitMs) ? clock.after(limitMs, finish) : () => {};
      const stop = this.#operations.subscribe(() => {
        if (isSo()) finish();
      });
    });
  }
}

/** Waits until the next action may be sent; false if the time is over first. */
async function hasRoomInTime(budget: Session['budget'], clock: Clock, tell: (words: string) => void): Promise<boolean> {
  const roomUntil = clock.monotonicNow() + ROOM_WITHIN_MS;
  while (!budget.hasRoom('operation', ROOM_IN_BATCH)) {
    if (clock.monotonicNow() >= roomUntil) return false;
    const seconds = Math.ceil(budget.waitFor('operation', ROOM_IN_BATCH) / SECOND_MS);
    tell(`waits ${seconds} s for the request budget (${budget.ceilingPerMinute} a minute)`);
    await new Promise<void>(resolve => clock.after(SECOND_MS, resolve));
  }
  return true;
}

/**
 * Waits for open operations on the same subjects, from the journal or sent by another skydeck, and returns their state
 * then. If there were any, earlier readings of the subjects are out of date.
 */
export async function untilAllFree(
  {session, clock}: Sending,
  actions: readonly PlannedAction[],
  {tell, waitMs = 0}: {readonly tell: (words: SafeText) => void; readonly waitMs?: DurationMs | undefined},
): Promise<readonly Operation[]> {
  const {operations} = session;
  const subjects = actions.map(({action}) => subjectOf(action));
  const held = subjects.flatMap(subject => operations?.openOn(subject) ?? []);
  const [first, ...others] = held;
  if (operations === undefined || first === undefined) return [];
  const more = others.length === 0 ? say`` : say` (and ${others.length} more)`;
  const ago = safeText(formatElapsed(clock.wallNow() - first.confirmedAt));
  tell(say`waiting for ${operationWords(first)}${more}, sent ${ago} ago by another skydeck`);
  const latest = new LatestOperations(operations);
  const freeUntil = clock.monotonicNow() + Math.max(waitMs, FREE_WITHIN_MS);
  for (const subject of held.map(({action}) => subjectOf(action))) {
    const isFree = () => operations.openOn(subject) === undefined;
    await latest.until(clock, isFree, Math.max(0, freeUntil - clock.monotonicNow()));
  }
  latest.stop();
  // One that neither ended nor holds its lock turned out to belong to another organization.
  const isOurs = ({id, action, phase}: Operation) => isEnded(phase) || operations.openOn(subjectOf(action))?.id === id;
  return held.map(operation => latest.of(operation)).filter(isOurs);
}

/**
 * The words of what was sent from here since this call. Noted as it happens, because the session may have forgotten
 * what was sent.
 */
export function noticeSent(operations: Pick<Operations, 'all' | 'subscribe'> | undefined): () => readonly SafeText[] {
  const earlier = new Set(operations?.all().map(({id}) => id));
  const sent = new Map<string, SafeText>();
  operations?.subscribe(changed => {
    if (wasSentHere(changed) && !earlier.has(changed.id)) sent.set(changed.id, operationWords(changed));
    else sent.delete(changed.id);
  });
  return () => [...sent.values()];
}

function wasSentHere({sentAt, sentElsewhereAt, phase}: Operation): boolean {
  return sentAt !== undefined && sentElsewhereAt === undefined && phase !== 'NOT_SENT';
}

/** What a person must know before sending the same again: what was sent before, and may still take effect. */
export function uncertaintyWarnings(unsettled: readonly Operation[], now: EpochMs): readonly SafeText[] {
  const uncertain = unsettled.filter(({phase}) => !isEnded(phase) || phase === 'NO_EFFECT_SEEN');
  return uncertain.map(
    operation =>
      say`warning: ${operationWords(operation)} was sent ${safeText(formatElapsed(now - operation.confirmedAt))} ago: ${outcomeWords(knownOutcome(operation))}`,
  );
}

/** The operation once it was answered, or has ended before. */
async function answered(
  latest: LatestOperations,
  clock: Clock,
  operation: Operation,
  tell: (words: string) => void,
): Promise<Operation> {
  const isDone = () => {
    const {phase} = latest.of(operation);
    tell(phase === 'preflight' ? 'not sent yet (ctrl-c withdraws it): checking' : 'sending');
    return isAnswered({phase});
  };
  await latest.until(clock, isDone, Number.POSITIVE_INFINITY);
  return latest.of(operation);
}

/** Until all have ended. An effect that was not seen at first is looked for until the time is over. */
async function watch(
  latest: LatestOperations,
  clock: Clock,
  sent: readonly Operation[],
  {waitMs, progress}: {readonly waitMs: DurationMs; readonly progress: Progress},
): Promise<void> {
  const isOver = () => {
    const now = clock.monotonicNow();
    const [first, ...others] = sent
      .map(operation => latest.of(operation))
      .filter(operation => !isEnded(operation.phase) || awaitsLateEffect(operation, now));
    if (first === undefined) return true;
    const more = others.length === 0 ? say`` : say` (and ${others.length} more)`;
    progress.say(say`${describeOperation(first).text}${more}`);
    return false;
  };
  await latest.until(clock, isOver, waitMs);
}

function isAnswered({phase}: Pick<Operation, 'phase'>): boolean {
  return phase !== 'preflight' && phase !== 'sent';
}

function notBegun(planned: PlannedAction, why: SafeText): SentAction {
  const words = wordsOf(planned);
  return {planned, words, exitCode: EXIT.noAnswer, phase: 'NOT_BEGUN', text: say`${words}: not sent: ${why}`};
}

/**
 * The outcome of an action that its subject's state does not allow, as far as is known: nothing was sent, as if the
 * state had changed after it was asked.
 */
export function impossibleOutcome({planned, reason, exitCode}: Impossible): SentAction {
  const words = wordsOf(planned);
  return {planned, words, exitCode, phase: 'STALE', text: say`${words}: not sent: ${reason}`};
}

function outcomeOf(planned: PlannedAction, operation: Operation, isAwaited: boolean): SentAction {
  const words = operationWords(operation);
  const {phase, result} = operation;
  const exitCode = exitCodeOfPhase(operation, isAwaited);
  const text = endWords(operation, isAwaited) ?? describeOperation(operation).text;
  return {planned, words, phase, exitCode, text, result};
}

/** Operations still open when the program ends, in words that do not promise to watch them. */
function endWords(operation: Operation, isAwaited: boolean): SafeText | undefined {
  const words = operationWords(operation);
  const late = isAwaited ? say`; timed out before its effect was seen` : say``;
  const known = knownOutcome(operation);
  switch (known.phase) {
    case 'accepted':
      return say`${words}: accepted${late}`;
    case 'in-progress':
      return say`${words}: accepted and under way${late}`;
    case 'overdue':
      return say`${words}: accepted, and it takes longer than usual${late}`;
    case 'unknown':
      return unknownWords(known);
    case 'NO_EFFECT_SEEN':
      return mayStillHappen(operation) ? unknownWords(operation) : undefined;
    default:
      return undefined;
  }
}

function unknownWords(operation: Operation): SafeText {
  const {traits, phase, detail = say`no answer`} = operation;
  const seen = phase === 'NO_EFFECT_SEEN' ? say`; no effect seen so far` : say``;
  return say`${operationWords(operation)}: outcome unknown: ${detail}${seen}; sent once; ${repeatAdvice(traits)}`;
}

/** Without the service's own answer, a request may be held up anywhere on its way, and be carried out later. */
function mayStillHappen({phase, failure, correction}: Operation): boolean {
  return phase === 'NO_EFFECT_SEEN' && failure !== undefined && correction === undefined;
}

function exitCodeOfPhase(operation: Operation, isAwaited: boolean): ExitCode {
  const {phase, failure, correction} = operation;
  switch (phase) {
    case 'CONFIRMED':
      return EXIT.done;
    case 'accepted':
    case 'in-progress':
    case 'overdue':
      return isAwaited || knownOutcome(operation).phase === 'unknown' ? EXIT.unknownOutcome : EXIT.done;
    case 'REFUSED':
      return failure === undefined ? EXIT.refused : exitCodeOf(failure, 'operation');
    case 'NOT_SENT':
      return failure === undefined ? EXIT.noAnswer : exitCodeOf(failure, 'read');
    case 'STALE':
      return EXIT.noAnswer;
    case 'CONTRADICTED':
      return EXIT.refused;
    case 'NO_EFFECT_SEEN':
      if (correction !== undefined) return EXIT.done;
      return mayStillHappen(operation) ? EXIT.unknownOutcome : EXIT.refused;
    default:
      return EXIT.unknownOutcome;
  }
}

/** The outcome, and what the answer contained. */
export function outcomeText({text, result}: SentAction): SafeText {
  return result === undefined ? text : say`${text}${resultWords(result)}`;
}

function resultWords(result: OperationResult): SafeText {
  switch (result.kind) {
    case 'created':
      return say`, id ${safeText(result.ids.join(' '))}`;
    case 'access-key':
      return say`, id ${result.id}, access key ${result.accessKey}, secret key ${safeText(result.secretKey.reveal())} (shown only once)`;
    case 'callback':
      return say`, calls ${result.url}`;
    default:
      return say``;
  }
}

/** The outcome for scripts. */
export function outcomeRecord({planned, words, phase, exitCode, text, result}: SentAction): object {
  const {action, subjectName} = planned;
  const subject = subjectOf(action);
  const shown = result?.kind === 'access-key' ? {...result, secretKey: result.secretKey.reveal()} : result;
  return {kind: action.kind, subject: {name: subjectName, ...subject}, words, phase, exitCode, text, result: shown};
}

/** What a script continues with, one per line: the ids of what was created, otherwise the names of the subjects. */
export function outcomeNames({planned, result}: Pick<SentAction, 'planned' | 'result'>): string {
  if (result?.kind === 'access-key') return String(result.id);
  const {id} = planned.action;
  const isMade = result?.kind === 'created' && result.ids.length > 0;
  if (!isMade) return wordFor(planned.subjectName, id?.toString()) ?? '';
  return result.ids.join('\n');
}
