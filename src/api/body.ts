import {createHash} from 'node:crypto';
import type {Result} from '../domain/failure.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {
  BYTES_PER_MIB,
  isSuccess,
  MAX_ERROR_BODY_BYTES,
  type OpenReply,
  foreignAnswer,
  oddAnswer,
  tooLarge,
} from './exchange.ts';
import {JsonCutter, PIECE_BYTES} from './json-cutter.ts';
import {restBetweenSlices} from './slices.ts';

/** Ten thousand machines in one page are 18 MiB. */
const MAX_LONG_BODY_BYTES = 64 * BYTES_PER_MIB;
/** Answers that do not come in pieces are far smaller than this: a key waits while one is read. */
export const MAX_WHOLE_BODY_BYTES = BYTES_PER_MIB;
/** A log is one text, which takes little time to parse: 10,000 lines of 800 characters. */
export const MAX_TEXT_BODY_BYTES = 8 * BYTES_PER_MIB;
/** A month of metrics, of which only numbers are kept, has six series of 8,640 rows, or 2.6 MB. */
export const MAX_NUMBERS_BODY_BYTES = 4 * BYTES_PER_MIB;
/**
 * Of a body that is parsed in pieces. A short list (300 machines are 0.5 MB) is held as a whole and has one digest; a
 * longer one has a digest for each piece only. The memory stays with the program, so it is small.
 */
export const MAX_HELD_OPENING_BYTES = 512 * 1024;
/** A machine with a hundred rules takes 30 KiB. */
const MAX_RECORD_BYTES = BYTES_PER_MIB;
/** A longer record is skipped so that it hides no other; if it does not end, the rest is not read. */
const MAX_SKIPPED_BYTES = 8 * BYTES_PER_MIB;

/** The first bytes of a body, and whether they are all of it. They are in a reused buffer. */
export type BodyStart = {readonly bytes: Uint8Array; readonly isWhole: boolean};

/** JSON of the same shape as the whole body, with a part of its list; the last one has everything else. */
export type BodyChunk = {readonly text: string; readonly isLast: boolean; readonly byteCount: number};

/**
 * Reused buffers for the first bytes of bodies. Allocated per body, buffers of some MiB would outlive the young
 * generation and wait for a full collection: pages of 30 MB left 47 MiB behind.
 */
export class OpeningBuffers {
  #spare: OpeningBuffer | undefined;

  /** Lends a buffer until `use` has finished; if several are lent at the same time, the largest one is kept. */
  async lend<T>(use: (buffer: OpeningBuffer) => Promise<T>): Promise<T> {
    const buffer = this.#spare ?? new OpeningBuffer();
    this.#spare = undefined;
    try {
      return await use(buffer);
    } finally {
      buffer.clear();
      this.#keep(buffer);
    }
  }

  #keep(buffer: OpeningBuffer): void {
    if (this.#spare === undefined || this.#spare.capacity() < buffer.capacity()) this.#spare = buffer;
  }
}

const FIRST_BUFFER_BYTES = 64 * 1024;

class OpeningBuffer {
  #memory = new Uint8Array(FIRST_BUFFER_BYTES);
  #length = 0;

