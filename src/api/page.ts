import type {Result} from '../domain/failure.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Steps} from '../domain/steps.ts';
import {type BodyChunk, type BodyStart, digestOf, piecesOf, textOf} from './body.ts';
import type {ReadEndpoint} from './endpoint.ts';
import {foreignAnswer, isSuccess, type OpenReply, oddAnswer, type ServiceConnection, tooLarge} from './exchange.ts';
import {isObject} from './fields.ts';
import {numberText, parseJson} from './json.ts';
import {judge} from './judge.ts';
import {identityOf, type ListPage, pageFacts, type PageRoom, type Taken} from './paging.ts';
import {inSlices, mapInSlices} from './slices.ts';
import {withoutKey} from './without-key.ts';

/** How to read a reply: its endpoint, how to parse each record, and how much of it fits. */
export type PageWish<T> = {
  readonly endpoint: Pick<
    ReadEndpoint<never, unknown>,
    'paging' | 'collect' | 'readsFailure' | 'absentParts' | 'comesInPieces'
  >;
  readonly url: URL;
  /** The requested id. A record with another id does not answer this request. */
  readonly askedId: SafeText | undefined;
  /** Said of an answer that is too long. */
  readonly tooLongAdvice: SafeText;
  readonly take: (raw: unknown) => T;
  /** Whether what is taken can contain texts of the service. */
  readonly keepsText: boolean;
  /** The record as already known, if unchanged. */
  readonly keep: (each: Taken<T>) => Taken<T>;
  /** The pieces of the previous reading: an unchanged piece is not parsed again. */
  readonly known: readonly Piece<T>[];
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  readonly room: PageRoom;
};
/** An answer whose first bytes have been read. */
export type PageBody = {readonly reply: OpenReply; readonly opening: BodyStart; readonly limitBytes: number};

/** One reply as a page of its list, with the pieces it came in. */
export type ReadPage<T> = {readonly page: ListPage<T>; readonly pieces: readonly Piece<T>[]};

/** A part of a page: records with the digest of their text, or the last part, which has everything else and no digest. */
type Piece<T> = Pick<ListPage<T>, 'taken' | 'facts' | 'absentParts'> & {
  readonly digest: string | undefined;
  /** Whether there was room for all its records. */
  readonly isWhole: boolean;
};

/** The page of a reply, or why it is none. */
export async function readPage<T>(
  connection: ServiceConnection,
  body: PageBody,
  wish: PageWish<T>,
): Promise<Result<ReadPage<T>>> {
  const {room, known} = wish;
  const taken: Taken<T>[] = [];
  const pieces: Piece<T>[] = [];
  for await (const chunk of bodyPieces(body, wish)) {
    if (!chunk.ok) return chunk;
    const {text, byteCount, isLast} = chunk.value;
    const digest = isLast ? undefined : digestOf(text);
    const roomLeft = room.recordCount + 1 - taken.length;
    const before = known[pieces.length];
    const isSame =
      digest !== undefined && before?.digest === digest && (before.isWhole || before.taken.length >= roomLeft);
    const piece: Result<Piece<T>> = isSame
      ? {ok: true, value: before}
      : await readPiece(connection, body, chunk.value, {wish, digest, roomLeft});
    if (!piece.ok) return piece;
    pieces.push(piece.value);
    for (const each of piece.value.taken.slice(0, roomLeft)) taken.push(each);
    const isCutBy = cutBy(room, taken.length, byteCount);
    if (!isLast && isCutBy === undefined) continue;
    const {facts, absentParts} = piece.value;
    const page = {taken, facts, absentParts, byteCount};
    return {ok: true, value: {page: isCutBy === undefined ? page : {...page, isCutBy}, pieces}};
  }
  return unexpectedShape();
}

async function readPiece<T>(
  connection: ServiceConnection,
  body: PageBody,
  chunk: BodyChunk,
  {
    wish,
    digest,
    roomLeft,
  }: {readonly wish: PageWish<T>; readonly digest: string | undefined; readonly roomLeft: number},
): Promise<Result<Piece<T>>> {
  const {endpoint} = wish;
  const steps = chunk.isLast ? judgeWhole(connection, body, chunk, wish) : parsePiece(chunk);
  const parsed = await inSlices(steps, connection.clock);
  if (!parsed.ok) return parsed;
  const value = wish.keepsText
    ? await inSlices(withoutKey(connection, chunk.text, parsed.value), connection.clock)
    : parsed.value;
  const records = endpoint.collect(value);
  if (records === undefined && chunk.isLast) return unexpectedShape();
  const other = otherId(records ?? [], wish.askedId);
  if (other !== undefined) return other;
  const fitting = (records ?? []).slice(0, roomLeft);
  await wish.onPage?.(fitting);
  const taken = await takeEach(fitting, wish, connection);
  const absentParts = chunk.isLast ? endpoint.absentParts(value) : [];
  const isWhole = fitting.length === (records ?? []).length;
  return {ok: true, value: {digest, taken, isWhole, facts: pageFacts(value), absentParts}};
}

/** Only good answers are ever long; an error is a sentence. */
async function* bodyPieces(
  {reply, opening, limitBytes}: PageBody,
  {endpoint: {comesInPieces}, tooLongAdvice}: Pick<PageWish<unknown>, 'endpoint' | 'tooLongAdvice'>,
): AsyncGenerator<Result<BodyChunk>, void> {
  if (isSuccess(reply.httpStatus) && comesInPieces) return yield* piecesOf(opening, reply);
  const byteCount = opening.bytes.length;
  yield opening.isWhole
    ? {ok: true, value: {text: textOf(opening), isLast: true, byteCount}}
    : tooLarge(limitBytes, tooLongAdvice);
}

/** The remaining text contains everything but the records cut out, including a refusal. */
function judgeWhole<T>(
  connection: ServiceConnection,
  {reply}: PageBody,
  {text}: BodyChunk,
  {url, endpoint}: PageWish<T>,
): Steps<Result<unknown>> {
  const {httpStatus, header} = reply;
  return judge(connection, {httpStatus, header, body: text}, url, endpoint.readsFailure);
}

function* parsePiece({text}: BodyChunk): Steps<Result<unknown>> {
  const parsed = yield* parseJson(text);
  return parsed.ok ? parsed : oddAnswer(parsed.detail);
}

function takeEach<T>(
  records: readonly unknown[],
  {endpoint, take, keep}: PageWish<T>,
  connection: ServiceConnection,
): Promise<Taken<T>[]> {
  const identify = endpoint.paging === 'none' ? () => '' : identityOf;
  return mapInSlices(records, raw => keep({identity: identify(raw), value: take(raw)}), connection.clock);
}

function cutBy(room: PageRoom, recordCount: number, byteCount: number): ListPage<unknown>['isCutBy'] {
  if (recordCount > room.recordCount) return 'record-limit';
  return byteCount > room.byteCount ? 'size-limit' : undefined;
}

/** Whether a record has another id than the one requested. An id that is not a number fails to parse anyway. */
function otherId(records: readonly unknown[], askedId: SafeText | undefined) {
  if (askedId === undefined) return undefined;
  const ids = records.map(record => (isObject(record) ? numberText(record.id) : undefined));
  const other = ids.find(id => id !== undefined && id !== askedId);
  return other === undefined ? undefined : oddAnswer(say`asked for #${askedId}, got #${safeText(other)}`);
}

function unexpectedShape() {
  return foreignAnswer(say`JSON that does not match the API`);
}
