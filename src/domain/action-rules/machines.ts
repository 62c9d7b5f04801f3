import type {MachineAction} from '../action.ts';
import {isSameUrl} from '../redacted-url.ts';
import {type SafeText, say} from '../safe-text.ts';
import {MINUTE_MS} from '../time.ts';
import {isTransitional, labelsObstacle} from '../virtual-machine.ts';
import {type ActionRules, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {isSameSet} from './attachment-state.ts';
import {listedWords} from './listed-words.ts';
import {isElsewhere, needs, onOneThing} from './one-thing.ts';

type MachineKind = Extract<
  MachineAction['kind'],
  'vm.resize' | 'vm.set-labels' | 'vm.set-callback' | 'vm.remove-callback' | 'vm.request-console' | 'vm.request-logs'
>;

/** What is written into a record holds at once. */
const RECORD_OVERDUE_AFTER_MS = 2 * MINUTE_MS;
const NOTHING_TO_UNDO = say`it changed nothing`;

export const MACHINE_RULES: Pick<ActionRules, MachineKind> = {
  'vm.resize': onOneThing({
    verb: say`resize`,
    words: ({flavorName}) => say`resize to ${flavorName}`,
    overdueAfterMs: 20 * MINUTE_MS,
    obstacle: ({flavorName}, machine) =>
      machine.flavor?.name === flavorName
        ? say`its flavor is ${flavorName} already`
        : needs(['ACTIVE', 'SHUTOFF'], machine),
    evidence: ({flavorName}, machine, past) => {
      if (machine.status === 'UNKNOWN') return NOTHING;
      if (isTransitional(machine.status)) return TRANSITION;
      if (machine.status === 'ERROR' && past.initialStatus !== 'ERROR') return isElsewhere(machine);
      if (machine.flavor?.name === flavorName) return TARGET;
      return past.hasSeenTransition ? isElsewhere(machine) : UNCHANGED;
    },
    undo: ({id}, {flavor}) =>
      flavor === undefined
        ? say`its flavor before is not known`
        : {
            action: {kind: 'vm.resize', id, flavorName: flavor.name},
            words: say`resizes it back to ${flavor.name}, if the hardware is free`,
          },
  }),
  'vm.set-labels': onOneThing({
    verb: say`set labels`,
    words: ({labels}) => say`set ${labelWords(labels)} on`,
    overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
    replaced: ({id}, {records}) => records.find(machine => machine.id === id)?.labels ?? [],
    obstacle: (action, machine) =>
      labelsObstacle(machine) ??
      (isSameSet(action.labels, machine.labels) ? say`it has exactly these labels already` : undefined),
    evidence: (action, machine) => {
      if (labelsObstacle(machine) !== undefined) return NOTHING;
      return isSameSet(action.labels, machine.labels) ? TARGET : UNCHANGED;
    },
    undo: ({id, labels}, was) => ({
      action: {kind: 'vm.set-labels', id, labels: was.labels},
      words: was.labels.length === 0 ? say`leaves it no labels, as before` : say`puts back ${labelWords(was.labels)}`,
      replaced: labels,
    }),
  }),
  'vm.set-callback': onOneThing({
    verb: say`set callback`,
    words: () => say`set the callback of`,
    overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
    obstacle: ({url, isUpdate}, {callbackUrl}) => {
      if (callbackUrl !== undefined && isSameUrl(url, callbackUrl)) return say`it has this callback already`;
      if (isUpdate) return callbackUrl === undefined ? NO_CALLBACK : undefined;
      return callbackUrl === undefined ? undefined : say`it has another callback by now`;
    },
    evidence: ({url}, {callbackUrl}) => (callbackUrl !== undefined && isSameUrl(url, callbackUrl) ? TARGET : UNCHANGED),
    undo: ({id}, {callbackUrl}) =>
      callbackUrl === undefined
        ? {action: {kind: 'vm.remove-callback', id}, words: say`removes the callback again`}
        : {
            action: {kind: 'vm.set-callback', id, url: callbackUrl, isUpdate: true},
            words: say`puts back the callback it had`,
          },
  }),
  'vm.remove-callback': onOneThing({
    verb: say`remove callback`,
    words: () => say`remove the callback of`,
    overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
    obstacle: (_act, {callbackUrl}) => (callbackUrl === undefined ? NO_CALLBACK : undefined),
    evidence: (_act, {callbackUrl}) => (callbackUrl === undefined ? TARGET : UNCHANGED),
    undo: ({id}, {callbackUrl}) =>
      callbackUrl === undefined
        ? say`the callback it had is not known`
        : {
            action: {kind: 'vm.set-callback', id, url: callbackUrl, isUpdate: false},
            words: say`puts back the callback it had`,
          },
  }),
  'vm.request-console': onOneThing({
    ...job(say`open console`, say`open the console of`),
    obstacle: (_act, machine) => needs(['ACTIVE', 'PRE_ACTIVE'], machine),
  }),
  'vm.request-logs': onOneThing({
    ...job(say`read log`, say`read the log of`),
    obstacle: (_act, machine) => needs(['ACTIVE'], machine),
  }),
};

const NO_CALLBACK = say`it has no callback`;

/** A job leaves no trace on the machine: without its answer there is nothing to be seen. */
function labelWords(labels: readonly SafeText[]): SafeText {
  return listedWords(say`label`, labels);
}

function job(verb: SafeText, words: SafeText) {
  return {
    verb,
    words: () => words,
    overdueAfterMs: RECORD_OVERDUE_AFTER_MS,
    endsWithReply: true,
    evidence: () => UNCHANGED,
    undo: () => NOTHING_TO_UNDO,
  } as const;
}
