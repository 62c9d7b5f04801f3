import {say} from '../domain/safe-text.ts';
import {listKeyPairs} from '../api/key-pairs.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import {readPublicKey} from '../domain/public-key.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {clustersFeed} from '../state/clusters.ts';
import {keyPairsFeed} from '../state/key-pairs.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import type {Line} from '../ui/text.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {environmentOf, machinesWhere} from './related.ts';
import {AGE, age, type Column, number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

export type KeyPairRow = {
  readonly keyPair: KeyPair;
  /** `ssh-ed25519`, `ssh-rsa 4096`; undefined where the key cannot be read. */
  readonly typeText: string | undefined;
  /** Names of the machines created with it; undefined until machines are known. */
  readonly machineNames: readonly string[] | undefined;
  readonly clusterNames: readonly string[] | undefined;
  readonly now: EpochMs;
};

const COLUMNS: readonly Column<KeyPairRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({keyPair}) => number(keyPair.id)},
  {
    key: 'name',
    title: 'KEY PAIR',
    value: ({keyPair}) => text(keyPair.name),
    list: {minWidth: 14, maxWidth: 51, flex: 2, tone: 'strong'},
  },
  {
    key: 'environment',
    title: 'ENVIRONMENT',
    value: ({keyPair}) => text(keyPair.environmentName),
    list: {minWidth: 12, maxWidth: 51, flex: 1},
  },
  {
    key: 'region',
    title: 'REGION',
    printed: 'wide',
    value: ({keyPair}) => text(keyPair.regionName),
    list: {minWidth: 9, priority: 2, tone: 'dim'},
  },
  {
    key: 'type',
    title: 'TYPE',
    printed: 'wide',
    value: row => text(row.typeText),
    list: {minWidth: 12, maxWidth: 19, flex: 1},
  },
  {
    key: 'used',
    title: 'MACHINES',
    align: 'right',
    printed: 'wide',
    reads: machinesFeed,
    value: row => number(row.machineNames?.length),
    list: {minWidth: 8},
  },
  {
    key: 'fingerprint',
    title: 'FINGERPRINT (MD5)',
    value: ({keyPair}) => text(keyPair.fingerprint),
    list: {minWidth: 20, maxWidth: 47, flex: 1, priority: 3, tone: 'dim'},
  },
  {
    ...AGE,
    value: ({keyPair, now}) => age(keyPair.createdAt, now),
    list: {minWidth: 5, priority: 1, tone: 'dim'},
  },
  {key: 'public-key', title: 'PUBLIC KEY', printed: 'wide', value: ({keyPair}) => text(keyPair.publicKey)},
];

export const keyPairs = defineResource<KeyPair, KeyPairRow>({
  names: ['key-pairs', 'key-pair', 'keypairs', 'keypair', 'keys', 'key'],
  type: 'key-pair',
  summary: 'SSH key pairs, their public keys',
  ...recordSource({parse: listKeyPairs.record, feed: keyPairsFeed}),
  shownIn: {paneId: 'catalogue', part: 'key pairs'},
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listKeyPairs, {}, {signal, onPage})),
  canStream: true,
  row: keyPairRow,
  orderWords: say`by environment`,
  order: keyPairOrder,
  detail: keyPairLines,
  related: ({name, environmentName}, store) => [
    machinesWhere(
      store,
      machine => machine.keyPairName === name && machine.environmentName === environmentName,
      `key:"${name}"`,
    ),
    ...environmentOf(store, environmentName === undefined ? {} : {environmentName}),
  ],
  recordIn: ({keyPair}) => keyPair,
  path: () => listKeyPairs.path({}),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function keyPairRow({store, now}: RowInput): (keyPair: KeyPair) => KeyPairRow {
  const machines = namesByKeyPair(observedMachines(store));
  const clusters = namesByKeyPair(lastValue(store.get(clustersFeed))?.records);
  return keyPair => ({
    keyPair,
    typeText: typeText(keyPair),
    machineNames: machines && (machines.get(holderKey(keyPair.environmentName, keyPair.name)) ?? []),
    clusterNames: clusters && (clusters.get(holderKey(keyPair.environmentName, keyPair.name)) ?? []),
    now,
  });
}

/** By environment and name. */
function keyPairOrder({keyPair: left}: KeyPairRow, {keyPair: right}: KeyPairRow): number {
  return (
    (left.environmentName ?? '').localeCompare(right.environmentName ?? '', 'en') ||
    left.name.localeCompare(right.name, 'en') ||
    left.id - right.id
  );
}

type KeyPairUser = {
  readonly name: string;
  readonly keyPairName?: string | undefined;
  readonly environmentName?: string | undefined;
};

/** Machines and clusters refer to a key pair by name only, and names are unique within an environment. */
function namesByKeyPair(users: readonly KeyPairUser[] | undefined): ReadonlyMap<string, readonly string[]> | undefined {
  if (users === undefined) return undefined;
  const groups = Map.groupBy(
    users.filter(({keyPairName}) => keyPairName !== undefined),
    ({environmentName, keyPairName}) => holderKey(environmentName, keyPairName ?? ''),
  );
  return new Map([...groups].map(([key, group]) => [key, group.map(({name}) => name)]));
}

function holderKey(environmentName: string | undefined, keyPairName: string): string {
  return JSON.stringify([environmentName ?? '', keyPairName]);
}

function typeText({publicKey}: KeyPair): string | undefined {
  const outcome = publicKey === undefined ? undefined : readPublicKey(publicKey);
  if (outcome?.ok !== true) return undefined;
  const {keyType, bitCount} = outcome.key;
  return bitCount === undefined ? keyType : `${keyType} ${bitCount}`;
}

/** Every field of the key pair, what uses it, and the whole key. */
function keyPairLines(row: KeyPairRow, _known: RowInput, width: number): readonly Line[] {
  const {keyPair, machineNames, clusterNames, now} = row;
  return [
    field('type', row.typeText ?? 'not one that can be read here', row.typeText === undefined ? 'warning' : 'text'),
    field('environment', keyPair.environmentName),
    field('region', keyPair.regionName),
    field('fingerprint', keyPair.fingerprint),
    ...usedByField('machines', machineNames, width),
    ...usedByField('clusters', clusterNames, width),
    field('created', momentText(keyPair.createdAt, now)),
    field('id', String(keyPair.id)),
    ...wrappedField('public key', keyPair.publicKey ?? 'unknown', width),
  ];
}

function usedByField(label: string, names: readonly string[] | undefined, width: number): readonly Line[] {
  if (names === undefined) return [field(label, undefined)];
  return wrappedField(label, names.length === 0 ? 'none' : `${names.length}: ${names.join('  ')}`, width);
}
