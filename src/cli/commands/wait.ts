import {Command, InvalidArgumentError, Option} from 'commander';
import {type ConnectionFlags, OPTIONS} from '../../config/options.ts';
import {describeReadFailure, type Failure} from '../../domain/failure.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS, SECOND_MS} from '../../domain/time.ts';
import {type FindOutcome, find} from '../../resources/find.ts';
import type {RawListing, Reader} from '../../resources/listing.ts';
import {aloneAt, oneName, type Resource} from '../../resources/resource.ts';
import {RESOURCES, resourceNamed} from '../../resources/resources.ts';
import {type Feed, feedName} from '../../state/feed.ts';
import {askedDelay, nextAttemptDelay} from '../../state/poller/circuit-breaker.ts';
import {formatDuration} from '../../ui/format.ts';
import {type Account, openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, helpItems, print} from '../command-io.ts';
import {addConnectionOptions, parseDuration} from '../connection-options.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {openProgress, type Progress} from '../print/progress.ts';

type WaitFlags = Omit<ConnectionFlags, 'timeout'> & {readonly for: string; readonly timeout: DurationMs};

const READ_EVERY_MS: DurationMs = 3 * SECOND_MS;
const DEFAULT_TIMEOUT_MS: DurationMs = 10 * MINUTE_MS;
const GONE = 'DELETED';

/** `skydeck wait`: for scripts that continue once something is in a state. It only reads. */
export const waitCommand: BuildCommand = (io, end) => {
  const command = new Command('wait')
    .description('Wait until a machine, cluster or volume is in a state. Exit code 7: the time ran out.')
    .argument('<vm|cluster|volume>', 'what to wait for')
    .argument('<id-or-name>', 'its id or name')
    .requiredOption(
      '--for <state=STATE>',
      'the state to wait for, such as state=ACTIVE; state=DELETED: until it is gone',
      stateOf,
    )
    .addOption(
      new Option('--timeout <duration>', 'the longest wait, such as 30s or 1h')
        .argParser(parseDuration)
        .default(DEFAULT_TIMEOUT_MS, '10m'),
    )
    .addHelpText('after', ({command: shown}) => `\nStates:\n${statesHelp(shown)}\n`)
    .optionsGroup('Common options:');
  return addConnectionOptions(command, [OPTIONS.timeout]).action(
    async (kind: string, wanted: string, flags: WaitFlags) => end(await runWait(io, kind, wanted, flags)),
  );
};

function stateOf(text: string): string {
  const match = /^state=([\w-]+)$/.exec(text.trim());
  if (match?.[1] === undefined) throw new InvalidArgumentError('Use state=STATE, such as state=ACTIVE.');
  return normal(match[1]);
}

function statesHelp(command: Command): string {
  return helpItems(
    command,
    RESOURCES.flatMap(({names, states}) =>
      states === undefined ? [] : [[oneName({names}), states.join(' ')] as const],
    ),
  );
}

/** The service writes some states in lower case, or with a hyphen. */
function normal(state: string): string {
  return state.toUpperCase().replaceAll('-', '_');
}

