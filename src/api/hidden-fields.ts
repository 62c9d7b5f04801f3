import {isObject} from './fields.ts';

/** What stands in a raw record where a secret stood: raw records are printed and kept. */
const HIDDEN = '[hidden]';

/** The records without what is in the named fields; only that there was something can still be seen. */
export function withoutSecrets(
  records: readonly unknown[] | undefined,
  ...names: readonly string[]
): readonly unknown[] | undefined {
  return records?.map(record => {
    const found = isObject(record) ? names.filter(name => isPresent(record[name])) : [];
    return found.length === 0 ? record : {...Object(record), ...Object.fromEntries(found.map(name => [name, HIDDEN]))};
  });
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
