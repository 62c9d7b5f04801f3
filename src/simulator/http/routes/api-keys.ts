import * as z from 'zod';
import {type ApiKey, deleteApiKey, generateApiKey, updateApiKey} from '../../world/api-keys.ts';
import {answered, notFound, succeeded} from '../answers.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, ID, optional, READABLE_NAME, TEXT, text} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

// The keys of the calling user; nobody sees those of others.

const OPERATES = {permission: 'access:operate', action: 'change API keys'} as const;

const API_KEY = z.object({id: ID, name: TEXT, description: TEXT, key: TEXT, created_at: TEXT});
const API_KEY_REQUEST = z.strictObject({name: READABLE_NAME, description: optional(text(0, 250))});

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api-key',
    summary: 'List your API keys',
    reply: envelope({api_keys: z.array(API_KEY)}),
    answer: ({world, caller}) =>
      succeeded('Getting API keys successful', {
        api_keys: world.apiKeys.filter(({userId}) => userId === caller.user.id).map(apiKeyBody),
      }),
  }),
  route({
    method: 'POST',
    path: '/api-key/generate',
    summary: 'Generate an API key',
    requires: OPERATES,
    body: API_KEY_REQUEST,
    reply: envelope({api_key: API_KEY}),
    refusals: [409],
    answer: ({world, caller, read}) =>
      read(({name, description = ''}) =>
        answered(generateApiKey(world, {name, description}, caller.user.id), apiKey =>
          succeeded('API key generated', {api_key: apiKeyBody(apiKey)}),
        ),
      ),
  }),
  route({
    method: 'PUT',
    path: '/api-key/:api_key_id',
    summary: 'Rename an API key',
    requires: OPERATES,
    body: API_KEY_REQUEST,
    reply: envelope({api_key: API_KEY}),
    refusals: [409],
    answer: request =>
      withApiKey(request, apiKey =>
        request.read(({name, description = ''}) =>
          answered(updateApiKey(request.world, apiKey, {name, description}), changed =>
            succeeded('API key updated', {api_key: apiKeyBody(changed)}),
          ),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/api-key/:api_key_id',
    summary: 'Delete an API key',
    requires: OPERATES,
    answer: request =>
      withApiKey(request, apiKey => answered(deleteApiKey(request.world, apiKey), () => succeeded('API key deleted'))),
  }),
];

function withApiKey(
  {world, caller, param}: Pick<RouteRequest, 'world' | 'caller' | 'param'>,
  answer: (apiKey: ApiKey) => Response,
): Response {
  const apiKey = world.apiKeys.find(({id, userId}) => String(id) === param('api_key_id') && userId === caller.user.id);
  return apiKey === undefined ? notFound(`API key ${param('api_key_id')} does not exist.`) : answer(apiKey);
}

function apiKeyBody({id, name, description, key, createdAt}: ApiKey): z.output<typeof API_KEY> {
  return {id, name, description, key, created_at: zuluTimestamp(createdAt)};
}
