import type {Cancel, Clock, DurationMs, MonotonicMs} from '../domain/time.ts';
import {ESCAPE, keyNames, TEXT_ANSWER} from './keys.ts';

/** What the terminal sent in one piece. */
export type TerminalInput =
  /** `isAlone`: nothing but this one key came in, and neither a paste nor a terminal's answer, whole or broken off, shortly before. Only such a key can answer a question. */
  | {readonly kind: 'keys'; readonly names: readonly string[]; readonly isAlone: boolean}
  /** The beginning of a paste whose end is still to come, and its text with it. */
  | {readonly kind: 'pasting'}
  | {readonly kind: 'paste'; readonly text: string};

/** The part of an input stream that is read. */
export type InputStream = {
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (chunk: string) => void): unknown;
  off(event: 'data', listener: (chunk: string) => void): unknown;
};

const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
const PASTE_MARKER = new RegExp(`${ESCAPE}\\[20[01]~`);
/** What may be the beginning of a sequence whose rest is still on its way. */
const UNFINISHED = new RegExp(
  `${ESCAPE}{1,2}(?:\\[{1,2}[0-?]{0,32}[ -/]{0,4}|O[\\d;]{0,32}|(${TEXT_ANSWER}${ESCAPE}?))?$`,
  'u',
);
const CTRL_C = '\u0003';

/** Escape and a letter are a key of their own; with these it may be the beginning of a terminal's answer. */
const ANSWER_BEGINS = new RegExp(`${ESCAPE}[\\]PX^_]$`, 'u');

/** Only time distinguishes an Escape from the start of a sequence. */
const ESCAPE_WAIT_MS: DurationMs = 20;
/** For the rest of a terminal's answer, over a slow line. */
const ANSWER_WAIT_MS: DurationMs = 150;
/** What follows a paste within this time may be the rest of it, behind an end that its author wrote into it. */
const AFTER_PASTE_MS: DurationMs = 150;
/**
 * The rest of a sequence that broke off may still come, in pieces that look like keys: over a bad line a terminal's
 * answer was seen to be cut for more than a second.
 */
const AFTER_CUT_MS: DurationMs = 5000;
/** What follows a terminal's answer within this time was typed before its reader saw what is asked, or is part of it. */
const AFTER_REPORT_MS: DurationMs = 150;
/** No text input takes nearly as much. A longer paste is dropped. */
const MAX_PASTE_LENGTH = 65_536;

type Listener = {
  readonly now: () => MonotonicMs;
  readonly after: Clock['after'];
  readonly take: (input: TerminalInput) => void;
};

/**
 * Reads keys and pastes from a terminal in raw mode with bracketed paste, and gives each piece to `take` as it was
 * read. This is not left to Ink, which splits a piece before anyone sees it: an answer to a question has to come alone,
 * and of `y` with an arrow or a paste behind it Ink gives a `y` that looks alone.
 *
 * Pasted text may hold markers of pastes itself, since not every terminal filters them. So nothing counts that came in
 * one piece with a marker, except the text up to the first end; a piece that ends in a paste goes on with it; and for a
 * while after a paste no key answers anything. Ctrl-C by itself ends a paste whose end got lost.
 */
export function listenToTerminal(stream: InputStream, listener: Listener): Cancel {
  const reader = new TerminalReader(listener);
  const read = (chunk: string) => reader.read(chunk);
  stream.setEncoding('utf8');
  stream.on('data', read);
  return () => {
    reader.stop();
    stream.off('data', read);
  };
}

