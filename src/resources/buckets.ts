import {say} from '../domain/safe-text.ts';
import {fitsPath, queryText} from '../api/endpoint.ts';
import {buckets as bucketsEndpoint, getBucket} from '../api/object-storage.ts';
import type {Bucket} from '../domain/object-storage.ts';
import {lastValue} from '../domain/snapshot.ts';
import {bucketRecordFeed, bucketsFeed, storageHealthFeed, storageRegionsFeed} from '../state/object-storage.ts';
import {formatBytesLong, formatCount} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {AGE, age, bytes, type Column, text} from './column.ts';
import {rawOf} from './listing.ts';
import {type Dated, dated, defineResource, type RowInput} from './resource.ts';

type BucketRow = Dated<Bucket>;

const COLUMNS: readonly Column<BucketRow>[] = [
  {
    key: 'name',
    title: 'NAME',
    value: ({name}) => text(name),
    list: {minWidth: 14, maxWidth: 64, flex: 1, tone: 'strong'},
  },
  {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName), list: {minWidth: 9}},
  {
    key: 'objects',
    title: 'OBJECTS',
    align: 'right',
    value: ({objectCount}) =>
      objectCount === undefined
        ? undefined
        : {text: formatCount(objectCount), number: objectCount, plain: String(objectCount)},
    list: {minWidth: 9},
  },
  {
    key: 'size',
    title: 'SIZE',
    align: 'right',
    unit: 'bytes',
    value: ({sizeBytes}) => bytes(sizeBytes),
    list: {minWidth: 6},
  },
  {
    key: 'stored',
    title: 'STORED',
    align: 'right',
    unit: 'bytes',
    value: ({storedBytes}) => bytes(storedBytes),
    list: {minWidth: 6, priority: 1, tone: 'dim'},
  },
  {
    ...AGE,
    value: ({createdAt, now}) => age(createdAt, now),
    list: {minWidth: 5, tone: 'dim'},
  },
  {key: 'endpoint', title: 'ENDPOINT', printed: 'wide', value: ({endpoint}) => text(endpoint)},
];

export const buckets = defineResource<Bucket, BucketRow>({
  names: ['buckets', 'bucket'],
  type: 'bucket',
  summary: 'buckets of the object storage',
  subjects: {list: bucketsFeed},
  shownIn: {paneId: 'objects'},
  columns: COLUMNS,
  list: async ({client, signal}) => rawOf(await client.readRaw(bucketsEndpoint, {}, {signal})),
  parse: bucketsEndpoint.record,
  feed: bucketsFeed,
  row: dated,
  orderWords: say`largest first`,
  order: (left, right) =>
    (right.sizeBytes ?? 0) - (left.sizeBytes ?? 0) || (bucketKey(left) < bucketKey(right) ? -1 : 1),
  detail: bucketLines,
  recordIn: bucket => bucket,
  path: ({name, regionName}) => {
    if (regionName === undefined || !fitsPath(name)) return bucketsEndpoint.path({});
    const one = {name, regionName};
    return getBucket.path(one) + queryText(getBucket.query(one));
  },
  rawFeed: ({name, regionName}) =>
    regionName === undefined || !fitsPath(name) ? undefined : bucketRecordFeed(name, regionName),
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
});

/** A bucket has no id; region and name together identify it. */
export function bucketKey({regionName, name}: Bucket): string {
  return `${regionName ?? '?'}/${name}`;
}

/** Every field of the bucket, and the state of its region's storage. */
function bucketLines(bucket: BucketRow, known: RowInput, width: number): readonly Line[] {
  return [
    field('region', bucket.regionName),
    field('objects', bucket.objectCount === undefined ? undefined : formatCount(bucket.objectCount)),
    field('size', bucket.sizeBytes === undefined ? undefined : exactBytes(bucket.sizeBytes)),
    field('stored', bucket.storedBytes === undefined ? undefined : exactBytes(bucket.storedBytes)),
    ...wrappedField('endpoint', bucket.endpoint ?? 'unknown', width, 'link'),
    field('created', momentText(bucket.createdAt, bucket.now)),
    ...storageLines(known, width),
  ];
}

/** The state of object storage and its regions. */
export function storageLines({store}: RowInput, width: number): readonly Line[] {
  const health = lastValue(store.get(storageHealthFeed));
  const regions = lastValue(store.get(storageRegionsFeed))?.records;
  return [
    [],
    field('object storage', health?.statusText, health?.isAlive === false ? 'warning' : 'good'),
    ...(regions === undefined
      ? [field('available in', undefined)]
      : wrappedField('available in', regions.map(({name}) => name).join('  '), width)),
  ];
}

/** For example `1.2 GiB  1,288,490,188 bytes`. */
function exactBytes(bytes: number): string {
  return bytes < 1024 ? `${formatCount(bytes)} bytes` : `${formatBytesLong(bytes)}  ${formatCount(bytes)} bytes`;
}
