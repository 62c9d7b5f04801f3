import {closeSync, existsSync, rmSync} from 'node:fs';
import {resolve} from 'node:path';
import {Command, InvalidArgumentError, Option} from 'commander';
import {type ConnectionFlags, DEFAULT_GPU_LABEL, OPTIONS, preferencesOf} from '../../config/options.ts';
import {readSecretFile} from '../../config/key-source.ts';
import {codeOf, type FileKind, openOwnFile, readOwnFile, replaceOwnFile} from '../../config/own-files.ts';
import {unreachable} from '../../domain/assert.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {Secret} from '../../domain/secret.ts';
import {type Cancel, epochMs, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import {AccountExporter, MAX_MEASURED} from '../../export/account-exporter.ts';
import {alertingRules} from '../../export/alerting-rules.ts';
import {dashboard} from '../../export/dashboard.ts';
import type {MetricsAnswer} from '../../export/exposition.ts';
import {isLoopback, type ListenAddress, parseListenAddress, serveMetrics} from '../../export/metrics-server.ts';
import type {BreakerState} from '../../state/poller/circuit-breaker.ts';
import {formatDuration} from '../../ui/format.ts';
import {type Account, openAccount, resolvedOptions} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, listenMistake, print} from '../command-io.ts';
import {addConnectionOptions, connectionOption} from '../connection-options.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {backfillCommand} from './exporter-backfill.ts';
import {metricsOption} from '../option-values.ts';
import {yamlText} from '../print/yaml-text.ts';

type ServeFlags = ConnectionFlags & {
  readonly listen: ListenAddress;
  readonly metrics: number;
  readonly tokenFile?: string;
  readonly textfile?: string;
};

const DEFAULT_LISTEN = '127.0.0.1:9469';
/** As often as node_exporter's collectors are usually read. */
const TEXTFILE_INTERVAL_MS = 15 * SECOND_MS;
/** Readable by other users, since their programs read it. */
const TEXTFILE_MODE = 0o644;
const MICROSECONDS = 1_000_000;

