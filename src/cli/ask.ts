import {setImmediate as nextTurn} from 'node:timers/promises';
import type {ReadStream, WriteStream} from 'node:tty';
import type {Clock, DurationMs} from '../domain/time.ts';

type Terminal = {
  readonly stdin: ReadStream;
  readonly stderr: WriteStream;
  readonly pid: number;
  readonly kill: (pid: number, signal: 'SIGINT') => unknown;
};

const ENTER = /[\r\n]/;
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_U = '\x15';
const BACKSPACE: ReadonlySet<string> = new Set(['\b', '\x7f']);
/** Longer than any key or name. */
const MAX_LENGTH = 4096;

/** What a person may still be typing when the words of the question appear is no answer to them. */
const DROPPED_FOR_MS: DurationMs = 400;

export type AskOptions = {
  readonly after: Clock['after'];
  /** The answer is not echoed. */
  readonly isHidden?: boolean;
};

/**
 * Puts a question on the terminal and gives the line that is typed, or undefined when the person leaves with ctrl-d;
 * ctrl-c interrupts the program as it does everywhere. What was typed before the question stood there is no answer to
 * it: the terminal is read and what comes is dropped for a moment, and only then the question appears.
 */
export async function ask(terminal: Terminal, question: string, options: AskOptions): Promise<string | undefined> {
  const {stdin, stderr} = terminal;
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  if (await hasLeftEarly(terminal, options)) return undefined;
  stderr.write(question);
  return answerTo(terminal, options);
}

/** Drops what was typed ahead; only a ctrl-c means the same at any time. */
async function hasLeftEarly({stdin, pid, kill}: Terminal, {after}: AskOptions): Promise<boolean> {
  const early = {isOver: false, isInterrupted: false};
  const drop = (chunk: string) => {
    early.isInterrupted ||= chunk.includes(CTRL_C);
  };
  const end = () => {
    early.isOver = true;
  };
  stdin.on('data', drop);
  stdin.on('end', end);
  stdin.resume();
  await new Promise<void>(resolve => after(DROPPED_FOR_MS, resolve));
  // After a long stall the timer comes before the terminal is read even once.
  await nextTurn();
  stdin.off('data', drop);
  stdin.off('end', end);
  const {isOver, isInterrupted} = early;
  if (!isOver && !isInterrupted) return false;
  stdin.setRawMode(false);
  stdin.pause();
  if (isInterrupted) kill(pid, 'SIGINT');
  return true;
}

function answerTo({stdin, stderr, pid, kill}: Terminal, {isHidden = false}: AskOptions): Promise<string | undefined> {
  return new Promise(resolve => {
    let typed = '';
    const finish = (answer: string | undefined) => {
      stdin.off('data', take);
      stdin.off('end', leave);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      resolve(answer);
    };
    const leave = () => finish(undefined);
    const take = (chunk: string): unknown => {
      for (const character of chunk) {
        if (character === CTRL_C) {
          finish(undefined);
          // In this mode the terminal sends no signal by itself, and a script has to see that one came.
          return kill(pid, 'SIGINT');
        }
        if (character === CTRL_D) return finish(undefined);
        if (ENTER.test(character)) return finish(typed);
        const next = edited(typed, character);
        if (!isHidden) stderr.write(echoOf(typed, next));
        typed = next;
      }
    };
    stdin.on('data', take);
    stdin.on('end', leave);
  });
}

function edited(typed: string, character: string): string {
  if (character === CTRL_U) return '';
  if (BACKSPACE.has(character)) return [...typed].slice(0, -1).join('');
  if (/\p{Cc}/u.test(character) || typed.length >= MAX_LENGTH) return typed;
  return typed + character;
}

function echoOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  return '\b \b'.repeat([...before].length - [...after].length);
}
