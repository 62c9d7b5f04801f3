import * as z from 'zod';
import {setMachineLabels} from '../../api/virtual-machines.ts';
import {type Inverse, NOTHING, TARGET, UNCHANGED} from '../../domain/action.ts';
import {isSameSet} from '../../domain/attachment-state.ts';
import {listedWords} from '../../domain/listed-words.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {unreadLabelsReason, type VirtualMachine, type VirtualMachineId} from '../../domain/virtual-machine.ts';
import {type Ask, type Form, NOTHING_CHANGED} from '../forms/form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {actionOn} from '../define.ts';
import {labelsIn} from '../forms/form-values.ts';
import {machine, text} from '../parameters.ts';
import {diffLines} from '../forms/set-form.ts';
import {nodeReason, RECORD_OVERDUE_AFTER_MS} from './subject.ts';

export const setLabels = actionOn({
  kind: 'vm.set-labels',
  comparesNames: true,
  parameters: z.object({id: machine, labels: z.array(text).readonly()}),
  endpoint: setMachineLabels,
  keys: [
    {
      name: 'labels',
      menu: 'edit',
      key: 'l',
      title: say`labels`,
      help: 'Sets the labels of the machine, comma-separated.',
      consequence: ([{labels}]) => (labels.length === 0 ? 'none now' : labels.join(', ')),
      reason: machine => nodeReason(machine) ?? unreadLabelsReason(machine),
      form: labelsForm,
    },
  ],
  command: {
    words: ['vm', 'label'],
    summary: 'change labels: --add and --remove, or --set for the whole set',
    options: [
      {flags: '--add <label>', summary: 'add a label', isRepeated: true},
      {flags: '--remove <label>', summary: 'remove a label', isRepeated: true},
      {flags: '--set <labels>', summary: 'replace all labels, comma-separated'},
    ],
    parametersFor: (machine, flags: LabelFlags) => {
      if (flags.set === undefined && flags.add.length + flags.remove.length === 0) {
        return {mistake: say`label needs --add, --remove or --set`};
      }
      const unread = unreadLabelsReason(machine);
      if (unread !== undefined) {
        return {failure: {kind: 'odd-answer', detail: say`${nameInWords(machine.name)} #${machine.id}: ${unread}`}};
      }
      return {id: machine.id, labels: labelsAfter(machine.labels, flags)};
    },
  },
  assess: assessLabels,
  ignoresStatus: true,
  verb: say`set labels`,
  words: ({labels}) => say`set ${labelWords(labels)} on`,
  overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
  replaced: ({id}, {records}) => records.find(machine => machine.id === id)?.labels ?? [],
  precondition: (action, machine) =>
    nodeReason(machine) ??
    unreadLabelsReason(machine) ??
    (isSameSet(action.labels, machine.labels) ? say`it already has exactly these labels` : undefined),
  evidence: (action, machine) => {
    if (unreadLabelsReason(machine) !== undefined) return NOTHING;
    return isSameSet(action.labels, machine.labels) ? TARGET : UNCHANGED;
  },
  undo: ({id, labels}, was): Inverse => ({
    action: setLabels.with({id, labels: was.labels}),
    words: was.labels.length === 0 ? say`removes all labels again` : say`restores ${labelWords(was.labels)}`,
    replaced: labels,
  }),
  commandWords: ({id, labels}) =>
    labels.some(label => label.includes(',')) ? undefined : ['vm', 'label', `${id}`, '--set', labels.join(',')],
});

function assessLabels(
  {labels}: {readonly labels: readonly SafeText[]},
  {id, name, labels: before}: VirtualMachine,
): Assessment {
  return {
    title: say`set labels of ${nameInWords(name)}  #${id}`,
    happens: diffLines(before, labels),
    undo: {words: 'restore the previous labels'},
    answer: {kind: 'key'},
  };
}

type LabelParameters = {readonly id: VirtualMachineId; readonly labels: readonly SafeText[]};

/** All labels on one line: a label taken out of it is removed. */
function labelsForm({id, name, labels}: VirtualMachine, _known: AssessmentInput, ask: Ask<LabelParameters>): Form {
  return {
    title: say`labels of ${nameInWords(name)}  #${id}`,
    fields: [{key: 'labels', label: 'labels', initial: labels.join(', '), isList: true, hint: 'comma-separated'}],
    check: values => {
      const wanted = labelsIn(values.labels ?? '').map(word => safeText(word));
      const diff = diffLines(labels, wanted);
      if (diff.length === 0) return NOTHING_CHANGED;
      return {mistakes: {}, notes: diff, question: ask({id, labels: wanted})};
    },
  };
}

type LabelFlags = {readonly add: readonly string[]; readonly remove: readonly string[]; readonly set?: string};

function labelsAfter(labels: readonly SafeText[], {add, remove: less, set}: LabelFlags): readonly SafeText[] {
  const start = set === undefined ? labels : set.split(',').filter(each => each.trim() !== '');
  const wanted = [...start, ...add].map(each => safeText(each.trim()));
  return [...new Set(wanted)].filter(each => !less.includes(each));
}

function labelWords(labels: readonly SafeText[]): SafeText {
  return listedWords(say`label`, labels);
}
