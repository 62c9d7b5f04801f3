import type {Firewall} from './firewall.ts';
import type {OperationResult} from './operation-result.ts';
import type {EpochMs, MonotonicMs} from './time.ts';
import type {MachineEvent} from './virtual-machine.ts';

/** What one reading, begun at `startedAt`, shows of what an action is about. */
export type Observation<R> = {
  readonly startedAt: MonotonicMs;
  /** The one object, or the objects of a list. */
  readonly records: readonly R[];
  /** Whether what is not among them does not exist: false for a list that did not come whole. */
  readonly isWhole: boolean;
  /** The machine's history, where the state alone proves nothing. */
  readonly events?: readonly MachineEvent[];
  /** It is a reading of its own, begun at another moment. */
  readonly eventsStartedAt?: MonotonicMs;
  /** A machine does not say which firewalls hold for it; they do. */
  readonly firewalls?: readonly Firewall[];
  /** Who we are in that history; absent until the account has been read. */
  readonly ownUserId?: number;
};

/** What is known of an operation beside what is seen now. */
export type History<R> = {
  readonly confirmedAt: EpochMs;
  /** The state the confirmation showed. */
  readonly initialStatus?: string;
  readonly hasSeenTransition: boolean;
  /** The last look before sending; absent for an operation that was found in the journal. */
  readonly before?: Observation<R>;
  /** What the answer carried. */
  readonly result?: OperationResult;
};
