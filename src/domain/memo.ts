/** Computes a value once for each object it is asked about; dropped with the object. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const memo = memoPer<Key, Value>();
  return key => memo(key, NOTHING_ELSE, () => make(key));
}

const NOTHING_ELSE: readonly unknown[] = [];

/**
 * Keeps the last value for each object as long as its other inputs are the same, like React's `useMemo`. Dropped with
 * the object.
 */
export function memoPer<Key extends object, Value>(): (
  key: Key,
  dependencies: readonly unknown[],
  make: () => Value,
) => Value {
  const known = new WeakMap<Key, {readonly dependencies: readonly unknown[]; readonly value: Value}>();
  return (key, dependencies, make) => {
    const before = known.get(key);
    if (before !== undefined && isSame(before.dependencies, dependencies)) return before.value;
    const value = make();
    known.set(key, {dependencies, value});
    return value;
  };
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}

/** Whether two values are equal in all parts. Only plain objects and arrays can be compared from outside. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isPlain(one) || !isPlain(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  // Every record is compared on every reading, and with `every` each would make another function.
  for (const name of names) if (!Object.hasOwn(other, name) || !isAlike(one[name], other[name])) return false;
  return true;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
