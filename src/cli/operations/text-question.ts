import {wordsOf} from '../../actions/actions.ts';
import {mayBeLeftToCluster} from '../../actions/question/action-question.ts';
import {feedsFor, questionFor} from '../../actions/question/question-for.ts';
import type {Candidate} from '../../actions/question/assessment.ts';
import type {AssessmentInput} from '../../actions/question/assessment-input.ts';
import {linesOf, type Question} from '../../actions/question/question.ts';
import {assert} from '../../domain/assert.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {MAX_QUESTION_AGE_MS} from '../../domain/operation.ts';
import {parseSshConnection} from '../../domain/own-connection.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {failureOf, readAt} from '../../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS, SECOND_MS} from '../../domain/time.ts';
import {withPricesInForce} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Feed} from '../../state/feed.ts';
import {withItsCluster} from '../../state/machines.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import {readAgain} from '../../state/poller/read-again.ts';
import type {Store} from '../../state/store.ts';
import {formatDuration} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Account} from '../account.ts';
import {type CommandIo, complain, whileSent} from '../command-io.ts';
import type {PlannedAction, Sorted} from './plan.ts';

/** How long to wait for what decides whether an action can be sent and what a person is asked. */
const DECIDED_WITHIN_MS: DurationMs = MINUTE_MS;
/** Costs and warnings that nobody is asked about must not delay what was confirmed with `--yes`. */
const TOLD_WITHIN_MS: DurationMs = 5 * SECOND_MS;

const NOT_COMPARED = say`warning: not everything was read within ${TOLD_WITHIN_MS / SECOND_MS} s: the cost and risk told are not compared before sending`;

/** The actions a person agreed to, with what the question said of each; or why none may be sent. */
export type Answered =
  | {readonly isYes: true; readonly sent: readonly PlannedAction[]}
  | {readonly isYes: false; readonly reason: SafeText};

/** What was said of the actions without a question, and the actions with it. */
export type Told = {readonly texts: readonly SafeText[]; readonly actions: readonly PlannedAction[]};

/**
 * Whether the actions may be sent, or why not. Without `--yes` a person on a terminal is shown everything and
 * types the answer: `y` for what can be undone, the full name for what cannot, `<verb> <count>` for many. With `--yes`
 * what was told instead must still hold when they are sent.
 */
export async function confirmed(
  io: CommandIo,
  account: Account,
  sorted: Sorted,
  {hasYes, told}: {readonly hasYes: boolean; readonly told: Told},
): Promise<Answered> {
  if (hasYes) return {isYes: true, sent: told.actions};
  if (!canAsk(io)) {
    return {isYes: false, reason: say`nothing was sent: without a terminal to confirm on, add --yes`};
  }
  const {lines, expected, steps} = await whileSent(
    io,
    () => [],
    () => textQuestion(io, account, sorted),
  );
  const askedAt = account.clock.monotonicNow();
  const host = new URL(account.baseUrl).host;
  const folded = await foldedLines(lines.map(account.redact), io.stderr.columns);
  io.stderr.write(folded.map(line => `${line}\n`).join(''));
  // The line of the question has ended by then.
  const stop = io.beforeSignal(() => complain(io, 'nothing was sent'));
  const asked = io.ask(
    `On ${safeText(host)}. Type ${expected} to send ${sorted.possible.length === 1 ? 'it' : 'them'} once: `,
    {now: account.clock.monotonicNow, after: account.clock.after},
  );
  const typed = await asked.finally(stop);
  if (typed !== expected) return {isYes: false, reason: say`nothing was sent${whyNot(typed, expected)}`};
  const ageMs = account.clock.monotonicNow() - askedAt;
  if (ageMs > MAX_QUESTION_AGE_MS) {
    const age = safeText(formatDuration(ageMs));
    return {
      isYes: false,
      reason: say`nothing was sent: the question was ${age} old; its cost and risk may have changed`,
    };
  }
  return {isYes: true, sent: sorted.possible.map(planned => asAsked(planned, steps))};
}

/** Enter alone, esc and ctrl-d are a plain no. */
function whyNot(typed: string | undefined, expected: SafeText): SafeText {
  return typed ? say`: "${safeText(typed, {maxLength: MAX_TYPED_SHOWN})}" is not "${expected}"` : say``;
}

const MAX_TYPED_SHOWN = 80;

/** With everything that the question said of it, which is compared before it is sent. */
function asAsked(planned: PlannedAction, steps: Question['steps']): PlannedAction {
  return {...planned, ...steps.find(({action}) => action === planned.action)};
}

/** Folded between words, with the indentation of the line: a terminal would break inside a word. */
async function foldedLines(lines: readonly string[], columns: number | undefined): Promise<readonly string[]> {
  if (columns === undefined || columns <= 0) return lines;
  const [{wrapLine}, {textOf}] = await Promise.all([import('../../ui/wrap.ts'), import('../../ui/text.ts')]);
  return lines.flatMap(line => {
    const text = line.trimStart();
    const indent = ' '.repeat(line.length - text.length);
    return wrapLine([{text}], Math.max(MIN_TEXT_COLUMNS, columns - indent.length)).map(each =>
      `${indent}${textOf(each)}`.trimEnd(),
    );
  });
}

const MIN_TEXT_COLUMNS = 20;

