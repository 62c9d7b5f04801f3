import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {checkName} from './form-values.ts';
import type {Question} from '../question/question.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';

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

/** The question about the action with these parameters, for a form; undefined if there is nothing to ask. */
export type Ask<Parameters> = (parameters: Parameters) => Question | undefined;

type Renaming = {
  /** For example `key pair`. */
  readonly what: SafeText;
  readonly id: number;
  readonly name: SafeText;
  /** The names already taken. */
  readonly taken: readonly string[];
  readonly ask: (name: SafeText) => Question | undefined;
};

/** A form with one field: the name, which typing replaces. */
export function renameForm({what, id, name, taken, ask}: Renaming): Form {
  return {
    title: say`rename ${what} ${nameInWords(name)}  #${id}`,
    fields: [{key: 'name', label: 'new name', initial: name, hint: 'at most 50 characters'}],
    check: values => {
      const wanted = (values.name ?? '').trim();
      const others = taken.filter(each => each !== name);
      const mistake = wanted === name ? 'it already has this name' : checkName(wanted, others);
      if (mistake !== undefined) return {mistakes: {name: mistake}, notes: [], question: undefined};
      return {mistakes: {}, notes: [], question: ask(safeText(wanted))};
    },
  };
}
