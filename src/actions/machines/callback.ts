import * as z from 'zod';
import {attachCallback, deleteCallback, updateCallback} from '../../api/virtual-machines.ts';
import {type Inverse, NOTHING, TARGET, UNCHANGED} from '../../domain/action.ts';
import {isSameUrl, redactedUrl} from '../../domain/redacted-url.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {type Ask, type Form, NOTHING_CHANGED} from '../forms/form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {actionOn} from '../define.ts';
import {checkCallback, MAX_URL_LENGTH} from '../forms/form-values.ts';
import {flag, machine, text} from '../parameters.ts';
import {diffLines} from '../forms/set-form.ts';
import {nodeReason, RECORD_OVERDUE_AFTER_MS} from './subject.ts';

/** `isUpdate` if a URL is already set: the service has one call for the first and another for later ones. */
export const setCallback = actionOn({
  kind: 'vm.set-callback',
  comparesNames: true,
  parameters: z.object({id: machine, url: text, isUpdate: flag}),
  endpoint: attachCallback,
  keys: [
    {
      name: 'callback',
      menu: 'edit',
      key: 'b',
      title: say`callback`,
      help: "Sets the URL that receives the machine's events.",
      consequence: ([{callbackUrl, hasUnreadCallback}]) =>
        hasUnreadCallback === true ? 'unknown' : (callbackUrl ?? 'none now'),
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
  precondition: ({url, isUpdate}, machine) => {
    const {callbackUrl} = machine;
    const node = nodeReason(machine);
    if (node !== undefined) return node;
    if (machine.hasUnreadCallback === true) return UNREAD_CALLBACK;
    if (callbackUrl !== undefined && isSameUrl(url, callbackUrl)) return say`it already has this callback`;
    if (isUpdate) return callbackUrl === undefined ? NO_CALLBACK : undefined;
    return callbackUrl === undefined ? undefined : say`it has another callback now`;
  },
  evidence: ({url}, {callbackUrl, hasUnreadCallback}) => {
    if (hasUnreadCallback === true) return NOTHING;
    return callbackUrl !== undefined && isSameUrl(url, callbackUrl) ? TARGET : UNCHANGED;
  },
  undo: ({id}, {callbackUrl}, is): Inverse =>
    callbackUrl === undefined
      ? {action: removeCallback.with({id}), words: say`removes the callback again`, namedFacts: callbackFact(is)}
      : {action: setCallback.with({id, url: callbackUrl, isUpdate: true}), words: say`restores the previous callback`},
  commandWords: () => undefined,
});

const REMOVE_KEY = 'B';

export const removeCallback = actionOn({
  kind: 'vm.remove-callback',
  comparesNames: true,
  parameters: z.object({id: machine}),
  endpoint: deleteCallback,
  keys: [
    {
      menu: 'edit',
      key: REMOVE_KEY,
      title: say`remove callback`,
      help: "Removes the URL that receives the machine's events.",
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
  namedFacts: (_action, machine) => callbackFact(machine),
  overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
  precondition: (_action, machine) =>
    nodeReason(machine) ??
    (machine.hasUnreadCallback === true
      ? UNREAD_CALLBACK
      : machine.callbackUrl === undefined
        ? NO_CALLBACK
        : undefined),
  evidence: (_action, {callbackUrl, hasUnreadCallback}) => {
    if (hasUnreadCallback === true) return NOTHING;
    return callbackUrl === undefined ? TARGET : UNCHANGED;
  },
  undo: ({id}, {callbackUrl}): Inverse | SafeText =>
    callbackUrl === undefined
      ? say`its previous callback is unknown`
      : {action: setCallback.with({id, url: callbackUrl, isUpdate: false}), words: say`restores the previous callback`},
});

function callbackFact({callbackUrl}: VirtualMachine): NamedFacts {
  return new Map([[say`its callback`, callbackUrl && redactedUrl(callbackUrl)]]);
}

const NO_CALLBACK = say`it has no callback`;
const UNREAD_CALLBACK = say`its callback could not be read`;

export const MACHINE_CALLBACK = [setCallback, removeCallback] as const;

function assessCallback({url}: {readonly url: SafeText}, {callbackUrl}: VirtualMachine): Assessment {
  return {
    happens: diffLines(before(callbackUrl), [url]),
    warnings: [[{text: 'The service sends every event of the machine to it.'}]],
    undo: callbackUrl === undefined ? {words: 'remove it again'} : {words: 'restore the previous URL'},
    answer: {kind: 'key'},
  };
}

function assessRemoveCallback(_action: object, {callbackUrl}: VirtualMachine): Assessment {
  return {
    happens: diffLines(before(callbackUrl), []),
    undo: {words: 'set it again'},
    answer: {kind: 'key'},
  };
}

/** The part after the host can be a password, and only the new URL has to be compared. */
function before(callbackUrl: SafeText | undefined): readonly SafeText[] {
  return callbackUrl === undefined ? [] : [redactedUrl(callbackUrl)];
}

type CallbackParameters = {readonly id: VirtualMachineId; readonly url: SafeText; readonly isUpdate: boolean};

/** The URL to which the service posts the machine's events. */
function callbackForm(
  {id, name, callbackUrl}: VirtualMachine,
  _known: AssessmentInput,
  ask: Ask<CallbackParameters>,
): Form {
  return {
    title: say`callback of ${nameInWords(name)}  #${id}`,
    fields: [{key: 'url', label: 'URL', initial: callbackUrl ?? '', hint: 'https://…; at most 250'}],
    check: ({url = ''}: FormValues) => {
      const wanted = safeText(url.trim());
      if (wanted === '')
        return {
          mistakes: {url: `an address is needed; ${REMOVE_KEY} removes the callback`},
          notes: [],
          question: undefined,
        };
      const mistake = checkCallback(wanted);
      if (mistake !== undefined) return {mistakes: {url: mistake}, notes: [], question: undefined};
      if (wanted === callbackUrl) return NOTHING_CHANGED;
      return {mistakes: {}, notes: [], question: ask({id, url: wanted, isUpdate: callbackUrl !== undefined})};
    },
  };
}