/** Whether a person can be asked. */
export function canAsk({stdin, stderr}: Pick<CommandIo, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** The lines of the question, the answer that confirms it, and what that confirms. */
type TextQuestion = Pick<Question, 'steps'> & {readonly lines: readonly string[]; readonly expected: SafeText};

/** The question the deck asks before these actions, from data read for it now. */
async function textQuestion(io: CommandIo, account: Account, sorted: Sorted): Promise<TextQuestion> {
  const question = await questionAbout(io, account, sorted, DECIDED_WITHIN_MS);
  assert(question !== undefined, 'actions of one line are of one kind, and one of them can be sent');
  return textOf(question);
}

/**
 * What the same question says of its actions, a line each: what happens, the cost, the warnings and how it is undone.
 * For runs without a question, and before a dry run.
 */
export async function assessed(
  io: CommandIo,
  account: Account,
  sorted: Sorted,
  {isSent}: {readonly isSent: boolean},
): Promise<Told> {
  const {possible} = sorted;
  const [first, ...others] = possible;
  const question = first && (await questionAbout(io, account, sorted, TOLD_WITHIN_MS));
  if (first === undefined || question === undefined) return {texts: [], actions: possible};
  const words = others.length === 0 ? wordsOf(first) : question.title;
  const told = (label: SafeText, lines: readonly Line[]) =>
    lines.map(line => say`${label}: ${words}: ${safeText(plainText(line))}`);
  const texts = [
    ...told(say`what happens`, linesOf(question, 'happens')),
    ...told(say`cost`, linesOf(question, 'costs')),
    ...told(say`warning`, linesOf(question, 'warnings')),
    ...told(say`undo`, linesOf(question, 'undo')),
  ];
  // What is read after the time limit would look like a change.
  const {store} = account.session;
  const isAwaited = (feed: Feed<unknown>) => store.get(feed).status === 'waiting';
  const isSettled = !feedsFor(possible.map(candidateOf), {store}).some(isAwaited);
  if (isSettled) return {texts, actions: possible.map(planned => asAsked(planned, question.steps))};
  return {texts: isSent ? [...texts, NOT_COMPARED] : texts, actions: possible};
}

async function questionAbout(
  io: CommandIo,
  account: Account,
  {possible, impossible, known, readSince}: Sorted,
  limitMs: DurationMs,
): Promise<Question | undefined> {
  const candidates: readonly Candidate[] = [
    ...possible.map(candidateOf),
    ...impossible.map(({planned: {action, subject}, reason}) => ({action, subject, reason})),
  ];
  return questionFor(candidates, known ?? (await knownFor(io, account, candidates, {readSince, limitMs})));
}

/** Where only the clusters can say whether a machine is a node, they are read for it, as the deck reads them. */
export async function withItsClusters(
  {random}: Pick<CommandIo, 'random'>,
  {session: {poller, store, budget}, clock}: Account,
  actions: readonly PlannedAction[],
): Promise<readonly PlannedAction[]> {
  if (!actions.some(mayBeLeftToCluster)) return actions;
  const hasRoom = () => budget.hasRoom('operation');
  await readAgain(() => poller.readNow(clustersFeed), {clock, random, hasRoom});
  return actions.map(planned => {
    const {subject} = planned;
    const isOpen = subject !== undefined && 'isNodeUnknown' in subject;
    return isOpen ? {...planned, subject: withItsCluster(subject, store)} : planned;
  });
}

/**
 * Why an action that a node would be refused is not sent with `--yes`: no person is asked whether it is sent although
 * its subject may be a node.
 */
export function nodeDoubt(planned: PlannedAction, store: Store): SafeText | undefined {
  if (!mayBeLeftToCluster(planned)) return undefined;
  const failure = failureOf(store.get(clustersFeed));
  const why =
    failure === undefined
      ? say`the clusters do not list all their machines`
      : say`clusters: ${describeReadFailure(failure)}`;
  return say`whether it is a node of a cluster is unknown: ${why}`;
}

/**
 * Reads what these actions are assessed by. What cannot be read, or does not arrive in time, is reported as unknown.
 */
export async function knownFor(
  io: CommandIo,
  {session, clock, preferences}: Account,
  actions: readonly PlannedAction[] | readonly Candidate[],
  {readSince, limitMs = DECIDED_WITHIN_MS}: Pick<Sorted, 'readSince'> & {readonly limitMs?: DurationMs},
): Promise<AssessmentInput> {
  const {poller, store, operations} = session;
  const candidates = actions.map(candidateOf);
  const until = clock.monotonicNow() + limitMs;
  const isRead = (feed: Feed<unknown>) => {
    const at = readAt(store.get(feed));
    return at !== undefined && at >= readSince;
  };
  const first = feedsFor(candidates, {store}).filter(feed => !isRead(feed));
  await collectOnce({feeds: first, poller, clock, limitMs});
  const asked = new Set(first.map(({key}) => key));
  const more = feedsFor(candidates, {store}).filter(feed => !asked.has(feed.key) && !isRead(feed));
  const leftMs = until - clock.monotonicNow();
  if (more.length > 0 && leftMs > 0) await collectOnce({feeds: more, poller, clock, limitMs: leftMs});
  const now = clock.wallNow();
  return {
    store,
    operations,
    journal: session.journal.latest,
    health: poller.health(),
    now,
    monotonicNow: clock.monotonicNow(),
    preferences: withPricesInForce(preferences, {store, now}),
    ownConnection: parseSshConnection(io.environment.SSH_CONNECTION),
  };
}

function candidateOf({action, subject}: Pick<PlannedAction, 'action' | 'subject'>): Candidate {
  return {action, subject, reason: undefined};
}

function textOf({title, facts, answer, steps}: Question): TextQuestion {
  const lines = facts.flatMap(({label, lines: factLines}) => [
    `  ${label}`,
    ...factLines.map(line => `    ${plainText(line)}`),
  ]);
  return {lines: [title, ...lines], steps, expected: answer.kind === 'key' ? say`y` : answer.expected};
}

/** Without the keys of the deck. */
function plainText(line: Line): string {
  return line.map(({text, inCommand = text}) => inCommand).join('');
}
