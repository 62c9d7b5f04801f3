import {randomUUID} from 'node:crypto';
import {OVER_THE_NETWORK} from './api/client.ts';
import {firstAnswerFirst} from './api/first-answer.ts';
import {askPrometheus} from './api/prometheus.ts';
import type {CrashReporter} from './app/crash-report.ts';
import {type Themes, themesOn} from './app/themes.ts';
import type {Opening} from './app/opening.ts';
import {type Account, DECK_JOURNAL_INTERVAL_MS, openAsked} from './cli/account.ts';
import {type BuildCommand, type CommandIo, complain, helpSentence, outputTo, print} from './cli/command-io.ts';
import {parseDeckOptions} from './cli/connection-options.ts';
import {type AskedOptions, OPTIONS, type OptionRecord, OUTPUT_OPTION, VERSION} from './config/options.ts';
import {writeKnownNames} from './config/known-names.ts';
import {reachTrouble} from './config/own-files.ts';
import {safeText} from './domain/safe-text.ts';
import {EXIT} from './domain/exit-codes.ts';
import {lastValue} from './domain/snapshot.ts';
import {type Cancel, type DurationMs, type EpochMs, epochMs} from './domain/time.ts';
import {organizationFeed} from './state/account.ts';
import {creditFeed, usageFeed} from './state/billing.ts';
import type {Link} from './state/poller/link.ts';
import {countingSleep} from './state/monotonic-clock.ts';
import {machinesFeed} from './state/machines.ts';
import {checkTerminal, colourDepth, isUtf8Locale} from './terminal/abilities.ts';
import type {Theme} from './ui/theme.ts';

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

type Subcommand = {readonly summary: string; readonly load: () => Promise<BuildCommand>};

/** Arguments that begin with one of these words go to its own file, which is loaded only then. */
export const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  get: subcommand('print records', async () => (await import('./cli/commands/get.ts')).getCommand),
  describe: subcommand(
    'show one record: every field, related records, cost, findings',
    async () => (await import('./cli/commands/describe.ts')).describeCommand,
  ),
  api: subcommand('call any endpoint', async () => (await import('./cli/commands/api.ts')).apiCommand),
  vm: subcommand('manage machines', async () => (await import('./cli/commands/vm.ts')).vmCommand),
  cluster: subcommand('manage clusters', async () => (await import('./cli/commands/cluster.ts')).clusterCommand),
  firewall: subcommand('manage firewalls', async () => (await import('./cli/commands/firewall.ts')).firewallCommand),
  rule: subcommand(
    'manage rules of firewalls and machines',
    async () => (await import('./cli/commands/rule.ts')).ruleCommand,
  ),
  'key-pair': subcommand(
    'manage SSH key pairs',
    async () => (await import('./cli/commands/key-pair.ts')).keyPairCommand,
  ),
  volume: subcommand('manage volumes', async () => (await import('./cli/commands/volume.ts')).volumeCommand),
  environment: subcommand(
    'manage environments',
    async () => (await import('./cli/commands/environment.ts')).environmentCommand,
  ),
  ip: subcommand('manage public addresses', async () =>
    (await import('./cli/operations/action-commands.ts')).actionGroup('ip'),
  ),
  callback: subcommand('manage callback URLs of machines', async () =>
    (await import('./cli/operations/action-commands.ts')).actionGroup('callback'),
  ),
  wait: subcommand(
    'wait until a machine, cluster or volume is in a state',
    async () => (await import('./cli/commands/wait.ts')).waitCommand,
  ),
  console: subcommand(
    'print the address of the graphical console of a machine',
    async () => (await import('./cli/commands/console.ts')).consoleCommand,
  ),
  ssh: subcommand("run the system's ssh to a machine", async () => (await import('./cli/commands/ssh.ts')).sshCommand),
  'access-key': subcommand(
    'manage access keys of the object storage',
    async () => (await import('./cli/commands/access-key.ts')).accessKeyCommand,
  ),
  bucket: subcommand('manage buckets', async () => (await import('./cli/commands/bucket.ts')).bucketCommand),
  journal: subcommand(
    'print operations sent from this computer, with their outcomes',
    async () => (await import('./cli/commands/journal.ts')).journalCommand,
  ),
  handover: subcommand(
    'print a handover as Markdown: findings, operations, cost',
    async () => (await import('./cli/commands/handover.ts')).handoverCommand,
  ),
  events: subcommand(
    'events, billing, findings and own operations on one time line',
    async () => (await import('./cli/commands/events.ts')).eventsCommand,
  ),
  triage: subcommand(
    'print what needs attention, worst first',
    async () => (await import('./cli/commands/triage.ts')).triageCommand,
  ),
  metrics: subcommand(
    'print metrics of a machine, as charts or series',
    async () => (await import('./cli/commands/metrics.ts')).metricsCommand,
  ),
  cost: subcommand(
    'print burn rate, month-to-date, forecast, waste, commitments',
    async () => (await import('./cli/commands/cost.ts')).costCommand,
  ),
  exporter: subcommand(
    'serve the account as metrics for Prometheus',
    async () => (await import('./cli/commands/exporter.ts')).exporterCommand,
  ),
  profile: subcommand('manage accounts', async () => (await import('./cli/commands/profile.ts')).profileCommand),
  doctor: subcommand(
    'check account, connection, permissions, clock and terminal',
    async () => (await import('./cli/commands/doctor.ts')).doctorCommand,
  ),
  completion: subcommand('print a completion script for bash, zsh or fish', async () =>
    (await import('./cli/commands/completion.ts')).completionCommand(SUBCOMMANDS),
  ),
  simulator: subcommand('run the simulator alone, for tests and scripts', async () =>
    (await import('./cli/commands/simulator.ts')).loadSimulatorCommand(),
  ),
};