/** `skydeck exporter`: the account for Prometheus. */
export const exporterCommand: BuildCommand = (io, end) => {
  const command = new Command('exporter')
    .enablePositionalOptions()
    .description(
      'Serve the account as metrics for Prometheus until stopped. Prints its URL as one JSON line. Reads only.',
    )
    .addOption(
      new Option(
        '--listen <address:port>',
        'address to listen on; port 0 takes a free one; beyond loopback it needs --token-file',
      )
        .argParser(readListenAddress)
        .default(readListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .addOption(metricsOption(MAX_MEASURED))
    .option('--token-file <file>', 'a file of mode 0600 with the bearer token that clients must send')
    .option('--textfile <file>', 'also write the metrics to this file, for the textfile collector of node_exporter');
  return addConnectionOptions(command.optionsGroup('Common options:'))
    .action(async (flags: ServeFlags) => end(await serve(io, flags)))
    .addCommand(backfillCommand(io, end))
    .addCommand(rulesCommand(io, end))
    .addCommand(dashboardCommand(io, end));
};

async function serve(io: CommandIo, flags: ServeFlags): Promise<ExitCode> {
  const stopped = io.untilStopped();
  if (!isLoopback(flags.listen) && flags.tokenFile === undefined) {
    return failed(io, '--listen: an address that others can reach needs --token-file', EXIT.usage);
  }
  const {tokenFile} = flags;
  const token =
    tokenFile === undefined ? undefined : readSecretFile(tokenFile, {name: say`the token file`, word: 'token'});
  if (token !== undefined && !token.ok) return failed(io, token.mistake, EXIT.usage);
  const planted = flags.textfile === undefined ? undefined : foreignFile(resolve(flags.textfile));
  if (planted !== undefined) return failed(io, `--textfile: ${planted}`, EXIT.usage);
  const otherSecrets = token === undefined ? [] : [token.key];
  const opened = await openAccount(io, flags, {canOperate: false, otherSecrets});
  if (!opened.ok) return failed(io, opened.mistake, opened.exitCode ?? EXIT.usage);
  return serveAccount(io, opened.account, {...flags, token: token?.key, stopped});
}

async function serveAccount(
  io: CommandIo,
  account: Account,
  flags: ServeFlags & {readonly token: Secret | undefined; readonly stopped: Promise<void>},
): Promise<ExitCode> {
  const exporter = exporterOf(io, account, flags.metrics);
  const {exposition, sharedAnswers} = await import('../../export/exposition.ts');
  const read = sharedAnswers(async isOpenMetrics => {
    const {contentType, text} = await exposition(exporter.scrape(), isOpenMetrics);
    return {contentType, body: Buffer.from(account.redact(text))};
  }, account.clock);
  const onMistake = (mistake: string) => complain(io, account.redact(`exporter: a scrape failed: ${mistake}`));
  const server = await serveMetrics({
    listen: flags.listen,
    token: flags.token,
    read,
    onMistake,
  }).catch((error: unknown) => {
    complain(io, listenMistake(error, {option: '--listen', another: 'another port; port 0 takes a free one'}));
  });
  if (server === undefined) return EXIT.usage;
  const ends = [exporter.follow(), sayPlan(io, account, exporter), sayHealth(io, account), sayMutes(io, account)];
  if (flags.textfile !== undefined) {
    ends.push(writeTextfile(io, account, {path: resolve(flags.textfile), read: () => read(false), onMistake}));
  }
  io.stdout.write(`${JSON.stringify({url: server.url})}\n`);
  await flags.stopped;
  for (const stop of ends) stop();
  account.session.poller.stop();
  await server.close();
  return EXIT.done;
}

function exporterOf(
  io: CommandIo,
  {session, clock, settings, activity, mutes}: Account,
  measuredLimit: number,
): AccountExporter {
  const startedAt = epochMs(io.localNow());
  return new AccountExporter({
    session,
    clock,
    preferences: preferencesOf(settings),
    activity,
    mutes,
    measuredLimit,
    processFacts: () => {
      const {user, system} = process.cpuUsage();
      return {startedAt, cpuSeconds: (user + system) / MICROSECONDS, residentBytes: process.memoryUsage.rss()};
    },
  });
}

/** Says how much will be exported, once that can be counted. */
function sayPlan(io: CommandIo, account: Account, exporter: AccountExporter): Cancel {
  const {store} = account.session;
  const stop = store.subscribe(() => {
    const plan = exporter.plan();
    if (plan === undefined) return;
    stop();
    const metrics =
      plan.measured === 0
        ? 'no metrics of machines are read'
        : `metrics of ${plan.measured} are read every ${formatDuration(plan.everyMs)}`;
    complain(io, `exporter: about ${plan.series} series of ${plan.machines} machines; ${metrics}`);
    if (plan.partial.length > 0) {
      const lists = plan.partial.join(', ');
      const money = plan.partial.includes('usage') ? ', and sums of money are left out' : '';
      complain(io, `exporter: incomplete: ${lists}; counts cover what was read${money}`);
    }
  });
  return stop;
}

function healthWords(health: BreakerState, now: MonotonicMs): string {
  switch (health.status) {
    case 'up':
      return 'the service answers again';
    case 'down':
      return 'the service does not answer; data that is too old is left out until it does';
    case 'rate-limited':
      return `the service refuses requests (429); it is asked again in ${formatDuration(health.retryAt - now)}`;
    case 'not-authorised':
      return 'the service rejects the key or its role (401): polling has stopped; restart with another key or role';
    default:
      return unreachable(health);
  }
}

/** Reports when the service becomes unreachable and when it is back. */
function sayHealth(io: CommandIo, {session: {poller}, clock}: Account): Cancel {
  let known = poller.health().status;
  return poller.subscribe(() => {
    const health = poller.health();
    if (health.status === known) return;
    known = health.status;
    complain(io, `exporter: ${healthWords(health, clock.monotonicNow())}`);
  });
}

/** Reports when findings that a person acknowledged or snoozed count again, because their file cannot be read. */
function sayMutes(io: CommandIo, {mutes, session: {poller}}: Account): Cancel {
  let known: SafeText | undefined;
  const say = () => {
    const trouble = mutes.trouble();
    if (trouble === known) return;
    known = trouble;
    complain(io, `exporter: ${trouble ?? 'acknowledged and snoozed findings can be read again'}`);
  };
  say();
  return poller.subscribe(say);
}

/** Its first line, a comment to its readers, tells it from a file that nobody meant to be replaced. */
const TEXTFILE_HEAD = '# Made by skydeck exporter.\n';
const TEXTFILE: FileKind = {
  beginning: new RegExp(`^${TEXTFILE_HEAD}`),
  refusal: 'is not an earlier textfile of skydeck; name another file, or remove it',
};

/** Why a file that is there must not be replaced; undefined if it may be, or if there is none. */
function foreignFile(path: string): string | undefined {
  try {
    closeSync(openOwnFile(path, 'read', TEXTFILE));
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : messageOf(error);
  }
}

/**
 * Keeps a file up to date, replacing it each time. It is removed at the end, since its reader would go on serving it;
 * not if anything else was written there meanwhile.
 */
function writeTextfile(
  io: CommandIo,
  {clock}: Account,
  {
    path,
    read,
    onMistake,
  }: {
    readonly path: string;
    readonly read: () => Promise<MetricsAnswer>;
    readonly onMistake: (mistake: string) => void;
  },
): Cancel {
  let isStopped = false;
  let cancelTimer: Cancel = () => {};
  let lastMistake: string | undefined;
  let written: string | undefined;
  const write = async () => {
    const made = await read().catch((error: unknown) => onMistake(messageOf(error)));
    if (isStopped) return;
    if (made !== undefined) replace(`${TEXTFILE_HEAD}${made.body.toString()}`);
    cancelTimer = clock.after(TEXTFILE_INTERVAL_MS, () => void write());
  };
  const replace = (text: string) => {
    const mistake = foreignFile(path) ?? replacedBy(text);
    if (mistake !== undefined && mistake !== lastMistake) complain(io, `--textfile: ${mistake}`);
    lastMistake = mistake;
  };
  const replacedBy = (text: string): string | undefined => {
    try {
      replaceOwnFile(path, text, TEXTFILE_MODE);
      written = text;
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  void write();
  return () => {
    isStopped = true;
    cancelTimer();
    if (written === undefined) return;
    if (holds(path, written)) rmSync(path, {force: true});
    else if (existsSync(path)) complain(io, `--textfile: ${path} is left, because something else was written there`);
  };
}

function holds(path: string, text: string): boolean {
  try {
    return readOwnFile(path, {maxBytes: Buffer.byteLength(text)}) === text;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readListenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address === undefined) throw new InvalidArgumentError('Use an address and a port, such as 127.0.0.1:9469.');
  return address;
}

const RULES_HEAD = '# Made by skydeck exporter rules.\n';

/** `skydeck exporter rules`: the alerts of triage for Prometheus. */
const rulesCommand: BuildCommand = (io, end) =>
  new Command('rules')
    .summary('print alerting rules for Prometheus')
    .description(
      "Print alerting rules for Prometheus. Rules about GPUs use DCGM's own series, which name machines by the profile's gpuLabel.",
    )
    .addOption(connectionOption(OPTIONS.profile))
    .action(async (flags: Pick<ConnectionFlags, 'profile'>) => end(await printRules(io, flags)));

async function printRules(io: CommandIo, {profile}: Pick<ConnectionFlags, 'profile'>): Promise<ExitCode> {
  const resolved = await resolvedOptions(io, {profile, color: true});
  if (!resolved.ok) return failed(io, resolved.mistake, EXIT.usage);
  const gpuLabel = resolved.options.prometheus?.gpuLabel ?? DEFAULT_GPU_LABEL;
  await print(io, `${RULES_HEAD}${yamlText(alertingRules({gpuLabel}), {showsSecrets: true})}`);
  return EXIT.done;
}

/** `skydeck exporter dashboard`: a dashboard that Grafana imports. */
const dashboardCommand: BuildCommand = (io, end) =>
  new Command('dashboard')
    .summary('print a dashboard for Grafana')
    .description('Print a dashboard for Grafana, as JSON.')
    .action(async () => {
      await print(io, `${JSON.stringify(dashboard(), null, 2)}\n`);
      end(EXIT.done);
    });
