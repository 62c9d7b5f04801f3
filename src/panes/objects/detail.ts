import {lastValue} from '../../domain/snapshot.ts';
import {field, momentText, wrappedField} from '../../resources/detail.ts';
import {storageHealthFeed, storageRegionsFeed} from '../../state/object-storage.ts';
import {formatBytesLong, formatCount} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';
import {type AccessKeyRow, type BucketRow, userText} from './rows.ts';

/** Every field of the bucket, and how its region's storage does. */
export function bucketLines({bucket, now}: BucketRow, scene: Scene, width: number): readonly Line[] {
  return [
    field('region', bucket.regionName),
    field('objects', bucket.objectCount === undefined ? undefined : formatCount(bucket.objectCount)),
    field('size', bucket.sizeBytes === undefined ? undefined : exactBytes(bucket.sizeBytes)),
    field('stored', bucket.storedBytes === undefined ? undefined : exactBytes(bucket.storedBytes)),
    ...wrappedField('endpoint', bucket.endpoint ?? 'unknown', width, 'link'),
    field('created', momentText(bucket.createdAt, now)),
    ...storageLines(scene, width),
  ];
}

/** What is known of an access key; its secret half was shown once and is kept nowhere. */
export function accessKeyLines(row: AccessKeyRow, scene: Scene, width: number): readonly Line[] {
  const {accessKey, now} = row;
  return [
    field('access key', accessKey.accessKey),
    field('secret key', 'answered once, when it was made; nobody can read it again', 'dim'),
    field('id', String(accessKey.id)),
    field('region', accessKey.regionName),
    field('user', userText(row)),
    ...wrappedField('description', accessKey.description ?? 'none', width),
    field('created', momentText(accessKey.createdAt, now)),
    ...storageLines(scene, width),
  ];
}

function storageLines({store}: Scene, width: number): readonly Line[] {
  const health = lastValue(store.get(storageHealthFeed));
  const regions = lastValue(store.get(storageRegionsFeed))?.records;
  return [
    [],
    field('object storage', health?.statusText, health?.isAlive === false ? 'warning' : 'good'),
    ...(regions === undefined
      ? [field('to be had in', undefined)]
      : wrappedField('to be had in', regions.map(({name}) => name).join('  '), width)),
  ];
}

/** `1.2 GiB  1,288,490,188 bytes`. */
function exactBytes(bytes: number): string {
  return bytes < 1024 ? `${formatCount(bytes)} bytes` : `${formatBytesLong(bytes)}  ${formatCount(bytes)} bytes`;
}
