import {actionQuestion} from '../../actions/action-question.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {checkCallback, labelsIn} from '../../actions/name-check.ts';
import type {Question} from '../../actions/question.ts';
import {diffLines} from '../../actions/set-form.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {FormValues} from '../../ui/form-field.ts';

const NOTHING_CHANGED: FormCheck = {
  mistakes: {},
  notes: [[{text: 'Nothing is changed yet.', tone: 'dim'}]],
  question: undefined,
};

/** All labels in one line: what is taken out of it is taken away. */
export function labelsForm(machine: VirtualMachine): Form {
  const {id, name, labels} = machine;
  return {
    title: say`labels of ${name}  #${id}`,
    fields: [{key: 'labels', label: 'labels', initial: labels.join(', '), hint: 'with commas between'}],
    check: values => {
      const wanted = labelsIn(values.labels ?? '').map(word => safeText(word));
      const diff = diffLines(labels, wanted);
      if (diff.length === 0) return NOTHING_CHANGED;
      return {
        mistakes: {},
        notes: diff,
        question: actionQuestion({
          title: say`set labels of ${name}  #${id}`,
          steps: [{action: {kind: 'vm.set-labels', id, labels: wanted}, subjectName: name, replaced: labels}],
          happens: diff,
          undo: say`edit them back (i l)`,
          answer: {kind: 'key'},
        }),
      };
    },
  };
}

/** The address that the service calls with the machine's events. */
export function callbackForm({id, name, callbackUrl}: VirtualMachine): Form {
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
      const isUpdate = callbackUrl !== undefined;
      const question = actionQuestion({
        title: say`set callback of ${name}  #${id}`,
        steps: [{action: {kind: 'vm.set-callback', id, url: wanted, isUpdate}, subjectName: name}],
        happens: diffLines(callbackUrl === undefined ? [] : [callbackUrl], [wanted]),
        care: [[{text: 'The service calls it with every event of the machine.'}]],
        undo: isUpdate ? say`set the former one again (i b)` : say`remove it again (i B)`,
        answer: {kind: 'key'},
      });
      return {mistakes: {}, notes: [], question};
    },
  };
}

export function removeCallbackQuestion({id, name, callbackUrl}: VirtualMachine): Question {
  return actionQuestion({
    title: say`remove callback of ${name}  #${id}`,
    steps: [{action: {kind: 'vm.remove-callback', id}, subjectName: name}],
    happens: diffLines(callbackUrl === undefined ? [] : [callbackUrl], []),
    undo: say`set it again (i b)`,
    answer: {kind: 'key'},
  });
}
