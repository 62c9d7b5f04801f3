import type {Cancel, Clock, DurationMs, MonotonicMs} from '../domain/time.ts';
import {cellWidth, graphemes} from './glyphs.ts';
import {type InputStream, listenToTerminal, PASTED_WITHIN_MS, type TerminalInput} from './input.ts';
import {KEYS_AS_BYTES, keyNames, typedText} from './keys.ts';

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
  readonly kill: (pid: number, signal: 'SIGINT' | 'SIGTSTP') => unknown;
  on(event: 'SIGCONT', listener: () => void): unknown;
  off(event: 'SIGCONT', listener: () => void): unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Pastes are marked, and keys come as in the deck. Only the former is undone: who asked for other keys asks again. */
const MODES = {on: `\u001b[?2004h${KEYS_AS_BYTES}`, off: '\u001b[?2004l'};
/** Longer than any key or name. */
const MAX_LENGTH = 4096;
/**
 * Nobody types as many keys before the program looks again: a paste without marks, of which a terminal may hand over the
 * first 4,095 characters and the rest later, enter alone.
 */
const MAX_KEYS_AT_ONCE = 40;
/** Keys typed before the question could be read are not an answer to it. */
const DROPPED_FOR_MS: DurationMs = 400;
/** As in the deck: how often to look whether the program stood still, and for how long it may without asking again. */
const WATCH_INTERVAL_MS: DurationMs = 200;
const UNSEEN_MS: DurationMs = 700;
/** A process group without a shell above it ignores the stop; the question then comes back by itself. */
const NOT_STOPPED_AFTER_MS: DurationMs = 200;
const PASTED = 'pasted text is not accepted; type the answer';
const WAS_SUSPENDED = 'skydeck was suspended; type the answer again';

export type AskOptions = {
  readonly now: () => MonotonicMs;
  readonly after: Clock['after'];
  /** Asks for a secret rather than a confirmation: it is not echoed, and may be pasted. */
  readonly isHidden?: boolean;
};

