import {describe, expect, it} from 'vitest';
import {createClient} from '../../src/api/client.ts';
import {clusterId} from '../../src/domain/cluster.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {dashboardFeed, meFeed, organizationFeed, permissionsFeed, rolesFeed} from '../../src/state/account.ts';
import {creditFeed, deletedUsageFeed, lastDayCostFeed, usageFeed} from '../../src/state/billing.ts';
import {
  flavorsFeed,
  gpusFeed,
  imageRecordFeed,
  imagesFeed,
  priceBookFeed,
  regionsFeed,
  stocksFeed,
} from '../../src/state/catalogue.ts';
import {clusterFeed, clusterVersionsFeed, masterFlavorsFeed, nodeGroupsFeed} from '../../src/state/clusters.ts';
import {contractFeed} from '../../src/state/contracts.ts';
import {environmentRecordFeed, environmentsFeed, quotaFeed} from '../../src/state/environments.ts';
import type {Feed} from '../../src/state/feed.ts';
import {UP} from '../../src/state/poller/circuit-breaker.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {
  eventsFeed,
  type MachineListing,
  machineFeed,
  machineRecordFeed,
  machinesFeed,
  metricsFeed,
} from '../../src/state/machines.ts';
import {
  accessKeysFeed,
  bucketRecordFeed,
  bucketsFeed,
  storageHealthFeed,
  storageRegionsFeed,
} from '../../src/state/object-storage.ts';
import {createStore} from '../../src/state/store.ts';
import {volumeFeed, volumeRecordFeed, volumesFeed} from '../../src/state/volumes.ts';
import {chooseGlyphs} from '../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {closedBaseUrl, openClients, openServer} from '../api/loopback.ts';
import {wireExample} from '../api/wire-example.ts';
import {createVirtualClock} from '../support/clock.ts';
import {openSimulator} from '../support/simulator.ts';
import {aListing, aVirtualMachine} from './a-machine.ts';
import {mostWithin, openPolling} from './polling.ts';

/** What the store holds after these lists, one after the other. */
function merged(...listings: readonly MachineListing[]): MachineListing | undefined {
  const store = createStore();
  for (const [index, listing] of listings.entries()) store.writeValue(machinesFeed, listing, monotonicMs(index));
  return lastValue(store.get(machinesFeed));
}

function idsOf(listing: MachineListing | undefined): readonly number[] {
  return listing?.records.map(({id}) => id) ?? [];
}

