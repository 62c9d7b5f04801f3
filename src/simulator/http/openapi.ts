import type {Description, Route} from './route.ts';
import {envelope, FLAG, fields, RECORD, type Schema, TEXT} from './schema.ts';

const TITLE = 'Cloud infrastructure service, simulated';
const SCHEMA_PLACE = '#/components/schemas/';
const SUMMARIES: Readonly<Record<number, string>> = {
  200: 'Done, or scheduled.',
  201: 'Created.',
  400: 'The request is malformed, or the resource is in the wrong state.',
  401: 'The api_key header is missing or names no valid key.',
  402: 'The balance does not allow it.',
  403: "The role of the key's user does not allow it.",
  404: 'There is nothing of that id or name.',
  405: 'Something stands against it.',
  406: 'A parameter has a value that is not known.',
  409: 'It exists already.',
  422: 'The request could not be processed.',
  429: 'Too many requests in this minute.',
  500: 'The service failed.',
};

// One code can come with several bodies; what each looks like is data that clients must cope with.
const SCHEMAS = {
  Error: fields({status: FLAG, message: TEXT}, {error_reason: TEXT}),
  ValidationError: fields({errors: {type: 'object', description: 'A complaint for each field.'}, message: TEXT}),
  UnknownFieldsError: fields({status: FLAG, errors: {type: 'object', description: 'A list of complaints for each.'}}),
  MessageError: fields({message: TEXT}),
  DetailError: fields({detail: {type: 'array', items: RECORD}}),
} as const;

const BODIES: Readonly<Record<number, readonly (keyof typeof SCHEMAS)[]>> = {
  422: ['DetailError'],
  500: ['Error', 'MessageError'],
};

/** The OpenAPI document of a table of endpoints. One without a description is told by its method and path alone. */
export function openApiOf(routes: readonly Route[], basePath: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.pattern.replaceAll(/:([a-z_]+)/g, '{$1}');
    paths[path] = {...paths[path], [route.method.toLowerCase()]: operationOf(route)};
  }
  return {
    openapi: '3.0.3',
    info: {title: TITLE, version: basePath.replace('/', '')},
    servers: [{url: basePath}],
    security: [{apiKey: []}],
    components: {
      securitySchemes: {apiKey: {type: 'apiKey', in: 'header', name: 'api_key'}},
      schemas: SCHEMAS,
    },
    paths,
  };
}

function operationOf(route: Route) {
  const {describes, requires} = route;
  return {
    operationId: operationIdOf(route),
    summary: describes?.summary ?? `${route.method} ${route.pattern}`,
    tags: [route.pattern.split('/')[1] ?? ''],
    ...(requires === undefined ? {} : {'x-required-permission': requires.permission}),
    parameters: [...pathParameters(route), ...queryParameters(describes)],
    ...(route.takesBody === true ? {requestBody: {required: true, content: asJson(describes?.body ?? RECORD)}} : {}),
    responses: responsesOf(route),
  };
}

function pathParameters({pattern}: Route) {
  return [...pattern.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: {type: /id$/.test(name) ? 'integer' : 'string'},
  }));
}

function queryParameters(describes: Description | undefined) {
  return Object.entries(describes?.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: describes?.requiredQuery?.includes(name) ?? false,
    schema,
  }));
}

function responsesOf(route: Route): Readonly<Record<string, unknown>> {
  const {describes} = route;
  const success = describes?.replyStatus ?? 200;
  const refusals = refusalsOf(route).map(code => [String(code), refusalOf(code, route)]);
  return {
    [success]: {description: SUMMARIES[success], content: asJson(describes?.reply ?? envelope())},
    ...Object.fromEntries(refusals),
  };
}

function refusalsOf({pattern, requires, takesBody, describes}: Route): number[] {
  const hasQuery = describes?.query !== undefined;
  const codes = [
    ...(takesBody === true || hasQuery ? [400] : []),
    401,
    ...(requires === undefined ? [] : [403]),
    ...(pattern.includes(':') ? [404] : []),
    ...(describes?.refusals ?? []),
    429,
    500,
  ];
  return [...new Set(codes)].toSorted((left, right) => left - right);
}

function refusalOf(code: number, {takesBody}: Route) {
  const names = BODIES[code] ?? ['Error', ...(code === 400 ? ['ValidationError'] : [])];
  const all = code === 400 && takesBody === true ? [...names, 'UnknownFieldsError'] : names;
  const references = all.map(name => ({$ref: SCHEMA_PLACE + name}));
  const schema = references.length === 1 ? references[0] : {anyOf: references};
  return {description: SUMMARIES[code] ?? 'Refused.', content: {'application/json': {schema}}};
}

function asJson(schema: Schema) {
  return {'application/json': {schema}};
}

/** `get-core-keypair-id`: unique, as method and path are. */
function operationIdOf({method, pattern}: Route): string {
  return [method.toLowerCase(), ...pattern.split(/[/:.]+/)].filter(part => part !== '').join('-');
}
