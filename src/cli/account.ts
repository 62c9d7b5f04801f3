import {askPrometheus} from '../api/prometheus.ts';
import {rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {ACTIONS} from '../actions/actions.ts';
import {checkBaseUrl} from '../api/base-url.ts';
import {BYTES_PER_MIB} from '../api/exchange.ts';
import {namesFile} from '../config/known-names.ts';
import {readKey, readSecretFile} from '../config/key-source.ts';
import {
  type AskedOptions,
  type ConnectionFlags,
  type ConnectionOptions,
  preferencesOf,
  readFlags,
} from '../config/options.ts';
import {codeOf, hostFileName, NotOursError, openStateFolder, type StateFile, stateFolder} from '../config/own-files.ts';
import {type ResolvedOptions, resolveOptions} from '../config/profiles.ts';
import {readSettings, type Settings} from '../config/settings.ts';
import {withMutes, type Preferences} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {createRedactor, type Secret, secret} from '../domain/secret.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../domain/time.ts';
import {clockWords} from '../domain/triage/words.ts';
import {createLink, type Link} from '../state/poller/link.ts';
import {openRequestLog, type RequestLog} from '../state/poller/request-log.ts';
import type {Reader} from '../resources/listing.ts';
import {LearntActivity} from '../state/learnt-activity.ts';
import {type OwnConnection, parseSshConnection} from '../domain/own-connection.ts';
import {Mutes} from '../state/mutes.ts';
import {createSession, type PrometheusAccess, type Session} from '../state/session.ts';
import {type CommandIo, complain} from './command-io.ts';
import {EXIT, type ExitCode} from '../domain/exit-codes.ts';

/** An open account: its session, whether it may write, and the options it was opened with. */
export type Account = {
  readonly settings: Settings;
  /** The settings as values, including what a key in the deck keeps on purpose. */
  readonly preferences: Preferences;
  readonly options: ConnectionOptions;
  readonly baseUrl: string;
  readonly key: Secret;
  /** The key, the token of the profile's Prometheus, and what the command itself has. */
  readonly secrets: readonly Secret[];
  readonly isSimulated: boolean;
  readonly session: Session;
  readonly clock: Clock;
  readonly link: Link;
  readonly log: RequestLog | undefined;
  /** Removes the secrets from a text. */
  readonly redact: (text: string) => string;
  readonly journalPath: string;
  readonly mutes: Mutes;
  /** The SSH session that the command runs in. */
  readonly ownConnection: OwnConnection | undefined;
  /** What was learnt about the machines' activity, kept between runs. */
  readonly activity: LearntActivity;
  /** Where completion finds the names listed before; none for the built-in simulator. */
  readonly namesFile: StateFile | undefined;
};

/** How a command reads records: each list in which it seeks names is read once, whatever the number of names. */
export function readerOf(
  {session}: Pick<Account, 'session'>,
  {narrowing = {}, ...given}: Pick<Reader, 'signal' | 'progress'> & Partial<Pick<Reader, 'narrowing'>>,
): Reader {
  return {...given, narrowing, client: session.client, lists: new Map()};
}

export type OpenedAccount =
  | {readonly ok: true; readonly account: Account}
  /** Wrong usage, unless another exit code is given. */
  | {readonly ok: false; readonly mistake: SafeText; readonly exitCode?: ExitCode};

/** How soon the deck shows what another skydeck does on the same account. */
export const DECK_JOURNAL_INTERVAL_MS: DurationMs = 3 * SECOND_MS;

export type AccountUse = Pick<Parameters<typeof createSession>[0], 'watchesOwn' | 'onUnwritten' | 'exchange'> & {
  readonly canOperate: boolean;
  /** How often to look in the journal for what another skydeck does; once if absent. */
  readonly journalIntervalMs?: DurationMs;
  /** How requests to the profile's Prometheus are sent; over the network if absent. */
  readonly askPrometheus?: PrometheusAccess['ask'];
  /** Secrets of the command itself, which no text may show either. */
  readonly otherSecrets?: readonly Secret[];
};

/** `canEmbed`: if neither a service nor a key is given, the built-in simulator is used instead. */
type AskedUse = AccountUse & {readonly canEmbed: boolean};

/** For commands: a service and a key are required, so that no script reads a simulated cloud by mistake. */
export function openAccount(
  io: CommandIo,
  flags: ConnectionFlags,
  use: AccountUse = {canOperate: false},
): Promise<OpenedAccount> {
  const asked = readFlags(flags, io.environment);
  return asked.ok ? openAsked(io, asked.options, {...use, canEmbed: false}) : Promise.resolve(asked);
}

/** What options, environment and profile set together, for commands that open no account. */
export async function resolvedOptions(io: CommandIo, flags: ConnectionFlags): Promise<ResolvedOptions> {
  const asked = readFlags(flags, io.environment);
  if (!asked.ok) return asked;
  const read = await readSettings(io.environment);
  return read.ok ? resolveOptions(asked.options, read.settings) : read;
}

export async function openAsked(io: CommandIo, asked: AskedOptions, use: AskedUse): Promise<OpenedAccount> {
  const read = await readSettings(io.environment);
  if (!read.ok) return read;
  const resolved = resolveOptions(asked, read.settings);
  if (!resolved.ok) return resolved;
  const target = await connect(io, resolved.options, {canEmbed: use.canEmbed, settings: read.settings});
  if ('mistake' in target) return {ok: false, mistake: target.mistake};
  const surroundings = openSurroundings(io, target, {options: resolved.options, use});
  if (!surroundings.ok) return surroundings;
  const planted = use.canOperate ? plantedFolder(io) : undefined;
  if (planted !== undefined) return {ok: false, mistake: planted, exitCode: EXIT.noAnswer};
  return {ok: true, account: accountAt(io, target, {use, resolved, surroundings, settings: read.settings})};
}

type Surroundings = Pick<Account, 'link' | 'clock' | 'secrets' | 'redact' | 'log'> & {
  readonly prometheus: PrometheusAccess | undefined;
};

/** What a session takes from outside: the clock, the log, and the Prometheus beside the service. */
function openSurroundings(
  io: CommandIo,
  {key}: ServiceTarget,
  {options, use}: {readonly options: ConnectionOptions; readonly use: AskedUse},
): ({readonly ok: true} & Surroundings) | Mistaken {
  // A time that is set by hand is meant to differ.
  const tellsClock = !use.canEmbed && options.fixedNow === undefined;
  const link = createLink(
    () => options.fixedNow ?? io.localNow(),
    tellsClock ? (...clocks) => complain(io, clockWarning(...clocks)) : undefined,
  );
  const clock = io.clockFor(options.fixedNow, link);
  const found = openPrometheus(io, options, use);
  if (!found.ok) return found;
  const {prometheus} = found;
  const tokens = prometheus === undefined ? [] : [prometheus.token];
  const secrets = [key, ...tokens, ...(use.otherSecrets ?? [])];
  const redact = createRedactor(secrets);
  io.learnKey(redact);
  const opened = openLog(options, {clock, redact, complain: use.canEmbed ? () => {} : text => complain(io, text)});
  if (!opened.ok) return opened;
  return {ok: true, link, clock, secrets, redact, log: opened.log, prometheus};
}

function accountAt(
  io: CommandIo,
  target: ServiceTarget,
  {
    use,
    resolved: {options, profileName},
    surroundings: {link, clock, secrets, redact, log, prometheus},
    settings,
  }: {
    readonly use: AskedUse;
    readonly resolved: Extract<ResolvedOptions, {ok: true}>;
    readonly surroundings: Surroundings;
    readonly settings: Settings;
  },
): Account {
  const files = filesOf(io, target);
  const onTrouble = (file: string, trouble: string): void =>
    log?.({effect: 'read', request: `file ${file}`, params: {}, elapsedMs: 0, outcome: trouble});
  const kept = files.kept && {...files.kept, onTrouble};
  const mutes = new Mutes({...files.mutes, onTrouble}, clock);
  const preferences = withMutes(preferencesOf(settings), mutes.all());
  const session = createSession({
    actions: ACTIONS,
    ...options,
    ...target,
    ...use,
    secrets,
    clock,
    link,
    log,
    random: io.random,
    newId: io.newId,
    journalPath: files.journalPath,
    keptFile: kept,
    isReadOnly: options.isReadOnly || !use.canOperate,
    isTlsUnchecked: io.environment.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    maxListBytes: settings.maxListMib * BYTES_PER_MIB,
    maxListRecords: settings.maxListRecords,
    preferences,
    prometheus,
  });
  return {
    ...target,
    secrets,
    settings,
    preferences,
    options,
    session,
    clock,
    link,
    log,
    redact,
    journalPath: files.journalPath,
    mutes,
    ownConnection: parseSshConnection(io.environment.SSH_CONNECTION),
    activity: new LearntActivity(kept),
    namesFile: target.isSimulated
      ? undefined
      : {...namesFile(io.environment, {baseUrl: target.baseUrl, profileName}), onTrouble},
  };
}

function clockWarning(offsetMs: DurationMs, isFollowed: boolean): string {
  return `${clockWords(offsetMs)}: ${isFollowed ? 'ages follow it' : 'too far off to be right, so it is not used'}`;
}

type ServiceTarget = {readonly baseUrl: string; readonly key: Secret; readonly isSimulated: boolean};

/** The configured service, or the built-in simulator if there is none. */
async function connect(
  io: CommandIo,
  {baseUrl, keySource}: ConnectionOptions,
  {canEmbed, settings}: {readonly canEmbed: boolean; readonly settings: Settings},
): Promise<ServiceTarget | {readonly mistake: SafeText}> {
  if (baseUrl === undefined && keySource === undefined)
    return canEmbed ? startEmbedded() : {mistake: noAccount(settings)};
  if (baseUrl === undefined) return {mistake: say`there is a key but no base URL: set SKYDECK_BASE_URL or --base-url`};
  if (keySource === undefined) {
    return {mistake: say`there is a base URL but no key: set SKYDECK_API_KEY, --key-file or --key-command`};
  }
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) {
    const isFromVariable = io.environment.SKYDECK_BASE_URL === baseUrl;
    return {mistake: isFromVariable ? say`SKYDECK_BASE_URL: ${checked.mistake}` : checked.mistake};
  }
  io.forgetKey();
  const read = readKey(keySource);
  return read.ok ? {baseUrl, key: read.key, isSimulated: false} : {mistake: read.mistake};
}

