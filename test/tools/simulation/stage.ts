import type {Confirmed} from '../../../src/domain/operation.ts';
import type {Cloud} from './cloud.ts';

/** One action as a person would confirm it now, and how the service itself tells that it has come about. */
export type Stage = {
  readonly confirmed: Confirmed;
  /** By the service's own answer, asked past every mishap. */
  readonly isReached: () => Promise<boolean>;
  /** The world looks so before the action as well: what proves it is an execution, by us alone or by anybody. */
  readonly provedBy?: 'ourselves' | 'anybody';
  /** What another person may do to the same thing meanwhile, and what the action is not. */
  readonly disturbance?: readonly [method: string, path: string, body?: object];
};

export type Prepare = (cloud: Cloud) => Promise<Stage>;