async function runWait(io: CommandIo, kind: string, wanted: string, flags: WaitFlags): Promise<ExitCode> {
  const resource = resourceNamed(kind);
  const states = resource?.states;
  if (resource?.one === undefined || states === undefined) {
    return failed(io, say`only a vm, a cluster or a volume can be waited for, not "${safeText(kind)}"`, EXIT.usage);
  }
  const state = flags.for;
  const {one} = resource.words;
  if (!states.includes(state)) {
    const list = safeText(states.join(' '));
    return failed(io, say`--for: no state of a ${one} is called "${safeText(state)}"; there are ${list}`, EXIT.usage);
  }
  const {timeout: timeoutMs, ...connection} = flags;
  const opened = await openAccount(io, connection);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  let progress = openProgress(io, account.clock, `reading ${wanted}`);
  // A host name may be mistyped: nobody should learn that only when the time has run out.
  const onFirstFailure = (failure: Failure) => {
    progress.end();
    const limit = safeText(formatDuration(timeoutMs));
    const words = say`waiting up to ${limit} for ${one} ${safeText(wanted)} to be ${safeText(state)}`;
    complain(io, account.redact(say`${words}: ${describeReadFailure(failure)}`));
    progress = openProgress(io, account.clock, `reading ${wanted}`);
  };
  // The time counts from the first request on, and ends any request under way.
  const deadline = new AbortController();
  const cancel = account.clock.after(timeoutMs, () => deadline.abort());
  const signal = AbortSignal.any([io.gone, deadline.signal]);
  try {
    const sayProgress = (words: string) => progress.say(words);
    const {reader, found, failure} = await lookUp(io, account, {
      resource,
      wanted,
      signal,
      sayProgress,
      onFirstFailure,
    });
    if (deadline.signal.aborted || !found.ok) progress.end();
    if (deadline.signal.aborted) {
      const words = say`${one} ${safeText(wanted)} was not ${safeText(state)} within ${safeText(formatDuration(timeoutMs))}`;
      const why = failure === undefined ? say`the service did not answer in time` : describeReadFailure(failure);
      return failed(io, account.redact(say`${words}: ${why}`), EXIT.unknownOutcome);
    }
    if (!found.ok && 'mistake' in found) return failed(io, found.mistake, EXIT.usage);
    if (!found.ok) return await unfound(io, account, {failure: found.failure, state, wanted, one});
    const {id, name} = found.value;
    const words = say`${one} ${nameInWords(name)} #${id}`;
    return await untilSeen({
      io,
      account,
      progress,
      resource,
      reader,
      id,
      words,
      state,
      timeoutMs,
      deadline: deadline.signal,
    });
  } finally {
    cancel();
    progress.end();
    account.session.poller.stop();
  }
}

type LookUp = {
  readonly reader: Reader;
  readonly found: FindOutcome;
  /** Why the look-up before this one failed. */
  readonly failure: Failure | undefined;
};

/**
 * Finds what is waited for, again after each failure that may pass: an outage of the service is no answer. It backs off
 * like the poller.
 */
async function lookUp(
  {random}: CommandIo,
  account: Account,
  {
    resource,
    wanted,
    signal,
    sayProgress,
    onFirstFailure,
  }: {
    readonly resource: Resource;
    readonly wanted: string;
    readonly signal: AbortSignal;
    readonly sayProgress: Progress['say'];
    readonly onFirstFailure: (failure: Failure) => void;
  },
): Promise<LookUp> {
  let failure: Failure | undefined;
  for (let tryCount = 1; ; tryCount += 1) {
    // A reader keeps the lists it has read, and those it could not read.
    const reader = readerOf(account, {signal, progress: sayProgress});
    const found = await find(reader, resource, wanted);
    if (signal.aborted || found.ok || 'mistake' in found || !mayPass(found.failure)) return {reader, found, failure};
    if (failure === undefined) onFirstFailure(found.failure);
    ({failure} = found);
    sayProgress(describeReadFailure(failure));
    const askedMs = failure.kind === 'rate-limited' ? (failure.retryAfterMs ?? MINUTE_MS) : askedDelay(failure, random);
    await pause(account, askedMs + nextAttemptDelay(tryCount, random), signal);
  }
}

function mayPass(failure: Failure): boolean {
  const code = exitCodeOf(failure, 'read');
  return code === EXIT.noAnswer || code === EXIT.rateLimited;
}

function pause({clock}: Account, delayMs: DurationMs, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal.addEventListener('abort', done);
  });
}

/**
 * What does not exist is gone, which may be what is waited for. A name that nothing has may also be mistyped, which is
 * said; a script that deletes by name and then waits must still find it gone.
 */
