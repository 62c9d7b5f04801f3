import type {SafeText} from '../domain/safe-text.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {FormField, FormValues} from '../ui/form-field.ts';
import type {Line} from '../ui/text.ts';
import type {Question} from './question.ts';

/** What is typed before there is a question: checked as it is typed, and nothing is sent by it. */
export type Form = {
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  /** The fields anew after each key and each reading, where what can be chosen in one depends on another. */
  readonly fieldsFor?: (values: FormValues) => readonly FormField[];
  /** What is read while the form is open. */
  readonly wants?: (values: FormValues, present: string | undefined) => readonly Want[];
  readonly check: (values: FormValues) => FormCheck;
};

export type FormCheck = {
  /** By the field's key: what is wrong in it. */
  readonly mistakes: Readonly<Record<string, string>>;
  /** Notes on what is valid but deserves a second look. */
  readonly notes: readonly Line[];
  /** What enter leads to; absent while something is wrong. */
  readonly question: Question | undefined;
};