describe('machinesFeed', () => {
  const [one, two, three] = [1, 2, 3].map(id => aVirtualMachine({id}));
  if (one === undefined || two === undefined || three === undefined) throw new Error('Expected three machines.');

  it('keeps a machine that is missing from one list, and says so', () => {
    const listing = merged(aListing([one, two]), aListing([one]));
    expect(idsOf(listing)).toEqual([1, 2]);
    expect(listing?.missingOnce).toEqual(new Set([2]));
  });

  it('drops a machine that is missing from two lists in a row', () => {
    const listing = merged(aListing([one, two]), aListing([one]), aListing([one]));
    expect(idsOf(listing)).toEqual([1]);
    expect(listing?.missingOnce).toEqual(new Set());
  });

  it('keeps a machine whose record cannot be read, however often, but drops one that is not listed', () => {
    const torn = aListing([one], {quarantined: [{id: safeText('2'), fields: [safeText('status')]}]});
    const listing = merged(aListing([one, two, three]), torn, torn, {...torn});
    expect(idsOf(listing)).toEqual([1, 2]);
    expect(listing?.missingOnce).toEqual(new Set());
    expect(idsOf(merged(aListing([one, two]), torn, aListing([one])))).toEqual([1, 2]);
    expect(idsOf(merged(aListing([one, two]), torn, aListing([one]), aListing([one])))).toEqual([1]);
  });

  it('returns the same listing when the very same answer comes again, and drops what it lacks twice', () => {
    const [both, first] = [aListing([one, two]), aListing([one])];
    expect(merged(both, both)).toBe(both);
    expect(merged(both, first, first)).toBe(first);
  });

  it('returns the same listing when an answer that lacks known machines comes again', () => {
    const torn = {quarantined: [{id: safeText('2'), fields: [safeText('status')]}]};
    for (const rest of [torn, {incompleteReason: 'record-limit'}] as const) {
      const store = createStore();
      const keep = (records: MachineListing['records'], readAt: number) => {
        store.writeValue(machinesFeed, aListing(records, rest), monotonicMs(readAt));
        return lastValue(store.get(machinesFeed));
      };
      store.writeValue(machinesFeed, aListing([one, two]), monotonicMs(0));
      const listing = keep([one], 1);
      expect(idsOf(listing)).toEqual([1, 2]);
      const version = store.version();
      expect(keep([one], 2)).toBe(listing);
      expect(store.version()).toBe(version);
      expect(idsOf(keep([one, three], 3))).toEqual([1, 3, 2]);
    }
  });

  it('counts absences from zero after a machine reappears', () => {
    const listing = merged(aListing([one, two]), aListing([one]), aListing([one, two]), aListing([one]));
    expect(idsOf(listing)).toEqual([1, 2]);
  });

  it('takes newer records and new machines', () => {
    const stopped = aVirtualMachine({id: 1, status: 'SHUTOFF'});
    const listing = merged(aListing([one]), aListing([stopped, three]));
    expect(listing?.records).toEqual([stopped, three]);
  });

  it('does not treat absence from an incomplete list as a deletion', () => {
    const part = aListing([one], {incompleteReason: 'fewer-than-counted'});
    const listing = merged(aListing([one, two]), part, part, part);
    expect(idsOf(listing)).toEqual([1, 2]);
    expect(listing?.incompleteReason).toBe('fewer-than-counted');
    expect(idsOf(merged(aListing([one, two]), aListing([one]), part, aListing([one])))).toEqual([1]);
  });

  it('reports a list as incomplete when the service counts more machines than it lists', async () => {
    const record = {id: 1, name: 'a', status: 'ACTIVE'};
    const server = await openServer((_request, response) => {
      response.end(JSON.stringify({status: true, instances: [record], count: 3, page: 1, page_size: 1}));
    });
    const reading = await machinesFeed.read(clientOf(server.baseUrl, 'CANARY-0123456789'));
    expect(reading).toMatchObject({ok: true, value: {incompleteReason: 'repeated-page', records: [{id: 1}]}});
  });
});

describe('the feeds', () => {
  it('are all answered by the service and parsed', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off'});
    const client = clientOf(simulator.url, simulator.apiKey);
    const listing = await machinesFeed.read(client);
    if (!listing.ok) throw new Error('Expected a list.');
    const id = listing.value.records[0]?.id;
    if (id === undefined) throw new Error('Expected a machine.');
    expect(await machineFeed(id).read(client)).toMatchObject({ok: true, value: {id}});
    expect(await machineRecordFeed(id).read(client)).toMatchObject({
      ok: true,
      value: {id, floating_ip: expect.any(String)},
    });
    expect(await eventsFeed(id).read(client)).toMatchObject({ok: true, value: {quarantined: []}});
    expect(await meFeed.read(client)).toMatchObject({ok: true, value: {email: expect.stringContaining('@')}});
    const rest: readonly Feed<unknown>[] = [
      flavorsFeed,
      organizationFeed,
      usageFeed,
      deletedUsageFeed,
      creditFeed,
      metricsFeed(id, '1h'),
    ];
    for (const feed of rest) expect(await feed.read(client), feed.key).toMatchObject({ok: true});
  });

  it('show any record as the service sent it, including fields that nothing else reads', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off'});
    const client = clientOf(simulator.url, simulator.apiKey);
    const first = async <R>(feed: Feed<{readonly records: readonly R[]}>): Promise<R> => {
      const reading = await feed.read(client);
      if (!reading.ok || reading.value.records[0] === undefined) throw new Error(`Expected a record of ${feed.key}.`);
      return reading.value.records[0];
    };
    const volume = await first(volumesFeed);
    const image = await first(imagesFeed);
    const environment = await first(environmentsFeed);
    const bucket = await first(bucketsFeed);
    if (bucket.regionName === undefined) throw new Error('Expected the region of a bucket.');
    const sent: readonly (readonly [Feed<unknown>, object])[] = [
      [volumeRecordFeed(volume.id), {id: volume.id, created_at: expect.any(String)}],
      [imageRecordFeed(image.id), {id: image.id}],
      [environmentRecordFeed(environment.id), {id: environment.id, created_at: expect.any(String)}],
      [bucketRecordFeed(bucket.name, bucket.regionName), {name: bucket.name}],
    ];
    for (const [feed, value] of sent) expect(await feed.read(client), feed.key).toMatchObject({ok: true, value});
    expect(new Set(sent.map(([feed]) => feed.key)).size).toBe(sent.length);
  });

  it('return failures as values when nothing answers, and name the field that makes a record unreadable', async () => {
    const nobody = clientOf(await closedBaseUrl(), 'CANARY-0123456789');
    expect(await machinesFeed.read(nobody)).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(await machineRecordFeed(aVirtualMachine().id).read(nobody)).toMatchObject({ok: false});
    const odd = await openServer((_request, response) =>
      response.end(JSON.stringify({status: true, instance: {id: 'seven', name: 'a'}})),
    );
    expect(await machineFeed(aVirtualMachine().id).read(clientOf(odd.baseUrl, 'CANARY-0123456789'))).toMatchObject({
      ok: false,
      failure: {kind: 'odd-answer', detail: expect.stringContaining('field id')},
    });
  });
});

