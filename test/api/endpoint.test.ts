import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {OperationClient, ReadClient} from '../../src/api/client.ts';
import {defineRead, endsInOperation, isWholePath, queryText} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {getVirtualMachine, stopVirtualMachine} from '../../src/api/virtual-machines.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {anyText} from '../support/any-text.ts';
import {openClients, openServer} from './loopback.ts';

const id = virtualMachineId(7);
const base = {collect: () => [], record: () => ({ok: true, value: 0}) as const};

describe('an endpoint', () => {
  it('of an operation cannot be read, and one of a read cannot be sent as an operation', () => {
    const compileOnly = (reads: ReadClient, operations: OperationClient) => [
      // @ts-expect-error A power operation is a GET, but a poller must never read it.
      reads.read(stopVirtualMachine, {id}),
      // @ts-expect-error A read is not an operation.
      operations.sendOnce(getVirtualMachine, {id}),
      reads.read(getVirtualMachine, {id}),
      operations.sendOnce(stopVirtualMachine, {id}),
    ];
    expect(compileOnly).toBeTypeOf('function');
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %s as an id', number => {
    expect(() => stopVirtualMachine.path({id: virtualMachineId(number)})).toThrow('id is not a positive integer');
  });

  it('refuses a missing parameter', () => {
    const read = defineRead<object, number>({...base, id: 'x', template: '/core/things/{name}'});
    expect(() => read.path({})).toThrow('name is not a positive integer');
  });

  it('encodes names, so that none leaves its path segment', () => {
    const read = defineRead<{readonly name: string}, number>({...base, id: 'x', template: '/buckets/{name}'});
    expect(read.path({name: 'a b/../c?d#e'})).toBe('/buckets/a%20b%2F..%2Fc%3Fd%23e');
    for (const name of ['', '.', '..']) expect(isWholePath(read.path({name}))).toBe(false);
    fc.assert(
      fc.property(anyText({minLength: 1}), name => {
        fc.pre(name !== '.' && name !== '..');
        expect(new URL(`http://x${read.path({name})}`).pathname.split('/')).toHaveLength(3);
        expect(isWholePath(read.path({name}))).toBe(true);
      }),
    );
  });

  it('cannot be declared a read when it ends in an operation', () => {
    expect(() => defineRead({...base, id: 'x', template: '/core/virtual-machines/{id}/stop'})).toThrow(
      'declared a read and ends in an operation',
    );
  });
});

const NAMED = ENDPOINTS.filter(({template}) => /\{(?:name|jobId|resourceType)\}/.test(template));

const ODD_NAMES = ['%2e%2e', '%2e', '../..', 'a\\..\\b', '..;', ' ', '\u0000', '\u202e', '\ud800', 'x'.repeat(5000)];

describe.each(NAMED)('$id', endpoint => {
  async function ask(name: string) {
    const server = await openServer((_request, response) => response.end('{}'));
    const {reads, operations} = openClients(server.baseUrl);
    const params = {id: 7, name, jobId: name, resourceType: name, regionName: 'NORWAY-1'} as never;
    const answers =
      endpoint.effect === 'read'
        ? [await reads.read(endpoint, params), await reads.readRaw(endpoint, params)]
        : [await operations.sendOnce(endpoint, params)];
    return {answers, seen: server.seen};
  }

  it.each(['', '.', '..'])('answers the name "%s" with a failure, and is not sent', async name => {
    const {answers, seen} = await ask(name);
    for (const answer of answers) expect(answer).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(seen).toEqual([]);
  });

  it('keeps any other name in its segment of the path', async () => {
    for (const name of ODD_NAMES) {
      const {seen} = await ask(name);
      expect(seen.length).toBeGreaterThan(0);
      for (const {url} of seen) {
        expect(url.split('?')[0]?.split('/').slice(2)).toHaveLength(endpoint.template.split('/').length - 1);
      }
    }
  });
});

describe('a read by id', () => {
  it.each([
    ['another id', {id: 8}],
    ['a large id, with all its digits', {id: '__BIG__'}],
    ['another id as text', {id: '8'}],
  ])('refuses a record with %s', async (_, instance) => {
    const body = JSON.stringify({instance}).replace('"__BIG__"', '9007199254740993');
    const server = await openServer((_request, response) => response.end(body));
    const read = await openClients(server.baseUrl).reads.read(getVirtualMachine, {id});
    expect(read).toMatchObject({
      ok: false,
      failure: {
        kind: 'odd-answer',
        detail: expect.stringMatching(/^asked for #7, got #(?:8|9007199254740993)$/),
      },
    });
  });

  it('is marked as such for every path that ends in the id of the record', () => {
    const reads = ENDPOINTS.filter(endpoint => endpoint.effect === 'read');
    const byId = reads.filter(({template}) => /^\/(?:core|pricebook)\/[a-z-]+\/\{id\}$/.test(template));
    expect(byId.map(({id: name}) => name)).toHaveLength(7);
    for (const read of reads) expect([read.id, read.isById]).toEqual([read.id, byId.includes(read)]);
  });
});

describe('endsInOperation', () => {
  it('is true for every operation of the interface whose path is not shared by a read', () => {
    const readable = new Set(ENDPOINTS.flatMap(({effect, template}) => (effect === 'read' ? [template] : [])));
    // A creation shares its path with a list, and a deletion with a read by id.
    const SHARED = /\/(?:virtual-machines|clusters|environments|keypairs|firewalls|volumes|access-keys|logs)$|\}$/;
    for (const {effect, template} of ENDPOINTS) {
      if (effect === 'read' || readable.has(template) || SHARED.test(template)) continue;
      expect([template, endsInOperation(template)]).toEqual([template, true]);
    }
  });

  it.each([
    ...['start', 'stop', 'hard-reboot', 'hibernate', 'hibernate-restore'].map(
      verb => `/core/virtual-machines/7/${verb}`,
    ),
    '/core/virtual-machines/7/stop/',
    '/core/virtual-machines/7/STOP',
    '/core/virtual-machines/7/%73top',
    '/core/virtual-machines/7/resize',
    '/core/virtual-machines/7/detach-floatingip',
    '/core/virtual-machines/7/request-console',
    '/core/virtual-machines/7/attach-firewalls',
    '/core/virtual-machines/7/label',
    '/core/firewalls/7/update-attachments',
    '/core/clusters/7/reconcile',
    '/core/clusters/7/nodes/delete',
    '/auth/invites/7/accept',
  ])('is true for %s', path => {
    expect(endsInOperation(path)).toBe(true);
  });

  it.each([
    '/core/virtual-machines',
    '/core/virtual-machines/7',
    '/core/stop/7',
    '/core/x/events',
    '/core/virtual-machines/7/console/3f1e77a4',
    '/core/virtual-machines/7/console/stop',
    '/core/virtual-machines/7/logs',
    '/core/virtual-machines/name-availability/start',
    '/object-storage/buckets/restore',
    '/core/firewalls',
    '/core/firewalls/7',
    '/',
    '',
    '/%',
  ])('is false for %s', path => {
    expect(endsInOperation(path)).toBe(false);
  });
});

describe('queryText', () => {
  it('leaves out what is undefined and encodes the rest', () => {
    expect(queryText({})).toBe('');
    expect(queryText({region: undefined})).toBe('');
    expect(queryText({page: 1, deleted: false, search: 'a b&c=d', region: undefined})).toBe(
      '?page=1&deleted=false&search=a%20b%26c%3Dd',
    );
  });
});
