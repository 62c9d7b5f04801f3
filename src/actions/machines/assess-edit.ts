import {redactedUrl} from '../../domain/redacted-url.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {nameInWords, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {Assessment} from '../assessment.ts';
import {diffLines} from '../set-form.ts';

/** Changes of a machine's record: they switch, delete and bill nothing. */
export function assessLabels(
  {labels}: {readonly labels: readonly SafeText[]},
  {id, name, labels: before}: VirtualMachine,
): Assessment {
  return {
    title: say`set labels of ${nameInWords(name)}  #${id}`,
    happens: diffLines(before, labels),
    undo: {words: 'edit them back'},
    answer: {kind: 'key'},
  };
}

export function assessCallback({url}: {readonly url: SafeText}, {callbackUrl}: VirtualMachine): Assessment {
  return {
    happens: diffLines(before(callbackUrl), [url]),
    warnings: [[{text: 'The service sends every event of the machine to it.'}]],
    undo: callbackUrl === undefined ? {words: 'remove it again'} : {words: 'set the previous one again'},
    answer: {kind: 'key'},
  };
}

export function assessRemoveCallback(_action: object, {callbackUrl}: VirtualMachine): Assessment {
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

export function assessConsole(): Assessment {
  return {
    happens: [[{text: 'Requests the address of its console. Anyone with the address has access. Nothing is changed.'}]],
    undo: 'nothing to undo',
    answer: {kind: 'key'},
  };
}

export function assessLog({lineCount}: {readonly lineCount: number}): Assessment {
  return {
    happens: [[{text: `Requests the last ${lineCount} lines of its log. Nothing is changed.`}]],
    undo: 'nothing to undo',
    answer: {kind: 'key'},
  };
}
