import type {MonotonicMs} from '../domain/time.ts';
import type {Form, Question} from '../panes/command.ts';
import type {FormState} from '../ui/form.ts';
import type {TextInput} from '../ui/text-input.ts';

/** What lies above the pane and takes the keys. */
export type Overlay =
  | {readonly kind: 'help'; readonly input: TextInput; readonly offset: number}
  | {readonly kind: 'palette'; readonly input: TextInput; readonly cursorIndex: number}
  /** Escape puts the pane back as it was, cursor and all. */
  | {readonly kind: 'filter'; readonly input: TextInput; readonly restore: () => void}
  | {readonly kind: 'menu'; readonly menuId: string}
  | {readonly kind: 'form'; readonly form: Form; readonly state: FormState}
  /** Leaving while something is under way. */
  | {readonly kind: 'leave'}
  | OpenQuestion;

export type OpenQuestion = {
  readonly kind: 'question';
  readonly question: Question;
  readonly shownAt: MonotonicMs;
  readonly input: TextInput;
  /** The last key of any kind: a `y` right behind another key was not meant as an answer. */
  readonly lastKeyAt: MonotonicMs | undefined;
};
