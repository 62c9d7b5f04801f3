import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {Bucket} from '../../domain/object-storage.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type AccessKeyRow, accessKeyName, accessKeys} from '../../resources/access-keys.ts';
import {bucketKey, buckets} from '../../resources/buckets.ts';
import {listedRows, type TypedResource} from '../../resources/resource.ts';
import {organizationFeed, permissionsFeed} from '../../state/account.ts';
import {accessKeysFeed, bucketsFeed, storageHealthFeed, storageRegionsFeed} from '../../state/object-storage.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {formatBytesLong, formatCount} from '../../ui/format.ts';
import {tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {barListLines} from '../bar-list.ts';
import {collectionPane} from '../collection.tsx';
import {type PartActions, resourcePart} from '../collection-part.tsx';
import {listColumns} from '../list-columns.ts';
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
      wants: [
        {feed: bucketsFeed, priority: 1},
        {feed: accessKeysFeed, priority: 3},
        {feed: organizationFeed, priority: 4},
        ...BESIDE,
      ],
      idOf: bucketKey,
      subjectOf: ({name, regionName}) => (regionName === undefined ? undefined : {type: 'bucket', name, regionName}),
      note: bucketsNote,
      preview: ({regionName}, scene, {columns}) => ({
        title: 'size by bucket',
        lines: bucketPreview(regionName, scene, columns - 2),
      }),
      actions: {...partActions('bucket', bucket => bucket), copy: ({name}) => name},
    }),
    resourcePart(accessKeys, {
      wants: [
        {feed: accessKeysFeed, priority: 1},
        {feed: organizationFeed, priority: 3},
        {feed: bucketsFeed, priority: 3},
        ...BESIDE,
      ],
      nameOf: accessKeyName,
      preview: ({accessKey: {regionName}}, scene, {columns}) => ({
        title: `buckets in ${regionName ?? 'its region'}`,
        lines: bucketTable(regionName, scene, columns - 2),
      }),
      actions: ACCESS_KEY_ACTIONS,
    }),
  ],
});

/** How large the buckets are beside each other, and who can reach the one under the cursor. */
function bucketPreview(regionName: SafeText | undefined, scene: Scene, width: number): readonly Line[] {
  const {store, theme} = scene;
  const all = lastValue(store.get(bucketsFeed))?.records ?? [];
  const bars = (amount: (bucket: Bucket) => number | undefined, text: (amount: number | undefined) => string) =>
    barListLines(
      all.map(bucket => ({name: bucket.name, value: amount(bucket), text: text(amount(bucket))})),
      width,
      theme,
    );
  return [
    ...bars(({sizeBytes}) => sizeBytes, formatBytesLong),
    [],
    [{text: ' objects by bucket', tone: 'title'}],
    ...bars(({objectCount}) => objectCount, formatCount),
    [],
    [{text: ' size of an object on average', tone: 'title'}],
    ...bars(meanObjectBytes, formatBytesLong),
    [],
    [{text: ` access keys for ${regionName ?? 'its region'}`, tone: 'title'}],
    ...rowsTable(accessKeys, scene, ({accessKey}) => accessKey.regionName === regionName, width),
  ];
}

function meanObjectBytes({sizeBytes, objectCount}: Bucket): number | undefined {
  return sizeBytes === undefined || objectCount === undefined || objectCount === 0
    ? undefined
    : sizeBytes / objectCount;
}

/** What an access key opens. */
function bucketTable(regionName: SafeText | undefined, scene: Scene, width: number): readonly Line[] {
  return rowsTable(buckets, scene, bucket => bucket.regionName === regionName, width);
}

/** Some rows of a kind as its list has them, without a cursor. */
function rowsTable<R, Row>(
  resource: TypedResource<R, Row>,
  scene: Scene,
  isWanted: (row: Row) => boolean,
  width: number,
): readonly Line[] {
  const rows = listedRows(resource, scene)?.filter(isWanted);
  if (rows === undefined || rows.length === 0) {
    return [[{text: rows === undefined ? ' not read yet' : ' none', tone: 'dim'}]];
  }
  return tableLines(rows, () => false, {columns: listColumns(resource.columns), width, theme: scene.theme});
}

/** Why the buckets listed may not be all there are, or not be reachable. */
export function bucketsNote({store}: Pick<Scene, 'store'>): SafeText | undefined {
  const failed = lastValue(store.get(bucketsFeed))?.absentParts ?? [];
  if (failed.length > 0) return say`not whole: ${safeText(failed.join(', '))} did not answer`;
  const health = lastValue(store.get(storageHealthFeed));
  return health === undefined || health.isAlive ? undefined : say`the object storage says ${health.statusText}`;
}
