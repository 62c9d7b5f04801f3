import {Command, Option} from 'commander';
import {mayBeRefused, missingFor, refusalOf} from '../../actions/question/question-for.ts';
import {callOf, recordOf, unmetPrecondition} from '../../actions/actions.ts';
import type {ActionCall} from '../../actions/define.ts';
import {operationWords} from '../../domain/describe-operation.ts';
import {describeFailure, describeReadFailure, type Result} from '../../domain/failure.ts';
import {alteration, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {Reader} from '../../resources/listing.ts';
import {resourceNamed} from '../../resources/resources.ts';
import {organizationFeed} from '../../state/account.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import {type Account, openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, helpSentence, print, whileSent} from '../command-io.ts';
import {parseDuration} from '../connection-options.ts';
import {dataListText, isDataFormat} from '../print/data-text.ts';
import {EXIT, type ExitCode, exitCodeOf, worstOf} from '../../domain/exit-codes.ts';
import {jsonText} from '../print/json-text.ts';
import type {Impossible, Planned, PlannedAction, Sorted} from './plan.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags, codeOfSent, type OutputFormat} from '../run-command.ts';
import {
  impossibleOutcome,
  noticeSent,
  outcomeNames,
  outcomeRecord,
  outcomeText,
  type SentAction,
  sendActions,
  uncertaintyWarnings,
  untilAllFree,
} from './send-actions.ts';
import {assessed, canAsk, confirmed, knownFor, nodeDoubt, type Told, withItsClusters} from './text-question.ts';

type OperationFlags = CommonFlags & {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: DurationMs;
  readonly showSecrets?: boolean;
};

type Unplannable = Extract<Planned, {ok: false}>;

/** The input of a plan: the command's arguments and options, and a way to read. */
type PlanContext<Flags> = {
  readonly reader: Reader;
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly io: CommandIo;
};

/** One operation command as data: how its arguments become actions. */
export type OperationCommand<Flags = object> = {
  readonly name: string;
  readonly summary: string;
  /** In commander's notation: `<vm...>`. */
  readonly arguments?: string;
  readonly options?: (command: Command) => Command;
  readonly plan: (context: PlanContext<Flags>) => Promise<Planned>;
  /** Reads the result once the action was accepted, for actions that lead to one: a console, a log. */
  readonly afterwards?: (account: Account, io: CommandIo, outcome: SentAction) => Promise<Result<More>>;
};

/** The result of an action, as text and as a field of the action's record. */
type More = {readonly text: string; readonly fields: object};

type ActionResult = {readonly outcome: SentAction; readonly more?: More};

/** How soon a command notices that another skydeck has ended: about as soon as a person would. */
const JOURNAL_INTERVAL_MS: DurationMs = SECOND_MS;
/** It is read while the subjects are, and must not delay what was confirmed with `--yes`. */
const ORGANIZATION_WITHIN_MS: DurationMs = 5 * SECOND_MS;
const OUTPUTS = ['table', 'json', 'ndjson', 'yaml', 'name'] as const;

/** A group of operation commands such as `skydeck vm`. */
export function operationGroup(name: string, commands: readonly BuildCommand[]): BuildCommand {
  return (io, end) => {
    const group = new Command(name);
    for (const build of commands) group.addCommand(build(io, end));
    return group;
  };
}

/** One operation command with the options common to all of them. */
export function operationCommand<Flags>(operation: OperationCommand<Flags>): BuildCommand {
  return (io, end) => {
    const command = new Command(operation.name).summary(operation.summary).description(helpSentence(operation.summary));
    if (operation.arguments !== undefined) command.arguments(operation.arguments);
    for (const argument of command.registeredArguments) {
      const byId = argument.variadic ? 'their ids or names' : 'its id or name';
      argument.description = ARGUMENT_MEANINGS[argument.name()] ?? byId;
    }
    operation.options?.(command);
    const own = [...command.options];
    command
      .option('--yes', 'send without asking')
      .option('--dry-run', 'show the calls and send nothing')
      .addOption(waitOption())
      .option('--show-secrets', 'print secrets in the calls');
    return addCommonOptions(command, OUTPUTS).action(async (...given: unknown[]) => {
      const mistake = typedMistake(command, own, given);
      if (mistake !== undefined) return end(failed(io, mistake, EXIT.usage));
      const words = given
        .slice(0, -2)
        .flat()
        .filter(word => typeof word === 'string');
      end(await run(io, operation, words, command.opts<Flags & OperationFlags>()));
    });
  };
}

/** Arguments that are not the id or name, either of them, of what exists. */
const ARGUMENT_MEANINGS: Readonly<Record<string, string>> = {
  name: 'a name for it',
  'new-name': 'its new name',
  bucket: 'its name',
  preset: 'a rule for a well-known port',
  'rule-id': 'its id, as skydeck get rules shows it',
};

function waitOption(): Option {
  const option = new Option('--wait [duration]', 'wait until the effect is seen; --wait alone is --wait=10m');
  // Without the `=`, a word after it is the name of a machine.
  option.flags = '--wait[=duration]';
  return option.argParser(parseDuration);
}

async function run<Flags>(
  io: CommandIo,
  operation: OperationCommand<Flags>,
  words: readonly string[],
  flags: Flags & OperationFlags,
): Promise<ExitCode> {
  const unwritten = new Map<string, SafeText>();
  const opened = await openAccount(io, flags, {
    canOperate: flags.dryRun !== true,
    // An outcome the command does not wait for is not worth the requests that the next action needs.
    watchesOwn: flags.wait !== undefined,
    journalIntervalMs: JOURNAL_INTERVAL_MS,
    onUnwritten: (sent, reason) =>
      unwritten.set(sent.id, say`${operationWords(sent)}: its outcome is not in the journal (${reason})`),
  });
  if (!opened.ok) return failed(io, opened.mistake, opened.exitCode ?? EXIT.usage);
  const {account} = opened;
  if (account.options.isReadOnly && flags.dryRun !== true) {
    return failed(io, 'nothing was sent: this session is read-only', EXIT.usage);
  }
  const run: Run<Flags> = {io, account, operation, flags};
  try {
    const prepared = await prepare(run, words);
    if (!prepared.ok) return unplanned(io, account, prepared);
    const {all, told} = prepared;
    for (const line of told.texts) complain(io, account.redact(line));
    const {possible, impossible} = all;
    if (possible.length === 0) return await refuse(io, account, impossible, flags.output);
    if (flags.dryRun === true) return await dryRun(io, account, {possible, impossible}, flags);
    const answered = await confirmed(io, account, all, {hasYes: flags.yes === true, told});
    if (!answered.isYes) return failed(io, account.redact(answered.reason), EXIT.usage);
    const noticed = noticeSent(account.session.operations);
    const sent = () => noticed().map(account.redact);
    const exitCode = await whileSent(io, sent, () => carryOut(run, {possible: answered.sent, impossible}));
    for (const remark of unwritten.values()) complain(io, account.redact(remark));
    return exitCode;
  } finally {
    account.session.operations?.stop();
    account.session.poller.stop();
  }
}

type Run<Flags> = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly operation: OperationCommand<Flags>;
  readonly flags: Flags & OperationFlags;
};

