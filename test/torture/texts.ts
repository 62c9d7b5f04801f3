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

/** How many texts an answer has. */
export function textsIn(value: unknown): number {
  let count = 0;
  withTexts(value, {
    change: text => {
      count += 1;
      return text;
    },
  });
  return count;
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
