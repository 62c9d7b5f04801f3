import * as z from 'zod';

// Building blocks for the schemas of request bodies, queries and answers. One schema validates a body and appears in
// the OpenAPI document; errors use the service's own words.

export const TEXT = z.string();
export const INTEGER = z.int();
export const NUMBER = z.number();
export const FLAG = z.boolean();
/** An object whose fields are not described. */
export const RECORD = z.looseObject({});

/** Text of this many characters, counting an emoji as one rather than two code units. */
export function text(least: number, most: number) {
  const lengthOf = (value: string) => [...value].length;
  return z
    .string()
    .refine(value => lengthOf(value) >= least, {error: ({input}) => `${shown(input)} is too short`})
    .refine(value => lengthOf(value) <= most, {error: `is longer than ${most} characters`})
    .meta({minLength: least, maxLength: most});
}

/** A name as most resources have it. */
export const NAME = text(1, 50);

/** A readable name: not only spaces, and without control characters. */
export const READABLE_NAME = text(1, 50).refine(value => value.trim() !== '' && !/\p{Cc}/u.test(value), {
  error: ({input}) => `${shown(input)} must hold more than spaces, and no control characters`,
});

/** The name of an existing object, which may be longer than a new one. */
export const EXISTING_NAME = text(1, 250);

/** An id. */
export const ID = z.int().min(1);

/** A URL that events can be posted to. */
export const CALLBACK_URL = text(1, 250)
  .refine(isWebAddress, {error: ({input}) => `${shown(input)} is not an http or https URL`})
  .meta({minLength: 1, maxLength: 250, format: 'uri'});

/** A field of a body that may be left out or null, which means the same. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.nullish(schema).transform(value => value ?? undefined);
}

/** An answer in the usual form, with these fields in addition. */
export function envelope<T extends z.ZodRawShape>(payload: T) {
  return z.object({status: FLAG, message: TEXT, ...payload});
}

/** The answer that only says that the request was carried out or scheduled. */
export const PLAIN_ENVELOPE = envelope({});

/** A list in the usual form, with the three paging fields. */
export function pagedList(name: string, record: z.ZodType) {
  return envelope({
    [name]: z.array(record),
    page: INTEGER.nullable(),
    page_size: INTEGER.nullable(),
    count: INTEGER,
  });
}

/** The parameters of a list with the core's paging. */
export const PAGE_QUERY = z.object({
  page: ID.optional(),
  pageSize: ID.optional(),
  search: TEXT.meta({description: 'Part of a name, or of an id.'}).optional(),
});

/** What is wrong with a value, in a few words, unless its own schema says so. Every number in a body is an integer. */
export function complaint(issue: z.core.$ZodRawIssue): string {
  const {input} = issue;
  if (input === undefined) return `'${String(issue.path?.at(-1))}' is a required property`;
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(input, issue.expected);
    case 'invalid_value':
      return typeof input === 'string'
        ? `${shown(input)} is not one of ${issue.values.join(', ')}`
        : wrongType(input, 'string');
    case 'invalid_format':
      return `${shown(input)} does not match '${issue.pattern?.slice(1, -1)}'`;
    case 'too_small':
      return issue.origin === 'array'
        ? `has fewer than ${issue.minimum} items`
        : `${shown(input)} is less than ${issue.minimum}`;
    case 'too_big':
      if (issue.maximum === Number.MAX_SAFE_INTEGER) return wrongType(input, 'integer');
      return issue.origin === 'array'
        ? `has more than ${issue.maximum} items`
        : `${shown(input)} is more than ${issue.maximum}`;
    default:
      return `${shown(input)} is not valid`;
  }
}

function wrongType(input: unknown, expected: string): string {
  return `${shown(input)} is not of type '${expected === 'int' || expected === 'number' ? 'integer' : expected}'`;
}

function shown(value: unknown): string {
  const words = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}
