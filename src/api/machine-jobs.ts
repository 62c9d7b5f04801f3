import type {OperationResult} from '../domain/operation-result.ts';
import {safeLines} from '../domain/safe-text.ts';
import {type Secret, secret} from '../domain/secret.ts';
import type {MachineConsole, MachineLog, VirtualMachineId} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {inside, isObject, readText} from './fields.ts';
import {numberText} from './json.ts';

// Results that are requested first and read later: a machine's console and its log.

const MACHINE = '/core/virtual-machines/{id}';

type OneMachine = {readonly id: VirtualMachineId};

/** Starts a job and changes nothing. The job's id is in the path that the reply names. */
export const requestConsole = defineOperation<OneMachine>({
  id: 'virtual-machines.request-console',
  method: 'GET',
  template: `${MACHINE}/request-console`,
  isAccepted: body => consoleJob(body) !== undefined,
  result: consoleJob,
});

/** The URL of the console. The service needs some seconds, during which its answers are undocumented. */
export const console = defineRead<OneMachine & {readonly jobId: string}, MachineConsole>({
  id: 'virtual-machines.console',
  template: `${MACHINE}/console/{jobId}`,
  isOneTime: true,
  collect: consoleOf,
  record: raw => {
    const url = isObject(raw) && isSecret(raw.vnc_url) ? raw.vnc_url : undefined;
    return {ok: true, value: url === undefined ? {status: 'pending'} : {status: 'ready', url}};
  },
  readsFailure: pendingReply,
});

/** Starts a job and changes nothing. */
export const requestLogs = defineOperation<OneMachine & {readonly lineCount: number}>({
  id: 'virtual-machines.request-logs',
  method: 'POST',
  template: `${MACHINE}/logs`,
  body: ({lineCount}) => ({length: lineCount}),
  isAccepted: body => logRequest(body) !== undefined,
  result: logRequest,
});

/** The requested log. Until it exists, the service answers 200 with `status: false`. */
export const machineLogs = defineRead<OneMachine & {readonly requestId: string}, MachineLog>({
  id: 'virtual-machines.logs',
  template: `${MACHINE}/logs`,
  isLongText: true,
  query: ({requestId}) => ({request_id: requestId}),
  collect: body => (isObject(body) && (body.status === false || 'logs' in body) ? [body] : undefined),
  record: raw => ({ok: true, value: toLog(isObject(raw) ? raw.logs : undefined)}),
  readsFailure: pendingReply,
});

/** A 2xx that says false without a reason only means that the answer is not there yet. */
function pendingReply(httpStatus: number, body: unknown): unknown {
  const isPending = httpStatus < 300 && isObject(body) && body.error_reason === undefined;
  return isPending ? body : undefined;
}

/** The URL is a credential, so it becomes a secret before it can end up in anything printed. */
function consoleOf(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body)) return undefined;
  if (body.status === false) return [{vnc_url: undefined}];
  if (!('vnc_url' in body)) return undefined;
  const url = inside(body, 'vnc_url')?.vnc_url ?? body.vnc_url;
  return [{vnc_url: typeof url === 'string' && url !== '' ? secret(url) : undefined}];
}

function isSecret(value: unknown): value is Secret {
  return isObject(value) && typeof value.reveal === 'function';
}

function consoleJob(body: unknown): OperationResult | undefined {
  const path = isObject(body) && typeof body.url === 'string' ? body.url : '';
  const jobId = /\/console\/(?!\.{1,2}\/?$)([^/?#%\s]+)\/?$/.exec(path)?.[1];
  return jobId === undefined ? undefined : {kind: 'console-job', jobId};
}

function logRequest(body: unknown): OperationResult | undefined {
  const id = isObject(body) ? body.request_id : undefined;
  // As it was written: another number, or a word that looks like one, would name another request.
  const requestId = typeof id === 'string' ? readText(id) : numberText(id);
  return requestId === undefined ? undefined : {kind: 'log-request', requestId};
}

/** The most lines of a log that are asked for, and kept of one that has more. */
export const MAX_LOG_LINES = 10_000;

/** One text or a list of lines. The line break at the end of a log starts no further line. */
function toLog(logs: unknown): MachineLog {
  const texts = (Array.isArray(logs) ? logs : [logs]).filter(each => typeof each === 'string');
  return texts.length === 0
    ? {status: 'pending'}
    : {
        status: 'ready',
        lines: safeLines(newestLines(texts.map(text => text.replace(/\r?\n$/, '')).join('\n'))),
      };
}

function newestLines(text: string): string {
  let end = text.length;
  for (let count = 0; count < MAX_LOG_LINES && end !== -1; count += 1) {
    end = end === 0 ? -1 : text.lastIndexOf('\n', end - 1);
  }
  return text.slice(end + 1);
}
