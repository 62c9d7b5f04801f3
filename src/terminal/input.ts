import type {Cancel, Clock, DurationMs, MonotonicMs} from '../domain/time.ts';
import {ESCAPE, keyNames, UNFINISHED} from './keys.ts';

/** What the terminal sent in one chunk. */
export type TerminalInput =
  /**
   * `isAlone`: nothing but this key arrived in the chunk, and neither a paste nor a terminal's answer, complete or cut,
   * shortly before; and an enter that answers has not waited together with other keys. Only such a key can answer a
   * question. `aloneInMs`: for how long no key is alone because of what the terminal sent.
   */
  | {
      readonly kind: 'keys';
      readonly names: readonly string[];
      readonly isAlone: boolean;
      readonly aloneInMs?: DurationMs;
    }
  /** The beginning of a paste whose end has not arrived yet, and the text so far. */
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
const CTRL_C = '\u0003';

/** Only time distinguishes an Escape key from the start of a sequence. */
const ESCAPE_WAIT_MS: DurationMs = 20;
/** How long to wait for the rest of a terminal's answer, over a slow line. */
const ANSWER_WAIT_MS: DurationMs = 150;
/**
 * Input that follows a paste within this time may still be part of it, after an end marker contained in the pasted
 * text.
 */
const AFTER_PASTE_MS: DurationMs = 150;
/**
 * The rest of a cut sequence may still arrive, in chunks that look like keys: over a bad line, terminals' answers were
 * seen to be interrupted for more than a second.
 */
const AFTER_CUT_MS: DurationMs = 5000;
/**
 * The same after Escape and one of `[ O P ] _`, which a person sends by Alt and that key. Terminals begin their answers
 * with these five only (CSI, SS3, DCS, OSC, APC), never with `X` or `^` (SOS, PM). Of a cut answer, several characters
 * arrive next, which then count as such; and the Escape has closed any question.
 */
const AFTER_ALT_MS: DurationMs = 1000;
/**
 * Keys that follow a terminal's answer within this time were typed before the question could be read, or are part of
 * it.
 */
const AFTER_REPORT_MS: DurationMs = 150;
/** Nobody presses a key this soon after an answer, or enter this soon after a key: a paste in pieces, not marked as one. */
export const PASTED_WITHIN_MS: DurationMs = 20;
/** No text input needs nearly as much. A longer paste is dropped. */
const MAX_PASTE_LENGTH = 65_536;
/** Of a longer answer, such as a copied text, the rest is not kept until its end arrives. */
const MAX_HELD_LENGTH = 4096;

type Listener = {
  readonly now: () => MonotonicMs;
  readonly after: Clock['after'];
  readonly take: (input: TerminalInput) => void;
  /** Whether this key, alone, would answer a question now. It is held until it is certain that nothing follows it. */
  readonly isAnswer?: (key: string) => boolean;
};

