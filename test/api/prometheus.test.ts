import type {ServerResponse} from 'node:http';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {describe, expect, it} from 'vitest';
import {askPrometheus, readExportedMachines} from '../../src/api/prometheus.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {createVirtualClock} from '../support/clock.ts';
import type {ExportedMachine} from '../support/fake-prometheus.ts';
import {openFakePrometheus, TOKEN} from '../support/prometheus.ts';
import {closedBaseUrl} from './loopback.ts';

const START = Date.UTC(2026, 10, 20, 12) / 1000;
const TIMEOUT_MS = 5000;
const MIB = 2 ** 20;
const time = createVirtualClock();

function read(url: string, minutes = 2) {
  const [since, until] = [epochMs(START * 1000), epochMs((START + minutes * 60) * 1000)];
  return readExportedMachines({url, token: secret(TOKEN), clock: time.clock, ask: askPrometheus}, {since, until});
}

function answerOf(result: readonly object[]): string {
  return JSON.stringify({status: 'success', data: {resultType: 'matrix', result}});
}

async function reasonFor(answer: (response: ServerResponse) => void): Promise<string> {
  const prometheus = await openFakePrometheus();
  prometheus.answer(answer);
  const result = await read(prometheus.url);
  if (result.ok) throw new Error('Expected a failure.');
  expect(result.reason).not.toContain(TOKEN);
  return result.reason;
}

