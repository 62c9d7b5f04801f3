import type {Form, FormCheck} from '../../actions/forms/form.ts';
import {alteration, hasEscapes, safeText} from '../../domain/safe-text.ts';
import {currentField, type FormState, formValues, isToFillIn, isUnmatched} from '../../ui/form.ts';

/**
 * Errors that apply to every form: characters that would not arrive as typed, signs that only represent another
 * character, since the service would store the sign; and text typed to find a choice that no choice matches.
 */
export function checkForm(form: Form, state: FormState): FormCheck {
  const values = formValues(state);
  const checked = form.check(values);
  const unmatched = isUnmatched(state) ? currentField(state)?.key : undefined;
  const own = state.fields.flatMap(({key, choices}) => {
    const mistake =
      choices === undefined
        ? mistakeIn(values[key] ?? '')
        : key === unmatched
          ? 'choose one, or delete the text'
          : undefined;
    return mistake === undefined ? [] : [[key, mistake] as const];
  });
  if (own.length === 0) return checked;
  return {...checked, mistakes: {...checked.mistakes, ...Object.fromEntries(own)}, question: undefined};
}

function mistakeIn(text: string): string | undefined {
  const altered = alteration(text);
  if (altered !== undefined) return altered;
  return hasEscapes(safeText(text)) ? 'it contains a placeholder for a character that cannot be shown' : undefined;
}

/** What `enter` does in a form, whichever field has the cursor; box and status bar say the same. */
export function enterLabel({mistakes, question}: FormCheck, state: FormState): string {
  if (question !== undefined) return 'continue';
  const keys = Object.keys(mistakes);
  if (keys.length === 0) return 'nothing to send yet';
  return keys.every(key => isToFillIn(state, key)) ? 'go to what is missing' : 'go to the first mistake';
}
