import {requestConsole as askForConsole, requestLogs as askForLogs, findJob} from '../../world/jobs.ts';
import type {Machine} from '../../world/machine.ts';
import {invalidInput, json, notFound, succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, orNull, TEXT} from '../schema.ts';
import {answered} from './outcome-answer.ts';
import {withMachine} from './virtual-machines.ts';

const CONSOLES = {permission: 'machines:operate', action: 'open consoles'} as const;
const LOGS = {permission: 'machines:operate', action: 'read the logs of virtual machines'} as const;
const PATH = '/core/virtual-machines/:vm_id';
const LINE_LIMIT = 10_000;
const DEFAULT_LINE_COUNT = 100;
const LOG_REQUEST = fields({}, {length: {type: 'integer', minimum: 1, maximum: LINE_LIMIT}});

/** What is asked for first and fetched a while later: the way to a console, and logs. */
export const machineJobRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: `${PATH}/request-console`,
    requires: CONSOLES,
    describes: {
      summary: 'Ask for a way to the console of a virtual machine',
      reply: envelope({url: TEXT}),
      refusals: [400],
    },
    answer: inquiry => withMachine(inquiry, machine => requestConsole(inquiry, machine)),
  },
  {
    method: 'GET',
    pattern: `${PATH}/console/:job_id`,
    requires: CONSOLES,
    describes: {
      summary: 'Fetch the way to a console',
      reply: envelope({vnc_url: orNull(fields({id: TEXT, vnc_url: TEXT}))}),
    },
    answer: inquiry => withMachine(inquiry, machine => consoleOf(inquiry, machine)),
  },
  {
    method: 'POST',
    pattern: `${PATH}/logs`,
    requires: LOGS,
    takesBody: true,
    describes: {
      summary: 'Ask for the logs of a virtual machine',
      body: LOG_REQUEST,
      reply: envelope({request_id: TEXT}),
    },
    answer: inquiry => withMachine(inquiry, machine => requestLogs(inquiry, machine)),
  },
  {
    method: 'GET',
    pattern: `${PATH}/logs`,
    requires: LOGS,
    describes: {
      summary: 'Fetch logs that were asked for',
      query: {request_id: TEXT},
      requiredQuery: ['request_id'],
      reply: envelope({logs: orNull(TEXT)}),
    },
    answer: inquiry => withMachine(inquiry, machine => logsOf(inquiry, machine)),
  },
];

// The path lacks the version prefix, and nothing else tells the id of the job.
function requestConsole({world, caller}: Inquiry, machine: Machine): Response {
  return answered(askForConsole(world, machine, caller.user.id), job =>
    succeeded('Console requested', {url: `/core/virtual-machines/${machine.id}/console/${job}`}),
  );
}

function consoleOf({world, part}: Inquiry, machine: Machine): Response {
  const job = findJob(world, 'console', machine, part('job_id'));
  if (job === undefined) return notFound(`Console ${part('job_id')} does not exist.`);
  if (job.content === undefined) return json({status: false, message: 'The console is not ready yet.', vnc_url: null});
  return succeeded('Getting console successful', {vnc_url: {id: job.id, vnc_url: job.content}});
}

function requestLogs({world, body}: Inquiry, machine: Machine): Response {
  const reading = readBody(body, LOG_REQUEST);
  if (!reading.isValid) return reading.refusal;
  const lineCount = reading.fields.integer('length') ?? DEFAULT_LINE_COUNT;
  return answered(askForLogs(world, machine, lineCount), id => succeeded('Logs requested', {request_id: id}));
}

// While they are on their way the answer is a 200 that says it has failed.
function logsOf({world, query}: Inquiry, machine: Machine): Response {
  const id = query('request_id');
  if (id === undefined) return invalidInput({request_id: 'is a required parameter'});
  const job = findJob(world, 'logs', machine, id);
  if (job === undefined) return notFound(`The request ${id} for logs does not exist.`);
  if (job.content === undefined) return json({status: false, message: 'The logs are not ready yet.', logs: null});
  return succeeded('Getting logs successful', {logs: job.content});
}
