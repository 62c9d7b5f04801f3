const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A list is in the body itself, or nested at most this many objects deep. */
const MAX_LIST_DEPTH = 3;
/** Takes a millisecond to parse; a longer text would live until the next full garbage collection. */
export const PIECE_BYTES = 64 * 1024;
/** Replaces an element that was too long to be held. */
const SKIPPED = Buffer.from('null');

type ByteRange = {readonly start: number; readonly end: number};

type OpenList = {
  readonly depth: number;
  /** The start of the elements that are not cut out yet, and the end of the last of them. */
  start: number;
  elementStart: number;
  skippedBytes: number;
};

/**
 * Cuts long JSON, as it arrives, into short texts of the same shape: each piece has some elements of one list in its
 * place, as in `{"instances":[…]}`, and `rest` is the whole text without them. An element that is too long becomes
 * `null`. Nothing is validated here: invalid JSON gives invalid pieces.
 */
export class JsonCutter {
  /** Text that has arrived and is not cut out yet. */
  #bytes: Buffer = Buffer.allocUnsafe(2 * PIECE_BYTES);
  #length = 0;
  #scanned = 0;
  #depth = 0;
  /** The number of open arrays: a list is cut only if it is nested in objects. */
  #arrayDepth = 0;
  #isInText = false;
  #textStart = 0;
  /** The last string in each open object: its key, when a list opens. */
  readonly #keys: ByteRange[] = [];
  #list: OpenList | undefined;
  readonly #maxElementBytes: number;

  constructor(maxElementBytes: number) {
    this.#maxElementBytes = maxElementBytes;
  }

  /** Bytes skipped so far of an element that is too long. */
  skippedBytes(): number {
    return this.#list?.skippedBytes ?? 0;
  }

  /** Bytes held. */
  heldBytes(): number {
    return this.#length;
  }

  /** Takes the next bytes and returns the pieces that are complete. */
  push(chunk: Uint8Array): readonly string[] {
    this.#append(chunk);
    const pieces: string[] = [];
    while (this.#scanned < this.#length) {
      if (this.#isInText) this.#scanText();
      else if (this.#scanToPiece()) pieces.push(this.#cut());
    }
    this.#skip();
    return pieces;
  }

  /** The remaining text; to be called at the end of the body. */
  rest(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  #append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Moves past the closing quote, or to the end of the text so far. */
  #scanText(): void {
    const [bytes, length] = [this.#bytes, this.#length];
    let at = this.#scanned;
    while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.#isInText = at >= length;
    // A backslash may be the last byte so far; the byte it escapes is then skipped when it arrives.
    this.#scanned = this.#isInText ? at : at + 1;
    if (!this.#isInText && this.#arrayDepth === 0 && this.#depth <= MAX_LIST_DEPTH)
      this.#keys[this.#depth] = {start: this.#textStart, end: at + 1};
  }

  /**
   * Moves past the next opening quote or to the end of the text so far. Returns true if it stopped at a comma where a
   * piece is full.
   */
  #scanToPiece(): boolean {
    const bytes = this.#bytes;
    for (let at = this.#scanned; at < this.#length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInText = true;
        this.#textStart = at;
        this.#scanned = at + 1;
        return false;
      }
      if (byte === COMMA) {
        if (this.#list?.depth !== this.#depth) continue;
        at = this.#endElement(this.#list, at);
        this.#scanned = at;
        if (at - this.#list.start >= PIECE_BYTES) return true;
        this.#list.elementStart = at + 1;
      } else if (byte === OPEN_ARRAY) this.#openArray(at);
      else if (byte === CLOSE_ARRAY) at = this.#closeArray(at);
      else if (byte === OPEN_OBJECT) this.#depth += 1;
      else if (byte === CLOSE_OBJECT) this.#depth = Math.max(0, this.#depth - 1);
    }
    this.#scanned = this.#length;
    return false;
  }

  #openArray(at: number): void {
    this.#depth += 1;
    this.#arrayDepth += 1;
    const isList = this.#arrayDepth === 1 && this.#depth <= MAX_LIST_DEPTH + 1;
    if (isList) this.#list = {depth: this.#depth, start: at + 1, elementStart: at + 1, skippedBytes: 0};
  }

  /** Returns the position of the bracket afterwards. */
  #closeArray(at: number): number {
    const isOfList = this.#list?.depth === this.#depth;
    const place = this.#list !== undefined && isOfList ? this.#endElement(this.#list, at) : at;
    if (isOfList) this.#list = undefined;
    this.#depth = Math.max(0, this.#depth - 1);
    this.#arrayDepth = Math.max(0, this.#arrayDepth - 1);
    return place;
  }

  /** Drops the scanned part of an element that is too long and has not ended. */
  #skip(): void {
    const list = this.#list;
    if (list === undefined) return;
    const bytes = this.#length - list.elementStart;
    if (list.skippedBytes === 0 && bytes <= this.#maxElementBytes) return;
    list.skippedBytes += bytes;
    // One byte past the text so far, if its last byte escapes the next.
    const ahead = this.#scanned - this.#length;
    this.#bytes.set(SKIPPED, list.elementStart);
    this.#length = list.elementStart + SKIPPED.length;
    this.#scanned = this.#length + ahead;
  }

  /** Removes the rest of a skipped element, up to the comma or bracket after it. Returns that position afterwards. */
  #endElement(list: OpenList, at: number): number {
    if (list.skippedBytes === 0) return at;
    list.skippedBytes = 0;
    const end = list.elementStart + SKIPPED.length;
    this.#bytes.copyWithin(end, at, this.#length);
    this.#length -= at - end;
    return end;
  }

  /** Cuts out a piece: the elements before the present comma. They and the comma are removed from the text. */
  #cut(): string {
    const list = this.#list;
    if (list === undefined) return '';
    const keys = Array.from({length: list.depth - 1}, (_, at) => this.#textOf(this.#keys[at + 1]));
    const elements = this.#textOf({start: list.start, end: this.#scanned});
    this.#bytes.copyWithin(list.start, this.#scanned + 1, this.#length);
    this.#length -= this.#scanned + 1 - list.start;
    this.#scanned = list.start;
    list.elementStart = list.start;
    return `${keys.map(key => `{${key}:`).join('')}[${elements}]${'}'.repeat(keys.length)}`;
  }

  #textOf({start, end}: ByteRange = {start: 0, end: 0}): string {
    return this.#bytes.toString('utf8', start, end);
  }
}