/** Why there is no account to open: none is configured, or none of the profiles is in use. */
export function noAccount({profiles}: Pick<Settings, 'profiles'>): SafeText {
  const names = Object.keys(profiles).join(', ');
  return names === ''
    ? say`no account: run skydeck profile add, or set SKYDECK_BASE_URL and SKYDECK_API_KEY`
    : say`no profile is in use: skydeck profile use NAME (${safeText(names)})`;
}

async function startEmbedded(): Promise<ServiceTarget> {
  const {startSimulator} = await import('../simulator/http/server.ts');
  const {url, apiKey} = await startSimulator({rateLimitPerMinute: 'off'});
  return {baseUrl: url, key: secret(apiKey), isSimulated: true};
}

/** The Prometheus of the profile, or why its token cannot be read. */
function openPrometheus(
  io: CommandIo,
  {prometheus}: ConnectionOptions,
  {askPrometheus: asked}: AccountUse,
): {readonly ok: true; readonly prometheus: PrometheusAccess | undefined} | Mistaken {
  if (prometheus === undefined) return {ok: true, prometheus};
  const {url, gpuLabel, gpuField} = prometheus;
  const token = readToken(prometheus);
  if (token.ok) {
    const gpus = {label: gpuLabel, field: gpuField};
    return {ok: true, prometheus: {url, token: token.key, ask: asked ?? askPrometheus, gpus}};
  }
  if (asked !== undefined) return token;
  // Created only on use, because few commands send it anything.
  complain(io, token.mistake);
  return {ok: true, prometheus: undefined};
}

