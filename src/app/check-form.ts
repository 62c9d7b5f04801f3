import type {Form, FormCheck} from '../actions/form.ts';
import {alteration, hasEscapes, safeText} from '../domain/safe-text.ts';
import {type FormState, formValues} from '../ui/form.ts';

/**
 * What a form says to what was typed. Text that would not arrive as it was typed is a mistake in every form, and so is
 * a sign that only stands for another character: the service would keep the sign.
 */
export function checkForm(form: Form, state: FormState): FormCheck {
  const values = formValues(state);
  const checked = form.check(values);
  const altered = state.fields.flatMap(({key, choices}) => {
    const mistake = choices === undefined ? mistakeIn(values[key] ?? '') : undefined;
    return mistake === undefined ? [] : [[key, mistake] as const];
  });
  if (altered.length === 0) return checked;
  return {...checked, mistakes: {...checked.mistakes, ...Object.fromEntries(altered)}, question: undefined};
}

function mistakeIn(text: string): string | undefined {
  const altered = alteration(text);
  if (altered !== undefined) return altered;
  return hasEscapes(safeText(text)) ? 'it contains a placeholder for a character that cannot be shown' : undefined;
}

/** What `enter` does in a form, whichever field is the present one: the box and the status bar say the same. */
export function enterLabel({mistakes, question}: FormCheck): string {
  if (question !== undefined) return 'continue';
  return Object.keys(mistakes).length > 0 ? 'go to the first mistake' : 'nothing to send yet';
}