/**
 * Reads keys and pastes from a terminal in raw mode with bracketed paste, and passes each chunk to `take` as it was
 * read. Not left to Ink, which splits chunks: an answer to a question must arrive alone, and for `y` followed by an
 * arrow or a paste, Ink delivers a `y` that looks alone. Pasted text may itself contain paste markers, because not
 * every terminal filters them. So nothing counts that arrived in one chunk with a marker, except the text up to the
 * first end; a chunk that ends in a paste continues with it; and for a while after a paste no key answers anything.
 * Ctrl-C alone ends a paste whose end got lost.
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

/** Turns chunks of terminal text into keys and pastes. */
class TerminalReader {
  readonly #listener: Listener;
  /**
   * The last characters read: they may contain the beginning of a marker, even if they were taken for keys meanwhile.
   */
  #recent = '';
  /** The beginning of a sequence, kept until the rest arrives or time is up. */
  #unfinished = '';
  #cancelWait: Cancel | undefined;
  /** Whether that is a key that answers a question, if nothing else arrives. */
  #isHeld = false;
  /**
   * Whether the terminal was read, in vain, some time after the last chunk. Without it the next one may have been
   * waiting meanwhile, however long the program stood still.
   */
  #hasRested = true;
  #cancelRest: Cancel | undefined;
  /** The text pasted so far, while a paste is arriving. */
  #pasted: string | undefined;
  #isTooLong = false;
  #lastPasteAt = Number.NEGATIVE_INFINITY;
  /** Until then a key may be part of what the terminal sent by itself. */
  #sendsUntil = Number.NEGATIVE_INFINITY;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  stop(): void {
    this.#cancelWait?.();
    this.#cancelRest?.();
  }

  read(chunk: string): void {
    this.#cancelWait?.();
    this.#isHeld = false;
    const hasRested = this.#hasRested;
    this.#rest();
    const seen = this.#recent + chunk;
    this.#recent = seen.slice(1 - PASTE_START.length);
    if (this.#pasted !== undefined) {
      if (chunk !== CTRL_C || this.#isAfterPaste()) return this.#readPaste(this.#pasted + chunk);
      this.#pasted = undefined;
      this.#lastPasteAt = this.#listener.now();
    }
    const markerIndex = seen.search(PASTE_MARKER);
    if (markerIndex === -1) return this.#readKeys(chunk, hasRested);
    this.#unfinished = '';
    this.#isTooLong = false;
    const marked = seen.slice(markerIndex);
    this.#readPaste(marked.startsWith(PASTE_START) ? marked.slice(PASTE_START.length) : marked);
  }

  /** `text` runs from the beginning of the paste to the last character read. */
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

  #readKeys(chunk: string, hasRested: boolean): void {
    const isNearPaste = this.#isAfterPaste();
    // Chunks that follow a paste closely extend this period: each may be the rest of it.
    if (isNearPaste) this.#lastPasteAt = this.#listener.now();
    const text = this.#unfinished + chunk;
    const [begun = '', answer] = UNFINISHED.exec(text) ?? [];
    this.#unfinished = heldOf(begun);
    if (begun !== '') {
      const waitMs = answer === undefined ? ESCAPE_WAIT_MS : ANSWER_WAIT_MS;
      this.#wait(waitMs);
    }
    const names = keyNames(text.slice(0, text.length - begun.length));
    if (names.length > 1 && this.#sendsForMs() > 0) this.#sendsFor(AFTER_CUT_MS);
    const isAlone = text.length === 1 && !isNearPaste && this.#sendsForMs() === 0;
    const isAnswer = isAlone && names.some(key => this.#listener.isAnswer?.(key));
    if (isAnswer && names.includes('enter') && !hasRested) this.#press(names, false);
    else if (isAnswer) this.#hold(text);
    else if (names.length > 0) this.#press(names, isAlone);
    else if (begun === '') this.#sendsFor(AFTER_REPORT_MS);
  }

  /** The first character of a paste that the terminal does not mark may arrive alone, and the rest right after it. */
  #hold(key: string): void {
    this.#unfinished = key;
    this.#isHeld = true;
    this.#wait(PASTED_WITHIN_MS);
  }

  #wait(waitMs: DurationMs): void {
    this.#cancelWait = this.#afterReading(waitMs, () => this.#endWait());
  }

  #rest(): void {
    this.#hasRested = false;
    this.#cancelRest?.();
    this.#cancelRest = this.#afterReading(PASTED_WITHIN_MS, () => {
      this.#hasRested = true;
    });
  }

  /** After a stall time is up before the terminal is read again, and the rest may have been waiting there. */
  #afterReading(waitMs: DurationMs, run: () => void): Cancel {
    let cancel = this.#listener.after(waitMs, () => {
      const turn = setImmediate(run);
      cancel = () => clearImmediate(turn);
    });
    return () => cancel();
  }

  /** No rest arrived: it was an answer; Escape, or Escape and a key. Anything longer is a cut sequence, and no key. */
  #endWait(): void {
    const isAlone = this.#isHeld;
    const {length} = this.#unfinished.replaceAll(ESCAPE, '');
    if (!isAlone && length > 0) this.#sendsFor(length === 1 ? AFTER_ALT_MS : AFTER_CUT_MS);
    const isTyped = isAlone || (this.#unfinished.length <= 2 && this.#unfinished.startsWith(ESCAPE));
    const names = isTyped ? keyNames(this.#unfinished) : [];
    this.#unfinished = '';
    if (names.length > 0) this.#press(names, isAlone);
  }

  #press(names: readonly string[], isAlone: boolean): void {
    const aloneInMs = Math.max(this.#isAfterPaste() ? AFTER_PASTE_MS : 0, this.#sendsForMs());
    this.#listener.take({kind: 'keys', names, isAlone, ...(aloneInMs > 0 ? {aloneInMs} : {})});
  }

  #isAfterPaste(): boolean {
    return this.#listener.now() - this.#lastPasteAt < AFTER_PASTE_MS;
  }

  #sendsFor(durationMs: DurationMs): void {
    this.#sendsUntil = Math.max(this.#sendsUntil, this.#listener.now() + durationMs);
  }

  #sendsForMs(): DurationMs {
    return Math.max(0, this.#sendsUntil - this.#listener.now());
  }
}

/** The beginning of an answer and, if it may be the first half of its end, its last character. */
function heldOf(begun: string): string {
  if (begun.length <= MAX_HELD_LENGTH) return begun;
  return begun.slice(0, MAX_HELD_LENGTH) + (begun.endsWith(ESCAPE) ? ESCAPE : '');
}
