import {createHash, timingSafeEqual} from 'node:crypto';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {isIPv6} from 'node:net';
import type {Secret} from '../domain/secret.ts';
import {type DurationMs, SECOND_MS} from '../domain/time.ts';
import {acceptsOpenMetrics, type MetricsAnswer} from './exposition.ts';

export type ListenAddress = {readonly host: string; readonly port: number};

const PATH = '/metrics';
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADERS = 50;
const MAX_CONNECTIONS = 64;
const REQUEST_LIMIT_MS = 10 * SECOND_MS;
const KEEP_ALIVE_MS = 65 * SECOND_MS;
/** How long a reader may take nothing of its answer. Those that never do would use up all connections. */
const STALL_LIMIT_MS = 30 * SECOND_MS;

type Answering = {
  readonly token: Secret | undefined;
  readonly read: (isOpenMetrics: boolean) => Promise<MetricsAnswer>;
  /** Called if an answer could not be created; later requests are still served. */
  readonly onMistake: (mistake: string) => void;
};

/** Reads `127.0.0.1:9469`, `[::1]:9469`, `:9469` and `localhost:0`. Undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text);
  const [, bracketed, plain, digits] = match ?? [];
  const port = Number(digits);
  if (match === null || port > 65_535 || (bracketed !== undefined && !isIPv6(bracketed))) return undefined;
  return {host: bracketed ?? (plain === '' || plain === undefined ? '::' : plain), port};
}

/** Whether an address can be reached from this computer only. */
export function isLoopback({host}: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Serves `/metrics` to GET and HEAD, and nothing else. If a token is required, it is a bearer token. On loopback only
 * host names of this computer are answered. Resolves with the address once it listens, and rejects if it cannot.
 */
export async function serveMetrics(
  options: Answering & {readonly listen: ListenAddress; readonly stallLimitMs?: DurationMs},
): Promise<{readonly url: string; readonly close: () => Promise<void>}> {
  const {listen, stallLimitMs = STALL_LIMIT_MS} = options;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_LIMIT_MS,
      requestTimeout: REQUEST_LIMIT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => void answer(request, response, options),
  );
  server.timeout = stallLimitMs;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  await listening(server, listen);
  return {url: urlOf(server, listen), close: () => closed(server)};
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {listen, token, read, onMistake}: Answering & {readonly listen: ListenAddress},
): Promise<void> {
  if (isLoopback(listen) && !THIS_COMPUTER.test(request.headers.host ?? '')) {
    return refuse(
      response,
      421,
      'on loopback only requests to the names of this computer are answered, such as localhost',
    );
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'only GET and HEAD are answered');
  }
  // A request with a body is answered without reading the body.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
    return refuse(response, 413, 'a request for metrics has no body');
  }
  if (token !== undefined && !isShown(token, request.headers.authorization)) {
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, 401, 'a bearer token is required');
  }
  if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `the metrics are at ${PATH}`);
  const made = await read(acceptsOpenMetrics(request.headers.accept)).catch((error: unknown) => {
    onMistake(error instanceof Error ? error.message : String(error));
  });
  if (made === undefined) return refuse(response, 500, 'the metrics could not be created');
  const {contentType, body} = made;
  response.writeHead(200, {
    'content-type': contentType,
    'content-length': body.length,
    'cache-control': 'no-store',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A web page can make any other name resolve to this computer, and would read the account through it. */
const THIS_COMPUTER = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, {'content-type': 'text/plain; charset=utf-8', connection: 'close'});
  response.end(`${reason}\n`);
}

/** Compared by digest, so that the time taken says nothing about the token. */
function isShown(token: Secret, authorization: string | undefined): boolean {
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token.reveal()));
}

function listening(server: Server, {host, port}: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function urlOf(server: Server, {host}: ListenAddress): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}${PATH}`;
}

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
