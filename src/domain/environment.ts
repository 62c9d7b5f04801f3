import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

declare const brand: unique symbol;
export type EnvironmentId = number & {readonly [brand]: 'EnvironmentId'};

export function environmentId(id: number): EnvironmentId {
  return id as EnvironmentId;
}

/** A group of resources in one region. Only its name can change, and only an empty one can be deleted. */
export type Environment = {
  readonly id: EnvironmentId;
  readonly name: SafeText;
  readonly regionName?: SafeText;
  readonly createdAt?: EpochMs;
  readonly isNetworkOptimised?: boolean;
  readonly greenStatus?: SafeText;
};

/** The name is unique in the whole organization, across regions. */
export type EnvironmentSpec = {readonly name: SafeText; readonly regionName: SafeText};

/** How many machines an environment has and can have, which the addresses of its network limit. */
export type MachineQuota = {
  readonly currentCount?: number;
  readonly maxCount?: number;
  readonly availableCount?: number;
  /** The environment's network, such as `10.0.5.0/24`. */
  readonly cidr?: SafeText;
};

/** How full the environment is; undefined if the service does not say. */
export function quotaRatio({currentCount, maxCount}: MachineQuota): number | undefined {
  return currentCount === undefined || maxCount === undefined || maxCount <= 0 ? undefined : currentCount / maxCount;
}
