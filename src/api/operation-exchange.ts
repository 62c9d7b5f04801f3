import {type ClientRequest, type IncomingMessage, request as requestHttp} from 'node:http';
import {request as requestHttps} from 'node:https';
import type {Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import type {Failure, Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import {SECOND_MS} from '../domain/time.ts';
import {MAX_WHOLE_BODY_BYTES} from './body.ts';
import {
  authorised,
  notSent,
  outsideText,
  reportHead,
  type ServiceConnection,
  tooLarge,
  type WireReply,
  type WireRequest,
} from './exchange.ts';
import {operationAgent} from './proxy.ts';

/**
 * A short limit would only create unknown outcomes: the service carries out the request whether or not we are still
 * listening.
 */
const OPERATION_TIMEOUT_MS = 45 * SECOND_MS;
const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;

/**
 * Sends one request, once, on a connection of its own. Not with `fetch`: that repeats a request answered with 421, and
 * its failures do not say whether bytes had been sent. Here nothing is written before the connection is ready (under
 * TLS: the certificate checked), so each failure is clearly before or after sending.
 */
export function exchangeOperation(connection: ServiceConnection, request: WireRequest): Promise<Result<WireReply>> {
  const headers = authorised(connection, request);
  if (!headers.ok) return Promise.resolve(headers);
  return new Promise(resolve => {
    const open = request.url.protocol === 'https:' ? requestHttps : requestHttp;
    const sending = open(request.url, {
      method: request.method,
      agent: operationAgent(connection.route, CONNECT_TIMEOUT_MS),
    });
    // Passed as an option, the key would appear in the NODE_DEBUG=net output for a new connection.
    const all = {...headers.value, 'cache-control': 'no-store', connection: 'close'};
    for (const [name, value] of Object.entries(all)) sending.setHeader(name, value);
    follow(connection, sending, resolve);
    sending.end(request.body);
  });
}

type Settle = (result: Result<WireReply>) => void;

function follow(connection: ServiceConnection, sending: ClientRequest, resolve: Settle): void {
  const sentAt = connection.clock.monotonicNow();
  let isConnected = false;
  const settle: Settle = result => {
    cancelConnectTimer();
    cancelTimer();
    resolve(result);
    sending.destroy();
  };
  const fail = (failure: Failure) =>
    settle(isConnected ? {ok: false, failure} : notSent('detail' in failure ? failure.detail : say`no connection`));
  const failToConnect = () =>
    fail({kind: 'cut', detail: say`no connection within ${CONNECT_TIMEOUT_MS / SECOND_MS} s`});
  const cancelConnectTimer = connection.clock.after(CONNECT_TIMEOUT_MS, () => {
    if (!isConnected) failToConnect();
  });
  const cancelTimer = connection.clock.after(OPERATION_TIMEOUT_MS, () =>
    fail({kind: 'timed-out', afterMs: OPERATION_TIMEOUT_MS}),
  );
  // Nothing was written until now. The clock counts the sleep of the computer, which timers do not, and what was
  // confirmed before that is not sent any more.
  const connect = () => {
    if (connection.clock.monotonicNow() - sentAt >= CONNECT_TIMEOUT_MS) failToConnect();
    else isConnected = true;
  };
  sending.on('socket', socket => {
    // Through a proxy, the socket is ready once tunnel and certificate are.
    if (isStanding(socket)) connect();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connect);
  });
  sending.on('response', response => {
    reportHead(connection, sentAt, response.statusCode ?? 0, headerOf(response));
    receive(response, settle, error => fail(connectionFailure(connection, error)));
  });
  // We never ask for a protocol upgrade; without this handler neither answer nor error would be reported. From here on
  // the connection and its errors are ours to handle.
  sending.on('upgrade', (_, socket) => {
    socket.on('error', () => {}).destroy();
    fail({kind: 'odd-answer', detail: say`a change to another protocol (HTTP 101)`});
  });
  sending.on('error', error => fail(connectionFailure(connection, error)));
}

function isStanding(socket: Socket): boolean {
  return !socket.connecting && (!(socket instanceof TLSSocket) || socket.authorized);
}

function receive(response: IncomingMessage, settle: Settle, fail: (error: Error) => void): void {
  const httpStatus = response.statusCode ?? 0;
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = '';
  response.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    body += decoder.decode(chunk, {stream: true});
    if (bytes > MAX_WHOLE_BODY_BYTES) settle(tooLarge(MAX_WHOLE_BODY_BYTES));
  });
  response.on('error', fail);
  response.on('end', () => {
    settle({ok: true, value: {httpStatus, header: headerOf(response), body: body + decoder.decode()}});
  });
}

function headerOf({headersDistinct}: IncomingMessage): WireReply['header'] {
  // As for readings: of a header that is there several times, all values.
  return name => headersDistinct[name]?.join(', ');
}

function connectionFailure(connection: ServiceConnection, error: Error & {readonly code?: unknown}): Failure {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const detail = outsideText(connection, first.message || String(error.code));
  return String(error.code).startsWith('HPE_') ? {kind: 'odd-answer', detail} : {kind: 'cut', detail};
}
