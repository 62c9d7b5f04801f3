import type {SafeText} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import type {Known} from './known.ts';
import type {Question} from './question.ts';

/** The question about the action with these parameters, for a form; undefined where there is nothing to ask. */
export type Ask<Parameters> = (parameters: Parameters) => Question | undefined;

/** How the deck offers an action on what is under the cursor: by a key, in the menu of its actions, and in help. */
export type DeckCommand<Parameters, R> = {
  readonly key: string;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** Why it cannot be asked about now, beside what is said of every action: the link, the role, the subject's state. */
  cannot?(subject: R, known: Known): SafeText | undefined;
  /** The id alone where nothing is said; with a form, the action that would leave the subject as it is. */
  parametersFor?(subject: R): Parameters;
  /** What is filled in before the question. */
  form?(subject: R, known: Known, ask: Ask<Parameters>): Form;
};

/** How the deck offers to make something: by the key n, with a form. */
export type DeckCreation<Parameters> = {
  readonly title: SafeText;
  readonly help: string;
  cannot?(known: Known): SafeText | undefined;
  form(known: Known, ask: Ask<Parameters>): Form;
};
