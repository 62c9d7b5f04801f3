type Changes = {
  /** Is called with each text of an answer and its place among them. */
  readonly change: (text: string, place: number) => string;
  /** The name of one more field in each object. */
  readonly extraName?: () => string;
};

/** A copy of an answer with other texts in it. */
export function withTexts(value: unknown, {change, extraName}: Changes): unknown {
  let place = -1;
  return changed(value);

  function changed(each: unknown): unknown {
    if (typeof each === 'string') {
      place += 1;
      return change(each, place);
    }
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== 'object' || each === null) return each;
    const fields = Object.entries(each).map(([name, field]) => [name, changed(field)] as const);
    const extra = extraName === undefined ? [] : [[extraName(), extraName()] as const];
    return Object.fromEntries([...fields, ...extra]);
  }
}

/** Every text in a value of the program, the keys of maps among them. */
export function textsOf(value: unknown): readonly string[] {
  const texts: string[] = [];
  const seen = new Set<object>();
  collect(value);
  return texts;

  function collect(each: unknown): void {
    if (typeof each === 'string') texts.push(each);
    if (typeof each !== 'object' || each === null || seen.has(each)) return;
    seen.add(each);
    const inside =
      each instanceof Map ? [...each].flat() : each instanceof Set ? [...each] : Object.entries(each).flat();
    for (const part of inside) collect(part);
  }
}

/** Where a text is in an answer: the names and positions that lead to it. */
export type Place = readonly (string | number)[];

/** The place of each text in an answer. */
export function placesIn(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value === 'string') return [place];
  if (Array.isArray(value)) return value.flatMap((each, index) => placesIn(each, [...place, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => placesIn(field, [...place, name]));
}

/** The places in each record of each list, and first those in no list. */
export function placesByRecord(value: unknown): readonly (readonly Place[])[] {
  const groups = Map.groupBy(placesIn(value), place => JSON.stringify(place.slice(0, recordLength(place))));
  return [...groups.values()];
}

/** Where the record of a place is: an element of the outermost list around it; the answer itself when there is none. */
function recordLength(place: Place): number {
  return place.findIndex(step => typeof step === 'number') + 1;
}

/**
 * Copies of an answer in which each payload is once in each of the places of one record. A record in a list is there
 * once for each payload, so that one copy is enough.
 */
export function spread(answer: unknown, places: readonly Place[], payloads: readonly string[]): readonly unknown[] {
  const [length] = places.map(recordLength);
  if (length === undefined) return [];
  const recordPlace = places[0]?.slice(0, length) ?? [];
  const record = at(answer, recordPlace);
  const copies = payloads.map((_, index) => {
    const texts = places.map((place, order) => {
      const payload = payloads[(index + order * STRIDE) % payloads.length] ?? '';
      return [place.slice(length), payload] as const;
    });
    return texts.reduce(
      (copy, [place, text]) => withAt(copy, place, text),
      length === 0 ? record : named(record, index),
    );
  });
  return length === 0 ? copies : [withAt(answer, recordPlace.slice(0, -1), copies)];
}

/** Records with the same payload in each field would hide that one field is cut or left out. */
const STRIDE = 97;
const ID_STEP = 1_000_000;

/** A record whose ids no other copy has. */
function named(record: unknown, index: number): unknown {
  if (Array.isArray(record)) return record.map(each => named(each, index));
  if (typeof record !== 'object' || record === null) return record;
  const fields = Object.entries(record).map(([name, field]) => {
    const isId = /^(?:resource_)?id$/.test(name) && typeof field === 'number';
    return [name, isId ? field + (index + 1) * ID_STEP : named(field, index)] as const;
  });
  return Object.fromEntries(fields);
}

/** What is at a place. */
export function at(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (each, step) => Object.entries(each ?? {}).find(([name]) => name === `${step}`)?.[1],
    value,
  );
}

function withAt(value: unknown, [step, ...rest]: Place, changed: unknown): unknown {
  if (step === undefined) return changed;
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? withAt(each, rest, changed) : each));
  const field = at(value, [step]);
  return {...Object(value), [step]: withAt(field, rest, changed)};
}
