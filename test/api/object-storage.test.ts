import {inspect} from 'node:util';
import {describe, expect, it} from 'vitest';
import {
  accessKeys,
  buckets,
  createAccessKey,
  deleteAccessKey,
  deleteBucket,
  getBucket,
  storageHealth,
  storageRegions,
} from '../../src/api/object-storage.ts';
import {accessKeyId} from '../../src/domain/object-storage.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {KEY, openClients, openServer} from './loopback.ts';
import {readExample, readResult, wireExample} from './wire-example.ts';

const CHECKPOINTS = {
  name: 'checkpoints',
  regionName: 'CANADA-1',
  endpoint: 'https://ca1.storage.example.org',
  createdAt: Date.UTC(2026, 1, 1, 10),
  objectCount: 1200,
  sizeBytes: 5 * 1024 ** 4,
  storedBytes: 5_500_000_000_000,
};

describe('accessKeys', () => {
  it('reads the public halves, and gives out no secret half, wherever it appears', () => {
    expect(readExample(accessKeys)).toStrictEqual({
      records: [
        {
          id: 411,
          userId: 3107,
          accessKey: 'EXAMPLEACCESSKEY0001',
          regionName: 'CANADA-1',
          createdAt: Date.UTC(2026, 1, 1, 10),
        },
        {id: 412, accessKey: 'EXAMPLEACCESSKEY0002', regionName: 'CANADA-1', description: 'backups'},
      ],
      quarantined: [{fields: ['id']}],
    });
    const raw = accessKeys.collect(JSON.parse(wireExample('object-storage.access-keys')));
    expect(JSON.stringify(raw)).not.toContain('must-not-be-kept');
  });

  it('takes any 2xx as success, and asks for pages with the parameter names of this part of the service', async () => {
    const server = await openServer((_request, response) =>
      response.writeHead(201).end(wireExample('object-storage.access-keys')),
    );
    const read = await openClients(server.baseUrl).reads.read(accessKeys, {});
    expect(read.ok && read.value.records).toHaveLength(2);
    expect(server.seen.map(({url}) => url)).toEqual(['/v1/object-storage/access-keys?page=1&page_size=100']);
  });
});

describe('buckets', () => {
  it('are read with their sizes; malformed sizes are absent, never zero', () => {
    expect(readExample(buckets)).toStrictEqual({
      records: [CHECKPOINTS, {name: 'empty', regionName: 'NORWAY-1', sizeBytes: 0}],
      quarantined: [{fields: ['name']}],
    });
  });

  it('come with the regions that did not answer, even when a name cannot be read', () => {
    expect(buckets.absentParts({buckets: [], failed_regions: ['US-1', {region: 'X'}, 4]})).toEqual(['US-1', 'X', '?']);
    expect(buckets.absentParts({buckets: [], failed_regions: null})).toEqual([]);
  });

  it('are read one by one by their encoded name, in their region', () => {
    const params = {name: safeText('a b/c'), regionName: safeText('CANADA-1')};
    expect(getBucket.path(params)).toBe('/object-storage/buckets/a%20b%2Fc');
    expect(getBucket.query(params)).toEqual({region: 'CANADA-1'});
    expect(readExample(getBucket).records).toStrictEqual([CHECKPOINTS]);
  });

  it('can have a verb of the interface as their name', async () => {
    const server = await openServer((_request, response) => response.end('{"name": "restore"}'));
    const params = {name: safeText('restore'), regionName: safeText('CANADA-1')};
    expect(await openClients(server.baseUrl).reads.read(getBucket, params)).toMatchObject({
      ok: true,
      value: {records: [{name: 'restore'}]},
    });
  });

  it('are deleted in their region, which the service requires', () => {
    const params = {name: safeText('checkpoints'), regionName: safeText('CANADA-1')};
    expect([deleteBucket.method, deleteBucket.path(params)]).toEqual(['DELETE', '/object-storage/buckets/checkpoints']);
    expect(deleteBucket.query(params)).toEqual({region: 'CANADA-1'});
  });
});

describe('storageHealth', () => {
  it('reads a status that is a word', () => {
    expect(readExample(storageHealth).records).toStrictEqual([{isAlive: true, statusText: 'alive'}]);
    expect(storageHealth.record({status: 'degraded'})).toStrictEqual({
      ok: true,
      value: {isAlive: false, statusText: 'degraded'},
    });
  });
});

describe('storageRegions', () => {
  it('reads names, as objects and as plain text', () => {
    expect(readExample(storageRegions).records).toStrictEqual([{name: 'CANADA-1'}]);
    expect(storageRegions.collect({regions: ['NORWAY-1']})).toEqual([{name: 'NORWAY-1'}]);
  });
});

describe('operations on access keys', () => {
  it('create one in a region, and keep its secret half secret', async () => {
    const spec = {regionName: safeText('CANADA-1'), description: safeText('from skydeck')};
    expect(createAccessKey.body({spec})).toStrictEqual({region: 'CANADA-1', description: 'from skydeck'});
    const server = await openServer((_request, response) =>
      response.writeHead(201).end(wireExample('object-storage.create-access-key')),
    );
    const fired = await openClients(server.baseUrl).operations.sendOnce(createAccessKey, {spec});
    const result = fired.ok ? fired.value.result : undefined;
    if (result?.kind !== 'access-key') throw new Error('Expected an access key.');
    expect([result.id, result.accessKey, result.secretKey.reveal()]).toEqual([
      413,
      'EXAMPLEACCESSKEY0003',
      'example-secret-half-0123456789',
    ]);
    expect(inspect(fired, {depth: 9}) + JSON.stringify(fired)).not.toContain('secret-half');
  });

  it.each([
    ['as it is', KEY],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['reversed', [...KEY].reverse().join('')],
  ])('show nothing of the key of the account that the reply repeats %s, and are accepted as before', async (_how, kept) => {
    const made = {...JSON.parse(wireExample('object-storage.create-access-key')), secret_key: `mine ${kept}`};
    const server = await openServer((_request, response) => response.writeHead(201).end(JSON.stringify(made)));
    const spec = {regionName: safeText('CANADA-1')};
    const fired = await openClients(server.baseUrl).operations.sendOnce(createAccessKey, {spec});
    const result = fired.ok ? fired.value.result : undefined;
    if (result?.kind !== 'access-key') throw new Error('Expected an access key.');
    expect([result.id, result.accessKey]).toEqual([413, 'EXAMPLEACCESSKEY0003']);
    expect(result.secretKey.reveal()).toMatch(/^mine /);
    expect(result.secretKey.reveal()).not.toContain(kept);
    expect(server.seen).toHaveLength(1);
  });

  it('are not accepted when the reply has no secret half', () => {
    for (const body of [
      {status: true, message: 'ok'},
      {id: 1, access_key: 'A'},
      {id: 1, access_key: 'A', secret_key: 7},
    ]) {
      expect(createAccessKey.isAccepted(body)).toBe(false);
    }
  });

  it('delete one by its id', () => {
    const id = accessKeyId(413);
    expect([deleteAccessKey.method, deleteAccessKey.path({id})]).toEqual(['DELETE', '/object-storage/access-keys/413']);
    expect(readResult(deleteAccessKey)).toBeUndefined();
  });
});
