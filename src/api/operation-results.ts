import type {OperationResult} from '../domain/operation-result.ts';
import type {OperationEndpoint} from './endpoint.ts';
import {isObject, present, readText, reference, under} from './fields.ts';

// Parsers for replies to operations, in the forms that several of them share.

/**
 * The answer to a creation: what was created, under one of several spellings of a key, one object or as many as
 * requested. Its documented answer always holds that, so a yes without it is no word of the service.
 */
export function creation(...keys: readonly string[]): Pick<OperationEndpoint<never>, 'result' | 'isAccepted'> {
  const result = created(keys);
  return {result, isAccepted: body => result(body) !== undefined};
}

function created(keys: readonly string[]): (body: unknown) => OperationResult | undefined {
  return body => {
    const made = (under(body, ...keys) ?? []).filter(isObject);
    const ids = made.flatMap(each => reference.parse(each.id) ?? []);
    if (ids.length === 0) return undefined;
    const name = made.length === 1 ? readText(made[0]?.name) : undefined;
    return present({kind: 'created' as const, ids, name});
  };
}
