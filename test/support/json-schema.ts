/** The part of JSON Schema that our OpenAPI 3.0 document uses. Anything else in a schema is an error here. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
};

/** How a value breaks its schema. Each mistake has its path, such as `$.volumes[0].size is no such integer`. */
export function mistakesIn(
  value: unknown,
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>> = {},
  place = '$',
): string[] {
  if (schema.$ref !== undefined) {
    const target = named[schema.$ref.split('/').at(-1) ?? ''];
    return target === undefined ? [`${place}: ${schema.$ref} is not there`] : mistakesIn(value, target, named, place);
  }
  if (schema.anyOf !== undefined) {
    const isFitting = schema.anyOf.some(choice => mistakesIn(value, choice, named, place).length === 0);
    return isFitting ? [] : [`${place} is none of ${schema.anyOf.length}`];
  }
  if (value === null) return schema.nullable === true ? [] : [`${place} is null`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${place} is ${JSON.stringify(value)}`];
  return typedMistakes(value, schema, named, place);
}

function typedMistakes(
  value: unknown,
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  place: string,
): string[] {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && isWithin([...value].length, schema.minLength, schema.maxLength)
        ? said(new RegExp(schema.pattern ?? '', 'u').test(value), `${place} does not match ${schema.pattern}`)
        : [`${place} is no such text`];
    case 'integer':
      return said(Number.isInteger(value) && isInRange(value, schema), `${place} is no such integer`);
    case 'number':
      return said(isInRange(value, schema), `${place} is no such number`);
    case 'boolean':
      return said(typeof value === 'boolean', `${place} is no boolean`);
    case 'array':
      if (!Array.isArray(value) || !isWithin(value.length, schema.minItems, schema.maxItems)) {
        return [`${place} is no such list`];
      }
      return value.flatMap((item, index) => mistakesIn(item, schema.items ?? {}, named, `${place}[${index}]`));
    case 'object':
      return objectMistakes(value, schema, named, place);
    default:
      return [];
  }
}

function objectMistakes(
  value: unknown,
  {required = [], properties = {}}: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  place: string,
): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place} is no object`];
  const held = new Map<string, unknown>(Object.entries(value));
  const missing = required.filter(name => !held.has(name)).map(name => `${place}.${name} is missing`);
  const wrong = Object.entries(properties).flatMap(([name, schema]) =>
    held.has(name) ? mistakesIn(held.get(name), schema, named, `${place}.${name}`) : [],
  );
  return [...missing, ...wrong];
}

function isInRange(value: unknown, {minimum, maximum}: JsonSchema): boolean {
  return typeof value === 'number' && isWithin(value, minimum, maximum);
}

function isWithin(amount: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return amount >= least && amount <= most;
}

function said(isRight: boolean, mistake: string): string[] {
  return isRight ? [] : [mistake];
}
