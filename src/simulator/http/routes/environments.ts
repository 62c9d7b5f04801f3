import {REGIONS} from '../../world/catalogue.ts';
import type {Environment} from '../../world/environments.ts';
import {
  createEnvironment as createWorldEnvironment,
  deleteEnvironment,
  networkNumber,
  renameEnvironment as rename,
} from '../../world/environments.ts';
import {MACHINES_PER_ENVIRONMENT} from '../../world/machine-creation.ts';
import {invalidInput, json, notFound, succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import {pageOf} from '../paging.ts';
import {ENVIRONMENT} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, INTEGER, NAME, NUMBER, PAGE_QUERY, pagedList, TEXT} from '../schema.ts';
import {environmentBody} from './environment-body.ts';
import {answered} from './outcome-answer.ts';

const READS = {permission: 'machines:read', action: 'read environments'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change environments'} as const;
const CREATION = fields({name: NAME, region: TEXT});
const RENAMING = fields({name: NAME});

export const environmentRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/environments',
    requires: {permission: 'machines:read', action: 'list environments'},
    describes: {summary: 'List environments', query: PAGE_QUERY, reply: pagedList('environments', ENVIRONMENT)},
    answer: listEnvironments,
  },
  {
    method: 'POST',
    pattern: '/core/environments',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Create an environment in a region',
      body: CREATION,
      reply: envelope({environment: ENVIRONMENT}),
      refusals: [404, 409],
    },
    answer: createEnvironment,
  },
  {
    method: 'GET',
    pattern: '/core/environments/:id',
    requires: READS,
    describes: {summary: 'Read an environment', reply: envelope({environment: ENVIRONMENT})},
    answer: inquiry =>
      withEnvironment(inquiry, environment =>
        succeeded('Getting environment successful', {environment: environmentBody(environment)}),
      ),
  },
  {
    method: 'PUT',
    pattern: '/core/environments/:id',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Rename an environment',
      body: RENAMING,
      reply: envelope({environment: ENVIRONMENT}),
      refusals: [409],
    },
    answer: inquiry => withEnvironment(inquiry, environment => renameEnvironment(inquiry, environment)),
  },
  {
    method: 'DELETE',
    pattern: '/core/environments/:id',
    requires: OPERATES,
    describes: {summary: 'Delete an empty environment', refusals: [405]},
    answer: inquiry =>
      withEnvironment(inquiry, environment =>
        answered(deleteEnvironment(inquiry.world, environment), () => succeeded('Environment deleted')),
      ),
  },
  {
    method: 'GET',
    pattern: '/core/environments/:id/vm-quota',
    requires: READS,
    describes: {
      summary: 'Read how many machines an environment has room for',
      reply: fields({
        current_vms: INTEGER,
        max_vms: INTEGER,
        available_vms: INTEGER,
        percentage_used: NUMBER,
        cidr: TEXT,
      }),
    },
    answer: inquiry => withEnvironment(inquiry, environment => quotaOf(inquiry, environment)),
  },
];

function withEnvironment({world, part}: Inquiry, answer: (environment: Environment) => Response): Response {
  const environment = world.environments.find(({id}) => String(id) === part('id'));
  return environment === undefined ? notFound(`The environment ${part('id')} does not exist.`) : answer(environment);
}

function listEnvironments({world, query}: Inquiry): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const found = world.environments.filter(({id, name, regionName}) =>
    [String(id), name, regionName].some(text => text.toLowerCase().includes(search)),
  );
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting environments successful', {
    ...page.keys,
    environments: page.records.map(environmentBody),
  });
}

function createEnvironment({world, body}: Inquiry): Response {
  const reading = readBody(body, CREATION);
  if (!reading.isValid) return reading.refusal;
  const region = REGIONS.find(({name}) => name === reading.fields.text('region'));
  if (region === undefined) return notFound(`The region '${reading.fields.text('region')}' does not exist.`);
  const outcome = createWorldEnvironment(world, {name: reading.fields.text('name') ?? '', regionName: region.name});
  return answered(outcome, environment =>
    succeeded('Environment created', {environment: environmentBody(environment)}),
  );
}

function renameEnvironment({world, body}: Inquiry, environment: Environment): Response {
  const reading = readBody(body, RENAMING);
  if (!reading.isValid) return reading.refusal;
  return answered(rename(world, environment, reading.fields.text('name') ?? ''), renamed =>
    succeeded('Environment updated', {environment: environmentBody(renamed)}),
  );
}

// This answer has no envelope.
function quotaOf({world}: Inquiry, environment: Environment): Response {
  const current = world.machines.filter(machine => machine.environment.id === environment.id).length;
  return json({
    current_vms: current,
    max_vms: MACHINES_PER_ENVIRONMENT,
    available_vms: Math.max(0, MACHINES_PER_ENVIRONMENT - current),
    percentage_used: Math.round((current / MACHINES_PER_ENVIRONMENT) * 10_000) / 100,
    cidr: `10.0.${networkNumber(environment)}.0/24`,
  });
}