type Prepared = {
  readonly ok: true;
  readonly all: Sorted;
  /** What a person who is not asked has to know before it is sent. */
  readonly told: Told;
};

/** Reads what the operation needs, once nothing else is under way there, and sorts out what cannot be sent. */
async function prepare<Flags>(
  {io, account, operation, flags}: Run<Flags>,
  words: readonly string[],
): Promise<Prepared | Unplannable> {
  let progress = openProgress(io, account.clock, 'reading the current state');
  const tellWait = (words: SafeText): void => {
    progress.end();
    complain(io, account.redact(words));
    progress = openProgress(io, account.clock, 'an earlier operation on it is still under way');
  };
  // A plan made again reads everything again.
  let readSince = account.clock.monotonicNow();
  const plan = async () => {
    readSince = account.clock.monotonicNow();
    const reader = readerOf(account, {signal: io.gone, progress: said => progress.say(said)});
    const planned = await operation.plan({reader, words, flags, io});
    await keepLists(reader, account, readSince);
    return planned;
  };
  const settled = (actions: readonly PlannedAction[]) =>
    whileSent(
      io,
      () => [],
      () => untilAllFree(account, actions, {tell: tellWait, waitMs: flags.wait}),
    );
  try {
    const [first] = await Promise.all([plan(), readOrganization(account, flags)]);
    const unsettled = first.ok ? await settled(first.actions) : [];
    const planned = unsettled.length > 0 ? await plan() : first;
    if (!planned.ok) return planned;
    const actions = await withItsClusters(io, account, planned.actions);
    const all = await sorted(io, account, actions, {readSince, hasYes: flags.yes === true});
    // A person who is asked reads all this in the question.
    const isAsked = flags.yes !== true && flags.dryRun !== true && canAsk(io);
    const told = isAsked
      ? {texts: [], actions: all.possible}
      : await assessed(io, account, all, {isSent: flags.dryRun !== true});
    const texts = [...uncertaintyWarnings(unsettled, account.clock.wallNow()), ...told.texts];
    return {ok: true, all, told: {...told, texts}};
  } finally {
    progress.end();
  }
}

