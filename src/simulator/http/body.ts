import {invalidInput, unknownFields} from './answer.ts';
import {complaintAbout, type ObjectSchema} from './schema.ts';

/** The fields of a request, checked; one that was not sent, or sent as null, is undefined. */
export type Fields = {
  readonly text: (name: string) => string | undefined;
  readonly integer: (name: string) => number | undefined;
  readonly flag: (name: string) => boolean | undefined;
  readonly integers: (name: string) => readonly number[];
  readonly texts: (name: string) => readonly string[];
  readonly list: (name: string) => readonly unknown[];
  readonly has: (name: string) => boolean;
};

export type BodyReading =
  | {readonly isValid: true; readonly fields: Fields}
  | {readonly isValid: false; readonly refusal: Response};

/** Checks a body in the service's order, each step with an error body of its own: unknown fields, then each field. */
export function readBody(body: unknown, schema: ObjectSchema): BodyReading {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return {isValid: false, refusal: invalidInput({body: 'must be an object'})};
  }
  const sent = new Map<string, unknown>(Object.entries(body));
  const unknown = [...sent.keys()].filter(name => !Object.hasOwn(schema.properties ?? {}, name));
  if (unknown.length > 0) return {isValid: false, refusal: unknownFields(unknown)};
  const errors = fieldErrors(sent, schema);
  return Object.keys(errors).length > 0
    ? {isValid: false, refusal: invalidInput(errors)}
    : {isValid: true, fields: fieldsOf(sent)};
}

/** One line for each field that does not fit. */
export function fieldErrors(
  sent: ReadonlyMap<string, unknown>,
  {properties = {}, required = []}: ObjectSchema,
): Readonly<Record<string, string>> {
  const errors = Object.entries(properties).flatMap(([name, schema]) => {
    const isRequired = required.includes(name);
    if (!sent.has(name)) return isRequired ? [[name, `'${name}' is a required property`]] : [];
    if (sent.get(name) === null && !isRequired) return [];
    const complaint = complaintAbout(sent.get(name), schema);
    return complaint === undefined ? [] : [[name, complaint]];
  });
  return Object.fromEntries(errors);
}

export function fieldsOf(sent: ReadonlyMap<string, unknown>): Fields {
  const typed = <T>(name: string, isFitting: (value: unknown) => value is T): T | undefined => {
    const value = sent.get(name);
    return isFitting(value) ? value : undefined;
  };
  const list = (name: string): readonly unknown[] => {
    const value = sent.get(name);
    return Array.isArray(value) ? value : [];
  };
  return {
    text: name => typed(name, value => typeof value === 'string'),
    integer: name => typed(name, value => typeof value === 'number'),
    flag: name => typed(name, value => typeof value === 'boolean'),
    integers: name => list(name).filter(item => typeof item === 'number'),
    texts: name => list(name).filter(item => typeof item === 'string'),
    list,
    has: name => sent.has(name) && sent.get(name) !== null,
  };
}
