import {shellLine} from '../../actions/shell-line.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {AccessKey, Bucket} from '../../domain/object-storage.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type AccessKeyRow, accessKeyName, accessKeys} from '../../resources/access-keys.ts';
import {bucketKey, buckets} from '../../resources/buckets.ts';
import {organizationFeed, permissionsFeed} from '../../state/account.ts';
import {accessKeysFeed, bucketsFeed, storageHealthFeed, storageRegionsFeed} from '../../state/object-storage.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {formatBytesLong, formatCount} from '../../ui/format.ts';
import {type Line, widthOf} from '../../ui/text.ts';
import {hangingLines} from '../../ui/wrap.ts';
import {barListLines} from '../bar-list.ts';
import {hasBesideRoom} from '../list/collection-layout.ts';
import {collectionPane} from '../list/collection.tsx';
import {historyLines, historyWants} from '../history-lines.ts';
import {memberName} from '../../resources/members.ts';
import {type PartActions, resourcePart} from '../list/part.tsx';
import type {Scene} from '../pane.ts';
import {partActions} from '../action-keys.ts';
import {rowsTable} from '../list/rows-table.ts';
import {KEYS} from '../../actions/keys.ts';
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
  aliases: ['object storage', 's3'],
  parts: [
    resourcePart(buckets, {
      wants: [{feed: accessKeysFeed, priority: 3}, {feed: organizationFeed, priority: 4}, ...BESIDE],
      idOf: bucketKey,
      subjectOf: ({name, regionName}) => (regionName === undefined ? undefined : {type: 'bucket', name, regionName}),
      note: bucketsNote,
      noRecord: ({regionName}) =>
        regionName === undefined ? say`its region is unknown, without which its record cannot be read` : undefined,
      preview: ({regionName}, scene, {columns}) => ({
        title: 'size by bucket',
        lines: bucketPreview(regionName, scene, columns - 2),
      }),
      beside: (bucket, _scene, {columns}) => ({title: 'with an S3 client', lines: bucketCommands(bucket, columns - 3)}),
      actions: {
        ...partActions('bucket', bucket => bucket),
        noCreate: say`buckets are created with an S3 client and an access key (${KEYS.nextPart})`,
        copy: ({name}) => name,
      },
    }),
    resourcePart(accessKeys, {
      wants: [{feed: organizationFeed, priority: 3}, {feed: bucketsFeed, priority: 3}, ...BESIDE],
      nameOf: accessKeyName,
      nameInWordsOf: ({accessKey: {accessKey, id}}) =>
        accessKey === undefined ? say`access key #${id}` : say`${nameInWords(accessKey)} #${id}`,
      preview: ({accessKey}, scene, {columns}) => ({
        title: `buckets in ${accessKey.regionName ?? 'its region'}`,
        lines: accessKeyPreview(accessKey, scene, columns - 2),
      }),
      detailWants: (_row, scene) => (hasBesideRoom(scene.size) ? historyWants(scene, []) : []),
      beside: ({accessKey}, scene, {columns, rows}) => ({
        title: 'with an S3 client',
        lines: [
          ...accessKeyCommands(accessKey, scene, columns - 3),
          [{text: ' recent events by its user', tone: 'title'}],
          ...userHistory(accessKey, scene, columns - 3, rows),
        ],
      }),
      actions: ACCESS_KEY_ACTIONS,
    }),
  ],
});

/** The sizes of the buckets as bars, and who can access the one under the cursor. */
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
    [{text: ' average object size', tone: 'title'}],
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

