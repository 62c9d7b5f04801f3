import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Ask} from '../action-key.ts';
import type {Form, FormCheck} from '../form.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {checkCallback, labelsIn} from '../form-values.ts';
import {diffLines} from '../set-form.ts';

const NOTHING_CHANGED: FormCheck = {
  mistakes: {},
  notes: [[{text: 'Nothing is changed yet.', tone: 'dim'}]],
  question: undefined,
};

type LabelParameters = {readonly id: VirtualMachineId; readonly labels: readonly SafeText[]};

/** All labels on one line: a label taken out of it is removed. */
export function labelsForm(
  {id, name, labels}: VirtualMachine,
  _known: AssessmentInput,
  ask: Ask<LabelParameters>,
): Form {
  return {
    title: say`labels of ${nameInWords(name)}  #${id}`,
    fields: [{key: 'labels', label: 'labels', initial: labels.join(', '), hint: 'comma-separated'}],
    check: values => {
      const wanted = labelsIn(values.labels ?? '').map(word => safeText(word));
      const diff = diffLines(labels, wanted);
      if (diff.length === 0) return NOTHING_CHANGED;
      return {mistakes: {}, notes: diff, question: ask({id, labels: wanted})};
    },
  };
}

type CallbackParameters = {readonly id: VirtualMachineId; readonly url: SafeText; readonly isUpdate: boolean};

/** The URL to which the service posts the machine's events. */
export function callbackForm(
  {id, name, callbackUrl}: VirtualMachine,
  _known: AssessmentInput,
  ask: Ask<CallbackParameters>,
): Form {
  return {
    title: say`callback of ${nameInWords(name)}  #${id}`,
    fields: [{key: 'url', label: 'URL', initial: callbackUrl ?? '', hint: 'https://…, at most 250 characters'}],
    check: ({url = ''}: FormValues) => {
      const wanted = safeText(url.trim());
      if (wanted === '')
        return {mistakes: {url: 'an address is needed; B removes the callback'}, notes: [], question: undefined};
      const mistake = checkCallback(wanted);
      if (mistake !== undefined) return {mistakes: {url: mistake}, notes: [], question: undefined};
      if (wanted === callbackUrl) return NOTHING_CHANGED;
      return {mistakes: {}, notes: [], question: ask({id, url: wanted, isUpdate: callbackUrl !== undefined})};
    },
  };
}
