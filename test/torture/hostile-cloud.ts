// A cloud in a process of its own that gives hostile answers when told to. Started by hostile-bodies.ts with fork.
import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {startSimulator} from '../../src/simulator/http/server.ts';
import {MONSTERS} from './monsters.ts';

/** The report of the process: its address, and later how often and how much of the hostile answer was requested. */
export type HostileReport = {
  readonly url: string;
  readonly apiKey: string;
  /** First pages of the list. */
  readonly listsAsked: number;
  readonly pagesAsked: number;
  readonly isAnswering: boolean;
  readonly bytesTaken: number;
};

const LIST = '/v1/core/virtual-machines';
const simulator = await startSimulator({seed: 1, scenario: 'on-call', rateLimitPerMinute: 'off'});
const behind = new URL(simulator.url);
let monster: (typeof MONSTERS)[number] | undefined;
let listsAsked = 0;
let pagesAsked = 0;
let pagesAnswered = 0;
let bytesTaken = 0;

const server = createServer((asked, response) => {
  const {pathname, searchParams} = new URL(asked.url ?? '/', behind);
  if (monster === undefined || pathname !== LIST) return passOn(asked, response);
  const page = Number(searchParams.get('page') ?? 1);
  if (page === 1) listsAsked += 1;
  pagesAsked += 1;
  const {socket} = response;
  const before = socket?.bytesWritten ?? 0;
  response.on('close', () => {
    pagesAnswered += 1;
    bytesTaken += (socket?.bytesWritten ?? 0) - before;
  });
  void monster.answer(response, page);
});
server.listen(0, '127.0.0.1', report);
process.on('message', (name: string) => {
  monster = MONSTERS.find(each => each.name === name);
  report();
});
// Otherwise an orphaned process would serve forever.
process.on('disconnect', () => process.exit(0));

function report(): void {
  const {port} = server.address() as AddressInfo;
  const told: HostileReport = {
    url: `http://127.0.0.1:${port}/v1`,
    apiKey: simulator.apiKey,
    listsAsked,
    pagesAsked,
    isAnswering: pagesAnswered < pagesAsked,
    bytesTaken,
  };
  process.send?.(told);
}

function passOn(asked: IncomingMessage, response: ServerResponse): void {
  const {method, url, headers} = asked;
  const onward = request({host: behind.hostname, port: behind.port, method, path: url, headers}, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  asked.pipe(onward);
}
