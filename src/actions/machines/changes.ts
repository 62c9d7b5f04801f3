import * as z from 'zod';
import {requestConsole, requestLogs} from '../../api/machine-jobs.ts';
import {attachCallback, deleteCallback, setMachineLabels, updateCallback} from '../../api/virtual-machines.ts';
import {type Inverse, NOTHING, TARGET, UNCHANGED} from '../../domain/action.ts';
import {isSameSet} from '../../domain/attachment-state.ts';
import {listedWords} from '../../domain/listed-words.ts';
import {isSameUrl, redactedUrl} from '../../domain/redacted-url.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {unreadLabelsReason} from '../../domain/virtual-machine.ts';
import {actionOn, needs} from '../define.ts';
import {assessCallback, assessConsole, assessLabels, assessLog, assessRemoveCallback} from './assess-edit.ts';
import {callbackForm, labelsForm} from './edit-forms.ts';
import {nodeReason} from './subject.ts';
import {checkCallback, MAX_URL_LENGTH} from '../form-values.ts';
import {flag, machine, number, text} from '../parameters.ts';

/** Changes of the record take effect at once. */
const RECORD_OVERDUE_AFTER_MS = 2 * MINUTE_MS;

export const setLabels = actionOn({
  kind: 'vm.set-labels',
  parameters: z.object({id: machine, labels: z.array(text).readonly()}),
  endpoint: setMachineLabels,
  keys: [
    {
      name: 'labels',
      menu: 'edit',
      key: 'l',
      title: say`labels`,
      help: 'Sets the labels of the machine, comma-separated.',
      consequence: ({labels}) => (labels.length === 0 ? 'none now' : labels.join(', ')),
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

/** `isUpdate` if a URL is already set: the service has one call for the first and another for later ones. */
export const setCallback = actionOn({
  kind: 'vm.set-callback',
  parameters: z.object({id: machine, url: text, isUpdate: flag}),
  endpoint: attachCallback,
  keys: [
    {
      name: 'callback',
      menu: 'edit',
      key: 'b',
      title: say`callback`,
      help: "Sets the URL that receives the machine's events.",
      consequence: ({callbackUrl}) => callbackUrl ?? 'none now',
      reason: nodeReason,
      form: callbackForm,
    },
  ],
  command: {
    words: ['callback', 'set'],
    summary: 'set the URL that receives the events of machines',
    options: [{flags: '--url <url>', summary: 'the address', isRequired: true}],
    parametersFor: ({id, callbackUrl}, {url}: {readonly url: string}) => {
      if (url.trim() === '' || checkCallback(url) !== undefined) {
        return {mistake: say`--url must be an http address of at most ${MAX_URL_LENGTH} characters`};
      }
      return {id, url: safeText(url), isUpdate: callbackUrl !== undefined};
    },
  },
  assess: assessCallback,
  ignoresStatus: true,
  endpointFor: ({isUpdate}) => (isUpdate ? updateCallback : attachCallback),
  withoutSecrets: action => ({...action, url: redactedUrl(action.url)}),
  verb: say`set callback`,
  words: () => say`set the callback of`,
  overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
  precondition: ({url, isUpdate}, {callbackUrl}) => {
    if (callbackUrl !== undefined && isSameUrl(url, callbackUrl)) return say`it already has this callback`;
    if (isUpdate) return callbackUrl === undefined ? NO_CALLBACK : undefined;
    return callbackUrl === undefined ? undefined : say`it has another callback now`;
  },
  evidence: ({url}, {callbackUrl}) => (callbackUrl !== undefined && isSameUrl(url, callbackUrl) ? TARGET : UNCHANGED),
  undo: ({id}, {callbackUrl}): Inverse =>
    callbackUrl === undefined
      ? {action: removeCallback.with({id}), words: say`removes the callback again`}
      : {action: setCallback.with({id, url: callbackUrl, isUpdate: true}), words: say`restores the previous callback`},
  commandWords: () => undefined,
});

export const removeCallback = actionOn({
  kind: 'vm.remove-callback',
  parameters: z.object({id: machine}),
  endpoint: deleteCallback,
  keys: [
    {
      menu: 'edit',
      key: 'B',
      title: say`remove callback`,
      help: "Removes the URL that receives the machine's events.",
      reason: nodeReason,
    },
  ],
  command: {
    words: ['callback', 'remove'],
    summary: 'remove the URL that receives the events of machines',
  },
  assess: assessRemoveCallback,
  ignoresStatus: true,
  verb: say`remove callback`,
  words: () => say`remove the callback of`,
  overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
  precondition: (_action, {callbackUrl}) => (callbackUrl === undefined ? NO_CALLBACK : undefined),
  evidence: (_action, {callbackUrl}) => (callbackUrl === undefined ? TARGET : UNCHANGED),
  undo: ({id}, {callbackUrl}): Inverse | SafeText =>
    callbackUrl === undefined
      ? say`its previous callback is unknown`
      : {action: setCallback.with({id, url: callbackUrl, isUpdate: false}), words: say`restores the previous callback`},
  commandWords: ({id}) => ['callback', 'remove', `${id}`],
});

const NO_CALLBACK = say`it has no callback`;

/** A job leaves no trace on the machine: without its answer nothing can be observed. */
const JOB = {
  overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
  endsWithReply: true,
  ignoresStatus: true,
  evidence: () => UNCHANGED,
  undo: () => say`it changed nothing`,
} as const;

/** Lines of a log that the deck requests: about ten screens. */
const LOG_LINE_COUNT = 500;

export const openConsole = actionOn({
  kind: 'vm.request-console',
  parameters: z.object({id: machine}),
  endpoint: requestConsole,
  keys: [
    {
      name: 'console',
      menu: 'edit',
      key: 'c',
      title: say`console`,
      help: "Requests the address of the machine's console; changes nothing.",
      consequence: () => 'shown here once it is ready',
      reason: nodeReason,
    },
  ],
  assess: assessConsole,
  verb: say`open console`,
  words: () => say`open the console of`,
  ...JOB,
  precondition: (_action, machine) => needs(['ACTIVE', 'PRE_ACTIVE'], machine),
  commandWords: ({id}) => ['console', `${id}`],
});

export const readLog = actionOn({
  kind: 'vm.request-logs',
  parameters: z.object({id: machine, lineCount: number}),
  endpoint: requestLogs,
  keys: [
    {
      name: 'logs',
      menu: 'edit',
      key: 'g',
      title: say`log`,
      help: 'Requests the last lines of the log; changes nothing.',
      consequence: () => `the last ${LOG_LINE_COUNT} lines, once they are ready`,
      reason: nodeReason,
      parametersFor: ({id}) => ({id, lineCount: LOG_LINE_COUNT}),
    },
  ],
  assess: assessLog,
  verb: say`read log`,
  words: () => say`read the log of`,
  ...JOB,
  precondition: (_action, machine) => needs(['ACTIVE'], machine),
  commandWords: ({id, lineCount}) => ['vm', 'logs', `${id}`, '--lines', `${lineCount}`],
});

export const MACHINE_CHANGES = [setLabels, setCallback, removeCallback] as const;

/** These start a job and change nothing. */
export const MACHINE_JOBS = [openConsole, readLog] as const;

type LabelFlags = {readonly add: readonly string[]; readonly remove: readonly string[]; readonly set?: string};

function labelsAfter(labels: readonly SafeText[], {add, remove: less, set}: LabelFlags): readonly SafeText[] {
  const start = set === undefined ? labels : set.split(',').filter(each => each.trim() !== '');
  const wanted = [...start, ...add].map(each => safeText(each.trim()));
  return [...new Set(wanted)].filter(each => !less.includes(each));
}

function labelWords(labels: readonly SafeText[]): SafeText {
  return listedWords(say`label`, labels);
}
