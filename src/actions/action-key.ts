import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import type {AssessmentInput} from './assessment-input.ts';
import {KEYS} from './keys.ts';
import type {Question} from './question.ts';

/** The menu groups of the deck, by the key that opens the first; actions are listed in the order of their records. */
const ACTION_MENUS = {power: KEYS.power, edit: KEYS.edit, resize: KEYS.power, delete: undefined} as const;
export type ActionMenu = keyof typeof ACTION_MENUS;

/** A key of an action in the deck. An action can have two, with different parameters. */
export type ActionKey<Parameters, R> = {
  readonly key: string;
  /** Its menu in the pane; without one it is a key of the list itself. */
  readonly menu?: ActionMenu;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** The last part of its command's id; by default that of its kind. */
  readonly name?: string;
  /** The price and the risk after the title, before the key is pressed: of one subject, or of several together. */
  consequence?(subjects: readonly [R, ...R[]], known: AssessmentInput): string;
  /** Why the key is disabled, besides the reasons that apply to the action everywhere. */
  reason?(subject: R, known: AssessmentInput): SafeText | undefined;
  /** The action to ask about without a form; by default one that needs only the subject's id. */
  parametersFor?(subject: R): Parameters;
  /** The form to fill in before the question. */
  form?(subject: R, known: AssessmentInput, ask: Ask<Parameters>): Form;
};

/** The keys as pressed: `p x` is the menu's key and then the action's. */
export function keysText({menu, key}: Pick<ActionKey<never, never>, 'menu' | 'key'>): SafeText {
  const opener = menu === undefined ? undefined : ACTION_MENUS[menu];
  return opener === undefined ? safeText(key) : say`${opener} ${safeText(key)}`;
}

/** The key n, with which the deck creates something, using a form. */
export type CreationKey<Parameters> = {
  reason?(known: AssessmentInput): SafeText | undefined;
  /** Starts with this environment, if the new resource is in one. */
  form(known: AssessmentInput, ask: Ask<Parameters>, environmentName?: string): Form;
};

/** The question about the action with these parameters, for a form; undefined if there is nothing to ask. */
export type Ask<Parameters> = (parameters: Parameters) => Question | undefined;
