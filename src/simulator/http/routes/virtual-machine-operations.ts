import * as z from 'zod';
import {setFirewalls} from '../../world/firewalls.ts';
import {findJob, requestConsole, requestLogs} from '../../world/jobs.ts';
import {operate, POWER_OPERATIONS} from '../../world/lifecycle.ts';
import {
  attachAddress,
  deleteMachine,
  detachAddress,
  relabel,
  removeCallback,
  resize,
  setCallback,
} from '../../world/machine-operations.ts';
import {answered, badRequest, invalidInput, json, notFound, succeeded} from '../answers.ts';
import {idIn, type Route, route} from '../route.ts';
import {CALLBACK_URL, EXISTING_NAME, envelope, FLAG, ID, optional, RECORD, TEXT} from '../schema.ts';
import {addRuleTo, RULE, RULE_REQUEST, removeRuleFrom} from './rules.ts';
import {withMachine} from './virtual-machines.ts';

// Operations on one machine. All are scheduled: an answer says that the operation has begun, never that it is done.

const PATH = '/core/virtual-machines/:vm_id';
const CALLBACK = z.strictObject({url: CALLBACK_URL});
const CALLBACK_REPLY = envelope({url: TEXT});
const CONSOLES = operates('open consoles');
const LOGS = operates('read the logs of virtual machines');
const RULES = operates('change the rules of virtual machines');
const MOST_LINES = 10_000;
const USUAL_LINES = 100;

// GET requests that change the world: that is the interface, not a mistake here.
const powerRoutes = POWER_OPERATIONS.map(({verb, summary, answer}) =>
  route({
    method: 'GET',
    path: `${PATH}/${verb}`,
    summary,
    requires: operates(`${verb} virtual machines`),
    ...(verb === 'hibernate' ? {query: z.object({retain_ip: FLAG.optional()})} : {}),
    refusals: [400],
    answer: request =>
      withMachine(request, machine => {
        const retainsIp = request.query('retain_ip')?.toLowerCase() === 'true';
        const outcome = operate(request.world, machine, verb, {userId: request.caller.user.id, retainsIp});
        return answered(outcome, () => succeeded(answer));
      }),
  }),
);