export function readToken({tokenFile}: NonNullable<ConnectionOptions['prometheus']>) {
  return readSecretFile(tokenFile, {name: say`the token file of Prometheus`, word: 'token'});
}

type Mistaken = {readonly ok: false; readonly mistake: SafeText};

/** The requested log, or why it cannot be written. */
function openLog(
  {logPath}: ConnectionOptions,
  {
    clock,
    redact,
    complain,
  }: {
    readonly clock: Clock;
    readonly redact: (text: string) => string;
    readonly complain: (text: string) => void;
  },
): {readonly ok: true; readonly log: RequestLog | undefined} | Mistaken {
  if (logPath === undefined) return {ok: true, log: undefined};
  try {
    return {ok: true, log: withoutThrowing(openRequestLog(logPath, clock, redact), complain)};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const why = codeOf(error) === 'ENOENT' ? `there is no folder ${dirname(logPath)}` : reason;
    return {ok: false, mistake: say`--log ${safeText(logPath)}: ${safeText(why)}`};
  }
}

/** The files kept for this service. Nothing is kept for the built-in simulator. */
function filesOf(io: CommandIo, {baseUrl, isSimulated}: ServiceTarget) {
  const journalPath = stateFile(io, baseUrl, 'journal', 'jsonl');
  if (isSimulated) removeAtExit(io, [journalPath, stateFile(io, baseUrl, 'findings', 'json')]);
  const mutes: StateFile = {environment: io.environment, name: fileName(baseUrl, 'json')};
  return {journalPath, mutes, kept: isSimulated ? undefined : mutes};
}

/** The disk may fill up meanwhile: that is reported once, and the request goes on without its line. */
function withoutThrowing(log: RequestLog, tell: (text: string) => void): RequestLog {
  let isTold = false;
  return entry => {
    try {
      log(entry);
    } catch (error) {
      if (!isTold) tell(`--log: ${error instanceof Error ? error.message : String(error)}`);
      isTold = true;
    }
  };
}

/**
 * Why the journal's folder cannot be read or written. A journal that can be read but not written is reported once it
 * has to be written.
 */
export function plantedFolder({environment}: Pick<CommandIo, 'environment'>): SafeText | undefined {
  try {
    openStateFolder(environment, 'journal');
    return undefined;
  } catch (error) {
    return error instanceof NotOursError ? say`the journal's folder ${safeText(error.message)}` : undefined;
  }
}

/** What is kept for a built-in simulator is removed with it, including what an earlier one may have left. */
function removeAtExit(io: CommandIo, paths: readonly string[]): void {
  const remove = (): void => {
    for (const path of paths) rmSync(path, {force: true});
  };
  remove();
  io.onExit(remove);
}

/** One journal per service. */
export function journalPath(io: Pick<CommandIo, 'environment'>, baseUrl: string): string {
  return stateFile(io, baseUrl, 'journal', 'jsonl');
}

function stateFile(
  {environment}: Pick<CommandIo, 'environment'>,
  baseUrl: string,
  folder: string,
  extension: string,
): string {
  return join(stateFolder(environment), folder, fileName(baseUrl, extension));
}

function fileName(baseUrl: string, extension: string): string {
  return `${hostFileName(baseUrl)}.${extension}`;
}
