import type * as z from 'zod';
import type {Caller, Permission} from '../world/account.ts';
import type {World} from '../world/world.ts';
import {internalError, invalidInput, unknownFields} from './answers.ts';
import {complaint, PLAIN_ENVELOPE} from './schema.ts';

/** One endpoint: a row of the interface table, as served and as described in the OpenAPI document. */
export type Route = Description & {readonly answer: (request: RawRequest) => Response};

type Description = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL. */
  readonly path: string;
  readonly summary: string;
  /** The permission the caller's role needs, and its name in a refusal; absent if any key may call it. */
  readonly requires?: {readonly permission: Permission; readonly action: string};
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body of a success. */
  readonly reply: z.ZodType;
  readonly replyStatus: 200 | 201;
  /** Its answer stays the same until something happens, however much time passes, so an answer may be reused. */
  readonly isTimeless?: true;
  /** Status codes beyond those of every endpoint and those that follow from path, query, body and role. */
  readonly refusals: readonly number[];
};

/** One request, as a route sees it. */
export type RouteRequest<Body extends z.ZodType = z.ZodType> = {
  readonly world: World;
  readonly caller: Caller;
  /** Path parameters, by their names in the route's path. */
  readonly param: (name: string) => string;
  readonly query: (name: string) => string | undefined;
  /** All values of a parameter that may be repeated. */
  readonly queryAll: (name: string) => readonly string[];
  /**
   * Validates the body: answers with what was sent, or with what is wrong. Objects named in the path are looked up
   * first, as the service does.
   */
  readonly read: (answer: (body: z.output<Body>) => Response) => Response;
  /** Every endpoint, for routes that list the others. */
  readonly routes: readonly Route[];
};

/** The parsed JSON body; undefined if the route takes none. */
type RawRequest = Omit<RouteRequest, 'read'> & {readonly body: unknown};

type Definition<Body extends z.ZodType> = Pick<Description, 'method' | 'path' | 'summary'> &
  Partial<Omit<Description, 'body'>> & {
    readonly body?: Body;
    /** Answers an invalid body, if this part of the service has its own form for that. */
    readonly refuse?: Refuse;
    readonly answer: (request: RouteRequest<Body>) => Response;
  };

type Refuse = (issues: readonly z.core.$ZodIssue[]) => Response;

/** A route from its definition; by default 200 and the plain reply form. */
export function route<Body extends z.ZodType>(definition: Definition<Body>): Route {
  const {body: schema, refuse = refuseFields, answer, ...described} = definition;
  return {
    reply: PLAIN_ENVELOPE,
    replyStatus: 200,
    refusals: [],
    ...described,
    ...(schema === undefined ? {} : {body: schema}),
    answer: ({body, ...request}) =>
      answer({
        ...request,
        read: next => {
          const result = schema?.safeParse(body, {error: complaint, reportInput: true});
          if (result === undefined) return internalError();
          return result.success ? next(result.data) : refuse(result.error.issues);
        },
      }),
  };
}

/**
 * A body is checked in two steps, each with its own error form: unknown fields first, then each field by itself,
 * reporting its first complaint.
 */
function refuseFields(issues: readonly z.core.$ZodIssue[]): Response {
  const unknown = issues.flatMap(issue =>
    issue.code === 'unrecognized_keys' ? issue.keys.map(key => [...issue.path, key].join('.')) : [],
  );
  if (unknown.length > 0) return unknownFields(unknown);
  const errors = new Map<string, string>();
  for (const {path, message} of issues) {
    const [field, words] = fieldComplaint(path, message);
    if (!errors.has(field)) errors.set(field, words);
  }
  return invalidInput(Object.fromEntries(errors));
}

/** A field of a listed object is reported by its own name; one of another inner object is part of the complaint. */
function fieldComplaint(path: readonly PropertyKey[], message: string): readonly [field: string, words: string] {
  const [field, inner, ...rest] = path;
  if (field === undefined) return ['body', 'must be an object'];
  if (typeof inner === 'number' && rest.length > 0) return [path.map(String).join('.'), message];
  const isWhole = inner === undefined || typeof inner === 'number' || message.startsWith(`'${String(inner)}' is a `);
  return [String(field), isWhole ? message : `${String(inner)}: ${message}`];
}

/** An id from a path; 0, which nothing has, if it is not a number. */
export function idIn(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
