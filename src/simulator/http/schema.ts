/**
 * What a value must be, in the words of JSON Schema that an OpenAPI document takes: the same declaration checks
 * request bodies and describes them.
 */
export type Schema =
  | {
      readonly type: 'string';
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly enum?: readonly string[];
      readonly pattern?: string;
      /** Only web addresses are told by a format. */
      readonly format?: 'uri';
      readonly nullable?: true;
      readonly description?: string;
    }
  | {
      readonly type: 'integer' | 'number';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly nullable?: true;
      readonly description?: string;
    }
  | {readonly type: 'boolean'; readonly nullable?: true; readonly description?: string}
  | {
      readonly type: 'array';
      readonly items: Schema;
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly nullable?: true;
      readonly description?: string;
    }
  | ObjectSchema;

export type ObjectSchema = {
  readonly type: 'object';
  /** Absent for an object whose fields are not told. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly nullable?: true;
  readonly description?: string;
};

export const TEXT: Schema = {type: 'string'};
export const INTEGER: Schema = {type: 'integer'};
export const NUMBER: Schema = {type: 'number'};
export const FLAG: Schema = {type: 'boolean'};
export const RECORD: ObjectSchema = {type: 'object'};
export const RECORDS: Schema = {type: 'array', items: RECORD};
export const TEXTS: Schema = {type: 'array', items: TEXT};

/** A name as most resources have it. */
export const NAME: Schema = {type: 'string', minLength: 1, maxLength: 50};

/** The name of something that is there already, which may be longer than a new one. */
export const EXISTING_NAME: Schema = {type: 'string', minLength: 1, maxLength: 250};

/** The id of something. */
export const ID: Schema = {type: 'integer', minimum: 1};

/** An address events can be posted to. */
export const CALLBACK_URL: Schema = {type: 'string', minLength: 1, maxLength: 250, format: 'uri'};

/** An object that must have the first fields and may have the others. */
export function fields(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): ObjectSchema {
  const names = Object.keys(required);
  const properties = {...required, ...optional};
  // The document's format has no empty list here.
  return {type: 'object', properties, ...(names.length > 0 ? {required: names} : {})};
}

/** An answer in the usual envelope, with these keys beside it. */
export function envelope(payload: Readonly<Record<string, Schema>> = {}): ObjectSchema {
  return fields({status: FLAG, message: TEXT, ...payload});
}

export function listOf(items: Schema): Schema {
  return {type: 'array', items};
}

export function orNull(schema: Schema): Schema {
  return {...schema, nullable: true};
}

/** A list in the usual envelope, with the three keys of paging. */
export function pagedList(name: string, record: Schema = RECORD): ObjectSchema {
  return envelope({
    [name]: listOf(record),
    page: orNull(INTEGER),
    page_size: orNull(INTEGER),
    count: INTEGER,
  });
}

/** The parameters of a list that is paged the way of the core. */
export const PAGE_QUERY: Readonly<Record<string, Schema>> = {
  page: {type: 'integer', minimum: 1},
  pageSize: {type: 'integer', minimum: 1},
  search: {type: 'string', description: 'Part of a name, or of an id.'},
};

/** What is wrong with a value, in a few words; undefined when it fits. */
export function complaintAbout(value: unknown, schema: Schema): string | undefined {
  if (value === null && schema.nullable === true) return undefined;
  switch (schema.type) {
    case 'string':
      return textComplaint(value, schema);
    case 'integer':
    case 'number':
      return numberComplaint(value, schema);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${shown(value)} is not of type 'boolean'`;
    case 'array':
      return listComplaint(value, schema);
    default:
      return objectComplaint(value, schema);
  }
}

function textComplaint(value: unknown, schema: Schema & {type: 'string'}): string | undefined {
  if (typeof value !== 'string') return `${shown(value)} is not of type 'string'`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return `${shown(value)} is not one of ${schema.enum.join(', ')}`;
  }
  // Lengths are counted in characters, as people count them, not in halves of emoji.
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) return `${shown(value)} is too short`;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return `is longer than ${schema.maxLength} characters`;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    return `${shown(value)} does not match '${schema.pattern}'`;
  }
  return schema.format === 'uri' && !isWebAddress(value) ? `${shown(value)} is not an http or https URL` : undefined;
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

function numberComplaint(value: unknown, schema: Schema & {type: 'integer' | 'number'}): string | undefined {
  const isFitting = typeof value === 'number' && (schema.type === 'number' || Number.isSafeInteger(value));
  if (!isFitting) return `${shown(value)} is not of type '${schema.type}'`;
  if (schema.minimum !== undefined && value < schema.minimum) return `${value} is less than ${schema.minimum}`;
  if (schema.maximum !== undefined && value > schema.maximum) return `${value} is more than ${schema.maximum}`;
  return undefined;
}

function listComplaint(value: unknown, schema: Schema & {type: 'array'}): string | undefined {
  if (!Array.isArray(value)) return `${shown(value)} is not of type 'array'`;
  if (schema.minItems !== undefined && value.length < schema.minItems) return `has fewer than ${schema.minItems} items`;
  if (schema.maxItems !== undefined && value.length > schema.maxItems) return `has more than ${schema.maxItems} items`;
  for (const item of value) {
    const complaint = complaintAbout(item, schema.items);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function objectComplaint(value: unknown, {properties, required = []}: ObjectSchema): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `${shown(value)} is not of type 'object'`;
  }
  const held = new Map<string, unknown>(Object.entries(value));
  for (const name of required) if (!held.has(name)) return `'${name}' is a required property`;
  for (const [name, schema] of Object.entries(properties ?? {})) {
    const complaint = held.has(name) ? complaintAbout(held.get(name), schema) : undefined;
    if (complaint !== undefined) return `${name}: ${complaint}`;
  }
  return undefined;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
