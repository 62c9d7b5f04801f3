import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {atEnd} from './lifetime.ts';
import {
  createHome,
  environmentOf,
  giveCompiledCode,
  type Home,
  launchOnTerminal,
  launchWithoutTerminal,
  PROGRAM_FLAGS,
  type ProgramResult,
  programPath,
} from './launch.ts';
import {openShell, type Shell} from './shell.ts';
import {openSimulator, openSmallCloud} from './simulator.ts';
import type {RealTerminal, Terminal} from './terminal.ts';
import {deckTier} from './virtual-time.ts';

export type AppOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: EnvironmentVariables;
  readonly arguments?: readonly string[];
  /** The home of an earlier run, to continue with what it left there. */
  readonly home?: Home;
  readonly program?: string;
  readonly isCold?: boolean;
} & Cloud;

/** The program starts its own cloud, or gets a given simulator, or a fresh one with a scenario, or the small one. */
type Cloud =
  | {readonly embedded: true}
  | {readonly embedded?: false; readonly scenario?: string; readonly simulator?: undefined}
  | {readonly embedded?: false; readonly scenario?: undefined; readonly simulator: Simulator};

type Surroundings = {
  /** Undefined if the program starts its own. */
  readonly simulator: Simulator | undefined;
  readonly home: Home;
};

export type App = Terminal & Surroundings;
export type AppOnTerminal = RealTerminal & Surroundings;

/** The deck with an empty home, virtual or real depending on the tier. Everything is removed when the test ends. */
export async function openApp(options: AppOptions = {}): Promise<App> {
  if (deckTier() === 'real') return openAppOnTerminal(options);
  const {launchVirtually} = await import('./virtual-deck.ts');
  const simulator = await cloudFor(options);
  const {columns = 120, rows = 35, env, arguments: given, home = openHome()} = options;
  const terminal = await launchVirtually({home, connection: simulator, arguments: given, env, columns, rows});
  return {...terminal, simulator, home};
}

/** The built deck on a real terminal, in every tier. */
export async function openAppOnTerminal(options: AppOptions = {}): Promise<AppOnTerminal> {
  const simulator = await cloudFor(options);
  const {columns = 120, rows = 35, env, arguments: given, home = openHome(), program, isCold} = options;
  const launch = {home, connection: simulator, arguments: given, env, program, isCold, columns, rows};
  const terminal = launchOnTerminal(launch);
  atEnd(terminal.close);
  return {...terminal, simulator, home};
}

export type AppInShell = {
  readonly shell: Shell;
  /** What to pass to `shell.run` to start the deck as a job. */
  readonly commandLine: string;
} & Surroundings;

/** An interactive shell in which the deck can be started, suspended and resumed. */
export async function openAppInShell(options: AppOptions = {}): Promise<AppInShell> {
  const simulator = await cloudFor(options);
  const {columns = 120, rows = 35, env, arguments: given = [], home = openHome(), program = programPath} = options;
  giveCompiledCode(home);
  const shell = await openShell({
    columns,
    rows,
    cwd: home.path,
    env: environmentOf({home, connection: simulator, env}),
  });
  atEnd(shell.close);
  const commandLine = [process.execPath, ...PROGRAM_FLAGS, program, ...given].map(quoted).join(' ');
  return {shell, commandLine, simulator, home};
}

export type ProgramOptions = {
  /** The cloud to connect to. Without one the program gets no connection. */
  readonly simulator?: Simulator;
  readonly env?: EnvironmentVariables;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  readonly home?: Home;
  readonly program?: string;
};

/**
 * Runs the built program like a script: without a terminal, with the whole standard input, and with separate outputs.
 */
export function runProgram(programArguments: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  const {simulator, env, stdin = '', timeoutMs = 15_000, home = openHome(), program} = options;
  return launchWithoutTerminal({
    home,
    connection: simulator,
    arguments: programArguments,
    env,
    program,
    stdin,
    timeoutMs,
  });
}

/** An empty home that is removed when the test ends. */
export function openHome(): Home {
  const home = createHome();
  atEnd(home.remove);
  return home;
}

async function cloudFor(options: Cloud): Promise<Simulator | undefined> {
  if (options.embedded) return undefined;
  if (options.simulator !== undefined) return options.simulator;
  return options.scenario === undefined ? openSmallCloud() : openSimulator({scenario: options.scenario});
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
