import {request} from 'node:http';
import {Readable} from 'node:stream';
import {expect} from 'vitest';
import type {BuildCommand, CommandIo} from '../../src/cli/command-io.ts';
import {runCommand} from '../../src/cli/run-command.ts';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {type Clock, epochMs, monotonicMs} from '../../src/domain/time.ts';
import type {ProgramEnd} from '../../src/terminal/run-program.ts';
import {openHome} from '../support/program.ts';

export type Surroundings = {
  /** The account to use; without it the command has no account. */
  readonly simulator?: {readonly url: string; readonly apiKey: string; readonly localNow?: () => number};
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What a person types, one answer for each question; if given, standard input and stderr are a terminal. */
  readonly answers?: readonly string[];
  readonly untilStopped?: Promise<void>;
  readonly onOutput?: (text: string) => void;
  readonly onError?: (text: string) => void;
  readonly home?: ReturnType<typeof openHome>;
  readonly terminal?: Partial<CommandIo['terminal']>;
  /** Makes standard output a terminal with this many columns. */
  readonly columns?: number;
  /** The width of the terminal on standard error, where questions are asked. */
  readonly errorColumns?: number;
  /** Aborted when nobody reads the output any more. */
  readonly gone?: AbortSignal;
  /** How many times faster than real time the command's clock runs. */
  readonly speed?: number;
  /** The time of day, in milliseconds since 1970; the computer's by default. */
  readonly wallNow?: () => number;
  /** The command's clock, instead of that. */
  readonly clock?: Clock;
  /** How every other program that the command runs ends; with 0 by default. */
  readonly programEnd?: ProgramEnd;
};

export type Ran = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The questions that were asked. */
  readonly questions: readonly string[];
  /** The other programs that were run. */
  readonly programs: readonly Started[];
};

type Started = {readonly words: readonly string[]; readonly environment: EnvironmentVariables};

/** Runs one command as the program does, with strings for its streams. */
export async function run(
  build: BuildCommand,
  line: string | readonly string[],
  given: Surroundings = {},
): Promise<Ran> {
  const {io, stdout, stderr, questions, programs} = commandIo(given);
  const words = typeof line === 'string' ? line.split(' ').filter(word => word !== '') : line;
  const exitCode = await runCommand(build, words, io);
  return {exitCode, stdout: stdout(), stderr: stderr(), questions, programs};
}

/** The environment of a command, made of strings and the machine's own clocks. */
export function commandIo({simulator, env, stdin = '', answers, speed = 1, ...given}: Surroundings = {}) {
  const [out, err, questions]: [string[], string[], string[]] = [[], [], []];
  const programs: Started[] = [];
  const home = given.home ?? openHome();
  const connection = simulator && {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
  const isTTY = answers !== undefined;
  const left = [...(answers ?? [])];
  const io: CommandIo = {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), {isTTY}),
    stdout: {
      ...(given.columns === undefined ? {} : {isTTY: true, columns: given.columns}),
      write: (text, done) => {
        out.push(text);
        given.onOutput?.(text);
        done?.();
      },
    },
    stderr: {
      write: (text, done) => {
        err.push(text);
        given.onError?.(text);
        done?.();
      },
      isTTY,
      columns: given.errorColumns,
    },
    gone: given.gone ?? new AbortController().signal,
    environment: {...home.environment, ...connection, ...env},
    platform: 'linux',
    localNow: simulator?.localNow ?? Date.now,
    clockFor: fixedNow =>
      given.clock ?? {
        wallNow: () => fixedNow ?? epochMs((given.wallNow ?? Date.now)()),
        monotonicNow: () => monotonicMs(performance.now() * speed),
        after: (delayMs, then) => {
          const timer = setTimeout(then, delayMs / speed);
          return () => clearTimeout(timer);
        },
      },
    random: () => 0.5,
    newId: () => crypto.randomUUID(),
    ask: question => {
      questions.push(question);
      return Promise.resolve(left.shift());
    },
    forgetKey: () => {},
    learnKey: () => {},
    onExit: () => {},
    runProgram: (program, environment) => {
      programs.push({words: program, environment});
      return Promise.resolve(given.programEnd ?? {kind: 'ended', exitCode: 0});
    },
    terminal: {
      canShowDeck: true,
      remark: '',
      colours: '256',
      isUtf8: true,
      columns: 120,
      rows: 40,
      ...given.terminal,
    },
    beforeSignal: () => () => {},
    untilStopped: () => given.untilStopped ?? Promise.resolve(),
  };
  return {io, home, questions, programs, stdout: () => out.join(''), stderr: () => err.join('')};
}

/** The raw answer of the service, requested without any code of the program. */
export function rawAnswer(
  simulator: {readonly url: string; readonly apiKey: string},
  path: string,
): Promise<{readonly status: number; readonly text: string}> {
  return new Promise((resolve, reject) => {
    const sending = request(simulator.url + path, {headers: {api_key: simulator.apiKey}}, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      response.on('end', () => resolve({status: response.statusCode ?? 0, text}));
    });
    sending.on('error', reject);
    sending.end();
  });
}

const WARNING = /^skydeck: (?:what happens|cost|warning|undo): .+\n/gm;

/** What is on stderr besides the assessment, since whether a machine is working depends on the moment. */
export function withoutAssessment(stderr: string): string {
  return stderr.replace(WARNING, '');
}

/** Nothing but the assessment, or nothing at all. */
export const ONLY_ASSESSMENT: unknown = expect.toSatisfy((stderr: string) => withoutAssessment(stderr) === '');