/** Its help begins with the summary too, unless the command has a longer description. */
function subcommand(summary: string, load: Subcommand['load']): Subcommand {
  return {
    summary,
    load: async () => {
      const build = await load();
      return (io, end) => {
        const command = build(io, end);
        return command.description() === '' ? command.description(helpSentence(summary)) : command;
      };
    },
  };
}

/** Passed by the start: the terminal, if it was already taken, and the crash reporter. */
type Started = {readonly opening: Opening | undefined; readonly crash: CrashReporter};

/** The exit code, or undefined while the deck runs. */
export async function run(argv: readonly string[], started: Started): Promise<number | undefined> {
  const io = commandIo(started);
  const words = withCommandFirst(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv);
  const [name = ''] = words;
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommand !== undefined) {
    const {runCommand} = await import('./cli/run-command.ts');
    return runCommand(await subcommand.load(), words.slice(1), io);
  }
  if (name !== '' && !name.startsWith('-')) return unknownCommand(io, name);
  const commands = words.some(word => word === '--help' || word === '-h') ? await commandList(io) : [];
  const parsed = parseDeckOptions(words, process.env, {version: VERSION, commands});
  if (parsed.kind === 'printed') {
    const {codeOfRead} = await import('./cli/run-command.ts');
    await print(io, parsed.text);
    return codeOfRead(io);
  }
  if (parsed.kind === 'mistake') return usage(io, parsed.mistake);
  const opened = await openDeck(io, parsed.options, started);
  if (typeof opened === 'number' || opened === undefined) return opened;
  // What is printed now has to be on the terminal that the shell continues with.
  started.opening?.lifecycle.giveBack();
  return usage(io, opened.mistake);
}

/** Common options may also come before the command: they are moved after it, where they are parsed. */
function withCommandFirst(argv: readonly string[]): readonly string[] {
  let index = 0;
  while (argv[index]?.startsWith('-') === true) index += OPTIONS_WITH_VALUE.has(argv[index] ?? '') ? 2 : 1;
  const name = argv[index];
  if (index === 0 || name === undefined || !Object.hasOwn(SUBCOMMANDS, name)) return argv;
  const [before, after] = [argv.slice(0, index), argv.slice(index + 1)];
  const end = after.includes('--') ? after.indexOf('--') : after.length;
  return [name, ...after.slice(0, end), ...before, ...after.slice(end)];
}

const RECORDS: readonly OptionRecord[] = [...Object.values(OPTIONS), OUTPUT_OPTION];
const OPTIONS_WITH_VALUE: ReadonlySet<string | undefined> = new Set(
  RECORDS.filter(({value}) => value !== undefined).flatMap(({flag, short}) => [flag, short]),
);

/** An unknown word may be a key typed by mistake, so only what looks like a command is repeated. */
async function unknownCommand(io: CommandIo, name: string): Promise<number> {
  const {closest} = await import('./domain/closest-word.ts');
  const meant = closest(name, Object.keys(SUBCOMMANDS)) ?? (await commandsBelow(io, name));
  const given = /^[a-z][a-z-]{0,15}$/.test(name) ? `unknown command "${name}"` : 'unknown command';
  return usage(io, `${given}${meant === undefined ? '' : `; did you mean ${meant}?`} (skydeck --help lists them)`);
}

/** The commands that have this subcommand: `stop` is `vm stop`. */
async function commandsBelow(io: CommandIo, name: string): Promise<string | undefined> {
  const found = (await commandTree(io)).flatMap(({word, below}) => (below.includes(name) ? [`${word} ${name}`] : []));
  return found.length === 0 ? undefined : found.join(', ');
}

/** Each command with what it does, and with the names of its subcommands if it has any. */
async function commandList(io: CommandIo): Promise<readonly (readonly [word: string, text: string])[]> {
  return (await commandTree(io)).map(({word, summary, below}) => [
    word,
    below.length === 0 ? summary : `${summary} (${below.join(', ')})`,
  ]);
}

/** Every command with the names of its subcommands, for which all of them are loaded. */
function commandTree(io: CommandIo) {
  return Promise.all(
    Object.entries(SUBCOMMANDS).map(async ([word, {summary, load}]) => {
      const build = await load();
      return {word, summary, below: build(io, () => {}).commands.map(command => command.name())};
    }),
  );
}

