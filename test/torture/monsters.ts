import type {ServerResponse} from 'node:http';
import {gzipSync} from 'node:zlib';

/** A hostile answer to one request for the list of machines. */
export type Monster = {
  readonly name: string;
  /** `page` is the one asked for, from 1. */
  readonly answer: (response: ServerResponse, page: number) => void | Promise<void>;
};

const MB = 1_000_000;
const LETTERS = 'x'.repeat(64 * 1024);
const MACHINES_PER_PAGE = 1000;

export const MONSTERS: readonly Monster[] = [
  {
    name: 'pages of 30 MB without end',
    answer: (response, page) => sendAll(response, pageOf(page, 'x'.repeat(30_000))),
  },
  {
    name: 'pages of 1 MB without end',
    answer: (response, page) => sendAll(response, pageOf(page, 'x'.repeat(900))),
  },
  {name: 'one page again and again', answer: response => sendAll(response, pageOf(1, 'x'.repeat(900)))},
  {
    name: '60 MB of quotes in one text',
    answer: response => sendAll(response, around(repeated('\\"'.repeat(32 * 1024), 60 * MB), '{"id":1,"name":"', '"}')),
  },
  {
    name: '60 MB of empty texts',
    answer: response => sendAll(response, around(repeated('"",'.repeat(20_000), 60 * MB), '', '""')),
  },
  {
    name: 'a million objects',
    answer: response =>
      sendAll(
        response,
        around(
          counted(1000, at => `${'{},'.repeat(999)}{"id":${at + 1}},`),
          '',
          '{}',
        ),
      ),
  },
  {
    name: 'a million machines',
    answer: response =>
      sendAll(
        response,
        around(
          counted(1_000_000, at => `{"id":${at + 1},"name":"m"},`),
          '',
          '{}',
        ),
      ),
  },
  {
    name: 'a million long numbers',
    answer: response =>
      sendAll(
        response,
        around(
          counted(1_000_000, at => `0.1234567890123456789${at},`),
          '{"id":1,"ram":[',
          '0]}',
        ),
      ),
  },
  {
    name: 'a million long numbers as machines',
    answer: response =>
      sendAll(
        response,
        around(
          counted(1_000_000, at => `0.1234567890123456789${at},`),
          '',
          '0',
        ),
      ),
  },
  {
    name: 'a body without end, one text',
    answer: response => sendAll(response, around(repeated(LETTERS, Infinity), '{"id":1,"name":"', '')),
  },
  {
    name: 'a body without end, white space',
    answer: response => sendAll(response, around(repeated(' '.repeat(64 * 1024), Infinity), '', '')),
  },
  {
    name: 'a body without end, outside of the list',
    answer: response => sendAll(response, before('{"instances":[],"x":"', repeated(LETTERS, Infinity))),
  },
  {name: '3 GB in 3 MB of gzip', answer: response => sendPacked(response, 3000 * MB)},
  {
    name: 'nested ten thousand deep, a thousand times',
    answer: response => {
      const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)},`;
      return sendAll(response, around(repeated(deep, 20 * MB), '', '1'));
    },
  },
  {name: 'a redirect to itself', answer: response => void response.writeHead(302, {location: response.req.url}).end()},
  {name: 'headers without end', answer: ({socket}) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n')},
  {
    name: 'a byte a second',
    answer: ({socket}) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', ' ', 1000),
  },
  {
    name: 'a body that stops half way',
    answer: response =>
      void response.writeHead(200, {'content-length': MB}).write('{"status":true,"instances":[{"id":1'),
  },
  {
    name: 'a length larger than the body',
    answer: response => void response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${MB}\r\n\r\n{"instances":[]}`),
  },
  {
    name: 'a length smaller than the body',
    answer: response => void response.socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"instances":[]}`),
  },
];

/** Sends a part again and again below HTTP, until nobody listens. */
function drip(socket: ServerResponse['socket'], start: string, part: string, everyMs = 10): void {
  socket?.write(start);
  const timer = setInterval(() => socket?.write(part), everyMs);
  socket?.on('close', () => clearInterval(timer));
}

function* pageOf(page: number, name: string): Generator<string> {
  yield '{"status":true,"instances":[';
  for (let at = 0; at < MACHINES_PER_PAGE; at += 1) {
    const id = (page - 1) * MACHINES_PER_PAGE + at + 1;
    yield `${at === 0 ? '' : ','}{"id":${id},"status":"ACTIVE","name":"${id} ${name}"}`;
  }
  yield ']}';
}

function* around(parts: Iterable<string>, first: string, last: string): Generator<string> {
  yield `{"status":true,"instances":[${first}`;
  yield* parts;
  yield `${last}]}`;
}

function* before(first: string, parts: Iterable<string>): Generator<string> {
  yield first;
  yield* parts;
}

function* repeated(part: string, length: number): Generator<string> {
  for (let sent = 0; sent < length; sent += part.length) yield part;
}

function* counted(count: number, part: (at: number) => string): Generator<string> {
  for (let at = 0; at < count; at += 1) yield part(at);
}

const FEW = 256;

/** Sends as fast as the other side reads, and ends when that closes the connection. */
async function sendAll(response: ServerResponse, parts: Iterable<string>): Promise<void> {
  response.writeHead(200, {'content-type': 'application/json'});
  let block: string[] = [];
  for (const part of parts) {
    block.push(part);
    if (block.length < FEW && part.length < 4096) continue;
    if (response.destroyed) return;
    if (!response.write(block.join(''))) await taken(response);
    block = [];
  }
  if (!response.destroyed) response.end(block.join(''));
}

function taken(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Gzip members in a row are one stream, so repeating the same one costs the sender almost nothing. */
async function sendPacked(response: ServerResponse, length: number): Promise<void> {
  response.writeHead(200, {'content-type': 'application/json', 'content-encoding': 'gzip'});
  response.write(gzipSync('{"status":true,"instances":[{"id":1,"name":"'));
  const packed = gzipSync('x'.repeat(10 * MB));
  for (let sent = 0; sent < length && !response.destroyed; sent += 10 * MB) {
    if (!response.write(packed)) await taken(response);
  }
  response.end();
}
