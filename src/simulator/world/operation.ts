import type {AccountVerb} from './api-keys.ts';
import type {ClusterVerb} from './cluster-operations.ts';
import type {EnvironmentVerb} from './environments.ts';
import type {FirewallVerb} from './firewalls.ts';
import type {KeyPairVerb} from './key-pairs.ts';
import type {PowerVerb} from './lifecycle.ts';
import type {MachineVerb} from './machine-operations.ts';
import type {StorageVerb} from './object-storage.ts';
import type {RuleVerb} from './rules.ts';
import type {SnapshotVerb} from './snapshots.ts';
import type {VolumeVerb} from './volumes.ts';

/** What the service decides about a change: what it returns, or why it refuses. */
export type Decision<T> = {readonly isAccepted: true; readonly result: T} | Refused;

export type Refused = {readonly isAccepted: false; readonly refusal: Refusal};

export type Refusal = {
  /**
   * `state`: not possible in this state; `missing`: names something that does not exist; `credit`: there is no credit
   * to pay for it; `not-allowed`: something else must be removed first.
   */
  readonly kind: 'state' | 'missing' | 'duplicate' | 'credit' | 'not-allowed';
  readonly message: string;
};

/**
 * Ground truth for tests: one operation that really took effect because of a request. What scenarios do themselves is
 * not included.
 */
export type Execution = {
  readonly verb: ExecutedVerb;
  /** The id of the machine for its volumes, of the cluster for its nodes; 0 for a bucket. */
  readonly id: number;
  readonly at: number;
} & ExecutionDetail;

export type ExecutedVerb =
  | PowerVerb
  | MachineVerb
  | RuleVerb
  | FirewallVerb
  | ClusterVerb
  | KeyPairVerb
  | EnvironmentVerb
  | VolumeVerb
  | StorageVerb
  | SnapshotVerb
  | AccountVerb;

/** What else took part in an operation, besides the object with its id. */
export type ExecutionDetail = {
  /** The rule that was added or removed. */
  readonly ruleId?: number;
  /** The volumes that were attached or detached. */
  readonly volumeIds?: readonly number[];
  readonly nodeGroupId?: number;
  readonly nodeIds?: readonly number[];
  /** A bucket has a name and no number. */
  readonly bucketName?: string;
};

export function accepted<T>(result: T): {readonly isAccepted: true; readonly result: T} {
  return {isAccepted: true, result};
}

export function refused(kind: Refusal['kind'], message: string): Refused {
  return {isAccepted: false, refusal: {kind, message}};
}

/** Runs something with the value, if there is one. */
export function whenAccepted<T>(outcome: Decision<T>, run: (result: T) => void): Decision<T> {
  if (outcome.isAccepted) run(outcome.result);
  return outcome;
}
