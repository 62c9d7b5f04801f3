import {describe, expect, it} from 'vitest';
import {formValues, openForm, typeInField} from '../../../src/ui/form.ts';
import {insert} from '../../../src/ui/text-input.ts';
import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import type {FormCheck} from '../../../src/actions/forms/form.ts';
import {removeCallback, setCallback} from '../../../src/actions/machines/callback.ts';
import {setLabels} from '../../../src/actions/machines/labels.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {textOf} from '../../../src/ui/text.ts';
import {factText} from '../../panes/a-catalogue.ts';
import {aKnownScene} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {formOf} from './form-of.ts';

const SCENE = aKnownScene({});
const HOOK = safeText('https://hooks.example/one');

const labelsForm = formOf(setLabels);
const callbackForm = formOf(setCallback);

function labelled(labels: string): FormCheck {
  return labelsForm(aVirtualMachine({id: 7, labels: [safeText('prod'), safeText('web')]}), SCENE).check({labels});
}

function called(url: string, callbackUrl?: typeof HOOK): FormCheck {
  return callbackForm(aVirtualMachine({id: 7, ...(callbackUrl === undefined ? {} : {callbackUrl})}), SCENE).check({
    url,
  });
}

describe('the labels of a machine', () => {
  it('are kept when one is typed behind them', () => {
    const {fields} = labelsForm(aVirtualMachine({id: 7, labels: [safeText('prod'), safeText('web')]}), SCENE);
    const form = typeInField(openForm(fields), input => insert(input, ', gpu'));
    expect(formValues(form)).toEqual({labels: 'prod, web, gpu'});
  });

  it('are sent as a whole set, and the question shows what is added and removed', () => {
    const {question} = labelled('web, gpu,, gpu ');
    expect(question?.steps[0]).toMatchObject({
      action: {kind: 'vm.set-labels', id: 7, labels: ['web', 'gpu']},
      replaced: ['prod', 'web'],
    });
    expect(factText(question, 'What happens')).toBe('+ gpu\n− prod');
    expect(factText(question, 'Calls')).toContain('PUT /core/virtual-machines/7/label');
  });

  it('lead to no question while they are the same, in any order', () => {
    expect(labelled('web,prod').question).toBeUndefined();
    expect(labelled('web,prod').notes.map(textOf)).toEqual(['Nothing is changed yet.']);
  });

  it('can all be removed', () => {
    expect(labelled('').question?.steps[0].action).toMatchObject({labels: []});
  });
});

describe('the callback of a machine', () => {
  it('is set by one call when there is none, and by another when there is one', () => {
    const first = called('https://hooks.example/one');
    expect(first.question?.steps[0].action).toEqual({kind: 'vm.set-callback', id: 7, url: HOOK, isUpdate: false});
    expect(factText(first.question, 'Calls')).toContain('POST /core/virtual-machines/7/attach-callback');
    const next = called('https://hooks.example/two', HOOK);
    expect(factText(next.question, 'Calls')).toContain('PUT /core/virtual-machines/7/update-callback');
    expect(factText(next.question, 'What happens')).toMatch(
      /^\+ https:\/\/hooks\.example\/two\n− hooks\.example\/…[0-9a-f]{8}$/,
    );
  });

  it.each(['', 'hooks.example', 'ftp://hooks.example', `https://x/${'y'.repeat(241)}`])('cannot be %j', url => {
    expect(Object.keys(called(url).mistakes)).toEqual(['url']);
    expect(called(url).question).toBeUndefined();
  });

  it('leads to no question while it is the same', () => {
    expect(called(HOOK, HOOK)).toMatchObject({mistakes: {}, question: undefined});
  });

  it('is removed by a question of its own', () => {
    const machine = aVirtualMachine({id: 7, callbackUrl: HOOK});
    const question = questionFor([candidate(removeCallback.with({id: machine.id}), machine, SCENE)], SCENE);
    expect(question?.steps[0].action).toEqual({kind: 'vm.remove-callback', id: 7});
    expect(factText(question, 'What happens')).toMatch(/^− hooks\.example\/…[0-9a-f]{8}$/);
  });
});