async function unfound(
  io: CommandIo,
  account: Account,
  {
    failure,
    state,
    wanted,
    one,
  }: {readonly failure: Failure; readonly state: string; readonly wanted: string; readonly one: SafeText},
): Promise<ExitCode> {
  const isId = /^\d+$/.test(wanted);
  // That a list does not exist, as under a wrong base URL, says nothing of what it would hold.
  if (failure.kind === 'not-found' && state === GONE && (isId || failure.isSoughtInList === true)) {
    const words = isId
      ? say`${safeText(wanted)} does not exist`
      : say`no ${one} is called "${safeText(wanted)}": it is gone, or never was`;
    await print(io, `${account.redact(words)}\n`);
    return EXIT.done;
  }
  return failed(io, account.redact(`wait: ${describeReadFailure(failure)}`), exitCodeOf(failure, 'read'));
}

type Wait = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly progress: Progress;
  readonly resource: Resource;
  readonly reader: Reader;
  readonly id: number;
  readonly words: SafeText;
  readonly state: string;
  readonly timeoutMs: DurationMs;
  /** Aborted when this much time has passed. */
  readonly deadline: AbortSignal;
};

/**
 * Reads through the poller, which backs off while the service is unreachable, until the state is seen or time is up.
 */
function untilSeen(wait: Wait): Promise<ExitCode> {
  const {io, account, progress, words, state, timeoutMs, deadline} = wait;
  const {store, poller} = account.session;
  const feed = feedOf(wait);
  return new Promise(resolve => {
    let last: SafeText | undefined;
    const settle = (code: ExitCode) => {
      deadline.removeEventListener('abort', giveUp);
      stop();
      progress.end();
      resolve(code);
    };
    const end = (line: string, code: ExitCode) => {
      progress.end();
      void print(io, `${account.redact(line)}\n`).then(() => settle(code));
    };
    const fail = (line: string, code: ExitCode) => {
      progress.end();
      settle(failed(io, account.redact(line), code));
    };
    const look = () => {
      const snapshot = store.get(feed);
      const failure = failureOf(snapshot);
      if (failure?.kind === 'not-found') {
        return state === GONE ? end(`${words} is gone`, EXIT.done) : fail(`${words} is gone`, EXIT.notFound);
      }
      if (failure?.kind === 'not-authorised') return fail(`wait: ${describeReadFailure(failure)}`, EXIT.notAuthorised);
      last = lastValue(snapshot) ?? last;
      if (failure === undefined && last !== undefined && normal(last) === state)
        return end(`${words} is ${last}`, EXIT.done);
      progress.say(failure === undefined ? `${words} is ${last ?? 'not read yet'}` : describeReadFailure(failure));
    };
    const stop = store.subscribe(look);
    const giveUp = () => {
      const failure = failureOf(store.get(feed));
      const seen = last === undefined ? '' : `, last seen ${last}`;
      const why = failure === undefined ? '' : `; ${describeReadFailure(failure)}`;
      fail(`${words} was not ${state} within ${formatDuration(timeoutMs)}${seen}${why}`, EXIT.unknownOutcome);
    };
    deadline.addEventListener('abort', giveUp);
    poller.want('wait', [{feed, priority: 0}]);
  });
}

/** The state of the single record, in the service's own word. */
function feedOf({resource, reader, id, account}: Wait): Feed<SafeText> {
  return {
    ...feedName(['wait', id]),
    intervalMs: READ_EVERY_MS,
    read: async (client, signal = reader.signal) => {
      const one = await resource.one?.read({...reader, client, signal}, id);
      if (one === undefined || !one.ok) return one ?? NOTHING;
      const state = stateIn(resource, one.value, account);
      return state === undefined ? NOTHING : {ok: true, value: state};
    },
  };
}

const NOTHING = {ok: false, failure: {kind: 'odd-answer', detail: say`the record has no state`}} as const;

function stateIn(resource: Resource, {raw}: RawListing, {clock}: Account): SafeText | undefined {
  const [record] = raw;
  const {cell} = resource.entry(aloneAt(clock.wallNow()))(record);
  const state = cell?.('state')?.text;
  return state === undefined ? undefined : safeText(state);
}
