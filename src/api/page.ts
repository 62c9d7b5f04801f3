import type {Result} from '../domain/failure.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type BodyStart, type BodyChunk, piecesOf, textOf} from './body.ts';
import type {ReadEndpoint} from './endpoint.ts';
import {isSuccess, type OpenReply, oddAnswer, type ServiceConnection, tooLarge, withoutKey} from './exchange.ts';
import {isObject} from './fields.ts';
import {numberText, parseJson} from './json.ts';
import {judge} from './judge.ts';
import {identityOf, type ListPage, pageFacts, type PageRoom, type Taken} from './paging.ts';
import {mapInSlices} from './slices.ts';

/** How to read a reply: its endpoint, how to parse each record, and how much of it fits. */
export type PageWish<T> = {
  readonly endpoint: Pick<
    ReadEndpoint<never, unknown>,
    'paging' | 'collect' | 'readsFailure' | 'absentParts' | 'comesInPieces'
  >;
  readonly url: URL;
  /** The requested id. A record with another id does not answer this request. */
  readonly askedId: SafeText | undefined;
  readonly take: (raw: unknown) => T;
  /** Whether what is taken can contain texts of the service. */
  readonly keepsText: boolean;
  /** The record as already known, if unchanged. */
  readonly keep: (each: Taken<T>) => Taken<T>;
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  readonly room: PageRoom;
};
/** An answer whose first bytes have been read. */
export type PageBody = {readonly reply: OpenReply; readonly opening: BodyStart; readonly limitBytes: number};

/** One reply as a page of its list, or why it is not one. */
export async function readPage<T>(
  connection: ServiceConnection,
  body: PageBody,
  wish: PageWish<T>,
): Promise<Result<ListPage<T>>> {
  const {endpoint, room} = wish;
  const taken: Taken<T>[] = [];
  for await (const piece of bodyPieces(body, endpoint)) {
    if (!piece.ok) return piece;
    const {byteCount, isLast} = piece.value;
    const parsed = isLast ? judgeWhole(connection, body, piece.value, wish) : parsePiece(piece.value);
    if (!parsed.ok) return parsed;
    const value = wish.keepsText ? withoutKey(connection, piece.value.text, parsed.value) : parsed.value;
    const records = endpoint.collect(value);
    if (records === undefined && isLast) return unexpectedShape();
    const other = otherId(records ?? [], wish.askedId);
    if (other !== undefined) return other;
    const fitting = (records ?? []).slice(0, room.recordCount + 1 - taken.length);
    await wish.onPage?.(fitting);
    for (const each of await takeEach(fitting, wish, connection)) taken.push(each);
    const isCutBy = cutBy(room, taken.length, byteCount);
    if (!isLast && isCutBy === undefined) continue;
    const absentParts = isLast ? endpoint.absentParts(value) : [];
    const page = {taken, facts: pageFacts(value), absentParts, byteCount};
    return {ok: true, value: isCutBy === undefined ? page : {...page, isCutBy}};
  }
  return unexpectedShape();
}

/** Only good answers are ever long; an error is a sentence. */
async function* bodyPieces(
  {reply, opening, limitBytes}: PageBody,
  {comesInPieces}: Pick<ReadEndpoint<never, unknown>, 'comesInPieces'>,
): AsyncGenerator<Result<BodyChunk>, void> {
  if (isSuccess(reply.httpStatus) && comesInPieces) return yield* piecesOf(opening, reply);
  const byteCount = opening.bytes.length;
  yield opening.isWhole ? {ok: true, value: {text: textOf(opening), isLast: true, byteCount}} : tooLarge(limitBytes);
}

/** The remaining text contains everything but the records cut out, including a refusal. */
function judgeWhole<T>(
  connection: ServiceConnection,
  {reply}: PageBody,
  {text}: BodyChunk,
  {url, endpoint}: PageWish<T>,
): Result<unknown> {
  const {httpStatus, header} = reply;
  return judge(connection, {httpStatus, header, body: text}, url, endpoint.readsFailure);
}

function parsePiece({text}: BodyChunk): Result<unknown> {
  const parsed = parseJson(text);
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
  return oddAnswer(say`JSON that does not match the API`);
}
