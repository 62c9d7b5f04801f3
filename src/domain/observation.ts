import type {Firewall} from './firewall.ts';
import type {OperationResult} from './operation-result.ts';
import type {EpochMs, MonotonicMs} from './time.ts';
import type {MachineEvent} from './virtual-machine.ts';

/** What one reading, begun at `startedAt`, shows about an action's subject. */
export type Observation<R> = {
  readonly startedAt: MonotonicMs;
  /** The one object, or the objects of a list. */
  readonly records: readonly R[];
  /** Whether anything missing does not exist: false for an incomplete list. */
  readonly isWhole: boolean;
  /** Ids that the list has twice. */
  readonly repeatedIds?: readonly string[];
  /** The machine's history, if the state alone proves nothing. */
  readonly events?: readonly MachineEvent[];
  /** A separate reading, begun at another moment. */
  readonly eventsStartedAt?: MonotonicMs;
  /** A machine does not list the firewalls attached to it; the firewalls do. */
  readonly firewalls?: readonly Firewall[];
  /** Our user in that history; absent until the account was read. */
  readonly ownUserId?: number;
};

/** What is known about an operation besides the present reading. */
export type History<R> = {
  readonly confirmedAt: EpochMs;
  /** The state shown with the confirmation. */
  readonly initialStatus?: string;
  readonly hasSeenTransition: boolean;
  /** The last reading before sending; absent for an operation found in the journal. */
  readonly before?: Observation<R>;
  /** What the answer contained. */
  readonly result?: OperationResult;
};
