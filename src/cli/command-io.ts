import type {Command} from 'commander';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {safeText, say} from '../domain/safe-text.ts';
import type {Cancel, Clock, EpochMs} from '../domain/time.ts';
import type {Link} from '../state/poller/link.ts';
import type {AskOptions} from '../terminal/ask.ts';
import type {ProgramEnd} from '../terminal/run-program.ts';

export type Output = {
  readonly write: (text: string, done?: () => void) => unknown;
  /** Why some output was not written; undefined if all was, or if the reader has gone. */
  readonly lost?: () => string | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** Everything a command uses of its environment: `program.tsx` passes the process, a test passes strings. */
export type CommandIo = {
  readonly stdin: AsyncIterable<Uint8Array> & {readonly isTTY?: boolean | undefined};
  /** Results only. */
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted once the reader of the results has gone. */
  readonly gone: AbortSignal;
  readonly environment: EnvironmentVariables;
  readonly platform: string;
  /** The local clock, uncorrected, in epoch milliseconds. */
  readonly localNow: () => number;
  readonly clockFor: (fixedNow: EpochMs | undefined, link: Link) => Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** Asks on the terminal; undefined if the person leaves without an answer. */
  readonly ask: (question: string, options: AskOptions) => Promise<string | undefined>;
  /** Removes the key from the environment, so that child processes and crash reports do not have it. */
  readonly forgetKey: () => void;
  /** Lets the crash reporter remove the key from its report. */
  readonly learnKey: (redact: (text: string) => string) => void;
  readonly onExit: (run: () => void) => void;
  /** Runs another program on the same terminal, without a shell, and returns how it ended. */
  readonly runProgram: (words: readonly string[], environment: EnvironmentVariables) => Promise<ProgramEnd>;
  readonly terminal: TerminalFacts;
  /** Runs this before a signal ends the program. Returns a function that cancels it. */
  readonly beforeSignal: (run: () => void) => Cancel;
  /** Resolves when the program is asked to end. */
  readonly untilStopped: () => Promise<void>;
};

/** What is known about the terminal, for `doctor` and for charts. */
type TerminalFacts = {
  readonly canShowDeck: boolean;
  /** Why not, or what else there is to say. */
  readonly remark: string;
  readonly colours: string;
  readonly isUtf8: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
};

/** Creates a command with its options; each action reports its exit code to `end`. */
export type BuildCommand = (io: CommandIo, end: (exitCode: number) => void) => Command;

/** The words of a list of commands as the sentence on the command's own page. */
export function helpSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** The width of commander's own help if the output is not a terminal. */
const PIPED_HELP_COLUMNS = 80;

/** Terms with their texts, wrapped to the terminal like the options above them. */
export function helpItems(command: Command, items: readonly (readonly [string, string])[]): string {
  const help = command.createHelp();
  help.prepareContext({helpWidth: command.configureOutput().getOutHelpWidth?.() ?? PIPED_HELP_COLUMNS});
  const termWidth = Math.max(...items.map(([term]) => term.length));
  return items.map(([term, text]) => help.formatItem(term, termWidth, text, help)).join('\n');
}

/** One line on stderr, safe whatever it quotes, and broken at blanks for a narrow terminal. */
export function complain(io: Pick<CommandIo, 'stderr'>, text: string): void {
  io.stderr.write(`${brokenFor(io.stderr, `skydeck: ${safeText(text)}`)}\n`);
}

/** Broken at blanks where a terminal would break it inside a word; one line for a program. */
function brokenFor({isTTY, columns = 0}: Pick<Output, 'isTTY' | 'columns'>, text: string): string {
  if (isTTY !== true || columns < 1) return text;
  return text.replace(new RegExp(`(.{1,${columns}})(?: +|$)`, 'gu'), '$1\n').trimEnd();
}

/** Writes one line on stderr that says why a command failed, and returns its exit code. */
export function failed<Code extends number>(io: Pick<CommandIo, 'stderr'>, text: string, code: Code): Code {
  complain(io, text);
  return code;
}

/** Why an address cannot be served, and what to do. Who holds a port is not known. */
export function listenMistake(error: unknown, {option, another}: {readonly option: string; readonly another: string}) {
  const words = safeText(error instanceof Error ? error.message : String(error));
  if (!(error instanceof Error) || !('code' in error)) return words;
  const port = 'port' in error ? safeText(String(error.port)) : say`of this number`;
  const name = safeText(option);
  switch (error.code) {
    case 'EADDRINUSE':
      return say`${name}: port ${port} is in use by another program; stop that one, or use ${safeText(another)}`;
    case 'EACCES':
      return say`${name}: port ${port} is reserved for the system; use ${safeText(another)}`;
    case 'EADDRNOTAVAIL':
      return say`${name}: this computer does not have that address; 127.0.0.1 is always there`;
    default:
      return say`${name}: ${words}`;
  }
}

/** Says what was sent, if anything, if the program is ended while it checks, sends or watches an operation. */
export function whileSent<T>(io: CommandIo, sent: () => readonly string[], work: () => Promise<T>): Promise<T> {
  const stop = io.beforeSignal(() => {
    // The terminal has written ^C, perhaps behind the progress.
    if (io.stderr.isTTY === true) io.stderr.write('\n');
    complain(io, sentWords(sent()));
  });
  return work().finally(stop);
}

const MAX_SENT_NAMED = 3;

function sentWords(sent: readonly string[]): string {
  if (sent.length === 0) return 'nothing was sent';
  if (sent.length === 1) return `${sent[0]}: sent once; skydeck journal shows its outcome`;
  const more = sent.length > MAX_SENT_NAMED ? ` and ${sent.length - MAX_SENT_NAMED} more` : '';
  const named = sent.slice(0, MAX_SENT_NAMED).join(', ');
  return `${named}${more}: each sent once; skydeck journal shows their outcomes`;
}

/** Resolves when the text was handed over, so that the program does not end before. */
export function print(io: Pick<CommandIo, 'stdout'>, text: string): Promise<void> {
  return new Promise(resolve => io.stdout.write(text, resolve));
}

const BROKEN_PIPE = 'EPIPE';

type Stream = {
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown;
  readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/**
 * A process stream to print to. Its reader may end early, as `head` does, which is not an error. Output lost for any
 * other reason, such as a full disk, is reported by `lost`, and the program goes on to its end.
 */
export function outputTo(stream: Stream, onGone: () => void = () => {}): Output {
  let isUsed = false;
  let isGone = false;
  let reason: string | undefined;
  const fail = (error: NodeJS.ErrnoException) => {
    if (isGone) return;
    isGone = error.code === BROKEN_PIPE;
    if (isGone) onGone();
    else reason ??= error.message;
  };
  stream.on('error', error => {
    if (!isUsed && error.code !== BROKEN_PIPE) throw error;
    fail(error);
  });
  return {
    write: (text, done) => {
      isUsed = true;
      const settle = (error?: Error | null) => {
        if (error !== undefined && error !== null) fail(error);
        done?.();
      };
      try {
        stream.write(text, settle);
      } catch (error) {
        settle(error instanceof Error ? error : new Error(String(error)));
      }
    },
    lost: () => reason,
    isTTY: stream.isTTY,
    columns: stream.columns,
  };
}
