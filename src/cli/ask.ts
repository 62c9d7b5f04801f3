import {unreachable} from '../domain/assert.ts';
import type {Cancel, Clock, DurationMs, MonotonicMs} from '../domain/time.ts';
import {type InputStream, listenToTerminal, type TerminalInput} from '../terminal/input.ts';
import {keyNames, typedText} from '../terminal/keys.ts';

type Terminal = {
  readonly stdin: InputStream & {
    setRawMode(isRaw: boolean): unknown;
    resume(): unknown;
    pause(): unknown;
    on(event: 'end', listener: () => void): unknown;
    off(event: 'end', listener: () => void): unknown;
  };
  readonly stderr: {write(text: string): unknown};
  readonly pid: number;
  readonly kill: (pid: number, signal: 'SIGINT') => unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
};

const BRACKETED_PASTE = {on: '\u001b[?2004h', off: '\u001b[?2004l'};
/** Longer than any key or name. */
const MAX_LENGTH = 4096;
/** Keys typed before the question could be read are not an answer to it. */
const DROPPED_FOR_MS: DurationMs = 400;

export type AskOptions = {
  readonly now: () => MonotonicMs;
  readonly after: Clock['after'];
  /** Asks for a secret, not for a confirmation: it is not echoed, and may be pasted. */
  readonly isHidden?: boolean;
};

/**
 * Puts a question on the terminal and gives the line that is typed, or undefined when the person leaves with ctrl-d;
 * ctrl-c interrupts the program as it does everywhere. What was typed before the question stood there is no answer to
 * it: the terminal is read and what comes is dropped for a moment, and only then the question appears. A paste is no
 * answer either: the question is put anew after it. The enter has to come by itself, as a pressed key does.
 */
export function ask(terminal: Terminal, question: string, options: AskOptions): Promise<string | undefined> {
  const {stdin, stderr, pid, kill} = terminal;
  const {now, after, isHidden = false} = options;
  const modes = terminal.env.TERM === 'dumb' ? {on: '', off: ''} : BRACKETED_PASTE;
  return new Promise(resolve => {
    let typed = '';
    let isPut = false;
    let cancelPut: Cancel | undefined;
    const stopListening = listenToTerminal(stdin, {now, after, take});
    stdin.on('end', leave);
    stdin.setRawMode(true);
    stderr.write(modes.on);
    stdin.resume();
    put();

    function put(): void {
      cancelPut = after(DROPPED_FOR_MS, () => {
        // After a long stall the timer comes before the terminal is read even once.
        const turn = setImmediate(() => {
          stderr.write(question);
          isPut = true;
        });
        cancelPut = () => clearImmediate(turn);
      });
    }

    function withdraw(): void {
      cancelPut?.();
      if (isPut) stderr.write('\n  pasted text is not accepted; type the answer\n');
      isPut = false;
      typed = '';
    }

    function take(input: TerminalInput): void {
      switch (input.kind) {
        case 'keys':
          return press(input.names, input.isAlone);
        case 'pasting':
          return isHidden ? undefined : withdraw();
        case 'paste':
          if (isHidden) return type(keyNames(input.text).flatMap(name => typedText(name) ?? []));
          withdraw();
          return put();
        default:
          return unreachable(input);
      }
    }

    function press(names: readonly string[], isAlone: boolean): void {
      if (names.includes('ctrl-c')) {
        leave();
        // In this mode the terminal sends no signal by itself, and a script has to see that one came.
        kill(pid, 'SIGINT');
        return;
      }
      if (!isPut) return;
      const lastIndex = names.findIndex(name => name === 'ctrl-d' || (name === 'enter' && (isAlone || isHidden)));
      // Without a message it would look as if the answer had been accepted.
      if (lastIndex === -1 && names.includes('enter')) {
        withdraw();
        return put();
      }
      type(lastIndex === -1 ? names : names.slice(0, lastIndex));
      if (lastIndex !== -1) finish(names[lastIndex] === 'enter' ? typed : undefined);
    }

    function type(names: readonly string[]): void {
      for (const name of names) {
        const next = edited(typed, name);
        if (!isHidden) stderr.write(echoOf(typed, next));
        typed = next;
      }
    }

    function leave(): void {
      finish(undefined);
    }

    function finish(answer: string | undefined): void {
      cancelPut?.();
      stopListening();
      stdin.off('end', leave);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write(`${modes.off}\n`);
      resolve(answer);
    }
  });
}

function edited(typed: string, key: string): string {
  if (key === 'ctrl-u') return '';
  if (key === 'backspace') return [...typed].slice(0, -1).join('');
  return typed.length >= MAX_LENGTH ? typed : typed + (typedText(key) ?? '');
}

function echoOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  return '\b \b'.repeat([...before].length - [...after].length);
}
