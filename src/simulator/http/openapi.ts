import * as z from 'zod';
import {json} from './answers.ts';
import {type Route, route} from './route.ts';
import {FLAG, RECORD, TEXT} from './schema.ts';

const TITLE = 'Cloud infrastructure service, simulated';
const SCHEMA_PLACE = '#/components/schemas/';
const SUMMARIES: Readonly<Record<number, string>> = {
  200: 'Done, or scheduled.',
  201: 'Created.',
  400: 'The request is malformed, or the resource is in the wrong state.',
  401: 'The api_key header is missing or names no valid key.',
  402: 'The balance does not allow it.',
  403: "The role of the key's user does not allow it.",
  404: 'Nothing has that id or name.',
  405: 'Something else must be removed first, or the method is not allowed.',
  406: 'A parameter has an unknown value.',
  409: 'It exists already.',
  422: 'The request could not be processed.',
  429: 'Too many requests in this minute.',
  500: 'The service failed.',
};

// One code can come with several bodies; the fields of each describe what clients must cope with.
const ERRORS = {
  Error: z.object({status: FLAG, message: TEXT, error_reason: TEXT.optional()}),
  ValidationError: z.object({errors: RECORD.meta({description: 'An error for each field.'}), message: TEXT}),
  UnknownFieldsError: z.object({status: FLAG, errors: RECORD.meta({description: 'A list of errors for each field.'})}),
  MessageError: z.object({message: TEXT}),
  DetailError: z.object({detail: z.array(RECORD)}),
};

const BODIES: Readonly<Record<number, readonly (keyof typeof ERRORS)[]>> = {
  422: ['DetailError'],
  500: ['Error', 'MessageError'],
};

/** The interface as served, described by its own table. */
export function openApiRoute(basePath: string): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this description of every endpoint',
    reply: RECORD,
    answer: ({routes}) => json(openApiOf(routes, basePath)),
  });
}

/** The OpenAPI document of a table of endpoints. */
export function openApiOf(routes: readonly Route[], basePath: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const each of routes) {
    const path = each.path.replaceAll(/:([a-z_]+)/g, '{$1}');
    paths[path] = {...paths[path], [each.method.toLowerCase()]: operationOf(each)};
  }
  return {
    openapi: '3.0.3',
    info: {title: TITLE, version: basePath.replace('/', '')},
    servers: [{url: basePath}],
    security: [{apiKey: []}],
    components: {
      securitySchemes: {apiKey: {type: 'apiKey', in: 'header', name: 'api_key'}},
      schemas: Object.fromEntries(Object.entries(ERRORS).map(([name, schema]) => [name, jsonSchemaOf(schema)])),
    },
    paths,
  };
}

function operationOf(described: Route) {
  const {method, path, summary, requires, body} = described;
  return {
    // Unique, as method and path are: `get-core-keypair-id`.
    operationId: [method.toLowerCase(), ...path.split(/[/:.]+/)].filter(part => part !== '').join('-'),
    summary,
    tags: [path.split('/')[1] ?? ''],
    ...(requires === undefined ? {} : {'x-required-permission': requires.permission}),
    parameters: [...pathParameters(path), ...queryParameters(described)],
    ...(body === undefined ? {} : {requestBody: {required: true, content: asJson(jsonSchemaOf(body))}}),
    responses: responsesOf(described),
  };
}

function pathParameters(path: string) {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: {type: /id$/.test(name) ? 'integer' : 'string'},
  }));
}

function queryParameters({query}: Route) {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !(schema instanceof z.ZodOptional),
    schema: jsonSchemaOf(schema instanceof z.ZodOptional ? schema.unwrap() : schema),
  }));
}

function responsesOf(described: Route): Readonly<Record<string, unknown>> {
  const {reply, replyStatus} = described;
  const refusals = refusalsOf(described).map(code => [String(code), refusalOf(code, described)]);
  return {
    [replyStatus]: {description: SUMMARIES[replyStatus], content: asJson(jsonSchemaOf(reply))},
    ...Object.fromEntries(refusals),
  };
}

function refusalsOf({path, requires, query, body, refusals}: Route): number[] {
  const codes = [
    ...(body !== undefined || query !== undefined ? [400] : []),
    401,
    ...(requires === undefined ? [] : [403]),
    ...(path.includes(':') ? [404] : []),
    ...refusals,
    429,
    500,
  ];
  return [...new Set(codes)].toSorted((left, right) => left - right);
}

function refusalOf(code: number, {body}: Route) {
  const names = BODIES[code] ?? ['Error', ...(code === 400 ? ['ValidationError'] : [])];
  const all = code === 400 && body !== undefined ? [...names, 'UnknownFieldsError'] : names;
  const references = all.map(name => ({$ref: SCHEMA_PLACE + name}));
  const schema = references.length === 1 ? references[0] : {anyOf: references};
  return {description: SUMMARIES[code] ?? 'Refused.', content: asJson(schema)};
}

function asJson(schema: object | undefined) {
  return {'application/json': {schema}};
}

/** For clients: a request may leave out what is optional, and an answer may contain more than is described. */
function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({jsonSchema}) => {
      // Every integer is a safe one; repeating the bounds everywhere would be noise.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