export const machineOperationRoutes: readonly Route[] = [
  ...powerRoutes,
  route({
    method: 'DELETE',
    path: PATH,
    summary: 'Delete a virtual machine',
    requires: operates('delete virtual machines'),
    refusals: [400],
    answer: request =>
      withMachine(request, machine =>
        answered(deleteMachine(request.world, machine, request.caller.user.id), () =>
          succeeded('Deleting virtual machine'),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/resize`,
    summary: 'Resize a virtual machine',
    requires: operates('resize virtual machines'),
    body: z.strictObject({flavor_name: optional(EXISTING_NAME), flavor: optional(RECORD)}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({flavor_name: name, flavor}) => {
          if (name === undefined && flavor === undefined) {
            return badRequest('Either flavor_name or flavor is needed.');
          }
          // A custom flavor is one that is not in the catalogue.
          return answered(resize(request.world, machine, name ?? 'custom', request.caller.user.id), () =>
            succeeded('Resizing virtual machine'),
          );
        }),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/attach-floatingip`,
    summary: 'Attach a public IP to a virtual machine',
    requires: operates('attach public IPs'),
    refusals: [400, 402],
    answer: request =>
      withMachine(request, machine =>
        answered(attachAddress(request.world, machine, request.caller.user.id), () => succeeded('Attaching public IP')),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/detach-floatingip`,
    summary: 'Detach the public IP of a virtual machine',
    requires: operates('detach public IPs'),
    refusals: [400],
    answer: request =>
      withMachine(request, machine =>
        answered(detachAddress(request.world, machine, request.caller.user.id), () => succeeded('Detaching public IP')),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/attach-callback`,
    summary: 'Attach a callback URL to a virtual machine',
    requires: operates('attach callbacks'),
    body: CALLBACK,
    reply: CALLBACK_REPLY,
    answer: request =>
      withMachine(request, machine =>
        request.read(({url}) =>
          answered(setCallback(request.world, machine, 'attach', url), () => succeeded('Callback attached', {url})),
        ),
      ),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/update-callback`,
    summary: 'Change the callback URL of a virtual machine',
    requires: operates('update callbacks'),
    body: CALLBACK,
    reply: CALLBACK_REPLY,
    answer: request =>
      withMachine(request, machine =>
        request.read(({url}) =>
          answered(setCallback(request.world, machine, 'update', url), () => succeeded('Callback updated', {url})),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/delete-callback`,
    summary: 'Delete the callback URL of a virtual machine',
    requires: operates('delete callbacks'),
    refusals: [400],
    answer: request =>
      withMachine(request, machine =>
        answered(removeCallback(request.world, machine), () => succeeded('Callback deleted')),
      ),
  }),
  route({
    method: 'PATCH',
    path: `${PATH}/enhanced-metrics`,
    summary: 'Turn enhanced monitoring of a virtual machine on or off',
    requires: operates('change enhanced monitoring'),
    body: z.strictObject({enabled: FLAG}),
    reply: envelope({metrics: z.object({enabled: FLAG}), install_command: TEXT.optional()}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({enabled}) => {
          request.world.executed('enhanced-metrics', machine.id);
          // The agent has to be installed in the machine by hand.
          const command = {install_command: `curl -fsSL https://agent.example.invalid/${machine.id} | sudo sh`};
          return succeeded('Enhanced metrics updated', {metrics: {enabled}, ...(enabled ? command : {})});
        }),
      ),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/label`,
    summary: 'Set the labels of a virtual machine',
    requires: operates('label virtual machines'),
    body: z.strictObject({labels: z.array(EXISTING_NAME)}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({labels}) =>
          answered(relabel(request.world, machine, labels), () => succeeded('Labels updated')),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/attach-firewalls`,
    // The list is the full set: a firewall left out is detached.
    summary: 'Set the firewalls of a virtual machine',
    requires: operates('attach firewalls'),
    body: z.strictObject({firewalls: z.array(ID)}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({firewalls}) =>
          answered(setFirewalls(request.world, machine, firewalls), () =>
            succeeded('Attaching firewalls to virtual machine'),
          ),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: `${PATH}/sg-rules`,
    summary: 'Add a rule to a virtual machine',
    requires: RULES,
    body: RULE_REQUEST,
    reply: envelope({security_rule: RULE}),
    refusals: [409],
    answer: request => withMachine(request, machine => addRuleTo(request, {kind: 'machine', machine}, 'security_rule')),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/sg-rules/:rule_id`,
    summary: 'Remove a rule from a virtual machine',
    requires: RULES,
    answer: request => withMachine(request, machine => removeRuleFrom(request, {kind: 'machine', machine})),
  }),
  // Results that are requested first and fetched later: the console's address, and logs.
  route({
    method: 'GET',
    path: `${PATH}/request-console`,
    summary: 'Request the console of a virtual machine',
    requires: CONSOLES,
    reply: envelope({url: TEXT}),
    refusals: [400],
    // The path lacks the version prefix and is the only place with the job's id.
    answer: request =>
      withMachine(request, machine =>
        answered(requestConsole(request.world, machine, request.caller.user.id), job =>
          succeeded('Console requested', {url: `/core/virtual-machines/${machine.id}/console/${job}`}),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: `${PATH}/console/:job_id`,
    summary: 'Fetch the address of a console',
    requires: CONSOLES,
    reply: envelope({vnc_url: z.object({id: ID, vnc_url: TEXT}).nullable()}),
    answer: request =>
      withMachine(request, machine => {
        const id = request.param('job_id');
        const job = findJob(request.world, 'console', machine, idIn(id));
        if (job === undefined) return notFound(`Console ${id} does not exist.`);
        if (job.content === undefined) return notReady('The console is not ready yet.', 'vnc_url');
        return succeeded('Getting console successful', {vnc_url: {id: job.id, vnc_url: job.content}});
      }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/logs`,
    summary: 'Request the logs of a virtual machine',
    requires: LOGS,
    body: z.strictObject({length: optional(z.int().min(1).max(MOST_LINES))}),
    reply: envelope({request_id: ID}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({length = USUAL_LINES}) =>
          answered(requestLogs(request.world, machine, length), id => succeeded('Logs requested', {request_id: id})),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: `${PATH}/logs`,
    summary: 'Fetch requested logs',
    requires: LOGS,
    query: z.object({request_id: ID}),
    reply: envelope({logs: TEXT.nullable()}),
    answer: request =>
      withMachine(request, machine => {
        const id = request.query('request_id');
        if (id === undefined) return invalidInput({request_id: 'is a required parameter'});
        const job = findJob(request.world, 'logs', machine, idIn(id));
        if (job === undefined) return notFound(`The request ${id} for logs does not exist.`);
        if (job.content === undefined) return notReady('The logs are not ready yet.', 'logs');
        return succeeded('Getting logs successful', {logs: job.content});
      }),
  }),
];

function operates(action: string): Route['requires'] & object {
  return {permission: 'machines:operate', action};
}

// The answer is a 200 that says it failed.
function notReady(message: string, key: 'vnc_url' | 'logs'): Response {
  return json({status: false, message, [key]: null});
}
