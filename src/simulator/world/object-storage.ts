import {ACCESS_KEYS, BUCKETS} from '../scenarios/storage.ts';
import type {Desk} from './desk.ts';
import {accepted, type Outcome, refused} from './outcome.ts';
import {seedFor, unit} from './random.ts';

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

/** Object storage, which knows one region. */
export type ObjectStorage = {
  readonly buckets: readonly Bucket[];
  readonly accessKeys: readonly AccessKey[];
  /** The secret is told once. */
  readonly createAccessKey: (
    wish: Pick<AccessKey, 'userId' | 'regionName' | 'description'>,
  ) => AccessKey & {readonly secretKey: string};
  readonly removeAccessKey: (id: number) => Outcome<undefined>;
  /** With everything in it. */
  readonly removeBucket: (name: string, regionName: string) => Outcome<undefined>;
};

export const STORAGE_REGIONS = ['CANADA-1'] as const;

const [HOME] = STORAGE_REGIONS;
const OWNER_ID = 5102;
const FIRST_KEY_ID = 803;
const DAY_MS = 86_400_000;
const BYTES_PER_GB = 1_000_000_000;
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function createObjectStorage(desk: Desk, isNewAccount: boolean): ObjectStorage {
  const startedAt = desk.now();
  const buckets = isNewAccount ? [] : startingBuckets(startedAt, desk.seed);
  const accessKeys: AccessKey[] = [];
  let nextId = FIRST_KEY_ID;

  function addKey(subject: Omit<AccessKey, 'id' | 'accessKey'>): AccessKey {
    const id = nextId;
    nextId += 1;
    const accessKey = {...subject, id, accessKey: `SIM${letters(desk.seed, `key ${id}`, 17)}`};
    accessKeys.push(accessKey);
    return accessKey;
  }

  for (const [description, daysAgo] of isNewAccount ? [] : ACCESS_KEYS) {
    addKey({userId: OWNER_ID, regionName: HOME, description, createdAt: daysBefore(startedAt, daysAgo)});
  }

  return {
    buckets,
    accessKeys,
    createAccessKey: wish => {
      const key = addKey({...wish, createdAt: desk.now()});
      desk.note('create-access-key', key.id);
      return {...key, secretKey: `simulated-secret-${letters(desk.seed, `secret ${key.id}`, 24)}`};
    },
    removeAccessKey: id => {
      const index = accessKeys.findIndex(candidate => candidate.id === id);
      if (index < 0) return refused('missing', `Access key ${id} does not exist.`);
      accessKeys.splice(index, 1);
      desk.note('delete-access-key', id);
      return accepted(undefined);
    },
    removeBucket: (name, regionName) => {
      const index = buckets.findIndex(bucket => bucket.name === name && bucket.regionName === regionName);
      if (index < 0) return refused('missing', `The bucket '${name}' does not exist in ${regionName}.`);
      buckets.splice(index, 1);
      desk.note('delete-bucket', 0, {bucketName: name});
      return accepted(undefined);
    },
  };
}

function startingBuckets(startedAt: number, seed: number): Bucket[] {
  return BUCKETS.map(([name, daysAgo, objectCount, sizeGb]) => ({
    name,
    regionName: HOME,
    createdAt: daysBefore(startedAt, daysAgo),
    objectCount,
    sizeBytes: sizeGb * BYTES_PER_GB,
    storedBytes: Math.round(sizeGb * BYTES_PER_GB * (0.82 + 0.2 * unit(seedFor(seed, name)))),
  }));
}

function letters(seed: number, subject: string, length: number): string {
  const own = seedFor(seed, subject);
  return Array.from({length}, (_, index) => CHARACTERS.charAt(Math.floor(unit(own, index) * CHARACTERS.length))).join(
    '',
  );
}

function daysBefore(startedAt: number, days: number): number {
  return Math.floor((startedAt - days * DAY_MS) / 1000) * 1000;
}
