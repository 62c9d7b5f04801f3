/** What can be carried out on something other than a machine's power and rules. */
export type DeskVerb = KeyPairVerb | EnvironmentVerb | VolumeVerb | StorageVerb;

type KeyPairVerb = `${'create' | 'rename' | 'delete'}-key-pair`;
type EnvironmentVerb = `${'create' | 'rename' | 'delete'}-environment`;
type VolumeVerb =
  | 'create-volume'
  | 'delete-volume'
  | 'move-volume'
  | 'attach-volumes'
  | 'detach-volumes'
  | 'protect-attachment';
type StorageVerb = 'create-access-key' | 'delete-access-key' | 'delete-bucket';

/** What else took part in an operation, beside the one that its id names. */
export type ExecutionDetail = {
  /** The rule that was added or removed. */
  readonly ruleId?: number;
  /** The volumes that were attached or detached. */
  readonly volumeIds?: readonly number[];
  /** A bucket has a name and no number. */
  readonly bucketName?: string;
};
