import {randomUUID} from 'node:crypto';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {checkBaseUrl} from './api/base-url.ts';
import type {Opening} from './app/opening.ts';
import {stateFolder} from './config/folders.ts';
import {readKey} from './config/key-source.ts';
import {type DeckOptions, parseDeckOptions} from './config/options.ts';
import {readSettings} from './config/settings.ts';
import {createRedactor, type Secret, secret} from './domain/secret.ts';
import {type Clock, epochMs, monotonicMs, SECOND_MS} from './domain/time.ts';
import {creditFeed, machinesFeed, organizationFeed, usageFeed} from './state/feeds.ts';
import {createLink, type Link} from './state/link.ts';
import {openRequestLog, type RequestLog} from './state/request-log.ts';
import {createSession} from './state/session.ts';
import {checkTerminal, isUtf8Locale} from './terminal/abilities.ts';

const VERSION = '0.1.0';
const EXIT_USAGE = 2;
/** What another skydeck does on the same account is seen here about as soon as on its own screen. */
const JOURNAL_INTERVAL_MS = 3 * SECOND_MS;

/** Arguments that begin with one of these words go to its own file; everything else opens the deck. */
const SUBCOMMANDS: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  simulator: async argv =>
    (await import('./cli/simulator.ts')).runSimulator(argv, {...STREAMS, untilStopped: untilStopped()}),
};
const SUBCOMMAND_LINES = ['simulator   the small cloud alone, for tests and scripts'];
const STREAMS = {stdout: process.stdout, stderr: process.stderr};

/** The exit code, or undefined while the deck runs on. `opening` is the terminal where it was already taken. */
export async function run(argv: readonly string[], opening?: Opening): Promise<number | undefined> {
  const subcommand = SUBCOMMANDS[argv[0] ?? ''];
  if (subcommand !== undefined) return subcommand(argv.slice(1));
  const parsed = parseDeckOptions(argv, process.env, {version: VERSION, subcommands: SUBCOMMAND_LINES});
  if (parsed.kind === 'printed') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'mistake') return usage(parsed.mistake);
  const opened = await openDeck(parsed.options, opening);
  if (typeof opened === 'number' || opened === undefined) return opened;
  // What is told now has to stand on the terminal that the shell goes on with.
  opening?.lifecycle.giveBack();
  return usage(opened.mistake);
}

/** Undefined while the deck runs on: it ends the process itself. */
async function openDeck(
  options: DeckOptions,
  opening: Opening | undefined,
): Promise<number | undefined | {readonly mistake: string}> {
  const terminal = checkTerminal({stdin: process.stdin, stdout: process.stdout, env: process.env});
  if (terminal.kind === 'refused') {
    process.stderr.write(`${terminal.line}\n`);
    return EXIT_USAGE;
  }
  const read = await readSettings(process.env);
  if (!read.ok) return read;
  const target = await connect(options);
  if ('mistake' in target) return target;
  const link = createLink(() => options.fixedNow ?? Date.now());
  const clock = realClock(options, link);
  const redact = createRedactor([target.key]);
  opening?.learn({redact});
  const folder = stateFolder(process.env);
  const log = openLog(options, clock, redact);
  if (typeof log === 'string') return {mistake: log};
  const session = createSession({
    log,
    ...options,
    ...target,
    clock,
    link,
    random: Math.random,
    newId: randomUUID,
    journalPath: journalPath(folder, target),
    journalIntervalMs: JOURNAL_INTERVAL_MS,
    isTlsUnchecked: process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  });
  if (terminal.kind === 'overview') {
    const {printOverview} = await import('./cli/overview.ts');
    const isUtf8 = isUtf8Locale(process.env, process.platform);
    return printOverview({...STREAMS, session, clock, isSimulated: target.isSimulated, isUtf8});
  }
  // On its way while the deck is being loaded; then the deck says what it wants.
  session.poller.want(OPENING, FIRST_WANTS);
  const {startDeck} = await import('./app/start-deck.tsx');
  startDeck({
    ...options,
    ...read.settings,
    ...STREAMS,
    session,
    clock,
    redact,
    stdin: process.stdin,
    process,
    environment: process.env,
    opening,
    stateFolder: folder,
    connection: {
      ...link,
      isSimulated: target.isSimulated,
      usedLastMinute: session.budget.usedLastMinute,
      ceilingPerMinute: session.budget.ceilingPerMinute,
    },
  });
  session.poller.want(OPENING, []);
  return undefined;
}

const OPENING = 'opening';
const FIRST_WANTS = [machinesFeed, usageFeed, organizationFeed, creditFeed].map((feed, priority) => ({feed, priority}));

type Target = {readonly baseUrl: string; readonly key: Secret; readonly isSimulated: boolean};

/** The service that was named, or a small cloud inside this process when none was. */
async function connect(options: DeckOptions): Promise<Target | {readonly mistake: string}> {
  const {baseUrl, keySource} = options;
  if (baseUrl === undefined && keySource === undefined) return startEmbedded();
  if (baseUrl === undefined)
    return {mistake: 'there is a key, but no service to take it to: set SKYDECK_BASE_URL or --base-url'};
  if (keySource === undefined) {
    return {mistake: 'there is a service, but no key for it: set SKYDECK_API_KEY, --key-file or --key-command'};
  }
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return checked;
  // Children, a key command among them, and crash reports have no business with it.
  delete process.env.SKYDECK_API_KEY;
  const read = readKey(keySource);
  return read.ok ? {baseUrl, key: read.key, isSimulated: false} : read;
}

async function startEmbedded(): Promise<Target> {
  const {startSimulator} = await import('./simulator/server.ts');
  const {url, apiKey} = await startSimulator({rateLimitPerMinute: 'off'});
  return {baseUrl: url, key: secret(apiKey), isSimulated: true};
}

/** The log that was asked for, or why it cannot be written. */
function openLog(
  {logPath}: DeckOptions,
  clock: Clock,
  redact: (text: string) => string,
): RequestLog | string | undefined {
  if (logPath === undefined) return undefined;
  try {
    return openRequestLog(logPath, clock, redact);
  } catch (error) {
    return `--log ${logPath}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** One journal for each service. That of an embedded cloud is worth nothing without it, and goes with it. */
function journalPath(folder: string, {baseUrl, isSimulated}: Target): string {
  const path = join(folder, 'journal', `${new URL(baseUrl).host.replaceAll(/[^\w.-]/g, '_')}.jsonl`);
  if (isSimulated) {
    rmSync(path, {force: true});
    process.on('exit', () => rmSync(path, {force: true}));
  }
  return path;
}

/** What is shown and billed follows the service's clock, unless one was fixed; timers follow nobody. */
function realClock({fixedNow}: DeckOptions, link: Link): Clock {
  return {
    wallNow: () => fixedNow ?? epochMs(Date.now() + significantOffset(link)),
    monotonicNow: () => monotonicMs(performance.now()),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** The Date header counts whole seconds, so a smaller difference says nothing. */
function significantOffset(link: Link): number {
  const offset = link.clockOffsetMs() ?? 0;
  return Math.abs(offset) < 2 * SECOND_MS ? 0 : offset;
}

function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function usage(mistake: string): number {
  process.stderr.write(`skydeck: ${mistake}\n`);
  return EXIT_USAGE;
}
