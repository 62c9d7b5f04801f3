import type {AccessKey, Bucket} from '../../domain/object-storage.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column} from '../../resources/resource.ts';
import {organizationFeed} from '../../state/account.ts';
import {accessKeysFeed, bucketsFeed, storageHealthFeed} from '../../state/object-storage.ts';
import {formatBytes, formatCount} from '../../ui/format.ts';
import {ageColumn, numberColumn, textColumn} from '../column.ts';
import type {Scene} from '../pane.ts';

type Known = Pick<Scene, 'store' | 'now'>;

export type BucketRow = {readonly bucket: Bucket; readonly now: EpochMs};

/** The buckets, the largest first. Undefined until they were read. */
export function bucketRows({store, now}: Known): readonly BucketRow[] | undefined {
  return lastValue(store.get(bucketsFeed))
    ?.records.map(bucket => ({bucket, now}))
    .sort(
      (left, right) =>
        (right.bucket.sizeBytes ?? 0) - (left.bucket.sizeBytes ?? 0) || idOrder(bucketKey(left), bucketKey(right)),
    );
}

/** A bucket has no id: its region and its name together name it. */
export function bucketKey({bucket}: Pick<BucketRow, 'bucket'>): string {
  return `${bucket.regionName ?? '?'}/${bucket.name}`;
}

function idOrder(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Why the buckets listed may not be all there are, or not be reachable. */
export function bucketsNote({store}: Pick<Scene, 'store'>): SafeText | undefined {
  const failed = lastValue(store.get(bucketsFeed))?.failedRegions ?? [];
  if (failed.length > 0) return say`not whole: ${safeText(failed.join(', '))} did not answer`;
  const health = lastValue(store.get(storageHealthFeed));
  return health === undefined || health.isAlive ? undefined : say`the object storage says ${health.statusText}`;
}

export type AccessKeyRow = {
  readonly accessKey: AccessKey;
  /** Whose it is, as far as the members are known. */
  readonly userName: SafeText | undefined;
  readonly now: EpochMs;
};

/** The access keys, the newest first. Undefined until they were read. */
export function accessKeyRows({store, now}: Known): readonly AccessKeyRow[] | undefined {
  const users = lastValue(store.get(organizationFeed))?.users ?? [];
  return lastValue(store.get(accessKeysFeed))
    ?.records.map(accessKey => {
      const user = users.find(({id}) => id === accessKey.userId);
      return {accessKey, userName: user?.email ?? user?.name, now};
    })
    .sort((left, right) => right.accessKey.id - left.accessKey.id);
}

/** The public half names an access key; its id does where the service leaves that out. */
export function accessKeyName({accessKey}: Pick<AccessKeyRow, 'accessKey'>): SafeText {
  return accessKey.accessKey === undefined
    ? say`access key #${accessKey.id}`
    : say`${accessKey.accessKey}  #${accessKey.id}`;
}

export function userText({accessKey, userName}: AccessKeyRow): string | undefined {
  return userName ?? (accessKey.userId === undefined ? undefined : `user #${accessKey.userId}`);
}

export const BUCKET_COLUMNS: readonly Column<BucketRow>[] = [
  textColumn({key: 'name', title: 'NAME', minWidth: 14, maxWidth: 64, flex: 1}, ({bucket}) => bucket.name, {
    tone: 'strong',
  }),
  textColumn({key: 'region', title: 'REGION', minWidth: 9}, ({bucket}) => bucket.regionName),
  numberColumn({key: 'objects', title: 'OBJECTS', minWidth: 9}, ({bucket}) => bucket.objectCount, formatCount),
  numberColumn({key: 'size', title: 'SIZE', minWidth: 6}, ({bucket}) => bucket.sizeBytes, formatBytes),
  numberColumn(
    {key: 'stored', title: 'STORED', minWidth: 6, priority: 1},
    ({bucket}) => bucket.storedBytes,
    formatBytes,
    'dim',
  ),
  ageColumn({key: 'age', title: 'AGE', minWidth: 5}, ({bucket}) => bucket.createdAt),
];

export const ACCESS_KEY_COLUMNS: readonly Column<AccessKeyRow>[] = [
  textColumn({key: 'key', title: 'ACCESS KEY', minWidth: 20, maxWidth: 40}, ({accessKey}) => accessKey.accessKey, {
    tone: 'strong',
  }),
  textColumn({key: 'region', title: 'REGION', minWidth: 9}, ({accessKey}) => accessKey.regionName),
  textColumn(
    {key: 'description', title: 'DESCRIPTION', minWidth: 12, maxWidth: 60, flex: 2},
    ({accessKey}) => accessKey.description,
    {absent: 'none'},
  ),
  textColumn({key: 'user', title: 'USER', minWidth: 12, maxWidth: 40, flex: 1, priority: 1}, userText, {tone: 'dim'}),
  ageColumn({key: 'age', title: 'AGE', minWidth: 5}, ({accessKey}) => accessKey.createdAt),
];
