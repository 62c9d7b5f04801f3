import {askPrometheus} from '../api/prometheus.ts';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {ACTIONS} from '../actions/actions.ts';
import {checkBaseUrl} from '../api/base-url.ts';
import {BYTES_PER_MIB} from '../api/exchange.ts';
import {namesFile} from '../config/known-names.ts';
import {readKey, readSecretFile} from '../config/key-source.ts';
import {type AskedOptions, type ConnectionFlags, type ConnectionOptions, readFlags} from '../config/options.ts';
import {NotOursError, openStateFolder, type StateFile, stateFolder} from '../config/own-files.ts';
import {resolveOptions} from '../config/profiles.ts';
import {preferencesOf, readSettings, type Settings} from '../config/settings.ts';
import {keeping, type Preferences} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {createRedactor, type Secret, secret} from '../domain/secret.ts';
import type {Clock, DurationMs} from '../domain/time.ts';
import {createLink, type Link} from '../state/link.ts';
import {openRequestLog, type RequestLog} from '../state/request-log.ts';
import {MachinePasts} from '../state/machine-pasts.ts';
import {Mutes} from '../state/mutes.ts';
import {createSession, type PrometheusAccess, type Session} from '../state/session.ts';
import {type CommandIo, complain} from './command-io.ts';
import {EXIT, type ExitCode} from './exit-codes.ts';

/** An open account: its session, what may be done, and the options it was opened with. */
export type Account = {
  readonly settings: Settings;
  /** The settings as values, with what is kept on purpose by a key of the deck. */
  readonly preferences: Preferences;
  readonly options: ConnectionOptions;
  readonly baseUrl: string;
  readonly key: Secret;
  readonly isSimulated: boolean;
  readonly session: Session;
  readonly clock: Clock;
  readonly link: Link;
  readonly log: RequestLog | undefined;
  /** Takes the key out of any text. */
  readonly redact: (text: string) => string;
  readonly journalPath: string;
  readonly mutes: Mutes;
  /** What was learnt of the machines' activity, kept between runs. */
  readonly pasts: MachinePasts;
  /** Where completion finds the names that were listed; an embedded cloud leaves none. */
  readonly namesFile: StateFile | undefined;
};

export type OpenedAccount =
  | {readonly ok: true; readonly account: Account}
  /** Wrong usage, where no exit code says something else. */
  | {readonly ok: false; readonly mistake: SafeText; readonly exitCode?: ExitCode};

export type AccountUse = Pick<Parameters<typeof createSession>[0], 'watchesOwn' | 'onUnwritten' | 'exchange'> & {
  readonly canOperate: boolean;
  /** How often the journal is looked at for what another skydeck does; once where nothing is said. */
  readonly journalIntervalMs?: DurationMs;
  /** How the profile's Prometheus is asked; over the network where absent. */
  readonly askPrometheus?: PrometheusAccess['ask'];
};

/** For the commands: a service and a key are required, so that no script reads a simulated cloud by mistake. */
export function openAccount(
  io: CommandIo,
  flags: ConnectionFlags,
  use: AccountUse = {canOperate: false},
): Promise<OpenedAccount> {
  const asked = readFlags(flags, io.environment);
  return asked.ok ? openAsked(io, asked.options, {...use, canEmbed: false}) : Promise.resolve(asked);
}

/** `canEmbed`: where neither a service nor a key is named, a small cloud inside this process takes their place. */
export async function openAsked(
  io: CommandIo,
  asked: AskedOptions,
  use: AccountUse & {readonly canEmbed: boolean},
): Promise<OpenedAccount> {
  const read = await readSettings(io.environment);
  if (!read.ok) return read;
  const resolved = resolveOptions(asked, read.settings);
  if (!resolved.ok) return resolved;
  const {options, profileName} = resolved;
  const target = await connect(io, options, use.canEmbed);
  if ('mistake' in target) return {ok: false, mistake: target.mistake};
  const link = createLink(() => options.fixedNow ?? io.localNow());
  const clock = io.clockFor(options.fixedNow, link);
  const redact = createRedactor([target.key]);
  io.learnKey(redact);
  const opened = openLog(options, clock, redact);
  if (opened !== undefined && 'mistake' in opened) return {ok: false, mistake: opened.mistake};
  const log =
    opened === undefined ? undefined : withoutThrowing(opened, use.canEmbed ? () => {} : text => complain(io, text));
  const found = openPrometheus(options, use);
  const isWithout = found !== undefined && 'mistake' in found;
  if (isWithout && use.askPrometheus !== undefined) return {ok: false, mistake: found.mistake};
  // Few commands ask it for anything.
  if (isWithout) complain(io, found.mistake);
  const prometheus = isWithout ? undefined : found;
  const planted = use.canOperate ? plantedFolder(io) : undefined;
  if (planted !== undefined) return {ok: false, mistake: planted, exitCode: EXIT.noAnswer};
  const journalPath = stateFile(io, target.baseUrl, 'journal', 'jsonl');
  if (target.isSimulated) removeAtExit(io, [journalPath, stateFile(io, target.baseUrl, 'findings', 'json')]);
  const kept: StateFile = {environment: io.environment, name: fileName(target.baseUrl, 'json')};
  const session = createSession({
    actions: ACTIONS,
    ...options,
    ...target,
    clock,
    link,
    log,
    random: io.random,
    newId: io.newId,
    journalPath,
    billsFile: target.isSimulated ? undefined : kept,
    isReadOnly: options.isReadOnly || !use.canOperate,
    isTlsUnchecked: io.environment.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    maxListBytes: read.settings.maxListMib * BYTES_PER_MIB,
    maxListRecords: read.settings.maxListRecords,
    journalIntervalMs: use.journalIntervalMs,
    watchesOwn: use.watchesOwn,
    onUnwritten: use.onUnwritten,
    exchange: use.exchange,
    prometheus,
  });
  const mutes = new Mutes(kept, clock);
  const pasts = new MachinePasts(target.isSimulated ? undefined : kept);
  const names = target.isSimulated ? undefined : namesFile(io.environment, {baseUrl: target.baseUrl, profileName});
  const account = {
    ...target,
    settings: read.settings,
    preferences: keeping(preferencesOf(read.settings), mutes.all()),
    options,
    session,
    clock,
    link,
    log,
    redact,
    journalPath,
    mutes,
    pasts,
    namesFile: names,
  };
  return {ok: true, account};
}

