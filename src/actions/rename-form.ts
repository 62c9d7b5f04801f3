import {nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Form} from './form.ts';
import {checkName} from './form-values.ts';
import type {Question} from './question.ts';

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
