import type {Environment} from '../domain/environment.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {ActionOf} from './actions.ts';
import {candidate, questionFor} from './ask.ts';
import type {Form} from './form.ts';
import type {Known} from './known.ts';
import {checkName} from './name-check.ts';

type Renaming = {
  /** `key pair`. */
  readonly what: SafeText;
  readonly subject: KeyPair | Environment;
  /** The names that others have. */
  readonly taken: readonly string[];
  readonly actionOf: (name: SafeText) => ActionOf<'key-pair.rename'> | ActionOf<'environment.rename'>;
  readonly known: Known;
};

/** A form with one field: the name, as it is until it is typed over. */
export function renameForm({what, subject, taken, actionOf, known}: Renaming): Form {
  const {id, name} = subject;
  return {
    title: say`rename ${what} ${name}  #${id}`,
    fields: [{key: 'name', label: 'new name', initial: name, hint: 'at most 50 characters'}],
    check: values => {
      const wanted = (values.name ?? '').trim();
      const others = taken.filter(each => each !== name);
      const mistake = wanted === name ? 'it is called that already' : checkName(wanted, others);
      if (mistake !== undefined) return {mistakes: {name: mistake}, notes: [], question: undefined};
      const question = questionFor([candidate(actionOf(safeText(wanted)), subject, known)], known);
      return {mistakes: {}, notes: [], question};
    },
  };
}
