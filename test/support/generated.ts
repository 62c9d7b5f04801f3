import fc from 'fast-check';
import {anyPayload} from '../torture/payloads.ts';
import type {JsonSchema} from './json-schema.ts';

/** The fields that identify a record. All others may be missing. */
export type Identity = ReadonlySet<string>;

const NAMES = ['string', 'gpu-1', '推論-東京', 'a\u001b[31m\u202eb', '🚀 launch', 'default-CANADA-1'];
const TEXTS = ['', ...NAMES, 'ACTIVE', 'SOMETHING_NEW', '2026-11-20T20:00:00Z', '2026-11-20 20:00:00', '12.50', '0E-9'];
const MAX_ITEMS = 3;
/** A name identifies a record, so it is not blank. */
const anyName = fc.oneof(
  fc.constantFrom(...NAMES),
  anyPayload.filter(text => text.trim() !== ''),
);

/**
 * Any value that a schema allows: null if it is allowed, words that no enumeration names, and objects without the
 * fields that are not required.
 */
export function valuesOf(schema: JsonSchema, identity: Identity): fc.Arbitrary<unknown> {
  const plain = plainValues(schema, identity);
  return schema.nullable === true ? fc.option(plain, {nil: null, freq: 4}) : plain;
}

function plainValues(schema: JsonSchema, identity: Identity): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(choice => valuesOf(choice, identity)));
  switch (schema.type) {
    case 'string':
      return fc.oneof(fc.constantFrom(...TEXTS, ...(schema.enum ?? [])), anyPayload);
    case 'integer':
      return fc.integer({min: schema.minimum ?? 0, max: schema.maximum ?? Number.MAX_SAFE_INTEGER});
    case 'number':
      return fc.double({min: schema.minimum ?? 0, max: schema.maximum ?? 1e12, noNaN: true});
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(itemsOf(schema.items ?? {}, identity), {maxLength: MAX_ITEMS});
    case 'object':
      return objects(schema, identity);
    default:
      throw new Error(`A schema without a type: ${JSON.stringify(schema)}`);
  }
}

/** A string in a list is the whole record, so it is a name. */
function itemsOf(schema: JsonSchema, identity: Identity): fc.Arbitrary<unknown> {
  return schema.type === 'string' ? identities(schema, identity) : valuesOf(schema, identity);
}

function objects({properties = {}}: JsonSchema, identity: Identity): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, identity.has(name) ? identities(schema, identity) : valuesOf(schema, identity)] as const,
  );
  const promised = fields.map(([name]) => name).filter(name => identity.has(name));
  return fc.record(Object.fromEntries(fields), {requiredKeys: promised});
}

function identities(schema: JsonSchema, identity: Identity): fc.Arbitrary<unknown> {
  if (schema.type === 'integer') return fc.integer({min: 1, max: Number.MAX_SAFE_INTEGER});
  return schema.type === 'string' ? anyName : valuesOf({...schema, nullable: false}, identity);
}
