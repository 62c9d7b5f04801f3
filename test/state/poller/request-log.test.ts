import {chmodSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {getVirtualMachine, stopVirtualMachine} from '../../../src/api/virtual-machines.ts';
import {createRedactor, secret} from '../../../src/domain/secret.ts';
import {loggedOperations, loggedReads, openRequestLog, type RequestLog} from '../../../src/state/poller/request-log.ts';
import {KEY, openClients, openServer} from '../../api/loopback.ts';
import {createVirtualClock} from '../../support/clock.ts';
import {aVirtualMachine} from '../a-machine.ts';
import {aFolder} from '../open-session.ts';

const {clock} = createVirtualClock();
const params = {id: aVirtualMachine().id};

function openLog(path: string): RequestLog {
  return openRequestLog(path, clock, createRedactor([secret(KEY)]));
}

function linesOf(path: string): readonly unknown[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

describe('openRequestLog', () => {
  it('restricts the file to its owner, even if it was open to others before', () => {
    const path = join(aFolder(), 'log');
    writeFileSync(path, '', {mode: 0o644});
    openLog(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('goes on with a log of an earlier run, and closes it to others', () => {
    const path = join(aFolder(), 'log');
    const entry = {effect: 'read', request: 'file names', params: {}, elapsedMs: 0, outcome: 'not read'} as const;
    openLog(path)(entry);
    chmodSync(path, 0o644);
    openLog(path)({elapsedMs: 1, outcome: '2 records', params: {}, request: 'GET /x', effect: 'read'});
    openLog(path)(entry);
    expect(linesOf(path)).toHaveLength(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['notes', 'buy milk\n', 0o644],
    ['a script', '#!/bin/sh\n', 0o755],
    ['a journal', '{"at":"2026-07-14T09:30:00.000Z","phase":"sent"}\n', 0o600],
    ['a single character', 'a', 0o600],
  ])('leaves %s as it is, and its mode', (_, text, mode) => {
    const path = join(aFolder(), 'log');
    writeFileSync(path, text);
    chmodSync(path, mode);
    expect(() => openLog(path)).toThrow(`${path} is not a log of skydeck; name another file`);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([text, mode]);
  });

  it('throws at once when it cannot be written', () => {
    expect(() => openLog(join(aFolder(), 'nowhere', 'log'))).toThrow();
  });

  it('writes a line for each request and its outcome, without the key', async () => {
    const path = join(aFolder(), 'log');
    const server = await openServer((request, response) => {
      const isStop = request.url?.endsWith('/stop') === true;
      response.writeHead(isStop ? 500 : 200);
      response.end(
        isStop ? JSON.stringify({message: `no ${KEY}`}) : JSON.stringify({status: true, instance: {id: 793001}}),
      );
    });
    const {reads, operations} = openClients(server.baseUrl);
    const log = openLog(path);
    await loggedReads(reads, log, clock).read(getVirtualMachine, params);
    await loggedOperations(operations, log, clock).sendOnce(stopVirtualMachine, params);
    expect(linesOf(path)).toEqual([
      expect.objectContaining({effect: 'read', request: 'GET /core/virtual-machines/{id}', outcome: '1 records'}),
      expect.objectContaining({
        effect: 'operation',
        request: 'GET /core/virtual-machines/{id}/stop',
        params: {id: 793001},
        outcome: expect.stringContaining('the service failed (500)'),
      }),
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain(KEY);
  });

  it('records of a script or a callback address only that there was one', async () => {
    const path = join(aFolder(), 'log');
    const log = openLog(path);
    const spec = {
      userData: secret('CANARY-script-0123456789'),
      callbackUrl: 'https://u:CANARY@hooks.example',
      name: 'a',
    };
    for (const asked of [{spec}, {url: 'https://hooks.example/CANARY', id: 7}]) {
      log({effect: 'operation', request: 'POST /x', params: asked, elapsedMs: 1, outcome: 'accepted (200)'});
    }
    const kept = '[not recorded]';
    expect(linesOf(path)).toEqual([
      expect.objectContaining({params: {spec: {userData: kept, callbackUrl: kept, name: 'a'}}}),
      expect.objectContaining({params: {url: kept, id: 7}}),
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('CANARY');
  });

  it('changes no outcome when it can no longer be written', async () => {
    const folder = aFolder();
    const server = await openServer((_request, response) => {
      response.end(JSON.stringify({status: true, message: 'Stopping', instance: {id: 793001}}));
    });
    const {reads, operations} = openClients(server.baseUrl);
    const log: RequestLog = entry => openLog(join(folder, 'gone', entry.effect))(entry);
    expect(await loggedReads(reads, log, clock).read(getVirtualMachine, params)).toMatchObject({ok: true});
    expect(await loggedOperations(operations, log, clock).sendOnce(stopVirtualMachine, params)).toMatchObject({
      ok: true,
    });
  });
});
