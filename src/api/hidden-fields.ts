import {isObject} from './fields.ts';

/**
 * Replaces a secret in a raw record. Printed or serialised, the record shows a mark; only code that asks for the value
 * by name gets it, as when a person wants to see their own secrets.
 */
export type HiddenValue = {
  readonly reveal: () => unknown;
  readonly toString: () => string;
  readonly toJSON: () => string;
};

const MARK = '[redacted]';
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom');
const hiddenValues = new WeakSet<object>();

export function isHidden(value: unknown): value is HiddenValue {
  return typeof value === 'object' && value !== null && hiddenValues.has(value);
}

/** The records with the values of the named fields hidden; it stays visible that there was a value. */
export function withoutSecrets(
  records: readonly unknown[] | undefined,
  ...names: readonly string[]
): readonly unknown[] | undefined {
  return records?.map(record => {
    const found = isObject(record) ? names.filter(name => isPresent(record[name])) : [];
    if (!isObject(record) || found.length === 0) return record;
    return {...record, ...Object.fromEntries(found.map(name => [name, hidden(record[name])]))};
  });
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function hidden(value: unknown): HiddenValue {
  const show = () => MARK;
  const made = Object.freeze({reveal: () => value, toString: show, toJSON: show, [INSPECT]: show});
  hiddenValues.add(made);
  return made;
}
