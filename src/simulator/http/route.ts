import type * as z from 'zod';
import type {Caller, Permission} from '../world/account.ts';
import type {World} from '../world/world.ts';
import {internalError, invalidInput, unknownFields} from './answers.ts';
import {complaint, PLAIN_ENVELOPE} from './schema.ts';

/** One endpoint: a line of the interface's table, as it is served and as the OpenAPI document describes it. */
export type Route = Description & {readonly answer: (request: RawRequest) => Response};

type Description = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL. */
  readonly path: string;
  readonly summary: string;
  /** What the caller's role must allow, and how a refusal names it; absent where any key will do. */
  readonly requires?: {readonly permission: Permission; readonly action: string};
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What a success holds. */
  readonly reply: z.ZodType;
  readonly replyStatus: 200 | 201;
  /** Reads the same until something happens, however much time passes, so an answer may be given again. */
  readonly isTimeless?: true;
  /** Codes of refusals beyond those of every endpoint and those that follow from path, query, body and role. */
  readonly refusals: readonly number[];
};

/** One request, as a route sees it. */
export type RouteRequest<Body extends z.ZodType = z.ZodType> = {
  readonly world: World;
  readonly caller: Caller;
  /** Parts of the path, by the names in the route's path. */
  readonly param: (name: string) => string;
  readonly query: (name: string) => string | undefined;
  /** Each value of a parameter that may be repeated. */
  readonly queryAll: (name: string) => readonly string[];
  /** Answers with what was sent, or says what is wrong with it. What the path names is looked up before, as the service does. */
  readonly read: (answer: (body: z.output<Body>) => Response) => Response;
  /** Every endpoint there is, for those that tell of the others. */
  readonly routes: readonly Route[];
};

/** Its body is the parsed JSON; undefined where the route takes none. */
type RawRequest = Omit<RouteRequest, 'read'> & {readonly body: unknown};

type Definition<Body extends z.ZodType> = Pick<Description, 'method' | 'path' | 'summary'> &
  Partial<Omit<Description, 'body'>> & {
    readonly body?: Body;
    /** Answers for a body that does not fit, where this part of the service has a form of its own for that. */
    readonly refuse?: Refuse;
    readonly answer: (request: RouteRequest<Body>) => Response;
  };

type Refuse = (issues: readonly z.core.$ZodIssue[]) => Response;

/** A route from its definition: 200 and the plain envelope where nothing else is said. */
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
 * A body is checked in two steps, each with an error body of its own: fields nobody knows, then each field by itself,
 * with its first complaint.
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

/** A field of a listed object has a name of its own; one of any other inner object is part of the complaint. */
function fieldComplaint(path: readonly PropertyKey[], message: string): readonly [field: string, words: string] {
  const [field, inner, ...rest] = path;
  if (field === undefined) return ['body', 'must be an object'];
  if (typeof inner === 'number' && rest.length > 0) return [path.map(String).join('.'), message];
  const isWhole = inner === undefined || typeof inner === 'number' || message.startsWith(`'${String(inner)}' is a `);
  return [String(field), isWhole ? message : `${String(inner)}: ${message}`];
}

/** An id from a path; 0, which nothing has, for whatever is no number. */
export function idIn(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
