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

/** What became of a request for a change: what it gave, or why the service will not do it. */
export type Outcome<T> = {readonly isAccepted: true; readonly result: T} | Refused;

export type Refused = {readonly isAccepted: false; readonly refusal: Refusal};

export type Refusal = {
  /**
   * `state`: not now or not this; `missing`: names something that is not there; `credit`: it would have to be paid;
   * `not-allowed`: something stands against it that must go first.
   */
  readonly kind: 'state' | 'missing' | 'duplicate' | 'credit' | 'not-allowed';
  readonly message: string;
};

/**
 * Ground truth for tests: one operation that really took effect because a request asked for it. What scenarios do by
 * themselves is not among them.
 */
export type Execution = {
  readonly verb: ExecutedVerb;
  /** Of the machine whose volumes they are, of the cluster whose nodes they are; 0 for a bucket. */
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

/** What else took part in an operation, beside the one that its id names. */
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

/** Lets something be done with what was given, where something was. */
export function whenAccepted<T>(outcome: Outcome<T>, run: (result: T) => void): Outcome<T> {
  if (outcome.isAccepted) run(outcome.result);
  return outcome;
}