/** Makes keys and pastes of the pieces of text that a terminal sends. */
class TerminalReader {
  readonly #listener: Listener;
  /** The last characters read: a marker may have begun in them, also where they were taken for keys meanwhile. */
  #recent = '';
  /** The beginning of a sequence, kept until the rest comes or does not. */
  #unfinished = '';
  #cancelWait: Cancel | undefined;
  /** What was pasted so far, while a paste comes in. */
  #pasted: string | undefined;
  #isTooLong = false;
  #lastPasteAt = Number.NEGATIVE_INFINITY;
  #lastCutAt = Number.NEGATIVE_INFINITY;
  #lastReportAt = Number.NEGATIVE_INFINITY;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  stop(): void {
    this.#cancelWait?.();
  }

  read(chunk: string): void {
    this.#cancelWait?.();
    const seen = this.#recent + chunk;
    this.#recent = seen.slice(1 - PASTE_START.length);
    if (this.#pasted !== undefined) {
      if (chunk !== CTRL_C || this.#isAfterPaste()) return this.#readPaste(this.#pasted + chunk);
      this.#pasted = undefined;
      this.#lastPasteAt = this.#listener.now();
    }
    const markerIndex = seen.search(PASTE_MARKER);
    if (markerIndex === -1) return this.#readKeys(chunk);
    this.#unfinished = '';
    this.#isTooLong = false;
    const marked = seen.slice(markerIndex);
    this.#readPaste(marked.startsWith(PASTE_START) ? marked.slice(PASTE_START.length) : marked);
  }

  /** `text` goes from the beginning of the paste to the last character read. */
  #readPaste(text: string): void {
    this.#lastPasteAt = this.#listener.now();
    const endIndex = text.indexOf(PASTE_END);
    if (endIndex === -1) {
      const isBegun = this.#pasted !== undefined;
      this.#isTooLong ||= text.length > MAX_PASTE_LENGTH;
      this.#pasted = this.#isTooLong ? text.slice(1 - PASTE_END.length) : text;
      return isBegun ? undefined : this.#listener.take({kind: 'pasting'});
    }
    const rest = text.slice(endIndex + PASTE_END.length);
    const nextIndex = rest.lastIndexOf(PASTE_START);
    const isNext = nextIndex > rest.lastIndexOf(PASTE_END);
    this.#pasted = isNext ? rest.slice(nextIndex + PASTE_START.length) : undefined;
    this.#listener.take({
      kind: 'paste',
      text: this.#isTooLong ? '' : text.slice(0, endIndex).replaceAll(PASTE_START, ''),
    });
    this.#isTooLong = false;
  }

  #readKeys(chunk: string): void {
    const isNearPaste = this.#isAfterPaste();
    // Pieces that follow a paste closely extend its time: each may be the rest of it.
    if (isNearPaste) this.#lastPasteAt = this.#listener.now();
    const text = this.#unfinished + chunk;
    const [begun = '', answer] = UNFINISHED.exec(text) ?? [];
    this.#unfinished = begun;
    if (begun !== '') {
      const waitMs = answer === undefined ? ESCAPE_WAIT_MS : ANSWER_WAIT_MS;
      this.#cancelWait = this.#listener.after(waitMs, () => this.#endWait());
    }
    if (ANSWER_BEGINS.test(text)) this.#lastCutAt = this.#listener.now();
    const names = keyNames(text.slice(0, text.length - this.#unfinished.length));
    const isAlone = text.length === 1 && !isNearPaste && !this.#isAfterCut() && !this.#isAfterReport();
    if (names.length > 0) this.#listener.take({kind: 'keys', names, isAlone});
    else if (begun === '') this.#lastReportAt = this.#listener.now();
  }

  /** No rest came: Escape, or Escape with a key right behind it. A longer beginning is a cut sequence and no keys. */
  #endWait(): void {
    if (this.#unfinished.replaceAll(ESCAPE, '') !== '') this.#lastCutAt = this.#listener.now();
    const names = this.#unfinished.length > 2 ? [] : keyNames(this.#unfinished);
    this.#unfinished = '';
    if (names.length > 0) this.#listener.take({kind: 'keys', names, isAlone: false});
  }

  #isAfterPaste(): boolean {
    return this.#listener.now() - this.#lastPasteAt < AFTER_PASTE_MS;
  }

  #isAfterCut(): boolean {
    return this.#listener.now() - this.#lastCutAt < AFTER_CUT_MS;
  }

  #isAfterReport(): boolean {
    return this.#listener.now() - this.#lastReportAt < AFTER_REPORT_MS;
  }
}
