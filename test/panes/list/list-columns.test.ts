import {describe, expect, it} from 'vitest';
import {DAY_MS, epochMs} from '../../../src/domain/time.ts';
import {listColumns} from '../../../src/panes/list/list-columns.ts';
import {age, bytes, type Column, rate, text} from '../../../src/resources/column.ts';
import {UNKNOWN} from '../../../src/ui/format.ts';
import {type Line, textOf} from '../../../src/ui/text.ts';
import {THEME} from '../../app/a-scene.ts';
import {dollarsPerHour, NOW} from '../a-known-scene.ts';

/** The cell as the list draws it. */
function drawn(column: Column<object>): Line {
  const [placed] = listColumns([column]);
  return placed?.cell({}, 10, THEME) ?? [];
}

/** A column without a value. */
const SILENT: Column<object> = {key: 'x', title: 'X', value: () => text(''), list: {minWidth: 4}};

describe('a column', () => {
  it('shows a missing value as unknown, and gives the filter no value for it', () => {
    expect(textOf(drawn(SILENT))).toBe(UNKNOWN);
    expect(SILENT.value({})).toBeUndefined();
    expect(bytes(undefined)).toBeUndefined();
  });

  it('of text may have its own word for a missing value', () => {
    expect(drawn({...SILENT, list: {minWidth: 4, absent: 'none'}})).toEqual([{text: 'none', tone: 'dim'}]);
  });

  it('of figures keeps the number beside the text, even zero', () => {
    expect(bytes(20 * 1024 ** 2)).toMatchObject({text: '20M', number: 20_971_520});
    expect(bytes(0)).toMatchObject({text: '0', number: 0});
  });

  it('of rates is compared in dollars an hour', () => {
    expect(rate(dollarsPerHour('25.60'))?.text).toBe('25.60');
    expect(rate(dollarsPerHour('25.60'))?.number).toBeCloseTo(25.6, 9);
    expect(rate(undefined)).toBeUndefined();
  });

  it('of ages is compared in milliseconds, negative for the future', () => {
    expect(age(epochMs(NOW - 3 * DAY_MS), NOW)).toEqual({
      text: '3d',
      number: 3 * DAY_MS,
      plain: String(3 * 24 * 60 * 60),
      isAge: true,
    });
    expect(age(epochMs(NOW + DAY_MS), NOW)).toEqual({
      text: 'in 1d',
      number: -DAY_MS,
      plain: String(-24 * 60 * 60),
      isAge: true,
    });
  });
});
