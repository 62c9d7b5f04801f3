import type {OperationResult} from '../domain/operation-result.ts';
import {isObject, present, readText, reference, under} from './fields.ts';

// Parsers for replies to operations, in the forms that several of them share.

/** What was created, under one of several spellings of a key: one object, or as many as requested. */
export function created(...keys: readonly string[]): (body: unknown) => OperationResult | undefined {
  return body => {
    const made = (under(body, ...keys) ?? []).filter(isObject);
    const ids = made.flatMap(each => reference.parse(each.id) ?? []);
    if (ids.length === 0) return undefined;
    const name = made.length === 1 ? readText(made[0]?.name) : undefined;
    return present({kind: 'created' as const, ids, name});
  };
}
