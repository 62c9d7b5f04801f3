import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

declare const brand: unique symbol;
export type AccessKeyId = number & {readonly [brand]: 'AccessKeyId'};

export function accessKeyId(id: number): AccessKeyId {
  return id as AccessKeyId;
}

/** The public half of an access key. The secret half is shown once, on creation, and never stored here. */
export type AccessKey = {
  readonly id: AccessKeyId;
  readonly userId?: number;
  readonly accessKey?: SafeText;
  readonly regionName?: SafeText;
  readonly description?: SafeText;
  readonly createdAt?: EpochMs;
};

export type AccessKeySpec = {readonly regionName: SafeText; readonly description?: SafeText};

/** A bucket has no id; region and name together identify it. */
export type Bucket = {
  readonly name: SafeText;
  readonly regionName?: SafeText;
  readonly endpoint?: SafeText;
  readonly createdAt?: EpochMs;
  readonly objectCount?: number;
  /** The size of the objects. */
  readonly sizeBytes?: number;
  /** The space they take, after compression and with overhead. */
  readonly storedBytes?: number;
};

/** Whether object storage responds, in its own word: `alive`. */
export type StorageHealth = {readonly isAlive: boolean; readonly statusText: SafeText};

export type StorageRegion = {readonly name: SafeText};
