import {type SafeText, say} from '../../domain/safe-text.ts';
import {organizationFeed, permissionsFeed} from '../../state/account.ts';
import {
  accessKeysFeed,
  bucketRecordFeed,
  bucketsFeed,
  storageHealthFeed,
  storageRegionsFeed,
} from '../../state/object-storage.ts';
import type {Want} from '../../state/poller.ts';
import {collectionPane} from '../collection.tsx';
import {bindPart} from '../collection-part.tsx';
import {ACCESS_KEY_ACTIONS, BUCKET_ACTIONS} from './actions.ts';
import {accessKeyLines, bucketLines} from './detail.ts';
import {
  ACCESS_KEY_COLUMNS,
  accessKeyName,
  accessKeyRows,
  BUCKET_COLUMNS,
  bucketKey,
  bucketRows,
  bucketsNote,
} from './rows.ts';

const BESIDE: readonly Want[] = [
  {feed: storageHealthFeed, priority: 3},
  {feed: storageRegionsFeed, priority: 3},
  {feed: permissionsFeed, priority: 4},
];

function bucketPath(name: SafeText, regionName: SafeText | undefined): string {
  const path = `/object-storage/buckets/${encodeURIComponent(name)}`;
  return regionName === undefined ? path : `${path}?region=${encodeURIComponent(regionName)}`;
}

export const objectsPane = collectionPane({
  id: 'objects',
  key: '7',
  title: say`Objects`,
  aliases: ['buckets', 'object storage', 'access keys', 's3'],
  parts: [
    bindPart({
      title: say`buckets`,
      feed: bucketsFeed,
      wants: [{feed: bucketsFeed, priority: 1}, ...BESIDE],
      rows: bucketRows,
      idOf: bucketKey,
      subjectOf: ({bucket: {name, regionName}}) =>
        regionName === undefined ? undefined : {type: 'bucket', name, regionName},
      nameOf: ({bucket}) => bucket.name,
      copiedAs: ({bucket: {name, regionName}}) => ({
        name,
        resource: 'bucket',
        target: name,
        path: bucketPath(name, regionName),
      }),
      columns: BUCKET_COLUMNS,
      detail: bucketLines,
      record: ({bucket}) =>
        bucket.regionName === undefined ? undefined : bucketRecordFeed(bucket.name, bucket.regionName),
      note: bucketsNote,
      actions: BUCKET_ACTIONS,
    }),
    bindPart({
      title: say`access keys`,
      feed: accessKeysFeed,
      wants: [{feed: accessKeysFeed, priority: 1}, {feed: organizationFeed, priority: 3}, ...BESIDE],
      rows: accessKeyRows,
      idOf: ({accessKey}) => String(accessKey.id),
      subjectOf: ({accessKey: {id}}) => ({type: 'access-key', id}),
      nameOf: accessKeyName,
      copiedAs: ({accessKey: {id, accessKey}}) => ({
        name: accessKey ?? say`#${id}`,
        id: say`${id}`,
        resource: 'access-key',
        target: `${id}`,
        path: '/object-storage/access-keys',
      }),
      columns: ACCESS_KEY_COLUMNS,
      detail: accessKeyLines,
      actions: ACCESS_KEY_ACTIONS,
    }),
  ],
});
