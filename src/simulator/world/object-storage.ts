import {accepted, type Decision, refused} from './operation.ts';
import {seedFor, unit} from './random.ts';
import type {World} from './world.ts';

export type Bucket = {
  readonly name: string;
  readonly regionName: string;
  readonly createdAt: number;
  readonly objectCount: number;
  readonly sizeBytes: number;
  /** After compression and overhead. */
  readonly storedBytes: number;
};

export type AccessKey = {
  readonly id: number;
  readonly userId: number;
  readonly accessKey: string;
  readonly regionName: string;
  readonly description: string | null;
  readonly createdAt: number;
};

export type BucketSpec = {
  readonly name: string;
  readonly createdAt: number;
  readonly objectCount: number;
  readonly sizeGb: number;
};
export type AccessKeySpec = {readonly description: string | null; readonly createdAt: number};

/** Object storage, which has only one region. */
export type ObjectStorage = {
  readonly buckets: Bucket[];
  readonly accessKeys: AccessKey[];
  readonly addKey: (subject: Omit<AccessKey, 'id' | 'accessKey'>) => AccessKey;
};

export type StorageVerb = 'create-access-key' | 'delete-access-key' | 'delete-bucket';

export const STORAGE_REGIONS = ['CANADA-1'] as const;

const [HOME] = STORAGE_REGIONS;
const OWNER_ID = 5102;
const FIRST_KEY_ID = 803;
const BYTES_PER_GB = 1_000_000_000;
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function createObjectStorage(
  specs: {readonly buckets: readonly BucketSpec[]; readonly accessKeys: readonly AccessKeySpec[]},
  seed: number,
): ObjectStorage {
  const accessKeys: AccessKey[] = [];
  let nextId = FIRST_KEY_ID;

  function addKey(subject: Omit<AccessKey, 'id' | 'accessKey'>): AccessKey {
    const id = nextId;
    nextId += 1;
    const accessKey = {...subject, id, accessKey: `SIM${letters(seed, `key ${id}`, 17)}`};
    accessKeys.push(accessKey);
    return accessKey;
  }

  for (const spec of specs.accessKeys) addKey({userId: OWNER_ID, regionName: HOME, ...spec});
  return {buckets: specs.buckets.map(spec => bucketFrom(spec, seed)), accessKeys, addKey};
}

/** The secret is shown once. */
export function createAccessKey(
  world: World,
  request: Pick<AccessKey, 'userId' | 'regionName' | 'description'>,
): AccessKey & {readonly secretKey: string} {
  const key = world.objectStorage.addKey({...request, createdAt: world.now()});
  world.executed('create-access-key', key.id);
  return {...key, secretKey: `simulated-secret-${letters(world.seed, `secret ${key.id}`, 24)}`};
}

export function deleteAccessKey(world: World, id: number): Decision<undefined> {
  const {accessKeys} = world.objectStorage;
  const index = accessKeys.findIndex(candidate => candidate.id === id);
  if (index < 0) return refused('missing', `Access key ${id} does not exist.`);
  accessKeys.splice(index, 1);
  world.executed('delete-access-key', id);
  return accepted(undefined);
}

/** With everything in it. */
export function deleteBucket(world: World, name: string, regionName: string): Decision<undefined> {
  const {buckets} = world.objectStorage;
  const index = buckets.findIndex(bucket => bucket.name === name && bucket.regionName === regionName);
  if (index < 0) return refused('missing', `The bucket '${name}' does not exist in ${regionName}.`);
  buckets.splice(index, 1);
  world.executed('delete-bucket', 0, {bucketName: name});
  return accepted(undefined);
}

function bucketFrom({name, createdAt, objectCount, sizeGb}: BucketSpec, seed: number): Bucket {
  const sizeBytes = sizeGb * BYTES_PER_GB;
  const storedBytes = Math.round(sizeBytes * (0.82 + 0.2 * unit(seedFor(seed, name))));
  return {name, regionName: HOME, createdAt, objectCount, sizeBytes, storedBytes};
}

function letters(seed: number, subject: string, length: number): string {
  const own = seedFor(seed, subject);
  const letterAt = (index: number) => CHARACTERS.charAt(Math.floor(unit(own, index) * CHARACTERS.length));
  return Array.from({length}, (_, index) => letterAt(index)).join('');
}
