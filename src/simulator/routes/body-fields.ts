import {invalidInput, unknownFields} from '../answer.ts';

/** Says what is wrong with a value, or nothing. */
export type Check = (value: unknown) => string | undefined;

export type FieldRule = {readonly check: Check; readonly isRequired?: true};

/** The body of a request, its fields checked one by one; or the refusal. */
export type BodyReading =
  | {readonly isValid: true; readonly fields: BodyFields}
  | {readonly isValid: false; readonly refusal: Response};

/** The fields by name. Null counts as left out. */
export type BodyFields = {
  readonly text: (name: string) => string | undefined;
  readonly number: (name: string) => number | undefined;
  readonly flag: (name: string) => boolean | undefined;
  readonly list: (name: string) => readonly unknown[];
  readonly texts: (name: string) => readonly string[];
  readonly numbers: (name: string) => readonly number[];
  readonly has: (name: string) => boolean;
};

/**
 * Checks in the service's two steps, each with an error body of its own: fields nobody knows, then each field by
 * itself.
 */
export function readBody(body: unknown, rules: Readonly<Record<string, FieldRule>>): BodyReading {
  if (!isObject(body)) return {isValid: false, refusal: invalidInput({body: 'must be an object'})};
  const values = new Map<string, unknown>(Object.entries(body).filter(([, value]) => value !== null));
  const unknown = Object.keys(body).filter(name => !Object.hasOwn(rules, name));
  if (unknown.length > 0) return {isValid: false, refusal: unknownFields(unknown)};
  const errors = fieldErrors(values, rules);
  if (Object.keys(errors).length > 0) return {isValid: false, refusal: invalidInput(errors)};
  return {isValid: true, fields: fieldsOf(values)};
}

export function fieldErrors(
  values: ReadonlyMap<string, unknown>,
  rules: Readonly<Record<string, FieldRule>>,
): Readonly<Record<string, string>> {
  const errors = Object.entries(rules).flatMap(([name, {check, isRequired}]) => {
    if (!values.has(name)) return isRequired === true ? [[name, 'is a required property']] : [];
    const error = check(values.get(name));
    return error === undefined ? [] : [[name, error]];
  });
  return Object.fromEntries(errors);
}

export function fieldsOf(values: ReadonlyMap<string, unknown>): BodyFields {
  const list = (name: string): readonly unknown[] => {
    const value = values.get(name);
    return Array.isArray(value) ? value : [];
  };
  return {
    text: name => {
      const value = values.get(name);
      return typeof value === 'string' ? value : undefined;
    },
    number: name => {
      const value = values.get(name);
      return typeof value === 'number' ? value : undefined;
    },
    flag: name => {
      const value = values.get(name);
      return typeof value === 'boolean' ? value : undefined;
    },
    list,
    texts: name => list(name).filter(value => typeof value === 'string'),
    numbers: name => list(name).filter(value => typeof value === 'number'),
    has: name => values.has(name),
  };
}

/** A text of at most so many characters; `least` 1 refuses the empty one. */
export function text(most: number, least: 0 | 1 = 1): Check {
  return value => {
    if (typeof value !== 'string') return 'must be a string';
    if (value.length < least) return 'must not be empty';
    return value.length > most ? `must be at most ${most} characters long` : undefined;
  };
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return value =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `must be an integer ${range}`;
}

export function flag(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

export function listOf(check: Check): Check {
  return value => {
    if (!Array.isArray(value)) return 'must be an array';
    for (const [index, member] of value.entries()) {
      const error = check(member);
      if (error !== undefined) return `the element ${index} ${error}`;
    }
    return undefined;
  };
}

export function oneOf(choices: readonly string[]): Check {
  return value =>
    typeof value === 'string' && choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;
}

/** An address events can be posted to. */
export function callbackUrl(value: unknown): string | undefined {
  const error = text(CALLBACK_URL_LIMIT)(value);
  if (error !== undefined || typeof value !== 'string') return error;
  const protocol = URL.parse(value)?.protocol;
  return protocol === 'http:' || protocol === 'https:' ? undefined : 'must be an http or https URL';
}

const CALLBACK_URL_LIMIT = 250;

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
