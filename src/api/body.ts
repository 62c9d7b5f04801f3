import {createHash} from 'node:crypto';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import {BYTES_PER_MIB, isSuccess, MAX_ERROR_BODY_BYTES, type OpenReply, oddAnswer, tooLarge} from './exchange.ts';
import {JsonCutter} from './json-cutter.ts';

/** A service that gives ten thousand machines in one page sends 18 MiB. */
export const MAX_LONG_BODY_BYTES = 64 * BYTES_PER_MIB;
/** What is read as a whole, a month of metrics or a long log, is a fraction of this; so is an ordinary page of a list. */
export const MAX_WHOLE_BODY_BYTES = 4 * BYTES_PER_MIB;
/** A machine with a hundred rules has 30 KiB. */
const MAX_RECORD_BYTES = BYTES_PER_MIB;

/** The first bytes of a body, and whether they are all of it. */
export type Opening = {readonly chunks: readonly Uint8Array[]; readonly isWhole: boolean};

/** JSON of the shape of the whole body: with a part of its list, or in the end with all that is left. */
export type Piece = {readonly text: string; readonly isLast: boolean; readonly byteCount: number};

/** Reads to the end of the body, or until it is longer than the limit. */
export async function takeOpening(reply: OpenReply, limitBytes: number): Promise<Result<Opening>> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  while (byteCount <= limitBytes) {
    const chunk = await reply.next();
    if (!chunk.ok) return chunk;
    if (chunk.value === undefined) return {ok: true, value: {chunks, isWhole: true}};
    const isOdd = byteCount === 0 && isSuccess(reply.httpStatus) && !opensLikeJson(chunk.value);
    if (isOdd) return oddAnswer(say`not JSON`);
    chunks.push(chunk.value);
    byteCount += chunk.value.length;
  }
  return {ok: true, value: {chunks, isWhole: false}};
}

/** The whole body as text, where it is not longer than the limit. An error says what it has to say in a sentence. */
export async function takeText(reply: OpenReply, limitBytes: number): Promise<Result<string>> {
  const limit = isSuccess(reply.httpStatus) ? limitBytes : MAX_ERROR_BODY_BYTES;
  const opening = await takeOpening(reply, limit);
  if (!opening.ok) return opening;
  return opening.value.isWhole ? {ok: true, value: textOf(opening.value)} : tooLarge(limit);
}

export function textOf({chunks}: Opening): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Bodies of the same digest are the same. */
export function digestOf({chunks}: Opening): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('base64');
}

/**
 * The body in pieces that parse in some milliseconds each, while it comes: neither its length nor the number of its
 * records keeps a key waiting, and no more than a piece of it is held. The event loop turns after each.
 */
export async function* piecesOf(opening: Opening, reply: OpenReply): AsyncGenerator<Result<Piece>, void> {
  const cutter = new JsonCutter();
  let byteCount = 0;
  for await (const chunk of chunksOf(opening, reply)) {
    if (!chunk.ok) return yield chunk;
    byteCount += chunk.value.length;
    if (byteCount > MAX_LONG_BODY_BYTES) return yield tooLarge(MAX_LONG_BODY_BYTES);
    for (const text of cutter.push(chunk.value)) {
      yield {ok: true, value: {text, isLast: false, byteCount}};
      await nextTurn();
    }
    if (cutter.heldBytes() > MAX_RECORD_BYTES) {
      return yield oddAnswer(say`a record of more than ${MAX_RECORD_BYTES / BYTES_PER_MIB} MiB`);
    }
  }
  yield {ok: true, value: {text: cutter.rest(), isLast: true, byteCount}};
}

async function* chunksOf({chunks, isWhole}: Opening, reply: OpenReply): AsyncGenerator<Result<Uint8Array>, void> {
  for (const value of chunks) yield {ok: true, value};
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
