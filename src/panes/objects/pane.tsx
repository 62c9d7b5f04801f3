import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type AccessKeyRow, accessKeyName, accessKeys} from '../../resources/access-keys.ts';
import {bucketKey, buckets} from '../../resources/buckets.ts';
import {organizationFeed, permissionsFeed} from '../../state/account.ts';
import {accessKeysFeed, bucketsFeed, storageHealthFeed, storageRegionsFeed} from '../../state/object-storage.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {formatBytesLong} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {barListLines} from '../bar-list.ts';
import {collectionPane} from '../collection.tsx';
import {type PartActions, resourcePart} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';
import {partActions} from '../action-keys.ts';
import {TABS} from '../tabs.ts';

const BESIDE: readonly Want[] = [
  {feed: storageHealthFeed, priority: 3},
  {feed: storageRegionsFeed, priority: 3},
  {feed: permissionsFeed, priority: 4},
];

export const ACCESS_KEY_ACTIONS: PartActions<AccessKeyRow> = {
  ...partActions<AccessKeyRow>('access-key', ({accessKey}) => accessKey),
  copy: ({accessKey}) => accessKey.accessKey,
};

export const objectsPane = collectionPane({
  ...TABS.objects,
  aliases: ['buckets', 'object storage', 'access keys', 's3'],
  parts: [
    resourcePart(buckets, {
      wants: [{feed: bucketsFeed, priority: 1}, ...BESIDE],
      idOf: bucketKey,
      subjectOf: ({name, regionName}) => (regionName === undefined ? undefined : {type: 'bucket', name, regionName}),
      note: bucketsNote,
      preview: (_row, scene, {columns}) => ({title: 'size by bucket', lines: sizeLines(scene, columns - 2)}),
      actions: {...partActions('bucket', bucket => bucket), copy: ({name}) => name},
    }),
    resourcePart(accessKeys, {
      wants: [{feed: accessKeysFeed, priority: 1}, {feed: organizationFeed, priority: 3}, ...BESIDE],
      nameOf: accessKeyName,
      actions: ACCESS_KEY_ACTIONS,
    }),
  ],
});

function sizeLines({store, theme}: Scene, width: number): readonly Line[] {
  const all = lastValue(store.get(bucketsFeed))?.records ?? [];
  const amounts = all.map(({name, sizeBytes}) => ({name, value: sizeBytes, text: formatBytesLong(sizeBytes)}));
  return barListLines(amounts, width, theme);
}

/** Why the buckets listed may not be all there are, or not be reachable. */
export function bucketsNote({store}: Pick<Scene, 'store'>): SafeText | undefined {
  const failed = lastValue(store.get(bucketsFeed))?.absentParts ?? [];
  if (failed.length > 0) return say`not whole: ${safeText(failed.join(', '))} did not answer`;
  const health = lastValue(store.get(storageHealthFeed));
  return health === undefined || health.isAlive ? undefined : say`the object storage says ${health.statusText}`;
}
