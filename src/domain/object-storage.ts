import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

declare const brand: unique symbol;
export type AccessKeyId = number & {readonly [brand]: 'AccessKeyId'};

export function accessKeyId(id: number): AccessKeyId {
  return id as AccessKeyId;
}

/** The public half of a pair that opens buckets. The secret half is answered once, at creation, and is never here. */
export type AccessKey = {
  readonly id: AccessKeyId;
  readonly userId?: number;
  readonly accessKey?: SafeText;
  readonly regionName?: SafeText;
  readonly description?: SafeText;
  readonly createdAt?: EpochMs;
};

export type AccessKeySpec = {readonly regionName: SafeText; readonly description?: SafeText};

/** A bucket has no id: its region and its name together name it. */
export type Bucket = {
  readonly name: SafeText;
  readonly regionName?: SafeText;
  readonly endpoint?: SafeText;
  readonly createdAt?: EpochMs;
  readonly objectCount?: number;
  /** What the objects hold. */
  readonly sizeBytes?: number;
  /** What they take, after compression and with overhead. */
  readonly storedBytes?: number;
};

/** Whether the object storage answers, in its own word: `alive`. */
export type StorageHealth = {readonly isAlive: boolean; readonly statusText: SafeText};

export type StorageRegion = {readonly name: SafeText};
