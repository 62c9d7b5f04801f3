import {accessKeys, buckets, getBucket, storageHealth, storageRegions} from '../api/object-storage.ts';
import type {AccessKey, Bucket, StorageHealth, StorageRegion} from '../domain/object-storage.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, oneFeed, recordFeed} from './feed.ts';

/** Regions whose buckets the service could not list are absent parts of the listing. */
export const bucketsFeed: Feed<Listing<Bucket>> = listFeed('buckets', MINUTE_MS, buckets, {});

export const bucketRecordFeed = (name: SafeText, regionName: SafeText) =>
  recordFeed(['bucket', regionName, name], getBucket, {name, regionName});

export const accessKeysFeed: Feed<Listing<AccessKey>> = listFeed('access-keys', MINUTE_MS, accessKeys, {});
export const storageHealthFeed: Feed<StorageHealth> = oneFeed('storage-health', MINUTE_MS, storageHealth, {});
export const storageRegionsFeed: Feed<Listing<StorageRegion>> = listFeed(
  'storage-regions',
  HOUR_MS,
  storageRegions,
  {},
);
