import {createHash} from 'node:crypto';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import {BYTES_PER_MIB, isSuccess, MAX_ERROR_BODY_BYTES, type OpenReply, oddAnswer, tooLarge} from './exchange.ts';
import {JsonCutter, PIECE_BYTES} from './json-cutter.ts';

/** A service that gives ten thousand machines in one page sends 18 MiB. */
export const MAX_LONG_BODY_BYTES = 64 * BYTES_PER_MIB;
/** What is read as a whole, a month of metrics or a long log, is a fraction of this; so is an ordinary page of a list. */
export const MAX_WHOLE_BODY_BYTES = 4 * BYTES_PER_MIB;
/** A machine with a hundred rules has 30 KiB. */
const MAX_RECORD_BYTES = BYTES_PER_MIB;
/** A longer record is passed over, so that it hides no other; one that does not end is not read to the end. */
const MAX_SKIPPED_BYTES = 8 * BYTES_PER_MIB;

/** The first bytes of a body, and whether they are all of it. They stand in a buffer that is used again. */
export type Opening = {readonly bytes: Uint8Array; readonly isWhole: boolean};

/** JSON of the shape of the whole body: with a part of its list, or in the end with all that is left. */
export type Piece = {readonly text: string; readonly isLast: boolean; readonly byteCount: number};

/**
 * The buffers that openings are read into. Made anew for each body, those of some MiB would outlive the young generation
 * and wait for the large collection: pages of 30 MB left 47 MiB of them behind.
 */
export class OpeningBuffers {
  private spare: OpeningBuffer | undefined;

  /** Lends a buffer for as long as `use` takes; of several that are lent at the same time, the last is kept. */
  async lend<T>(use: (buffer: OpeningBuffer) => Promise<T>): Promise<T> {
    const buffer = this.spare ?? new OpeningBuffer();
    this.spare = undefined;
    try {
      return await use(buffer);
    } finally {
      buffer.clear();
      this.spare = buffer;
    }
  }
}

const FIRST_BUFFER_BYTES = 64 * 1024;

class OpeningBuffer {
  private memory: Buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);
  private length = 0;

  append(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.memory.length) {
      const doubled = 2 * this.memory.length;
      // A list's opening ends soon after its bound, and its buffer is reused; a longer body's buffer is not.
      const isLong = length > MAX_WHOLE_BODY_BYTES + BYTES_PER_MIB;
      const larger = Buffer.allocUnsafeSlow(
        Math.max(length, isLong ? doubled : Math.min(doubled, MAX_WHOLE_BODY_BYTES)),
      );
      this.memory.copy(larger, 0, 0, this.length);
      this.memory = larger;
    }
    this.memory.set(chunk, this.length);
    this.length = length;
  }

  bytes(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/** Reads to the end of the body, or until it is longer than the limit. */
export async function takeOpening(
  reply: OpenReply,
  limitBytes: number,
  buffer: OpeningBuffer,
): Promise<Result<Opening>> {
  let byteCount = 0;
  while (byteCount <= limitBytes) {
    const chunk = await reply.next();
    if (!chunk.ok) return chunk;
    if (chunk.value === undefined) return {ok: true, value: {bytes: buffer.bytes(), isWhole: true}};
    const isOdd = byteCount === 0 && isSuccess(reply.httpStatus) && !opensLikeJson(chunk.value);
    if (isOdd) return oddAnswer(say`not JSON`);
    buffer.append(chunk.value);
    byteCount += chunk.value.length;
  }
  return {ok: true, value: {bytes: buffer.bytes(), isWhole: false}};
}

/** The whole body as text, where it is not longer than the limit. An error says what it has to say in a sentence. */
export async function takeText(reply: OpenReply, limitBytes: number): Promise<Result<string>> {
  const limit = isSuccess(reply.httpStatus) ? limitBytes : MAX_ERROR_BODY_BYTES;
  const opening = await takeOpening(reply, limit, new OpeningBuffer());
  if (!opening.ok) return opening;
  return opening.value.isWhole ? {ok: true, value: textOf(opening.value)} : tooLarge(limit);
}

export function textOf({bytes}: Opening): string {
  return new TextDecoder().decode(bytes);
}

/** Bodies of the same digest are the same. */
export function digestOf({bytes}: Opening): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/**
 * The body in pieces that parse in some milliseconds each, while it comes: neither its length nor the number of its
 * records keeps a key waiting, and no more than a piece of it is held. The event loop turns after each.
 */
export async function* piecesOf(opening: Opening, reply: OpenReply): AsyncGenerator<Result<Piece>, void> {
  const cutter = new JsonCutter(MAX_RECORD_BYTES);
  let byteCount = 0;
  for await (const chunk of chunksOf(opening, reply)) {
    if (!chunk.ok) return yield chunk;
    byteCount += chunk.value.length;
    if (byteCount > MAX_LONG_BODY_BYTES) return yield tooLarge(MAX_LONG_BODY_BYTES);
    for (const text of cutter.push(chunk.value)) {
      yield {ok: true, value: {text, isLast: false, byteCount}};
      await nextTurn();
    }
    if (cutter.skippedBytes() > MAX_SKIPPED_BYTES) return yield tooLong(MAX_SKIPPED_BYTES);
    if (cutter.heldBytes() > MAX_RECORD_BYTES + PIECE_BYTES) return yield tooLong(MAX_RECORD_BYTES);
  }
  yield {ok: true, value: {text: cutter.rest(), isLast: true, byteCount}};
}

function tooLong(bytes: number) {
  return oddAnswer(say`a record of more than ${bytes / BYTES_PER_MIB} MiB`);
}

async function* chunksOf({bytes, isWhole}: Opening, reply: OpenReply): AsyncGenerator<Result<Uint8Array>, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield {ok: true, value: bytes.subarray(at, at + PIECE_BYTES)};
  while (!isWhole) {
    const chunk = await reply.next();
    if (!chunk.ok) return yield chunk;
    if (chunk.value === undefined) return;
    yield {ok: true, value: chunk.value};
  }
}

/** A body may open with white space; if the rest is a page of something else, there is no need to read it. */
function opensLikeJson(start: Uint8Array): boolean {
  return /^\s*(?:$|[{[])/.test(new TextDecoder().decode(start));
}
