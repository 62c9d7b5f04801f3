import {createServer, type IncomingHttpHeaders, type RequestListener} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {type AddressInfo, createServer as createSocketServer, type Server, type Socket} from 'node:net';
import {onTestFinished} from 'vitest';
import {type ClientOptions, createClient, createOperationClient} from '../../src/api/client.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from '../support/clock.ts';
import {namedCertificate, untrustedCertificate} from './untrusted-certificate.ts';

export const KEY = 'CANARY-0123456789-abcdef';

type Seen = {readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders};
export type Loopback = {
  readonly baseUrl: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  /** Of the connections that are open now, without and with a request under way. */
  readonly openCount: () => number;
};

/** A real HTTP server on this machine that remembers every request; closed with the test. */
export async function openServer(answer: RequestListener): Promise<Loopback> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({method: request.method ?? '', url: request.url ?? '', headers: request.headers});
    answer(request, response);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {...(await listen(server)), seen, openCount: countOpen(server)};
}

/** The same under TLS, with an untrusted certificate. */
export function openUntrustedServer(answer: RequestListener): Promise<Loopback> {
  return openTlsServer(untrustedCertificate, answer);
}

async function openTlsServer(certificate: typeof untrustedCertificate, answer: RequestListener): Promise<Loopback> {
  const seen: Seen[] = [];
  const server = createTlsServer(certificate, (request, response) => {
    seen.push({method: request.method ?? '', url: request.url ?? '', headers: request.headers});
    answer(request, response);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const {baseUrl, port} = await listen(server);
  return {baseUrl: baseUrl.replace('http:', 'https:'), port, seen, openCount: countOpen(server)};
}

/** The same for the name `api.example.test`, reached through a proxy; gives its certificate, so that a test can trust it. */
export async function openNamedServer(answer: RequestListener): Promise<Loopback & {readonly certificate: string}> {
  return {...(await openTlsServer(namedCertificate, answer)), certificate: namedCertificate.cert};
}

/** A server below HTTP: `answer` gets the socket, and the path asked for, once a whole request head has arrived. */
export async function openSocketServer(answer: (socket: Socket, url: string) => void): Promise<Loopback> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createSocketServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    let head = '';
    socket.on('data', chunk => {
      head += String(chunk);
      if (!head.includes('\r\n\r\n')) return;
      const [method = '', url = ''] = head.split(' ');
      seen.push({method, url, headers: {}});
      head = '';
      answer(socket, url);
    });
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {...(await listen(server)), seen, openCount: countOpen(server)};
}

/** Accepts connections and sends nothing on them. */
export async function openConnectionServer(onConnection: () => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createSocketServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection();
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (await listen(server)).baseUrl;
}

/** A base URL where nothing listens any more. */
export async function closedBaseUrl(): Promise<string> {
  const server = createServer();
  const {baseUrl} = await listen(server);
  await new Promise(resolve => server.close(resolve));
  return baseUrl;
}

function countOpen(server: Server): () => number {
  const open = new Set<Socket>();
  server.on('connection', socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  return () => open.size;
}

async function listen(server: Server): Promise<{baseUrl: string; port: number}> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {baseUrl: `http://127.0.0.1:${port}/v1`, port};
}

/** Both clients for one server, with a virtual clock and a budget that admits every request at once. */
export function openClients(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const time = createVirtualClock();
  const all: ClientOptions = {baseUrl, key: secret(KEY), clock: time.clock, admit: () => Promise.resolve(), ...options};
  return {
    time,
    reads: createClient(all),
    operations: createOperationClient({...all, isTlsUnchecked: false}),
  };
}