/**
 * The journal says to which organization an operation belongs, for whoever finds it open there. A key that may not read
 * its organization sends all the same.
 */
async function readOrganization({session, clock}: Account, {dryRun}: OperationFlags): Promise<void> {
  if (dryRun === true) return;
  await collectOnce({feeds: [organizationFeed], poller: session.poller, clock, limitMs: ORGANIZATION_WITHIN_MS});
}

/** The whole lists in which names were sought: the question compares with them, and need not read them again. */
async function keepLists({lists}: Reader, {session}: Account, readAt: MonotonicMs): Promise<void> {
  for (const [kind, list] of lists) {
    const listed = await list;
    if (listed.ok && listed.value.incompleteReason === undefined) {
      resourceNamed(kind)?.keep(listed.value, session.poller.keepRead, readAt);
    }
  }
}

/**
 * Sorted by the state each was in when read, and by other reasons its record gives for refusing, as in the deck;
 * everything else is checked right before sending.
 */
async function sorted(
  io: CommandIo,
  account: Account,
  actions: readonly PlannedAction[],
  {readSince, hasYes}: Pick<Sorted, 'readSince'> & {readonly hasYes: boolean},
): Promise<Sorted> {
  const known = actions.some(({action}) => mayBeRefused(action))
    ? await knownFor(io, account, actions, {readSince})
    : undefined;
  const possible: PlannedAction[] = [];
  const impossible: Impossible[] = [];
  for (const planned of actions) {
    const {action, subject} = planned;
    const isJudged = subject !== undefined && recordOf(action).alsoReads !== 'firewalls';
    const missing = known && missingFor(action, subject, known);
    const refusal = known && refusalOf(action, subject, known);
    const reason =
      missing ?? planned.reason ?? refusal ?? (isJudged ? unmetPrecondition(action, {subject}) : undefined);
    const doubt = hasYes && reason === undefined ? nodeDoubt(planned, account.session.store) : undefined;
    if (missing !== undefined) impossible.push({planned, reason: missing, exitCode: EXIT.notFound});
    else if (reason !== undefined) impossible.push({planned, reason, exitCode: EXIT.refused});
    else if (doubt !== undefined) impossible.push({planned, reason: doubt, exitCode: EXIT.noAnswer});
    else possible.push(planned);
  }
  return {possible, impossible, known, readSince};
}

async function refuse(
  io: CommandIo,
  account: Account,
  impossible: readonly Impossible[],
  format: OutputFormat,
): Promise<ExitCode> {
  const outcomes = impossible.map(impossibleOutcome);
  await tell(
    io,
    account,
    outcomes.map(outcome => ({outcome})),
    format,
  );
  return worstOf(outcomes.map(({exitCode}) => exitCode));
}

