import type {Glyphs} from '../terminal/glyphs.ts';
import {fitLine, type Line, type Span} from './text.ts';
import {emptyInput, inputLine, inputWith, type TextInput} from './text-input.ts';

/** One line of a form: free text, or a choice among given words. */
export type FormField = {
  readonly key: string;
  readonly label: string;
  readonly initial: string;
  /** The words to choose from; absent for free text. */
  readonly choices?: readonly string[];
  /** What a choice fills in elsewhere, e.g. a preset its port. */
  readonly fills?: (choice: string) => Readonly<Record<string, string>>;
  readonly hint?: string;
  /** In characters, where the text is longer than a name or an address ever is. */
  readonly maxLength?: number;
};

/** What a person has typed so far, and where they are. */
export type FormState = {
  readonly fields: readonly FormField[];
  readonly inputs: Readonly<Record<string, TextInput>>;
  readonly fieldIndex: number;
};

export type FormValues = Readonly<Record<string, string>>;

const LABEL_CELLS = 13;

export function openForm(fields: readonly FormField[]): FormState {
  const inputs = Object.fromEntries(fields.map(({key, initial, maxLength}) => [key, inputWith(initial, maxLength)]));
  return {fields, inputs, fieldIndex: 0};
}

export function formValues({fields, inputs}: FormState): FormValues {
  return Object.fromEntries(fields.map(({key}) => [key, inputs[key]?.text ?? '']));
}

export function currentField({fields, fieldIndex}: FormState): FormField | undefined {
  return fields[fieldIndex];
}

/** The field `step` further, round the ends. */
export function moveField(form: FormState, step: 1 | -1): FormState {
  const count = form.fields.length;
  return {...form, fieldIndex: (form.fieldIndex + step + count) % count};
}

export function toField(form: FormState, key: string): FormState {
  const fieldIndex = form.fields.findIndex(field => field.key === key);
  return fieldIndex === -1 ? form : {...form, fieldIndex};
}

/** The next or the previous choice of the present field; free text has none and stays. */
export function chooseNext(form: FormState, step: 1 | -1): FormState {
  const field = currentField(form);
  if (field?.choices === undefined) return form;
  const {choices} = field;
  const index = choices.indexOf(form.inputs[field.key]?.text ?? '');
  return choose(form, field, choices[(index + step + choices.length) % choices.length]);
}

/** The first choice that begins with what is typed, after the present one: a letter jumps, and jumps on. */
export function chooseByLetter(form: FormState, letter: string): FormState {
  const field = currentField(form);
  if (field?.choices === undefined) return form;
  const start = field.choices.indexOf(form.inputs[field.key]?.text ?? '') + 1;
  const inOrder = [...field.choices.slice(start), ...field.choices.slice(0, start)];
  return choose(
    form,
    field,
    inOrder.find(choice => choice.toLowerCase().startsWith(letter.toLowerCase())),
  );
}

function choose(form: FormState, field: FormField, choice: string | undefined): FormState {
  if (choice === undefined) return form;
  const filled = Object.entries(field.fills?.(choice) ?? {}).map(([key, text]) => [key, inputWith(text)] as const);
  return {...form, inputs: {...form.inputs, [field.key]: inputWith(choice), ...Object.fromEntries(filled)}};
}

/** The text of the present field after an edit; a choice is not edited letter by letter. */
export function typeInField(form: FormState, edit: (input: TextInput) => TextInput): FormState {
  const field = currentField(form);
  if (field === undefined || field.choices !== undefined) return form;
  return {...form, inputs: {...form.inputs, [field.key]: edit(form.inputs[field.key] ?? emptyInput)}};
}

/** One line a field, with what is wrong in it behind. The present one is marked and shows its caret. */
export function formLines(
  form: FormState,
  {
    mistakes,
    width,
    glyphs,
  }: {readonly mistakes: Readonly<Record<string, string>>; readonly width: number; readonly glyphs: Glyphs},
): readonly Line[] {
  return form.fields.map((field, index) => {
    const isPresent = index === form.fieldIndex;
    const mistake = mistakes[field.key];
    const note: Span =
      mistake === undefined
        ? {text: field.hint ?? '', tone: 'dim'}
        : {text: `${glyphs.cross} ${mistake}`, tone: 'danger'};
    return [
      {text: isPresent ? `${glyphs.cursor} ` : '  ', tone: 'focus'},
      ...fitLine([{text: field.label, tone: isPresent ? 'strong' : 'dim'}], LABEL_CELLS),
      ...fitLine(fieldSpans(form, field, isPresent, glyphs), fieldCells(width)),
      {text: '  '},
      note,
    ];
  });
}

function fieldCells(width: number): number {
  return Math.max(12, Math.min(44, Math.floor(width * 0.3)));
}

function fieldSpans(form: FormState, field: FormField, isPresent: boolean, glyphs: Glyphs): Line {
  const input = form.inputs[field.key] ?? emptyInput;
  if (field.choices !== undefined) {
    const text = `${glyphs.left} ${input.text} ${glyphs.right}`;
    return [{text, tone: isPresent ? 'strong' : 'text'}];
  }
  return isPresent ? inputLine(input, 40) : [{text: input.text === '' ? glyphs.unknown : input.text, tone: 'text'}];
}
