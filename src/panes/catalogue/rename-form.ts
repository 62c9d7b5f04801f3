import {actionQuestion} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import type {Form} from '../../actions/form.ts';
import {checkName} from '../../actions/name-check.ts';
import type {Question} from '../../actions/question.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {Line} from '../../ui/text.ts';

type RenameAction = ActionOf<'key-pair.rename'> | ActionOf<'environment.rename'>;

type Renaming = {
  /** `key pair`. */
  readonly what: SafeText;
  readonly id: number;
  readonly name: SafeText;
  /** The names that others have. */
  readonly taken: readonly string[];
  readonly actionOf: (name: SafeText) => RenameAction;
  readonly happens: readonly Line[];
  /** Why it cannot be asked for now. */
  readonly reasonOf: (action: RenameAction) => SafeText | undefined;
};

/** A form with one field: the name, as it is until it is typed over. */
export function renameForm(renaming: Renaming): Form {
  const {what, id, name, taken} = renaming;
  return {
    title: say`rename ${what} ${name}  #${id}`,
    fields: [{key: 'name', label: 'new name', initial: name, hint: 'at most 50 characters'}],
    check: values => {
      const wanted = (values.name ?? '').trim();
      const others = taken.filter(each => each !== name);
      const mistake = wanted === name ? 'it is called that already' : checkName(wanted, others);
      if (mistake !== undefined) return {mistakes: {name: mistake}, notes: [], question: undefined};
      return {mistakes: {}, notes: [], question: renameQuestion(renaming, safeText(wanted))};
    },
  };
}

function renameQuestion({what, id, name, actionOf, happens, reasonOf}: Renaming, wanted: SafeText): Question {
  const action = actionOf(wanted);
  const refusal = reasonOf(action);
  return actionQuestion({
    title: say`rename ${what} ${name}  #${id} to ${wanted}`,
    steps: [{action, subjectName: name}],
    happens,
    care: refusal === undefined ? [] : [[{text: refusal, tone: 'danger'}]],
    undo: say`rename it back (i)`,
    answer: {kind: 'key'},
  });
}
