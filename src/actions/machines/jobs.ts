import * as z from 'zod';
import {requestConsole, requestLogs} from '../../api/machine-jobs.ts';
import {UNCHANGED} from '../../domain/action.ts';
import {say} from '../../domain/safe-text.ts';
import type {Assessment} from '../question/assessment.ts';
import {actionOn, needs} from '../define.ts';
import {machine, number} from '../parameters.ts';
import {nodeReason, RECORD_OVERDUE_AFTER_MS} from './subject.ts';

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
  comparesNames: true,
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
  verb: say`request console`,
  words: () => say`request the console of`,
  ...JOB,
  precondition: (_action, machine) => needs(['ACTIVE', 'PRE_ACTIVE'], machine),
  commandWords: ({id}) => ['console', `${id}`],
});

export const readLog = actionOn({
  kind: 'vm.request-logs',
  comparesNames: true,
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
  verb: say`request log`,
  words: () => say`request the log of`,
  ...JOB,
  precondition: (_action, machine) => needs(['ACTIVE'], machine),
  commandWords: ({id, lineCount}) => ['vm', 'logs', `${id}`, '--lines', `${lineCount}`],
});

/** These start a job and change nothing. */
export const MACHINE_JOBS = [openConsole, readLog] as const;

function assessConsole(): Assessment {
  return {
    happens: [[{text: 'Requests the address of its console. Anyone with the address has access. Nothing is changed.'}]],
    undo: 'nothing to undo',
    answer: {kind: 'key'},
  };
}

function assessLog({lineCount}: {readonly lineCount: number}): Assessment {
  return {
    happens: [[{text: `Requests the last ${lineCount} lines of its log. Nothing is changed.`}]],
    undo: 'nothing to undo',
    answer: {kind: 'key'},
  };
}
