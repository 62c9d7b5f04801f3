import {formatHidden} from './format.ts';
import type {Glyphs} from '../terminal/glyphs.ts';
import {type FormField, type FormValues, takenIn} from './form-field.ts';
import {cutMiddle, fitLine, fittingParts, type Line, type Span, widthOf} from './text.ts';
import {emptyInput, inputLine, inputWith, selectedInput, type TextInput} from './text-input.ts';

/** The input so far, and the current field. */
export type FormState = {
  readonly fields: readonly FormField[];
  readonly inputs: Readonly<Record<string, TextInput>>;
  /** What is chosen, by the key of a field that takes several. */
  readonly taken: Readonly<Record<string, readonly string[]>>;
  /** The keys of the fields in which the person has chosen. */
  readonly chosen: readonly string[];
  readonly fieldIndex: number;
  /** What was typed to find a choice of the current field. */
  readonly sought: string;
  /** The form before the first letter of that, whose choice stays if none matches. */
  readonly before: Pick<FormState, 'inputs' | 'chosen'> | undefined;
};

const LABEL_CELLS = 13;

export function openForm(fields: readonly FormField[]): FormState {
  return withFields(
    {fields: [], inputs: {}, taken: {}, chosen: [], fieldIndex: 0, sought: '', before: undefined},
    fields,
  );
}

/**
 * The form with other fields, since the choices in one may depend on another: typed text stays, a choice that is gone
 * is replaced by the field's initial one, and the person stays in their field.
 */
function withFields(form: FormState, fields: readonly FormField[]): FormState {
  if (fields === form.fields) return form;
  const present = currentField(form)?.key;
  const inputs = {...form.inputs};
  const taken = {...form.taken};
  for (const field of fields) {
    const {key, choices, takesMany, followsOthers} = field;
    if (takesMany === true) taken[key] = (taken[key] ?? takenIn(field.initial)).filter(word => choices?.includes(word));
    const text = inputs[key]?.text;
    const isOpen = followsOthers === true && !form.chosen.includes(key);
    if (text === undefined || isOpen || (choices !== undefined && !choices.includes(text))) inputs[key] = begin(field);
  }
  const fieldIndex = Math.max(
    0,
    fields.findIndex(({key}) => key === present),
  );
  return {...form, fields, inputs, taken, fieldIndex};
}

/**
 * The form with the fields that its values require; takes a few rounds, as one choice decides on another, and that on a
 * third.
 */
export function adjustedForm(
  form: FormState,
  fieldsFor: ((values: FormValues) => readonly FormField[]) | undefined,
): FormState {
  if (fieldsFor === undefined) return form;
  let adjusted = form;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const values = formValues(adjusted);
    adjusted = withFields(adjusted, fieldsFor(values));
    const next = formValues(adjusted);
    if (Object.keys(next).every(key => next[key] === values[key])) break;
  }
  return adjusted;
}

const MAX_ROUNDS = 4;

/** Typing replaces the initial text: a `3` typed at a count of 1 means 3, not 13. To a list it adds. */
function begin({initial, choices, takesMany, isList, maxLength}: FormField): TextInput {
  if (choices === undefined) return isList === true ? inputWith(initial, maxLength) : selectedInput(initial, maxLength);
  return inputWith(takesMany !== true && choices.includes(initial) ? initial : (choices[0] ?? ''));
}

export function formValues({fields, inputs, taken}: FormState): FormValues {
  return Object.fromEntries(
    fields.map(({key, takesMany}) => [
      key,
      takesMany === true ? (taken[key] ?? []).join('\n') : (inputs[key]?.text ?? ''),
    ]),
  );
}

export function currentField({fields, fieldIndex}: FormState): FormField | undefined {
  return fields[fieldIndex];
}

/** Whether the current field contains text that typing replaces. */
export function isPreset(form: FormState): boolean {
  return form.inputs[currentField(form)?.key ?? '']?.isSelected === true;
}

/** The field `step` further, wrapping around. */
export function moveField(form: FormState, step: 1 | -1): FormState {
  const count = form.fields.length;
  return {...form, fieldIndex: (form.fieldIndex + step + count) % count, sought: ''};
}

export function toField(form: FormState, key: string): FormState {
  const fieldIndex = form.fields.findIndex(field => field.key === key);
  return fieldIndex === -1 || fieldIndex === form.fieldIndex ? form : {...form, fieldIndex, sought: ''};
}