type Target = {readonly baseUrl: string; readonly key: Secret; readonly isSimulated: boolean};

/** The service that was named, or a small cloud inside this process when none was. */
async function connect(
  io: CommandIo,
  {baseUrl, keySource}: ConnectionOptions,
  canEmbed: boolean,
): Promise<Target | {readonly mistake: SafeText}> {
  if (baseUrl === undefined && keySource === undefined) return canEmbed ? startEmbedded() : {mistake: NO_ACCOUNT};
  if (baseUrl === undefined) return {mistake: say`there is a key but no base URL: set SKYDECK_BASE_URL or --base-url`};
  if (keySource === undefined) {
    return {mistake: say`there is a base URL but no key: set SKYDECK_API_KEY, --key-file or --key-command`};
  }
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return {mistake: checked.mistake};
  io.forgetKey();
  const read = readKey(keySource);
  return read.ok ? {baseUrl, key: read.key, isSimulated: false} : {mistake: read.mistake};
}

export const NO_ACCOUNT = say`no account: run skydeck profile add, or set SKYDECK_BASE_URL and SKYDECK_API_KEY`;

async function startEmbedded(): Promise<Target> {
  const {startSimulator} = await import('../simulator/http/server.ts');
  const {url, apiKey} = await startSimulator({rateLimitPerMinute: 'off'});
  return {baseUrl: url, key: secret(apiKey), isSimulated: true};
}

/** The Prometheus of the profile, or why its token cannot be read. */
function openPrometheus(
  {prometheus}: ConnectionOptions,
  {askPrometheus: ask = askPrometheus}: AccountUse,
): PrometheusAccess | {readonly mistake: SafeText} | undefined {
  if (prometheus === undefined) return undefined;
  const {url, tokenFile, gpuLabel, gpuField} = prometheus;
  const token = readSecretFile(tokenFile, {name: say`the token file of Prometheus`, word: 'token'});
  return token.ok ? {url, token: token.key, ask, gpus: {label: gpuLabel, field: gpuField}} : {mistake: token.mistake};
}

/** The log that was asked for, or why it cannot be written. */
function openLog(
  {logPath}: ConnectionOptions,
  clock: Clock,
  redact: (text: string) => string,
): RequestLog | {readonly mistake: SafeText} | undefined {
  if (logPath === undefined) return undefined;
  try {
    return openRequestLog(logPath, clock, redact);
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    return {mistake: say`--log ${safeText(logPath)}: ${reason}`};
  }
}

/** A disk can fill up meanwhile: that is reported once, and the request goes on without its line. */
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

/** Why the journal's folder may be neither read nor written. That it cannot be written at all is told when it has to be. */
export function plantedFolder({environment}: Pick<CommandIo, 'environment'>): SafeText | undefined {
  try {
    openStateFolder(environment, 'journal');
    return undefined;
  } catch (error) {
    return error instanceof NotOursError ? say`the journal's folder ${safeText(error.message)}` : undefined;
  }
}

/** What is kept of an embedded cloud is removed with it, and what one before it may have left. */
function removeAtExit(io: CommandIo, paths: readonly string[]): void {
  const remove = (): void => {
    for (const path of paths) rmSync(path, {force: true});
  };
  remove();
  io.onExit(remove);
}

/** One journal for each service. */
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
  return `${new URL(baseUrl).host.replaceAll(/[^\w.-]/g, '_')}.${extension}`;
}
