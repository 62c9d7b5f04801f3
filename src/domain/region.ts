import type {SafeText} from './safe-text.ts';

/** A place of the service. New ones appear without notice, so a region is known by its name alone. */
export type Region = {
  readonly id?: number;
  readonly name: SafeText;
  /** Two letters, like `NO`. */
  readonly country?: SafeText;
  readonly description?: SafeText;
  /** How far the power comes from renewable sources: `GREEN`, `PARTIALLY_GREEN`, `NOT_GREEN`, or a word we do not know. */
  readonly greenStatus?: SafeText;
  readonly hasFloatingIp?: boolean;
  readonly hasVolumes?: boolean;
};
