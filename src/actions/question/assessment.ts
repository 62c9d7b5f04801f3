import type {Action, ActionKind} from '../../domain/action.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {CostChange} from '../../domain/cost.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import type {Feed} from '../../state/feed.ts';
import type {Known} from '../../state/known.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from './assessment-input.ts';
import type {Confirmation} from './question.ts';

/** An action in question: its subject, and the reason if it cannot be sent now. */
export type Candidate<A extends Action = Action, R = CloudResource | undefined> = {
  readonly action: A;
  /** As last observed; undefined for an action that creates something. */
  readonly subject: R;
  /** Undefined if it can be sent. */
  readonly reason: SafeText | undefined;
};

/** What one action means now, in lines that deck and command line show alike. */
export type Assessment = {
  /** By default the action and its subject: `stop gpu-7  #7`. */
  readonly title?: SafeText;
  /** What happens to the subject, one line per sentence. */
  readonly happens: readonly Line[];
  /** The cost before and after, and what stays billed. */
  readonly costs?: readonly Line[];
  /** What a person must know first: work that is cut off, a contract, stock, their own session. */
  readonly warnings?: readonly Line[];
  readonly undo: UndoWords;
  /** The weight of the confirmation. */
  readonly answer: Confirmation;
  readonly alternatives?: readonly Alternative[];
};

/** How it is undone, or that it cannot be. The keys of the undoing action are added after the words. */
export type UndoWords =
  | string
  | {
      readonly words: string;
      /** For an action whose record names none: something created is deleted. */
      readonly by?: ActionKind;
      /** The key, if it is not that of an action. */
      readonly key?: string;
      /** Said behind the keys. */
      readonly caveat?: string;
    };

/** What the same action means for many. It is always confirmed by the verb and the count. */
export type ManyAssessment = Pick<Assessment, 'costs' | 'warnings' | 'undo' | 'alternatives'> & {
  /** Remarks beside the list of calls. */
  readonly happens?: readonly Line[];
  /** The verb to type, if the record's own does not say everything: `hibernate, drop IP`. */
  readonly verb?: SafeText;
};

/** Another action on its own key, for example a cheaper one; left out if none of its candidates can be sent. */
export type Alternative = {
  readonly key: string;
  /** All of the first question. Those with a reason are left out even if they could be sent. */
  readonly candidates: readonly Candidate[];
  readonly title: (able: readonly Action[]) => SafeText;
};

/** `short`: one line each, with counts in place of names, for a terminal with little room. */
export type Wording = 'long' | 'short';

/** What an action record tells a person who is about to confirm. */
export type Assessing<A extends Action, R> = {
  /** Any state of its subject will do, so the state shown is not part of what is confirmed. */
  readonly ignoresStatus?: true;
  /**
   * What has to be read for it. The deck polls it anyway; the command line reads it before asking, and asks again with
   * that for what could not be named before: the quota of an environment is read by its id.
   */
  reads?(candidates: readonly Candidate<A, R>[], known: Pick<AssessmentInput, 'store'>): readonly Feed<unknown>[];
  /** Its question compares names with those in the list of its kind, which is read for that too. */
  readonly comparesNames?: true;
  /** What its parameters name and the service does not have, with the names that were probably meant. */
  missing?(subject: R, known: AssessmentInput, action: A): SafeText | undefined;
  /** Why it cannot be sent, if that depends on more than the subject's record: other data, or the time. */
  refusal?(subject: R, known: AssessmentInput, action: A): SafeText | undefined;
  /** Its effect on the cost of its subject, or the cost of what it creates; absent if its question says nothing of it. */
  costChange?(action: A, subject: R, known: Known): CostChange;
  /** What its question says of others than its subject, such as the names of the volumes that it attaches. */
  namedOthers?(action: A, subject: R, known: Known): NamedFacts | undefined;
  /** What remains to be done afterwards, if it was sent to end a finding or waste. */
  followUp?(subject: R, known: AssessmentInput): SafeText | undefined;
  assess(action: A, subject: R, known: AssessmentInput): Assessment;
  /** The same action on many subjects that all allow it; composed from the single assessments if absent. */
  assessMany?(sent: readonly Candidate<A, R>[], known: AssessmentInput, wording: Wording): ManyAssessment;
  /**
   * Several actions on one subject, one after the other, possibly of different kinds: editing a rule adds one, then
   * removes one.
   */
  assessChain?(chain: readonly Candidate[], known: AssessmentInput): Assessment | undefined;
};