describe.each(openPanes().map(({id}) => id))('what the %s pane reads for two hundred machines', paneId => {
  it.each([
    [80, 24],
    [120, 40],
    [200, 50],
    [320, 90],
  ])('costs at most 30 requests a minute at %i×%i cells', async (columns, rows) => {
    let state = columns;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    const {time, store, poller, feed, reads} = openPolling({random});
    const pane = openPanes().find(({id}) => id === paneId);
    const machines = Array.from({length: 200}, (_, index) => aVirtualMachine({id: index + 1}));
    store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
    const scene = {
      store,
      operations: undefined,
      health: UP,
      now: time.clock.wallNow(),
      monotonicNow: time.clock.monotonicNow(),
      size: {columns, rows: rows - 4},
      theme: createTheme({
        depth: 'none',
        palette: PALETTES.dark,
        glyphs: chooseGlyphs({isUtf8: true, preference: undefined}),
      }),
      preferences: DEFAULT_PREFERENCES,
      hasChosen: false,
    };
    pane?.adjust(scene);
    // Readings from Prometheus cost no requests to the service.
    const wants = (pane?.wants(scene) ?? []).filter(want => want.feed.source === undefined);
    expect(wants.length).toBeGreaterThan(0);
    poller.want(
      'pane',
      wants.map(want => ({...want, feed: feed(want.feed.key, want.feed.intervalMs)})),
    );
    await time.advance(HOUR_MS);
    const steady = reads.map(({startedAt}) => startedAt).filter(at => at >= 5 * MINUTE_MS);
    expect(steady.length / 55).toBeLessThanOrEqual(30);
    // Readings drift apart, so no minute is far from the others.
    expect(mostWithin(MINUTE_MS, steady)).toBeLessThanOrEqual(45);
    expect(
      mostWithin(
        MINUTE_MS,
        reads.map(({startedAt}) => startedAt),
      ),
    ).toBeLessThanOrEqual(80);
  });
});

function clientOf(baseUrl: string, key: string) {
  const {clock} = createVirtualClock();
  return createClient({baseUrl, key: secret(key), clock, admit: () => Promise.resolve()});
}

