import type {Filter} from '../domain/filter.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Value} from './column.ts';
import type {Resource} from './resource.ts';

type Cell = (column: string) => Value | undefined;

/** Why a filter can never match: it compares a text column as a number, or asks for more than can be known. */
export function whyNoMatch(
  {terms}: Filter,
  columns: readonly Pick<Resource['columns'][number], 'key' | 'title'>[],
  cells: Iterable<Cell>,
): SafeText | undefined {
  const rows = [...cells];
  const reasons = terms.flatMap(({isNegated, condition}) => {
    if (condition.kind === 'text') return [];
    const column = columns.find(({key}) => key === condition.column);
    if (column === undefined) return [];
    const key = safeText(column.key);
    if (isText(column.key, rows)) {
      const meant = columns
        .filter(other => other !== column && other.key.startsWith(column.key) && isNumber(other.key, rows))
        .toSorted((left, right) => left.key.length - right.key.length)[0];
      const sign = condition.kind === 'above' ? '>' : '<';
      const instead =
        meant === undefined ? say`${key}:text` : say`${safeText(meant.key)}${safeText(sign)}${condition.limit}`;
      return [say`${key} is text, which > and < cannot compare; write ${instead}`];
    }
    const unsure = isNegated || condition.kind !== 'above' ? [] : rows.flatMap(cell => bound(cell(column.key)));
    const [longest] = unsure.toSorted((left, right) => right.number - left.number);
    if (longest === undefined) return [];
    return [say`of ${unsure.length} it is only known that ${key} is ${safeText(longest.text)}: nothing older was read`];
  });
  return reasons.length === 0 ? undefined : joinSafe(reasons, '; ');
}

/** A value that is a lower bound. */
function bound(value: Value | undefined): readonly {readonly text: string; readonly number: number}[] {
  const {isAtLeast, number, text} = value ?? {};
  return isAtLeast === true && number !== undefined && text !== undefined ? [{text, number}] : [];
}

function isNumber(key: string, rows: readonly Cell[]): boolean {
  return rows.some(cell => cell(key)?.number !== undefined);
}

/** Whether every known value of the column is text; false if no value is known. */
function isText(key: string, rows: readonly Cell[]): boolean {
  const values = rows.flatMap(cell => cell(key) ?? []);
  return values.length > 0 && values.every(({number}) => number === undefined);
}
