import * as z from 'zod';
import {REGIONS} from '../../world/catalogue.ts';
import {
  createEnvironment,
  deleteEnvironment,
  type Environment,
  networkNumber,
  renameEnvironment,
} from '../../world/environments.ts';
import {MACHINES_PER_ENVIRONMENT} from '../../world/machine-creation.ts';
import {answered, json, notFound, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, FLAG, ID, INTEGER, NUMBER, PAGE_QUERY, pagedList, READABLE_NAME, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

const READS = {permission: 'machines:read', action: 'read environments'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change environments'} as const;

export const ENVIRONMENT = z.object({
  id: ID,
  name: TEXT,
  region: TEXT,
  created_at: TEXT,
  features: z.object({network_optimised: FLAG, green_status: TEXT}),
});

/** This answer is a bare object. */
export const NAME_AVAILABILITY = z.object({name: TEXT, available: FLAG, message: TEXT});
const QUOTA = z.object({
  current_vms: INTEGER,
  max_vms: INTEGER,
  available_vms: INTEGER,
  percentage_used: NUMBER,
  cidr: TEXT,
});

export const environmentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/environments',
    summary: 'List environments',
    requires: {permission: 'machines:read', action: 'list environments'},
    query: PAGE_QUERY,
    reply: pagedList('environments', ENVIRONMENT),
    answer: request => {
      const isFound = finder(request);
      const found = request.world.environments.filter(({id, name, regionName}) => isFound(id, name, regionName));
      return answerPage(request, found, {
        message: 'Getting environments successful',
        name: 'environments',
        bodyOf: environmentBody,
      });
    },
  }),
  route({
    method: 'POST',
    path: '/core/environments',
    summary: 'Create an environment in a region',
    requires: OPERATES,
    body: z.strictObject({name: READABLE_NAME, region: TEXT}),
    reply: envelope({environment: ENVIRONMENT}),
    refusals: [404, 409],
    answer: ({world, read}) =>
      read(({name, region: regionName}) => {
        const region = REGIONS.find(each => each.name === regionName);
        if (region === undefined) return notFound(`The region '${regionName}' does not exist.`);
        return answered(createEnvironment(world, {name, regionName: region.name}), environment =>
          succeeded('Environment created', {environment: environmentBody(environment)}),
        );
      }),
  }),
  route({
    method: 'GET',
    path: '/core/environments/name-availability/:name',
    summary: 'Check whether a name is free for an environment',
    requires: READS,
    reply: NAME_AVAILABILITY,
    answer: ({world, param}) => availability(param('name'), world.environments),
  }),
  route({
    method: 'GET',
    path: '/core/environments/:id',
    summary: 'Read an environment',
    requires: READS,
    reply: envelope({environment: ENVIRONMENT}),
    answer: request =>
      withEnvironment(request, environment =>
        succeeded('Getting environment successful', {environment: environmentBody(environment)}),
      ),
  }),
  route({
    method: 'PUT',
    path: '/core/environments/:id',
    summary: 'Rename an environment',
    requires: OPERATES,
    body: z.strictObject({name: READABLE_NAME}),
    reply: envelope({environment: ENVIRONMENT}),
    refusals: [409],
    answer: request =>
      withEnvironment(request, environment =>
        request.read(({name}) =>
          answered(renameEnvironment(request.world, environment, name), renamed =>
            succeeded('Environment updated', {environment: environmentBody(renamed)}),
          ),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/environments/:id',
    summary: 'Delete an empty environment',
    requires: OPERATES,
    refusals: [405],
    answer: request =>
      withEnvironment(request, environment =>
        answered(deleteEnvironment(request.world, environment), () => succeeded('Environment deleted')),
      ),
  }),
  route({
    method: 'GET',
    path: '/core/environments/:id/vm-quota',
    summary: 'Read the machine quota of an environment',
    requires: READS,
    // This answer is a bare object.
    reply: QUOTA,
    answer: request =>
      withEnvironment(request, environment => {
        const {machines} = request.world;
        return json(quotaBody(environment, machines.filter(machine => machine.environment === environment).length));
      }),
  }),
];

/** Whether none of these has the name. */
export function availability(name: string, taken: readonly {readonly name: string}[]): Response {
  const available = taken.every(each => each.name !== name);
  return json({name, available, message: `The name ${name} is ${available ? 'available' : 'taken'}.`});
}

/** An environment by itself and as contained in key pairs. */
export function environmentBody(environment: Environment): z.output<typeof ENVIRONMENT> {
  return {
    id: environment.id,
    name: environment.name,
    region: environment.regionName,
    created_at: zuluTimestamp(environment.createdAt),
    features: environmentFeatures(environment),
  };
}

/** The features of an environment are those of its region. */
export function environmentFeatures({regionName}: Environment): z.output<typeof ENVIRONMENT>['features'] {
  return FEATURES.get(regionName) ?? {network_optimised: false, green_status: 'NOT_GREEN'};
}

const FEATURES = new Map(
  REGIONS.map(({name, greenStatus}) => [name, {network_optimised: name === 'CANADA-1', green_status: greenStatus}]),
);

function withEnvironment(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (environment: Environment) => Response,
): Response {
  const environment = world.environments.find(({id}) => String(id) === param('id'));
  return environment === undefined ? notFound(`The environment ${param('id')} does not exist.`) : answer(environment);
}

function quotaBody(environment: Environment, current: number): z.output<typeof QUOTA> {
  return {
    current_vms: current,
    max_vms: MACHINES_PER_ENVIRONMENT,
    available_vms: Math.max(0, MACHINES_PER_ENVIRONMENT - current),
    percentage_used: Math.round((current / MACHINES_PER_ENVIRONMENT) * 10_000) / 100,
    cidr: `10.0.${networkNumber(environment)}.0/24`,
  };
}