/** The next or previous choice of the current field; free text does not change. */
export function chooseNext(form: FormState, step: 1 | -1): FormState {
  const field = currentField(form);
  if (field?.choices === undefined) return form;
  const {choices} = field;
  const index = choices.indexOf(form.inputs[field.key]?.text ?? '');
  return {...choose(form, field, choices[(index + step + choices.length) % choices.length]), sought: ''};
}

/** The current field with this choice. */
export function chooseWord(form: FormState, choice: string): FormState {
  const field = currentField(form);
  return field?.choices?.includes(choice) === true ? {...choose(form, field, choice), sought: ''} : form;
}

/** Adds the visible word, or removes it, in a field that takes several. */
export function toggleChoice(form: FormState): FormState {
  const field = currentField(form);
  const word = field === undefined ? '' : (form.inputs[field.key]?.text ?? '');
  if (field?.takesMany !== true || word === '') return form;
  const present = form.taken[field.key] ?? [];
  const next = present.includes(word) ? present.filter(each => each !== word) : [...present, word];
  return {...form, taken: {...form.taken, [field.key]: next}};
}

/**
 * Letters typed in a row search for a choice: the one of exactly that name, else one that begins with them, else one
 * that contains them. The same letter typed again moves to the next. If no choice matches, the one from before the first
 * letter stays and the field says so.
 */
export function chooseByLetter(form: FormState, letter: string): FormState {
  const field = currentField(form);
  if (field?.choices === undefined) return form;
  const here = Math.max(0, field.choices.indexOf(form.inputs[field.key]?.text ?? ''));
  const present = field.choices.slice(here, here + 1);
  const others = [...field.choices.slice(here + 1), ...field.choices.slice(0, here)];
  const longer = `${form.sought}${letter}`;
  const {inputs, chosen} = form;
  const before = form.sought === '' || form.before === undefined ? {inputs, chosen} : form.before;
  const further = found(form.sought === '' ? [...others, ...present] : [...present, ...others], longer);
  if (further !== undefined) return {...choose(form, field, further), sought: longer, before};
  const next = form.sought === letter ? (found(others, letter) ?? found(present, letter)) : undefined;
  return next === undefined ? {...form, ...before, sought: longer, before} : choose(form, field, next);
}

/** Whether no choice of the current field has the letters typed to find one. */
export function isUnmatched(form: FormState): boolean {
  const choices = currentField(form)?.choices;
  return choices !== undefined && form.sought !== '' && found(choices, form.sought) === undefined;
}

/** The choice found before the last letter. */
export function takeBackLetter(form: FormState): FormState {
  const field = currentField(form);
  const sought = [...form.sought].slice(0, -1).join('');
  if (field?.choices === undefined) return form;
  const choice = sought === '' ? undefined : found(field.choices, sought);
  return {...(choice === undefined ? form : choose(form, field, choice)), sought};
}

/** Of several that match equally well, the first. */
function found(choices: readonly string[], typed: string): string | undefined {
  const wanted = typed.toLowerCase();
  return (
    choices.find(choice => choice.toLowerCase() === wanted) ??
    choices.find(choice => choice.toLowerCase().startsWith(wanted)) ??
    choices.find(choice => choice.toLowerCase().includes(wanted))
  );
}

function choose(form: FormState, field: FormField, choice: string | undefined): FormState {
  if (choice === undefined) return form;
  const filled = Object.entries(field.fills?.(choice) ?? {}).map(([key, text]) => [key, selectedInput(text)] as const);
  const inputs = {...form.inputs, [field.key]: inputWith(choice), ...Object.fromEntries(filled)};
  return {...form, inputs, chosen: [...form.chosen, field.key]};
}

/** The current field's text after an edit; a choice is not edited letter by letter. */
export function typeInField(form: FormState, edit: (input: TextInput) => TextInput): FormState {
  const field = currentField(form);
  if (field === undefined || field.choices !== undefined) return form;
  return {...form, inputs: {...form.inputs, [field.key]: edit(form.inputs[field.key] ?? emptyInput)}};
}

