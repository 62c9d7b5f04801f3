import type {KeyPair} from '../../domain/key-pair.ts';
import {readPublicKey} from '../../domain/public-key.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column} from '../../resources/resource.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {observedMachines} from '../../state/machines.ts';
import {formatCount} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {ageColumn, numberColumn, textColumn} from '../column.ts';
import {field, momentText, wrappedField} from '../detail.ts';
import type {Scene} from '../pane.ts';

export type KeyPairRow = {
  readonly keyPair: KeyPair;
  /** `ssh-ed25519`, `ssh-rsa 4096`; undefined where the key cannot be read. */
  readonly typeText: string | undefined;
  /** Names of the machines that were made with it; undefined while the machines are not known. */
  readonly machineNames: readonly string[] | undefined;
  readonly clusterNames: readonly string[] | undefined;
  readonly now: EpochMs;
};

/** The key pairs by environment and name. Undefined until they were read. */
export function keyPairRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly KeyPairRow[] | undefined {
  const keyPairs = lastValue(store.get(keyPairsFeed))?.records;
  const machines = namesByKeyPair(observedMachines(store));
  const clusters = namesByKeyPair(lastValue(store.get(clustersFeed))?.records);
  return keyPairs
    ?.map(keyPair => ({
      keyPair,
      typeText: typeText(keyPair),
      machineNames: machines && (machines.get(holderKey(keyPair.environmentName, keyPair.name)) ?? []),
      clusterNames: clusters && (clusters.get(holderKey(keyPair.environmentName, keyPair.name)) ?? []),
      now,
    }))
    .sort(
      ({keyPair: left}, {keyPair: right}) =>
        (left.environmentName ?? '').localeCompare(right.environmentName ?? '', 'en') ||
        left.name.localeCompare(right.name, 'en') ||
        left.id - right.id,
    );
}

type KeyPairUser = {
  readonly name: string;
  readonly keyPairName?: string | undefined;
  readonly environmentName?: string | undefined;
};

/** Machines and clusters know their key pair by its name alone, which counts within the environment. */
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

export const KEY_PAIR_COLUMNS: readonly Column<KeyPairRow>[] = [
  textColumn({key: 'name', title: 'KEY PAIR', minWidth: 14, maxWidth: 51, flex: 2}, ({keyPair}) => keyPair.name, {
    tone: 'strong',
  }),
  textColumn(
    {key: 'environment', title: 'ENVIRONMENT', minWidth: 12, maxWidth: 51, flex: 1},
    ({keyPair}) => keyPair.environmentName,
  ),
  textColumn({key: 'region', title: 'REGION', minWidth: 9, priority: 2}, ({keyPair}) => keyPair.regionName, {
    tone: 'dim',
  }),
  textColumn({key: 'type', title: 'TYPE', minWidth: 12, maxWidth: 19, flex: 1}, row => row.typeText),
  numberColumn({key: 'used', title: 'MACHINES', minWidth: 8}, row => row.machineNames?.length, formatCount),
  textColumn(
    {key: 'fingerprint', title: 'FINGERPRINT (MD5)', minWidth: 20, maxWidth: 47, flex: 1, priority: 3},
    ({keyPair}) => keyPair.fingerprint,
    {tone: 'dim'},
  ),
  ageColumn({key: 'age', title: 'AGE', minWidth: 5, priority: 1}, ({keyPair}) => keyPair.createdAt),
];

/** Every field of the key pair, who uses it, and the whole key. */
export function keyPairLines(row: KeyPairRow, _scene: Scene, width: number): readonly Line[] {
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
