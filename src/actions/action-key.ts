import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import type {AssessmentInput} from './assessment-input.ts';
import {KEYS} from './keys.ts';
import type {Question} from './question.ts';

/** The groups in which menus of the deck list actions, in the order of their records, by the key that opens the first. */
const ACTION_MENUS = {power: KEYS.power, edit: KEYS.edit, resize: KEYS.power, delete: undefined} as const;
export type ActionMenu = keyof typeof ACTION_MENUS;

/** A key of an action in the deck. An action can have two, with other parameters. */
export type ActionKey<Parameters, R> = {
  readonly key: string;
  /** Where in the menus of its pane it stands; a key of the list itself where nothing is said. */
  readonly menu?: ActionMenu;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** The last word of its command's id; that of its kind where nothing is said. */
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

/** As the keys are pressed: `p x` is that of the menu and then the action's own. */
export function keysText({menu, key}: Pick<ActionKey<never, never>, 'menu' | 'key'>): SafeText {
  const opener = menu === undefined ? undefined : ACTION_MENUS[menu];
  return opener === undefined ? safeText(key) : say`${opener} ${safeText(key)}`;
}

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
