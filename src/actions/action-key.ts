import type {SafeText} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import type {AssessmentInput} from './assessment-input.ts';
import type {Question} from './question.ts';

/** The menus of the deck that list actions, in the order of their records. */
export type ActionMenu = 'power' | 'edit' | 'resize' | 'delete';

/** A key of an action in the deck. An action can have two, with other parameters. */
export type ActionKey<Parameters, R> = {
  readonly key: string;
  /** The menu of its pane that it stands in; a key of the list itself where nothing is said. */
  readonly menu?: ActionMenu;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** The last word of its command's id, which a person's own key bindings use; that of its kind where nothing is said. */
  readonly name?: string;
  /** The price and the risk behind the title, before the key is pressed. */
  consequence?(subject: R, known: AssessmentInput): string;
  /** Why the key is off, beside what holds for the action wherever it is asked for. */
  reason?(subject: R, known: AssessmentInput): SafeText | undefined;
  /** What is done without a form; to the subject by its id alone where nothing is said. */
  parametersFor?(subject: R): Parameters;
  /** What has to be filled in before there is a question. */
  form?(subject: R, known: AssessmentInput, ask: Ask<Parameters>): Form;
};

/** The key n, by which the deck makes something, with a form. */
export type CreationKey<Parameters> = {
  readonly title: SafeText;
  readonly help: string;
  reason?(known: AssessmentInput): SafeText | undefined;
  /** Begins in the environment of that name, where it is in one. */
  form(known: AssessmentInput, ask: Ask<Parameters>, environmentName?: string): Form;
};

/** The question about the action with these parameters, for a form; undefined where there is nothing to ask. */
export type Ask<Parameters> = (parameters: Parameters) => Question | undefined;
