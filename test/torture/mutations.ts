import fc from 'fast-check';

/** One change of an answer, at a position from 0 to 1 among its values or in its text. */
export type Mutation =
  | {readonly kind: 'value'; readonly at: number; readonly value: unknown}
  | {readonly kind: 'missing' | 'twice' | 'renamed'; readonly at: number}
  | {readonly kind: 'byte'; readonly at: number; readonly byte: string}
  | {readonly kind: 'cut'; readonly at: number};

/** Values that no field expects, and some that are close to what it expects. */
const ODD_VALUES = [
  ...[null, true, false, 0, -1, 0.5, 1e21, -1e308, 2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE],
  ...['', ' ', '0', '-1', '1e999', 'NaN', 'ACTIVE', 'active', 'NEVER_HEARD_OF', '9999-99-99', '275760-09-13', '２'],
  ...[[], [[]], [null], {}, {id: 1}, {__proto__: null}, ['a', 1, {}], {name: {name: {name: 1}}}],
];
const BYTES = [
  '',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\u0000',
  'é',
  '\ud800',
  'e',
  '-',
  '9',
  'NaN',
  '"__proto__":',
];
const at = fc.double({min: 0, max: 0.999_999, noNaN: true});

export const anyMutation: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('value' as const),
        at,
        value: fc.oneof(fc.constantFrom<unknown>(...ODD_VALUES), fc.jsonValue({maxDepth: 2})),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({kind: fc.constantFrom('missing' as const, 'twice' as const, 'renamed' as const), at}),
    },
    {weight: 2, arbitrary: fc.record({kind: fc.constant('byte' as const), at, byte: fc.constantFrom(...BYTES)})},
    {weight: 1, arbitrary: fc.record({kind: fc.constant('cut' as const), at})},
  ),
  {minLength: 1, maxLength: 4},
);

/** The text of an answer with these changes. */
export function mutated(answer: unknown, mutations: readonly Mutation[]): string {
  const value: unknown = structuredClone(answer);
  const places = placesIn(value);
  for (const mutation of mutations) {
    const place = places[Math.floor(mutation.at * places.length)];
    if (place !== undefined) change(place, mutation);
  }
  return mutations.reduce(changedText, JSON.stringify(value));
}

type Holder = Record<string, unknown>;
type Place = {readonly holder: Holder; readonly key: string};

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  // An array is addressed by its indexes as an object is by its names.
  const holder = value as Holder;
  return Object.keys(holder).flatMap(key => [{holder, key}, ...placesIn(holder[key])]);
}

function change({holder, key}: Place, mutation: Mutation): void {
  switch (mutation.kind) {
    case 'value':
      holder[key] = mutation.value;
      return;
    case 'missing':
      delete holder[key];
      return;
    case 'twice':
      if (Array.isArray(holder)) holder.push(holder[Number(key)]);
      return;
    case 'renamed':
      holder[`${key}_`] = holder[key];
      delete holder[key];
      return;
    default:
      return;
  }
}

function changedText(text: string, mutation: Mutation): string {
  const place = Math.floor(mutation.at * text.length);
  if (mutation.kind === 'cut') return text.slice(0, place);
  return mutation.kind === 'byte' ? text.slice(0, place) + mutation.byte + text.slice(place + 1) : text;
}