/** What an access key gives access to, and the other keys that do too. */
function accessKeyPreview({regionName, accessKey}: AccessKey, scene: Scene, width: number): readonly Line[] {
  const {store, theme} = scene;
  const inRegion = (lastValue(store.get(bucketsFeed))?.records ?? []).filter(
    bucket => bucket.regionName === regionName,
  );
  const sizes = inRegion.map(({name, sizeBytes}) => ({name, value: sizeBytes, text: formatBytesLong(sizeBytes)}));
  return [
    ...rowsTable(buckets, scene, bucket => bucket.regionName === regionName, width),
    [],
    [{text: ' size by bucket', tone: 'title'}],
    ...(sizes.length === 0 ? NONE : barListLines(sizes, width, theme)),
    [],
    [{text: ` other access keys for ${regionName ?? 'its region'}`, tone: 'title'}],
    ...rowsTable(
      accessKeys,
      scene,
      ({accessKey: other}) => other.regionName === regionName && other.accessKey !== accessKey,
      width,
    ),
  ];
}

/** How to read and write a bucket with the aws command line, ready to be typed in a shell. */
function bucketCommands({name, endpoint}: Bucket, width: number): readonly Line[] {
  const address = `s3://${name}`;
  return commandLines(
    [
      ['list its objects', ['aws', 's3', 'ls', address]],
      ['copy a file into it', ['aws', 's3', 'cp', 'FILE', `${address}/`]],
      ['copy all of it', ['aws', 's3', 'sync', address, 'FOLDER']],
    ],
    endpoint,
    width,
  );
}

/** How to use an access key; only whoever created it knows its secret half. */
function accessKeyCommands(
  {accessKey, regionName}: AccessKey,
  {store}: Pick<Scene, 'store'>,
  width: number,
): readonly Line[] {
  const inRegion = (lastValue(store.get(bucketsFeed))?.records ?? []).find(bucket => bucket.regionName === regionName);
  return [
    ...(accessKey === undefined ? [] : shellLines(['export', `AWS_ACCESS_KEY_ID=${accessKey}`], width)),
    ...shellLines(['export', 'AWS_SECRET_ACCESS_KEY=SECRET'], width),
    ...hangingLines(
      [{text: INDENT}],
      [{text: 'SECRET: the secret key, shown once at its creation', tone: 'dim'}],
      width,
    ),
    [],
    ...commandLines([['list the buckets', ['aws', 's3', 'ls']]], inRegion?.endpoint, width),
  ];
}

function userHistory({userId}: AccessKey, scene: Scene, width: number, height: number): readonly Line[] {
  const user = lastValue(scene.store.get(organizationFeed))?.users.find(({id}) => id === userId);
  if (user === undefined) return NONE;
  return historyLines(scene, {actors: new Set([memberName({user})])}, width, height);
}

function commandLines(
  commands: readonly (readonly [what: string, words: readonly string[]])[],
  endpoint: SafeText | undefined,
  width: number,
): readonly Line[] {
  const at = endpoint === undefined ? [] : ['--endpoint-url', endpoint];
  return commands.flatMap(([what, words]): readonly Line[] => [
    [{text: ` ${what}`, tone: 'dim'}],
    ...shellLines([...words, ...at], width),
    [],
  ]);
}

/** A command on several lines goes on after a backslash, so that a shell takes the lines as they are. */
function shellLines(words: readonly string[], width: number): readonly Line[] {
  const lines = hangingLines([{text: INDENT}], [{text: shellLine(words)}], width - GOES_ON.length);
  // A word cut into pieces is none that a shell could join again.
  const isWhole = words.every(word => widthOf(INDENT + shellLine([word]) + GOES_ON) <= width);
  return lines.map((line, index) => (index < lines.length - 1 && isWhole ? [...line, {text: GOES_ON}] : line));
}

const INDENT = '   ';
const GOES_ON = ' \\';

const NONE: readonly Line[] = [[{text: ' none', tone: 'dim'}]];

/** Why the list of buckets may be incomplete, or why they may be unreachable. */
export function bucketsNote({store}: Pick<Scene, 'store'>): SafeText | undefined {
  const failed = lastValue(store.get(bucketsFeed))?.absentParts ?? [];
  if (failed.length > 0) return say`incomplete: ${safeText(failed.join(', '))} did not answer`;
  const health = lastValue(store.get(storageHealthFeed));
  return health === undefined || health.isAlive ? undefined : say`object storage reports ${health.statusText}`;
}