describe('feeds that read a single endpoint', () => {
  const LISTS: readonly (readonly [Feed<unknown>, example: string, path: string, count: number])[] = [
    [volumesFeed, 'volumes.list', '/core/volumes?page=1&pageSize=500', 2],
    [keyPairsFeed, 'key-pairs.list', '/core/keypairs?page=1&pageSize=500', 1],
    [environmentsFeed, 'environments.list', '/core/environments?page=1&pageSize=500', 2],
    [regionsFeed, 'regions.list', '/core/regions', 3],
    [stocksFeed, 'stocks.list', '/core/stocks', 3],
    [gpusFeed, 'gpus.list', '/core/gpus', 2],
    [accessKeysFeed, 'object-storage.access-keys', '/object-storage/access-keys?page=1&page_size=100', 2],
    [bucketsFeed, 'object-storage.buckets', '/object-storage/buckets', 2],
    [storageRegionsFeed, 'object-storage.regions', '/object-storage/regions', 1],
    [permissionsFeed, 'account.permissions', '/auth/users/me/permissions', 3],
    [rolesFeed, 'account.roles', '/auth/roles', 2],
    [priceBookFeed, 'price-book.list', '/pricebook', 4],
    [nodeGroupsFeed(clusterId(7)), 'clusters.node-groups', '/core/clusters/7/node-groups', 2],
    [clusterVersionsFeed, 'clusters.versions', '/core/clusters/versions', 2],
    [masterFlavorsFeed, 'clusters.master-flavors', '/core/clusters/master-flavors', 1],
  ];
  const RECORDS: readonly (readonly [Feed<unknown>, example: string, path: string, expected: object])[] = [
    [volumeFeed(volumeId(38_002)), 'volumes.get', '/core/volumes/38002', {id: 38_002}],
    [quotaFeed(environmentId(7)), 'environments.machine-quota', '/core/environments/7/vm-quota', {maxCount: 250}],
    [dashboardFeed, 'dashboard.get', '/core/dashboard', {machines: {count: 12}}],
    [storageHealthFeed, 'object-storage.health', '/object-storage/healthz', {isAlive: true}],
    [lastDayCostFeed, 'billing.last-day-cost', '/billing/billing/last-day-cost', {}],
    [clusterFeed(clusterId(1655)), 'clusters.get', '/core/clusters/1655', {id: 1655}],
    [contractFeed(97), 'contracts.get', '/pricebook/contracts/97', {id: 97}],
  ];

  it.each(
    LISTS.map(([feed, ...rest]) => [feed.key, feed, ...rest] as const),
  )('%s reads a list', async (_key, feed, example, path, count) => {
    const server = await openServer((_request, response) => response.end(wireExample(example)));
    const reading = await feed.read(openClients(server.baseUrl).reads);
    const records = reading.ok && Object(reading.value).records;
    expect(records).toHaveLength(count);
    expect(server.seen.map(({url}) => url)).toEqual([`/v1${path}`]);
  });

  it.each(
    RECORDS.map(([feed, ...rest]) => [feed.key, feed, ...rest] as const),
  )('%s reads one record', async (_key, feed, example, path, expected) => {
    const server = await openServer((_request, response) => response.end(wireExample(example)));
    expect(await feed.read(openClients(server.baseUrl).reads)).toMatchObject({ok: true, value: expected});
    expect(server.seen.map(({url}) => url)).toEqual([`/v1${path}`]);
  });

  it('reads pages of images until one brings nothing new, since the service gives no count', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('images.list')));
    const reading = await imagesFeed.read(openClients(server.baseUrl).reads);
    expect(reading.ok && reading.value.records.map(({id}) => id)).toEqual([2104, 2190, 3001]);
    expect(server.seen.map(({url}) => url)).toEqual([1, 2].map(page => `/v1/core/images?page=${page}&per_page=1000`));
  });

  it('names the regions whose buckets are missing', async () => {
    const answers = [wireExample('object-storage.buckets'), '{"buckets": [], "failed_regions": []}'];
    const server = await openServer((_request, response) => response.end(answers[server.seen.length - 1]));
    const {reads} = openClients(server.baseUrl);
    expect(await bucketsFeed.read(reads)).toMatchObject({value: {absentParts: ['US-1', 'NORWAY-1']}});
    expect(await bucketsFeed.read(reads)).toEqual({ok: true, value: {records: [], quarantined: []}});
  });

  it('have unique keys', () => {
    const keys = [...LISTS, ...RECORDS].map(([feed]) => feed.key);
    expect(new Set([...keys, imagesFeed.key]).size).toBe(keys.length + 1);
  });
});
