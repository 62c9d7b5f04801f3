import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import type {Steps} from '../domain/steps.ts';
import {type DurationMs, SECOND_MS} from '../domain/time.ts';
import {urlAt} from './base-url.ts';
import {takeText} from './body.ts';
import {type ClientOptions, connectionOf, type OperationClientOptions} from './client.ts';
import {isYesOrRecord, type OperationEndpoint, type ReadEndpoint} from './endpoint.ts';
import {BYTES_PER_MIB, isSuccess, notSent, type ServiceConnection} from './exchange.ts';
import {judge, judgeOperation} from './judge.ts';
import {exchangeOperation} from './operation-exchange.ts';
import {exchangeRead} from './read-exchange.ts';
import {inSlices} from './slices.ts';
import {withoutKey} from './without-key.ts';

/** A normalised path with its query. */
export type RawRequest = {readonly method: string; readonly pathAndQuery: string; readonly body?: string};

/** Held, parsed and printed as a whole, which takes many times its size of memory; a page of 4,000 machines is 7 MiB. */
const MAX_RAW_BODY_BYTES = 8 * BYTES_PER_MIB;
const LONG_BODY_ADVICE = say`; ask for fewer records, e.g. -q pageSize=100, or use skydeck get, which reads lists in pieces`;
const READ_TIMEOUT_MS: DurationMs = 15 * SECOND_MS;

/**
 * The parsed body of any read, as received but for our own key. `readsFailure`: that of its endpoint, for which a good
 * answer can look like a refusal.
 */
export async function readRaw(
  options: ClientOptions,
  request: RawRequest,
  readsFailure: ReadEndpoint<never, unknown>['readsFailure'] = () => undefined,
): Promise<Result<unknown>> {
  const connection = connectionOf(options);
  const url = urlAt(connection.pin, request.pathAndQuery);
  await options.admit('read');
  const timeoutMs = options.readTimeoutMs ?? READ_TIMEOUT_MS;
  const reply = await exchangeRead(connection, {method: request.method, url}, {timeoutMs});
  if (!reply.ok) return reply;
  const {httpStatus, header, close} = reply.value;
  try {
    const body = await takeText(reply.value, MAX_RAW_BODY_BYTES, LONG_BODY_ADVICE);
    if (!body.ok) return body;
    // Of a failure, the body is what the service said.
    const isGood = isSuccess(httpStatus);
    const judged = judge(connection, {httpStatus, header, body: body.value}, url, isGood ? readsFailure : undefined);
    return await keyless(connection, body.value, judged);
  } finally {
    close();
  }
}

/**
 * Sends any request at most once, like an operation, and returns the parsed body of the answer. `isAccepted`: that of
 * its endpoint, if it has one.
 */
export async function sendRaw(
  options: OperationClientOptions,
  request: RawRequest,
  isAccepted: OperationEndpoint<never>['isAccepted'] = isYesOrRecord,
): Promise<Result<unknown>> {
  if (options.isTlsUnchecked) {
    return notSent(say`certificate checks are off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations need them`);
  }
  const connection = connectionOf(options);
  const url = urlAt(connection.pin, request.pathAndQuery);
  const {method, body} = request;
  await options.admit('operation');
  const reply = await exchangeOperation(connection, {method, url, ...(body === undefined ? {} : {body})});
  if (!reply.ok) return reply;
  return keyless(connection, reply.value.body, judgeOperation(connection, reply.value, url, isAccepted));
}

/** As in lists: the mask goes into the values, so that they are still valid JSON when printed. */
async function keyless(
  connection: ServiceConnection,
  body: string,
  steps: Steps<Result<unknown>>,
): Promise<Result<unknown>> {
  const judged = await inSlices(steps, connection.clock);
  if (!judged.ok) return judged;
  return {ok: true, value: await inSlices(withoutKey(connection, body, judged.value), connection.clock)};
}