/** Undefined while the deck runs: it ends the process itself. */
async function openDeck(
  io: CommandIo,
  asked: AskedOptions,
  started: Started,
): Promise<number | undefined | {readonly mistake: string}> {
  const terminal = checkTerminal({stdin: process.stdin, stdout: process.stdout, env: process.env});
  if (terminal.kind === 'refused') {
    io.stderr.write(`${terminal.line}\n`);
    return EXIT.usage;
  }
  const {exchange, release} = firstAnswerFirst(OVER_THE_NETWORK);
  const opened = await openAsked(io, asked, {
    canEmbed: true,
    canOperate: true,
    journalIntervalMs: DECK_JOURNAL_INTERVAL_MS,
    askPrometheus,
    ...(terminal.kind === 'deck' ? {exchange} : {}),
  });
  if (!opened.ok) return opened;
  const {account} = opened;
  if (terminal.kind === 'overview') {
    const {printOverview} = await import('./cli/commands/overview.ts');
    return printOverview(io, account);
  }
  const themes = themesOn({...account.options, ...account.settings, environment: process.env});
  const theme = themes.named(themes.inUse);
  if (!theme.ok) return {mistake: `${theme.mistake}; skydeck profile set theme auto starts it`};
  return startOnTerminal(account, {...started, onShown: release}, {theme: theme.value, themes});
}

/** The deck always has the list of machines, so completion can offer their names afterwards. */
function keepNames({session, namesFile, redact}: Account): void {
  const machines = lastValue(session.store.get(machinesFeed))?.records;
  if (namesFile === undefined || machines === undefined) return;
  const names = machines.map(({name}) => name);
  writeKnownNames(
    namesFile,
    'vms',
    names.filter(name => redact(name) === name),
  );
}

async function startOnTerminal(
  {settings, ...account}: Account,
  started: Started & {readonly onShown: () => void},
  look: {readonly theme: Theme; readonly themes: Themes},
): Promise<undefined> {
  const {session} = account;
  process.on('exit', () => {
    keepNames({settings, ...account});
    account.activity.save();
  });
  // Requested while the deck is being loaded; then the deck says what it wants.
  session.poller.want(OPENING, FIRST_WANTS);
  const {startDeck} = await import('./app/start-deck.tsx');
  const trouble = reachTrouble(process.env) ?? account.mutes.trouble();
  startDeck({
    ...account,
    ...started,
    ...look,
    notice: trouble === undefined ? undefined : safeText(trouble),
    process,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  });
  session.poller.want(OPENING, []);
}

const OPENING = 'opening';
const FIRST_WANTS = [machinesFeed, usageFeed, organizationFeed, creditFeed].map((feed, priority) => ({feed, priority}));

/** The process in the form commands use. */
export function commandIo({crash}: Started): CommandIo {
  const gone = new AbortController();
  const {stdin, stdout, stderr} = process;
  return {
    stdin,
    stdout: outputTo(stdout, () => gone.abort()),
    stderr: outputTo(stderr),
    gone: gone.signal,
    environment: process.env,
    platform: process.platform,
    localNow: Date.now,
    clockFor,
    random: Math.random,
    newId: randomUUID,
    ask: async (question, options) => (await import('./terminal/ask.ts')).ask(process, question, options),
    forgetKey: () => {
      delete process.env.SKYDECK_API_KEY;
    },
    learnKey: crash.learn,
    onExit: run => process.on('exit', run),
    runProgram: async (words, environment) =>
      (await import('./terminal/run-program.ts')).runProgram({signals: process, after}, words, environment),
    terminal: terminalFacts(),
    beforeSignal,
    untilStopped,
  };
}

function terminalFacts(): CommandIo['terminal'] {
  const {stdin, stdout, env, platform} = process;
  const check = checkTerminal({stdin, stdout, env});
  return {
    canShowDeck: check.kind === 'deck',
    remark:
      check.kind === 'refused' ? check.line : check.kind === 'overview' ? 'standard output is not a terminal' : '',
    colours: colourDepth(env),
    isUtf8: isUtf8Locale(env, platform),
    columns: stdout.columns,
    rows: stdout.rows,
  };
}

/**
 * What is shown and billed follows the service's clock if that can be right, unless a fixed one was given; timers use
 * the local monotonic clock.
 */
function clockFor(fixedNow: EpochMs | undefined, link: Link): ReturnType<CommandIo['clockFor']> {
  return {
    wallNow: () => fixedNow ?? epochMs(Date.now() + link.followedOffsetMs()),
    ...countingSleep({wallNow: Date.now, monotonicNow: () => performance.now()}),
    after,
  };
}

function after(delayMs: DurationMs, run: () => void): Cancel {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ENDING_SIGNALS) process.once(signal, () => resolve());
  });
}

/** Each signal is handled once and then sent again, so that it ends the program with its own exit code. */
function beforeSignal(run: () => void): Cancel {
  const stops = ENDING_SIGNALS.map(signal => {
    const hear = () => {
      run();
      process.kill(process.pid, signal);
    };
    process.once(signal, hear);
    return () => process.off(signal, hear);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

function usage(io: CommandIo, mistake: string): number {
  complain(io, mistake);
  return EXIT.usage;
}
