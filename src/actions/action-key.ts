import type {SafeText} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import type {Known} from './known.ts';
import type {Question} from './question.ts';

/** The key of an action in a menu of the deck. An action can have two, with other parameters. */
export type ActionKey<Parameters, R> = {
  /** Of its command, as a person's own key bindings name it. */
  readonly id: string;
  /** The menu it stands in; menus list the actions in the order of their records. */
  readonly menu: string;
  readonly key: string;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** The price and the risk behind the title, before the key is pressed. */
  consequence?(subject: R, known: Known): string;
  /** Why the key is off, beside what holds for the action wherever it is asked for. */
  reason?(subject: R, known: Known): SafeText | undefined;
  /** What is done without a form; the id of the subject alone where nothing is said. */
  parametersFor?(subject: R): Parameters;
  /** What has to be filled in before there is a question. */
  form?(subject: R, known: Known, ask: Ask<Parameters>): Form;
};

/** The question about the action with these parameters. */
export type Ask<Parameters> = (parameters: Parameters) => Question | undefined;
