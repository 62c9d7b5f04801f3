import * as z from 'zod';
import {
  createFirewall,
  deleteFirewall,
  type Firewall,
  type FirewallAttachment,
  setMachines,
} from '../../world/firewalls.ts';
import {PROTOCOLS} from '../../world/rules.ts';
import type {World} from '../../world/world.ts';
import {answered, notFound, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, ID, NAME, optional, PAGE_QUERY, pagedList, TEXT, text} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {ENVIRONMENT, environmentFeatures} from './environments.ts';
import {addRuleTo, RULE, RULE_REQUEST, removeRuleFrom, ruleBody} from './rules.ts';

const READS = {permission: 'firewalls:read', action: 'read firewalls'} as const;
const OPERATES = {permission: 'firewalls:operate', action: 'change firewalls'} as const;

/** The reply to a creation omits rules and attachments, although the new firewall has its two rules. */
const NEW_FIREWALL = z.object({
  id: ID,
  name: TEXT,
  description: TEXT,
  environment: ENVIRONMENT.omit({created_at: true}),
  status: TEXT,
  created_at: TEXT,
});
const ATTACHMENT = z.object({
  id: ID,
  status: TEXT,
  created_at: TEXT,
  vm: z.object({id: ID, name: TEXT, environment: TEXT, flavor: TEXT, status: TEXT, created_at: TEXT}),
});
const FIREWALL = NEW_FIREWALL.extend({rules: z.array(RULE), attachments: z.array(ATTACHMENT)});

export const firewallRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/firewalls',
    summary: 'List firewalls',
    isTimeless: true,
    requires: READS,
    query: PAGE_QUERY.extend({environment: TEXT.optional()}),
    reply: pagedList('firewalls', FIREWALL),
    answer: request => {
      const {world, query} = request;
      const place = query('environment');
      const isFound = finder(request);
      const found = world.firewalls.filter(
        ({id, name, environment}) => (place === undefined || environment.name === place) && isFound(name, id),
      );
      return answerPage(request, found, {
        message: 'Getting firewalls successful',
        name: 'firewalls',
        bodyOf: firewall => firewallBody(firewall, world),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/core/firewalls/:firewall_id',
    summary: 'Read a firewall with its rules and attachments',
    requires: READS,
    reply: envelope({firewall: FIREWALL}),
    answer: request =>
      withFirewall(request, firewall =>
        succeeded('Getting firewall successful', {firewall: firewallBody(firewall, request.world)}),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/firewalls',
    summary: 'Create a firewall in an environment',
    requires: OPERATES,
    body: z.strictObject({name: NAME, environment_id: ID, description: optional(text(0, 255))}),
    reply: envelope({firewall: NEW_FIREWALL}),
    refusals: [404, 409],
    answer: ({world, read}) =>
      read(({name, environment_id: environmentId, description = ''}) =>
        answered(createFirewall(world, {name, description, environmentId}), firewall =>
          succeeded('Firewall creation scheduled', {firewall: newFirewallBody(firewall)}),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/firewalls/:firewall_id',
    summary: 'Delete a firewall',
    requires: OPERATES,
    refusals: [400],
    answer: request =>
      withFirewall(request, firewall =>
        answered(deleteFirewall(request.world, firewall), () => succeeded('Firewall deletion scheduled')),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/firewalls/:firewall_id/update-attachments',
    // The list is the full set: a machine left out is detached.
    summary: 'Set the virtual machines behind a firewall',
    requires: OPERATES,
    body: z.strictObject({vms: z.array(ID)}),
    answer: request =>
      withFirewall(request, firewall =>
        request.read(({vms}) =>
          answered(setMachines(request.world, firewall, vms), () => succeeded('Firewall attachment update scheduled')),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/firewalls/:firewall_id/firewall-rules',
    summary: 'Add a rule to a firewall',
    requires: OPERATES,
    body: RULE_REQUEST,
    reply: envelope({firewall_rule: RULE}),
    refusals: [409],
    answer: request =>
      withFirewall(request, firewall => addRuleTo(request, {kind: 'firewall', firewall}, 'firewall_rule')),
  }),
  route({
    method: 'DELETE',
    path: '/core/firewalls/:firewall_id/firewall-rules/:rule_id',
    summary: 'Remove a rule from a firewall',
    requires: OPERATES,
    answer: request => withFirewall(request, firewall => removeRuleFrom(request, {kind: 'firewall', firewall})),
  }),
  route({
    method: 'GET',
    path: '/core/sg-rules-protocols',
    summary: 'List the protocols of rules',
    reply: envelope({protocols: z.array(TEXT)}),
    answer: () => succeeded('Getting protocols successful', {protocols: PROTOCOLS}),
  }),
];

/** Answers about the firewall in the path, or says that there is none. */
function withFirewall(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (firewall: Firewall) => Response,
): Response {
  const firewall = world.firewalls.find(({id}) => String(id) === param('firewall_id'));
  return firewall === undefined ? notFound(`Firewall ${param('firewall_id')} does not exist.`) : answer(firewall);
}

function firewallBody(firewall: Firewall, world: World): z.output<typeof FIREWALL> {
  return {
    ...newFirewallBody(firewall),
    rules: firewall.rules.map(ruleBody),
    attachments: firewall.attachments.flatMap(attachment => attachmentBody(attachment, world)),
  };
}

function newFirewallBody(firewall: Firewall): z.output<typeof NEW_FIREWALL> {
  const {environment} = firewall;
  return {
    id: firewall.id,
    name: firewall.name,
    description: firewall.description,
    environment: {
      id: environment.id,
      name: environment.name,
      region: environment.regionName,
      features: environmentFeatures(environment),
    },
    status: firewall.status,
    created_at: zuluTimestamp(firewall.createdAt),
  };
}

/** An attachment ends when its machine is deleted. */
function attachmentBody(
  {id, machineId, createdAt, status}: FirewallAttachment,
  world: World,
): z.output<typeof ATTACHMENT>[] {
  const machine = world.machineById(machineId);
  if (machine === undefined) return [];
  const vm = {
    id: machine.id,
    name: machine.name,
    environment: machine.environment.name,
    flavor: machine.flavor.name,
    status: machine.status,
    created_at: bareTimestamp(machine.createdAt),
  };
  return [{id, status, created_at: zuluTimestamp(createdAt), vm}];
}
