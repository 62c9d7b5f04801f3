import {expect, test} from 'vitest';
import {checkForm, enterLabel} from '../../../src/app/overlay/check-form.ts';
import {say} from '../../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {chooseByLetter, chooseNext, formValues, openForm} from '../../../src/ui/form.ts';

const QUESTION = {
  title: say`set`,
  facts: [],
  answer: {kind: 'key'},
  alternatives: [],
  steps: [{action: {kind: 'vm.stop', id: virtualMachineId(7)}, subjectName: say`web-01`}],
  purpose: {kind: 'begin', mode: 'chain'},
} as const;

function fieldsWith(text: string, choices?: readonly string[]) {
  return [{key: 'name', label: 'name', initial: text, ...(choices === undefined ? {} : {choices})}];
}

function checked(text: string, choices?: readonly string[]) {
  const fields = fieldsWith(text, choices);
  return checkForm(
    {title: say`a form`, fields, check: () => ({mistakes: {}, notes: [], question: QUESTION})},
    openForm(fields),
  );
}

test.each([
  ['a hangul filler', 'web\u115f', 'it contains the character U+115F, which cannot be sent'],
  ['stacked combining marks', `e${'\u0301'.repeat(5)}`, 'it contains the character U+0301, which cannot be sent'],
  ['the symbol for a line feed', 'web␊', 'it contains a placeholder for a character that cannot be shown'],
  ['an escaped character', 'web<U+200B>', 'it contains a placeholder for a character that cannot be shown'],
])('a form rejects text with %s', (_, text, mistake) => {
  expect(checked(text)).toMatchObject({mistakes: {name: mistake}, question: undefined});
});

test('a form accepts text that is sent unchanged, and any of its own choices', () => {
  expect(checked('web-01')).toMatchObject({mistakes: {}, question: QUESTION});
  expect(checked('web␊', ['web␊'])).toMatchObject({mistakes: {}, question: QUESTION});
});

test('a form is not complete while the text typed for a choice has no match', () => {
  const fields = fieldsWith('key-a', ['key-a', 'key-b']);
  const form = {title: say`a form`, fields, check: () => ({mistakes: {}, notes: [], question: QUESTION})};
  const typed = [...'S-Tab'].reduce(chooseByLetter, openForm(fields));
  expect(formValues(typed)).toEqual({name: 'key-a'});
  expect(checkForm(form, typed)).toMatchObject({
    mistakes: {name: 'choose one, or delete the text'},
    question: undefined,
  });
  expect(checkForm(form, chooseNext(typed, 1))).toMatchObject({mistakes: {}, question: QUESTION});
});

test.each([
  ['web-01', 'continue'],
  ['web\u115f', 'go to the first mistake'],
])('enter in a form with %j does what its label says: %s', (text, label) => {
  expect(enterLabel(checked(text), openForm(fieldsWith(text)))).toBe(label);
});

test.each([
  ['', 'go to what is missing'],
  ['x', 'go to the first mistake'],
])('a form whose only complaint is about %j calls it what it is: %s', (text, label) => {
  const check = {mistakes: {name: 'required'}, notes: [], question: undefined};
  expect(enterLabel(check, openForm(fieldsWith(text)))).toBe(label);
});