async function carryOut<Flags>(
  {io, account, operation, flags}: Run<Flags>,
  {possible, impossible}: Pick<Sorted, 'possible' | 'impossible'>,
): Promise<ExitCode> {
  const progress = openProgress(io, account.clock, 'sending');
  const isAsked = flags.yes !== true;
  const outcomes = await sendActions(account, possible, {waitMs: flags.wait, progress, io, isAsked});
  progress.end();
  const results: ActionResult[] = impossible.map(each => ({outcome: impossibleOutcome(each)}));
  for (const outcome of outcomes) results.push(await withMore({io, account, operation}, outcome));
  await tell(io, account, results, flags.output);
  return codeOfSent(io, worstOf(results.map(({outcome}) => outcome.exitCode)));
}

async function withMore<Flags>(
  {io, account, operation: {afterwards}}: Omit<Run<Flags>, 'flags'>,
  outcome: SentAction,
): Promise<ActionResult> {
  if (afterwards === undefined || outcome.exitCode !== EXIT.done) return {outcome};
  const more = await afterwards(account, io, outcome);
  if (more.ok) return {outcome, more: more.value};
  const text = say`${outcome.words}: ${describeFailure(more.failure)}`;
  return {outcome: {...outcome, text, exitCode: exitCodeOf(more.failure, 'read')}};
}

/** What was done goes to stdout; what was not done, or is unknown, to stderr. */
async function tell(
  io: CommandIo,
  {redact}: Account,
  results: readonly ActionResult[],
  format: OutputFormat,
): Promise<void> {
  const isData = isDataFormat(format);
  if (isData) {
    const records = results.map(({outcome, more}) => ({...outcomeRecord(outcome), ...more?.fields}));
    await print(io, redact(dataListText(records, {format, showsSecrets: true})));
  }
  for (const {outcome, more} of results) {
    const isDone = outcome.exitCode === EXIT.done;
    if (!isDone) complain(io, redact(outcomeText(outcome)));
    else if (isData) continue;
    else if (more !== undefined) await print(io, redact(more.text));
    else if (format === 'table') await print(io, `${redact(outcomeText(outcome))}\n`);
    else if (format === 'name') await print(io, `${redact(outcomeNames(outcome))}\n`);
  }
}

/**
 * Judged like real sending: what would not be sent is refused in the same words, and the calls of the rest are shown.
 */
async function dryRun(
  io: CommandIo,
  {redact}: Account,
  {possible, impossible}: Pick<Sorted, 'possible' | 'impossible'>,
  flags: OperationFlags,
): Promise<ExitCode> {
  const refused = impossible.map(impossibleOutcome);
  for (const outcome of refused) complain(io, redact(outcomeText(outcome)));
  const calls = possible.map(({action}) => callOf(action));
  const options = {showsSecrets: flags.showSecrets ?? false};
  if (isDataFormat(flags.output)) await print(io, redact(dataListText(calls, {...options, format: flags.output})));
  else for (const call of calls) await print(io, redact(`${callText(call, options)}\n`));
  return worstOf(refused.map(({exitCode}) => exitCode));
}

/** A reading before the operation failed: a 500 on it is no answer to the operation, of which none went out. */
function unplanned(io: CommandIo, {redact}: Account, planned: Unplannable): ExitCode {
  if ('mistake' in planned) return failed(io, planned.mistake, EXIT.usage);
  const words = redact(`nothing was sent: ${describeReadFailure(planned.failure)}`);
  return failed(io, words, exitCodeOf(planned.failure, 'read'));
}

/** A request as it would be sent, on one line. */
function callText({method, path, body}: ActionCall, options: {readonly showsSecrets: boolean}): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path} ${jsonText(body, options)}`;
}

/**
 * What is wrong with an argument or option, by its name: text that would not be sent as it was written. A file is named
 * and not sent, so its path may be anything.
 */
function typedMistake(command: Command, options: readonly Option[], given: readonly unknown[]): SafeText | undefined {
  const written = [
    ...command.registeredArguments.map((argument, index) => [argument.name(), given[index]] as const),
    ...options
      .filter(({flags}) => !flags.endsWith('<file>'))
      .map(option => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const),
  ];
  for (const [field, value] of written) {
    for (const text of [value].flat()) {
      const altered = typeof text === 'string' ? alteration(text) : undefined;
      if (altered !== undefined) return say`${safeText(field)}: ${altered}`;
    }
  }
  return undefined;
}