/**
 * Asks a question on the terminal and returns the line typed, or undefined if the person leaves with esc or ctrl-d;
 * ctrl-c interrupts the program as usual, so that nothing is returned. Text typed before the question is not an answer: for a moment the terminal is read
 * and its input dropped, and only then the question appears. Nor is a paste, or what is typed while the program is
 * stopped: after either the question is asked again. Enter must arrive alone and not at once after another key or before
 * one, as a pressed key does.
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
  #isOver = false;
  #lastKeyAt: MonotonicMs | undefined;
  #tickedAt: MonotonicMs | undefined;
  #cancelPut: Cancel | undefined;
  #cancelWatch: Cancel | undefined;
  #cancelResume: Cancel | undefined;
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
    // Signals come after what the terminal sent in the same turn: keys that waited during a stop are looked at later.
    const take = (input: TerminalInput) => {
      const sinceKeyMs = this.#sinceKeyMs();
      if (input.kind === 'keys' && this.#isPut) this.#lastKeyAt = now();
      setImmediate(() => this.#take(input, sinceKeyMs));
    };
    const isAnswer = (key: string) => key === 'enter' && this.#sinceKeyMs() >= PASTED_WITHIN_MS;
    this.#stopListening = listenToTerminal(stdin, {now, after, take, isAnswer});
    stdin.on('end', this.#leave);
    this.#terminal.on('SIGCONT', this.#resume);
    stdin.setRawMode(true);
    stderr.write(this.#modes().on);
    stdin.resume();
    this.#put();
    this.#watch();
  }

  #watch(): void {
    this.#tickedAt = this.#options.now();
    this.#cancelWatch = this.#options.after(WATCH_INTERVAL_MS, () => {
      this.#askAfterStandingStill();
      this.#watch();
    });
  }

  /** What waited meanwhile may have been typed before the question was in sight. */
  #askAfterStandingStill(): void {
    const now = this.#options.now();
    const isLong = now - (this.#tickedAt ?? now) > UNSEEN_MS;
    this.#tickedAt = now;
    if (isLong && this.#isPut) this.#askAnew(WAS_SUSPENDED);
  }

  /** Gives the terminal to the shell, as ctrl-z does outside raw mode. */
  #suspend(): void {
    const {stdin, stderr, kill} = this.#terminal;
    this.#drop(undefined);
    stdin.setRawMode(false);
    stderr.write(`${this.#modes().off}\n`);
    this.#cancelResume = this.#options.after(NOT_STOPPED_AFTER_MS, this.#resume);
    kill(0, 'SIGTSTP');
  }

  /** After any stop: the shell has had the terminal in between. */
  readonly #resume = (): void => {
    const {stdin, stderr} = this.#terminal;
    this.#cancelResume?.();
    this.#tickedAt = this.#options.now();
    // Node remembers the mode it set last and would not set it again.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stderr.write(this.#modes().on);
    this.#askAnew(WAS_SUSPENDED);
  };

  #askAnew(reason: string | undefined): void {
    this.#drop(reason);
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

  /** Withdraws the question, and what was typed for it. */
  #drop(reason: string | undefined): void {
    this.#cancelPut?.();
    if (this.#isPut && reason !== undefined) this.#terminal.stderr.write(`\n  ${reason}\n`);
    this.#isPut = false;
    this.#typed = '';
  }

  #sinceKeyMs(): DurationMs {
    return this.#options.now() - (this.#lastKeyAt ?? Number.NEGATIVE_INFINITY);
  }

  #take(input: TerminalInput, sinceKeyMs: DurationMs): void {
    const {isHidden = false} = this.#options;
    if (this.#isOver) return;
    this.#askAfterStandingStill();
    if (input.kind === 'keys') this.#press(input, sinceKeyMs);
    else if (input.kind === 'pasting') isHidden || this.#drop(PASTED);
    else if (isHidden) this.#type(keyNames(input.text).flatMap(name => typedText(name) ?? []));
    else this.#askAnew(PASTED);
  }

  #press({names, isAlone, aloneInMs}: Extract<TerminalInput, {kind: 'keys'}>, sinceKeyMs: DurationMs): void {
    const {isHidden = false} = this.#options;
    if (names.includes('ctrl-c')) {
      this.#close();
      // In this mode the terminal sends no signal itself, and a script must see that there was one.
      this.#terminal.kill(this.#terminal.pid, 'SIGINT');
      return;
    }
    if (!this.#isPut) return;
    if (names.includes('ctrl-z')) return this.#suspend();
    if (names.length === 1 && names[0] === 'esc') {
      return aloneInMs === undefined ? this.#leave() : this.#askAnew(tooSoon(names[0], aloneInMs));
    }
    if (!isHidden && isPasted(names, sinceKeyMs)) return this.#askAnew(PASTED);
    const lastIndex = names.findIndex(name => name === 'ctrl-d' || (name === 'enter' && (isAlone || isHidden)));
    // Without a message it would look as if the answer had been accepted.
    if (lastIndex === -1 && names.includes('enter')) {
      return this.#askAnew(aloneInMs === undefined ? PASTED : tooSoon('enter', aloneInMs));
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
    this.#close();
    this.#resolve(answer);
  }

  /** Gives the terminal back. */
  #close(): void {
    const {stdin, stderr} = this.#terminal;
    this.#isOver = true;
    this.#cancelPut?.();
    this.#cancelWatch?.();
    this.#cancelResume?.();
    this.#stopListening();
    stdin.off('end', this.#leave);
    this.#terminal.off('SIGCONT', this.#resume);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write(`${this.#modes().off}\n`);
  }

  #modes(): typeof MODES {
    return this.#terminal.env.TERM === 'dumb' ? {on: '', off: ''} : MODES;
  }
}

/** The terminal sent something by itself, or Alt and a key was pressed: the key may be part of the former. */
function tooSoon(key: 'enter' | 'esc', aloneInMs: DurationMs): string {
  const again = key === 'esc' ? 'press it again' : 'type the answer again';
  return `other input came just before ${key}; ${again} in ${Math.ceil(aloneInMs / 1000)} s`;
}

/** Without marks, as a terminal without bracketed paste sends it: too many keys at once, or enter too soon. */
function isPasted(names: readonly string[], sinceKeyMs: DurationMs): boolean {
  return names.length > MAX_KEYS_AT_ONCE || (names.includes('enter') && sinceKeyMs < PASTED_WITHIN_MS);
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
