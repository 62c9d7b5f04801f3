import {accessKeys as accessKeysEndpoint} from '../api/object-storage.ts';
import type {AccessKey} from '../domain/object-storage.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {organizationFeed} from '../state/account.ts';
import {accessKeysFeed} from '../state/object-storage.ts';
import type {Line} from '../ui/text.ts';
import {storageLines} from './buckets.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {AGE, age, type Column, number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

export type AccessKeyRow = {
  readonly accessKey: AccessKey;
  /** The member it belongs to, if known. */
  readonly userName: SafeText | undefined;
  readonly now: EpochMs;
};

const COLUMNS: readonly Column<AccessKeyRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({accessKey}) => number(accessKey.id)},
  {
    key: 'key',
    title: 'ACCESS KEY',
    value: ({accessKey}) => text(accessKey.accessKey),
    list: {minWidth: 20, maxWidth: 40, tone: 'strong'},
  },
  {key: 'region', title: 'REGION', value: ({accessKey}) => text(accessKey.regionName), list: {minWidth: 9}},
  {
    key: 'description',
    title: 'DESCRIPTION',
    value: ({accessKey}) => text(accessKey.description),
    list: {minWidth: 12, maxWidth: 60, flex: 2, absent: 'none', isProse: true},
  },
  {
    ...AGE,
    value: ({accessKey, now}) => age(accessKey.createdAt, now),
    list: {minWidth: 5, tone: 'dim'},
  },
  {
    key: 'user',
    title: 'USER',
    printed: 'wide',
    reads: organizationFeed,
    value: row => text(userText(row)),
    list: {minWidth: 12, maxWidth: 40, flex: 1, priority: 1, tone: 'dim'},
  },
];

export const accessKeys = defineResource<AccessKey, AccessKeyRow>({
  names: ['access-keys', 'access-key'],
  type: 'access-key',
  summary: 'access keys of the object storage, without their secrets',
  ...recordSource({parse: accessKeysEndpoint.record, feed: accessKeysFeed}),
  shownIn: {paneId: 'objects', part: 'access keys'},
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(accessKeysEndpoint, {}, {signal, onPage})),
  canStream: true,
  row: accessKeyRow,
  orderWords: say`newest first`,
  order: (left, right) => right.accessKey.id - left.accessKey.id,
  detail: accessKeyLines,
  recordIn: ({accessKey}) => accessKey,
  path: () => accessKeysEndpoint.path({}),
  idOf: ({id}) => id,
  nameOf: ({accessKey}) => accessKey,
});

function accessKeyRow({store, now}: RowInput): (accessKey: AccessKey) => AccessKeyRow {
  const users = lastValue(store.get(organizationFeed))?.users ?? [];
  return accessKey => {
    const user = users.find(({id}) => id === accessKey.userId);
    return {accessKey, userName: user?.email ?? user?.name, now};
  };
}

export function userText({accessKey, userName}: AccessKeyRow): string | undefined {
  return userName ?? (accessKey.userId === undefined ? undefined : `user #${accessKey.userId}`);
}

/** The details of an access key. Its secret half is shown once, on creation, and never stored. */
function accessKeyLines(row: AccessKeyRow, known: RowInput, width: number): readonly Line[] {
  const {accessKey, now} = row;
  return [
    field('access key', accessKey.accessKey),
    field('secret key', 'shown once, at creation; it cannot be read again', 'dim'),
    field('id', String(accessKey.id)),
    field('region', accessKey.regionName),
    field('user', userText(row)),
    ...wrappedField('description', accessKey.description ?? 'none', width),
    field('created', momentText(accessKey.createdAt, now)),
    ...storageLines(known, width),
  ];
}

/** An access key is named by its public half, or by its id where the service leaves that out. */
export function accessKeyName({accessKey}: Pick<AccessKeyRow, 'accessKey'>): SafeText {
  return accessKey.accessKey === undefined
    ? say`access key #${accessKey.id}`
    : say`${accessKey.accessKey}  #${accessKey.id}`;
}
