import type {Action, ActionKind} from '../domain/action.ts';
import type {CloudResource} from '../domain/cloud-resource.ts';
import type {CostChange} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {Feed} from '../state/feed.ts';
import type {Line} from '../ui/text.ts';
import type {AssessmentInput} from './assessment-input.ts';
import type {Confirmation} from './question.ts';

/** An action that is asked about: what it would be done to, and the reason why it cannot be sent now. */
export type Candidate<A extends Action = Action, R = CloudResource | undefined> = {
  readonly action: A;
  /** As it was last seen; undefined for an action that makes something. */
  readonly subject: R;
  /** Undefined where it can be sent. */
  readonly reason: SafeText | undefined;
};

/** What one action means now, in lines that deck and command line show alike. */
export type Assessment = {
  /** The action and its subject where nothing is said: `stop gpu-7  #7`. */
  readonly title?: SafeText;
  /** What becomes of the subject, one line a sentence. */
  readonly happens: readonly Line[];
  /** The money before and after, and what goes on being billed. */
  readonly costs?: readonly Line[];
  /** By how much less is billed an hour, for the sum over many; negative where it is more. */
  readonly savings?: {readonly rate: Rate | undefined; readonly isUncertain?: boolean};
  /** What a person must know first: work that is cut off, a contract, stock, their own session. */
  readonly warnings?: readonly Line[];
  readonly undo: Undo;
  /** The weight of the confirmation. */
  readonly answer: Confirmation;
  readonly alternatives?: readonly Alternative[];
};

/** How it is undone, or that it is not. The keys of the action that undoes it are named behind the words. */
export type Undo =
  | string
  | {readonly words: string; readonly by: ActionKind /** Said behind the keys. */; readonly caveat?: string};

/** What the same action means for many. It is always confirmed by the verb and the count. */
export type ManyAssessment = Pick<Assessment, 'costs' | 'warnings' | 'undo' | 'alternatives'> & {
  /** What is said beside the list of calls. */
  readonly happens?: readonly Line[];
  /** The verb that is typed, where that of the record does not tell the whole: `hibernate, drop IP`. */
  readonly verb?: SafeText;
};

/** Another action on its own key, for example the cheaper one; left out where none of its candidates can be sent. */
export type Alternative = {
  readonly key: string;
  readonly candidates: readonly Omit<Candidate, 'reason'>[];
  readonly title: (able: readonly Action[]) => SafeText;
};

/** `short`: a line each, with counts in place of names, for a terminal without room for more. */
export type Wording = 'long' | 'short';

/** What a record says of its actions to whoever is about to confirm them. */
export type Assessing<A extends Action, R> = {
  /** Its subject may be in any state, so the state that was shown is no part of what is confirmed. */
  readonly ignoresStatus?: true;
  /** What has to be read for it. The deck polls it anyway; the command line reads it before it asks. */
  reads?(candidates: readonly Candidate<A, R>[]): readonly Feed<unknown>[];
  /** Why it cannot be sent, where that takes more than the subject's record: what else was read, or the time. */
  refusal?(subject: R, known: AssessmentInput, action: A): SafeText | undefined;
  /** What it does to what its subject costs, once it has taken effect; absent where that is no part of its question. */
  costChange?(action: A, subject: R, known: AssessmentInput): CostChange;
  /** What has still to be done once it has taken effect, where it was sent to end a finding or a waste. */
  followUp?(subject: R, known: AssessmentInput): SafeText | undefined;
  assess(action: A, subject: R, known: AssessmentInput): Assessment;
  /** The same done to many, all of which can be sent; put together from the single ones where nothing is said. */
  assessMany?(sent: readonly Candidate<A, R>[], known: AssessmentInput, wording: Wording): ManyAssessment;
  /** Several actions on one subject, one after the other, also of other kinds: an edited rule is added, then removed. */
  assessChain?(chain: readonly Candidate[], known: AssessmentInput): Assessment | undefined;
};