  append(chunk: Uint8Array, limitBytes: number): void {
    const length = this.#length + chunk.length;
    if (length > this.#memory.length) {
      const larger = Math.min(2 * this.#memory.length, limitBytes + PIECE_BYTES);
      // Unlike copying, this frees the old memory at once.
      this.#memory = new Uint8Array(this.#memory.buffer.transfer(Math.max(length, larger)));
    }
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  capacity(): number {
    return this.#memory.length;
  }

  clear(): void {
    this.#length = 0;
  }
}

/** Reads to the end of the body, or until it exceeds the limit. */
export async function takeOpening(
  reply: OpenReply,
  limitBytes: number,
  buffer: OpeningBuffer,
): Promise<Result<BodyStart>> {
  let byteCount = 0;
  while (byteCount <= limitBytes) {
    const chunk = await reply.next();
    if (!chunk.ok) return chunk;
    if (chunk.value === undefined) return {ok: true, value: {bytes: buffer.bytes(), isWhole: true}};
    const isOdd = byteCount === 0 && isSuccess(reply.httpStatus) && !opensLikeJson(chunk.value);
    if (isOdd) return foreignAnswer(say`not JSON`);
    buffer.append(chunk.value, limitBytes);
    byteCount += chunk.value.length;
  }
  return {ok: true, value: {bytes: buffer.bytes(), isWhole: false}};
}

/** The whole body as text, if it is within the limit, or that of errors; `advice` says what to do about a longer one. */
export async function takeText(
  reply: OpenReply,
  limitBytes: number,
  advice: SafeText = say``,
): Promise<Result<string>> {
  const limit = isSuccess(reply.httpStatus) ? limitBytes : MAX_ERROR_BODY_BYTES;
  const opening = await takeOpening(reply, limit, new OpeningBuffer());
  if (!opening.ok) return opening;
  if (opening.value.isWhole) return {ok: true, value: textOf(opening.value)};
  return tooLarge(limit, isSuccess(reply.httpStatus) ? advice : undefined);
}

export function textOf({bytes}: BodyStart): string {
  return new TextDecoder().decode(bytes);
}

/** Bodies with the same digest are identical. */
export function digestOf(body: Uint8Array | string): string {
  return createHash('sha256').update(body).digest('base64');
}

/**
 * The body in pieces that take a few milliseconds to parse, as it arrives. Neither its size nor its number of records
 * delays a key, and only one piece is held at a time. There is a short rest between pieces.
 */
export async function* piecesOf(opening: BodyStart, reply: OpenReply): AsyncGenerator<Result<BodyChunk>, void> {
  // A short body is one piece as it is.
  if (opening.isWhole && opening.bytes.length <= PIECE_BYTES) {
    return yield {ok: true, value: {text: textOf(opening), isLast: true, byteCount: opening.bytes.length}};
  }
  const cutter = new JsonCutter(MAX_RECORD_BYTES);
  let byteCount = 0;
  for await (const chunk of chunksOf(opening, reply)) {
    if (!chunk.ok) return yield chunk;
    byteCount += chunk.value.length;
    if (byteCount > MAX_LONG_BODY_BYTES) return yield tooLarge(MAX_LONG_BODY_BYTES);
    for (const text of cutter.push(chunk.value)) {
      yield {ok: true, value: {text, isLast: false, byteCount}};
      await restBetweenSlices();
    }
    if (cutter.skippedBytes() > MAX_SKIPPED_BYTES) return yield tooLong(MAX_SKIPPED_BYTES);
    if (cutter.heldBytes() > MAX_RECORD_BYTES + PIECE_BYTES) return yield tooLong(MAX_RECORD_BYTES);
  }
  yield {ok: true, value: {text: cutter.rest(), isLast: true, byteCount}};
}

/** The same for a body of which nothing has been read. */
export async function* piecesFromStart(reply: OpenReply): AsyncGenerator<Result<BodyChunk>, void> {
  const opening = await takeOpening(reply, PIECE_BYTES, new OpeningBuffer());
  if (!opening.ok) return yield opening;
  yield* piecesOf(opening.value, reply);
}

function tooLong(bytes: number) {
  return oddAnswer(say`a record of more than ${bytes / BYTES_PER_MIB} MiB`);
}

async function* chunksOf({bytes, isWhole}: BodyStart, reply: OpenReply): AsyncGenerator<Result<Uint8Array>, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield {ok: true, value: bytes.subarray(at, at + PIECE_BYTES)};
  while (!isWhole) {
    const chunk = await reply.next();
    if (!chunk.ok) return yield chunk;
    if (chunk.value === undefined) return;
    yield {ok: true, value: chunk.value};
  }
}

/** A body may begin with white space. If what follows is not JSON, the rest need not be read. */
function opensLikeJson(start: Uint8Array): boolean {
  return /^\s*(?:$|[{[])/.test(new TextDecoder().decode(start));
}
