import type {SafeText} from '../domain/safe-text.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {FormField, FormValues} from '../ui/form-field.ts';
import type {Line} from '../ui/text.ts';
import type {Question} from './question.ts';

/** A form to fill in before the question: it is checked while it is typed, and sends nothing. */
export type Form = {
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  /** The key of the field to fill in first, if it is not the first one. */
  readonly startsAt?: string;
  /** Computes the fields again after each key and reading, because the choices in one may depend on another. */
  readonly fieldsFor?: (values: FormValues) => readonly FormField[];
  /** What is read while the form is open. */
  readonly wants?: (values: FormValues, present: string | undefined) => readonly Want[];
  readonly check: (values: FormValues) => FormCheck;
};

export type FormCheck = {
  /** Errors, by the field's key. */
  readonly mistakes: Readonly<Record<string, string>>;
  /** Notes on input that is valid but deserves a second look. */
  readonly notes: readonly Line[];
  /** What enter leads to; absent while there is an error. */
  readonly question: Question | undefined;
};

/** A form that still holds what is there. */
export const NOTHING_CHANGED: FormCheck = {
  mistakes: {},
  notes: [[{text: 'Nothing is changed yet.', tone: 'dim'}]],
  question: undefined,
};