/** One line per field, followed by its error. The current field is marked and shows its cursor. */
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
        ? {text: fittingParts(field.hint ?? '', noteCells(width)) ?? '', tone: 'dim'}
        : isToFillIn(form, field.key)
          ? {text: mistake, tone: 'dim'}
          : {
              text: `${glyphs.cross} ${fittingParts(mistake, noteCells(width) - CROSS_CELLS) ?? mistake}`,
              tone: 'danger',
            };
    return [
      {text: isPresent ? `${glyphs.cursor} ` : '  ', tone: 'focus'},
      ...fitLine([{text: field.label, tone: isPresent ? 'strong' : 'dim'}], LABEL_CELLS),
      ...fitLine(fieldSpans(form, field, {isPresent, glyphs, width: fieldCells(width)}), fieldCells(width)),
      {text: '  '},
      note,
    ];
  });
}

/** Whether the error of a field is only that nothing was typed into it yet. */
export function isToFillIn({fields, inputs}: FormState, key: string): boolean {
  return fields.find(field => field.key === key)?.choices === undefined && (inputs[key]?.text ?? '').trim() === '';
}

/** The lines around the current field or action if not all fit, with the number of hidden ones. */
export function linesAround(
  lines: readonly Line[],
  index: number,
  {height, what}: {readonly height: number; readonly what: 'field' | 'action'},
): readonly Line[] {
  if (lines.length <= height) return lines;
  const room = Math.max(1, height - 1);
  const first = Math.min(Math.max(0, index - Math.floor(room / 2)), lines.length - room);
  const hidden = formatHidden(first, lines.length - room - first);
  const position = `  ${what} ${index + 1} of ${lines.length}, ${hidden}`;
  return [...lines.slice(first, first + room), [{text: position, tone: 'dim'}]];
}

/** The width for input or choice: names of images and flavors are long. */
function fieldCells(width: number): number {
  return Math.max(12, Math.min(48, Math.floor(width * 0.48)));
}

const CROSS_CELLS = 2;

/** The width after a field for its hint or error. */
export function noteCells(width: number): number {
  return Math.max(0, width - MARK_CELLS - LABEL_CELLS - fieldCells(width) - GAP_CELLS);
}

const MARK_CELLS = 2;
const GAP_CELLS = 2;

function fieldSpans(form: FormState, field: FormField, {isPresent, glyphs, width}: FieldPlace): Line {
  const input = form.inputs[field.key] ?? emptyInput;
  if (field.choices !== undefined) return choiceSpans(form, field, {isPresent, glyphs, width});
  return isPresent ? inputLine(input, width) : [{text: input.text === '' ? glyphs.unknown : input.text, tone: 'text'}];
}

type FieldPlace = {readonly isPresent: boolean; readonly glyphs: Glyphs; readonly width: number};

/**
 * The choice between its arrows. In the current field also its position among many, and what was typed to find it, if
 * that leaves room for the whole choice: the end of a name may be all that tells two flavors apart.
 */
function choiceSpans(form: FormState, field: FormField, {isPresent, glyphs, width}: FieldPlace): Line {
  const {choices = [], takesMany} = field;
  const word = form.inputs[field.key]?.text ?? '';
  const taken = form.taken[field.key] ?? [];
  if (!isPresent && takesMany === true) {
    return [{text: taken.length === 0 ? glyphs.unknown : taken.join(', '), tone: 'text'}];
  }
  const mark = takesMany !== true ? '' : taken.includes(word) ? '[x] ' : '[ ] ';
  const hasNoMatch = isUnmatched(form);
  const sought = form.sought === '' ? '' : hasNoMatch ? ` no match for ${form.sought}` : ` /${form.sought}`;
  const place =
    choices.length > FEW_CHOICES || takesMany === true ? ` ${choices.indexOf(word) + 1}/${choices.length}` : '';
  const isWhole = widthOf(`${mark}${word}${place}${sought}`) <= width - ARROW_CELLS;
  const tail = !isPresent ? '' : isWhole || hasNoMatch ? `${place}${sought}` : place;
  const room = Math.max(4, width - widthOf(tail) - ARROW_CELLS);
  const shown = word === '' ? glyphs.unknown : cutMiddle(`${mark}${word}`, room);
  return [
    {text: `${glyphs.left} ${shown} ${glyphs.right}`, tone: isPresent ? 'strong' : 'text'},
    {text: tail, tone: hasNoMatch && isPresent ? 'warning' : 'dim'},
  ];
}

/** The two arrows, each with a blank. */
const ARROW_CELLS = 4;

/** Among so few, a position is clear without a number. */
const FEW_CHOICES = 4;
