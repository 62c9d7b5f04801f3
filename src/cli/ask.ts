import {unreachable} from '../domain/assert.ts';
import type {Cancel, Clock, DurationMs, MonotonicMs} from '../domain/time.ts';
import {cellWidth, graphemes} from '../terminal/glyphs.ts';
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
  /** Asks for a secret rather than a confirmation: it is not echoed, and may be pasted. */
  readonly isHidden?: boolean;
};

/**
 * Asks a question on the terminal and returns the line typed, or undefined if the person leaves with ctrl-d; ctrl-c
 * interrupts the program as usual. Text typed before the question is not an answer: for a moment the terminal is read
 * and its input dropped, and only then the question appears. Nor is a paste: after one the question is asked again.
 * Enter must arrive alone, as a pressed key does.
 */
export function ask(terminal: Terminal, question: string, options: AskOptions): Promise<string | undefined> {
  return new Promise(resolve => {
    new TypedLine(terminal, options, resolve).ask(question);
  });
}

/** The line typed, from the question to its end. */
class TypedLine {
  readonly #terminal: Terminal;
  readonly #options: AskOptions;
  readonly #resolve: (answer: string | undefined) => void;
  #question = '';
  #typed = '';
  #isPut = false;
  #cancelPut: Cancel | undefined;
  #stopListening: Cancel = () => {};

  constructor(terminal: Terminal, options: AskOptions, resolve: (answer: string | undefined) => void) {
    this.#terminal = terminal;
    this.#options = options;
    this.#resolve = resolve;
  }

  ask(question: string): void {
    const {stdin, stderr} = this.#terminal;
    const {now, after} = this.#options;
    this.#question = question;
    this.#stopListening = listenToTerminal(stdin, {now, after, take: input => this.#take(input)});
    stdin.on('end', this.#leave);
    stdin.setRawMode(true);
    stderr.write(this.#modes().on);
    stdin.resume();
    this.#put();
  }

  #put(): void {
    this.#cancelPut = this.#options.after(DROPPED_FOR_MS, () => {
      // After a long stall the timer fires before the terminal has been read at all.
      const turn = setImmediate(() => {
        this.#terminal.stderr.write(this.#question);
        this.#isPut = true;
      });
      this.#cancelPut = () => clearImmediate(turn);
    });
  }

  #withdraw(): void {
    this.#cancelPut?.();
    if (this.#isPut) this.#terminal.stderr.write('\n  pasted text is not accepted; type the answer\n');
    this.#isPut = false;
    this.#typed = '';
  }

  #take(input: TerminalInput): void {
    const {isHidden = false} = this.#options;
    switch (input.kind) {
      case 'keys':
        return this.#press(input.names, input.isAlone);
      case 'pasting':
        return isHidden ? undefined : this.#withdraw();
      case 'paste':
        if (isHidden) return this.#type(keyNames(input.text).flatMap(name => typedText(name) ?? []));
        this.#withdraw();
        return this.#put();
      default:
        return unreachable(input);
    }
  }

  #press(names: readonly string[], isAlone: boolean): void {
    const {isHidden = false} = this.#options;
    if (names.includes('ctrl-c')) {
      this.#leave();
      // In this mode the terminal sends no signal itself, and a script must see that there was one.
      this.#terminal.kill(this.#terminal.pid, 'SIGINT');
      return;
    }
    if (!this.#isPut) return;
    const lastIndex = names.findIndex(name => name === 'ctrl-d' || (name === 'enter' && (isAlone || isHidden)));
    // Without a message it would look as if the answer had been accepted.
    if (lastIndex === -1 && names.includes('enter')) {
      this.#withdraw();
      return this.#put();
    }
    this.#type(lastIndex === -1 ? names : names.slice(0, lastIndex));
    if (lastIndex !== -1) this.#finish(names[lastIndex] === 'enter' ? this.#typed : undefined);
  }

  #type(names: readonly string[]): void {
    for (const name of names) {
      const next = edited(this.#typed, name);
      if (this.#options.isHidden !== true) this.#terminal.stderr.write(echoOf(this.#typed, next));
      this.#typed = next;
    }
  }

  readonly #leave = (): void => this.#finish(undefined);

  #finish(answer: string | undefined): void {
    const {stdin, stderr} = this.#terminal;
    this.#cancelPut?.();
    this.#stopListening();
    stdin.off('end', this.#leave);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write(`${this.#modes().off}\n`);
    this.#resolve(answer);
  }

  #modes(): typeof BRACKETED_PASTE {
    return this.#terminal.env.TERM === 'dumb' ? {on: '', off: ''} : BRACKETED_PASTE;
  }
}

function edited(typed: string, key: string): string {
  if (key === 'ctrl-u') return '';
  if (key === 'backspace') return graphemes(typed).slice(0, -1).join('');
  return typed.length >= MAX_LENGTH ? typed : typed + (typedText(key) ?? '');
}

function echoOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  return '\b \b'.repeat(cellWidth(before) - cellWidth(after));
}