describe('readExportedMachines', () => {
  it('sends one range query for all machines, with the token of Prometheus and without our key', async () => {
    const prometheus = await openFakePrometheus();
    expect(await read(`${prometheus.url}/prefix/`)).toEqual({ok: true, value: new Map()});
    expect(prometheus.asked).toHaveLength(1);
    const [{path, query, headers} = {path: '', query: new URLSearchParams(), headers: {}}] = prometheus.asked;
    expect(path).toBe('/prefix/api/v1/query_range');
    expect([query.get('start'), query.get('end'), query.get('step')]).toEqual([`${START}`, `${START + 120}`, '60']);
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers).not.toHaveProperty('api_key');
  });

  it('gives each value the time of its sample, and drops a negative one', async () => {
    const machine: ExportedMachine = {
      id: 7,
      cpu: second => (second - START) / 1000,
      memory: () => 0.5,
      ageSeconds: () => 30,
    };
    const {url} = await openFakePrometheus([machine]);
    const sample = (second: number) => ({
      sampledAt: epochMs((START + second) * 1000),
      cpu: second / 1000,
      memory: 0.5,
    });
    // A negative value is dropped: the first sample was 30 s before the start.
    expect(await read(url)).toEqual({
      ok: true,
      value: new Map([[7, [{sampledAt: epochMs((START - 30) * 1000), memory: 0.5}, sample(30), sample(90)]]]),
    });
  });

  it('drops a sample that is too far ahead of our clock', async () => {
    const ages: Readonly<Record<number, number>> = {1: -240, 2: -8.2e9, 3: -1e15};
    const machines = Object.entries(ages).map(
      ([id, age]): ExportedMachine => ({id: Number(id), cpu: () => 0, ageSeconds: () => age}),
    );
    const {url} = await openFakePrometheus(machines);
    const sample = (second: number) => ({sampledAt: epochMs((START + second + 240) * 1000), cpu: 0});
    const answer = await read(url);
    if (!answer.ok) throw new Error('Expected machines.');
    expect(answer.value.get(virtualMachineId(1))).toEqual([sample(0), sample(60), sample(120)]);
    expect([answer.value.get(virtualMachineId(2)), answer.value.get(virtualMachineId(3))]).toEqual([[], []]);
  });

  it('accepts up to 105 % and drops higher values as measuring errors', async () => {
    const machine: ExportedMachine = {
      id: 7,
      cpu: second => (second === START ? 1.05 : 1.06),
      memory: second => (second === START + 60 ? 1e300 : 0.5),
    };
    const {url} = await openFakePrometheus([machine]);
    const sampledAt = (second: number) => epochMs((START + second) * 1000);
    expect(await read(url)).toEqual({
      ok: true,
      value: new Map([
        [
          7,
          [
            {sampledAt: sampledAt(0), cpu: 1.05, memory: 0.5},
            {sampledAt: sampledAt(60)},
            {sampledAt: sampledAt(120), memory: 0.5},
          ],
        ],
      ]),
    });
  });

  it('lets the event loop turn while a long answer is parsed', async () => {
    const values = Array.from({length: 60}, (_, minute) => [START + 60 * minute, '0.5']);
    const result = Array.from({length: 1000}, (_, id) => ({metric: {resource_id: `${id + 1}`}, values}));
    const prometheus = await openFakePrometheus();
    prometheus.answer(response => response.end(answerOf(result)));
    let turnCount = 0;
    const counting = setInterval(() => {
      turnCount += 1;
    });
    const machines = await read(prometheus.url);
    clearInterval(counting);
    expect(machines.ok && machines.value.size).toBe(1000);
    // At least one for each part of 64 KiB, as far as the timer keeps up.
    expect(turnCount).toBeGreaterThan(8);
  });

  it('stops reading at 64 MiB, as for the service itself', async () => {
    // Long ones: many short ones would take their time, and the limit is one of bytes.
    const series = JSON.stringify({metric: {resource_id: '7', pod: 'x'.repeat(32 * 1024)}, values: [[START, '0.5']]});
    const round = `${series},`.repeat(16);
    let sentBytes = 0;
    const prometheus = await openFakePrometheus();
    function* rounds() {
      yield '{"status":"success","data":{"resultType":"matrix","result":[';
      for (; sentBytes < 300 * MIB; sentBytes += round.length) yield round;
      yield `${series}]}}`;
    }
    // A client that closes the connection early has read enough.
    prometheus.answer(response => void pipeline(Readable.from(rounds()), response).catch(() => {}));
    expect(await read(prometheus.url)).toEqual({
      ok: false,
      reason: 'an unreadable answer: a body of more than 64 MiB',
    });
    expect(sentBytes).toBeLessThan((64 + 16) * MIB);
  });

  it('keeps at most a thousand machines and two hundred samples of each, whatever is sent', async () => {
    const result = Array.from({length: 1500}, (_, id) => ({
      metric: {resource_id: `${id + 1}`, skydeck_sampled_at: '1'},
      values: Array.from({length: 300}, (_each, second) => [START + second, `${START}`]),
    }));
    const prometheus = await openFakePrometheus();
    prometheus.answer(response => response.end(answerOf(result)));
    const machines = await read(prometheus.url, 60);
    expect(machines.ok && machines.value.size).toBe(1000);
    expect(machines.ok && machines.value.get(virtualMachineId(1))).toHaveLength(200);
  });

  it('skips series without a machine and values that are not numbers', async () => {
    const odd = [{metric: {__name__: 'skydeck_machine_cpu_utilization_ratio'}, values: [[START, '1']]}];
    const own = {resource_id: '7', skydeck_sampled_at: '1'};
    const series = [
      {
        metric: own,
        values: [
          [START, 'NaN'],
          [START + 60, String(START + 60)],
        ],
      },
    ];
    const prometheus = await openFakePrometheus();
    prometheus.answer(response => response.end(answerOf([...odd, ...series])));
    expect(await read(prometheus.url)).toEqual({
      ok: true,
      value: new Map([[7, [{sampledAt: epochMs((START + 60) * 1000)}]]]),
    });
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'a redirect, which it does not follow',
      response => response.writeHead(302, {location: 'http://elsewhere.example/api'}).end(),
      /^redirected to elsewhere\.example; not followed/,
    ],
    ['a token that is not accepted', response => response.writeHead(401).end(), /^its token was not accepted \(401\)$/],
    [
      'a refusal with its reason, without the token',
      response =>
        response.writeHead(400).end(JSON.stringify({status: 'error', errorType: 'bad_data', error: `bad ${TOKEN}`})),
      /^refused \(400\): bad \[key …6789\]$/,
    ],
    ['an error page', response => response.writeHead(502).end('<html>'), /^refused \(502\)$/],
    ['a page of HTML', response => response.end('<html>'), /^an unreadable answer: not JSON$/],
    [
      'an answer to another query',
      response => response.end(JSON.stringify({status: 'success', data: {resultType: 'vector', result: []}})),
      /^an unreadable answer: not that of a range query$/,
    ],
    [
      'an endless answer',
      response => {
        const more = () => {
          if (!response.destroyed) response.write(' '.repeat(1024 * 1024));
        };
        response.on('drain', more);
        more();
      },
      /^an unreadable answer: a record of more than 1 MiB$/,
    ],
    [
      'a connection that is cut',
      response => {
        response.write('{');
        setImmediate(() => response.destroy());
      },
      /^the connection was cut/,
    ],
  ])('says what is wrong with %s', async (_what, answer, reason) => {
    expect(await reasonFor(answer)).toMatch(reason);
  });

  it('repeats no other secret of the process, wherever the answer has it', async () => {
    const prometheus = await openFakePrometheus();
    const secrets = [secret('CANARY-of-the-service-4321'), secret(TOKEN)];
    const connection = {url: prometheus.url, token: secret(TOKEN), secrets, clock: time.clock, ask: askPrometheus};
    const range = {since: epochMs(START * 1000), until: epochMs((START + 60) * 1000)};
    prometheus.answer(response =>
      response.writeHead(422).end(JSON.stringify({status: 'error', error: 'bad CANARY-of-the-service-4321'})),
    );
    expect(await readExportedMachines(connection, range)).toEqual({
      ok: false,
      reason: 'refused (422): bad [key …4321]',
    });
    prometheus.answer(response =>
      response.writeHead(302, {location: 'http://canary-of-the-service-4321.example/'}).end(),
    );
    expect(await readExportedMachines(connection, range)).toMatchObject({
      reason: expect.stringMatching(/^redirected to \[key …4321\]\.example; /),
    });
  });

  it('times out after 5 s', async () => {
    const prometheus = await openFakePrometheus();
    prometheus.answer(() => void time.advance(TIMEOUT_MS));
    expect(await read(prometheus.url)).toEqual({ok: false, reason: 'timed out after 5 s'});
  });

  it('says that nothing was sent when nothing listens', async () => {
    expect(await read(await closedBaseUrl())).toMatchObject({ok: false, reason: expect.stringMatching(/^not sent: /)});
  });
});
