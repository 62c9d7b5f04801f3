import {questionAbout} from '../../actions/ask.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {setCallback, setLabels} from '../../actions/machine-changes.ts';
import {checkCallback, labelsIn} from '../../actions/name-check.ts';
import {diffLines} from '../../actions/set-form.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Scene} from '../pane.ts';

const NOTHING_CHANGED: FormCheck = {
  mistakes: {},
  notes: [[{text: 'Nothing is changed yet.', tone: 'dim'}]],
  question: undefined,
};

/** All labels in one line: what is taken out of it is taken away. */
export function labelsForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name, labels} = machine;
  return {
    title: say`labels of ${name}  #${id}`,
    fields: [{key: 'labels', label: 'labels', initial: labels.join(', '), hint: 'comma-separated'}],
    check: values => {
      const wanted = labelsIn(values.labels ?? '').map(word => safeText(word));
      const diff = diffLines(labels, wanted);
      if (diff.length === 0) return NOTHING_CHANGED;
      const action = setLabels.with({id, labels: wanted});
      return {mistakes: {}, notes: diff, question: questionAbout(action, machine, scene)};
    },
  };
}

/** The address that the service calls with the machine's events. */
export function callbackForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name, callbackUrl} = machine;
  return {
    title: say`callback of ${name}  #${id}`,
    fields: [{key: 'url', label: 'URL', initial: callbackUrl ?? '', hint: 'https://…, at most 250 characters'}],
    check: ({url = ''}: FormValues) => {
      const wanted = safeText(url.trim());
      if (wanted === '')
        return {mistakes: {url: 'an address is needed; B removes the callback'}, notes: [], question: undefined};
      const mistake = checkCallback(wanted);
      if (mistake !== undefined) return {mistakes: {url: mistake}, notes: [], question: undefined};
      if (wanted === callbackUrl) return NOTHING_CHANGED;
      const action = setCallback.with({id, url: wanted, isUpdate: callbackUrl !== undefined});
      return {mistakes: {}, notes: [], question: questionAbout(action, machine, scene)};
    },
  };
}
