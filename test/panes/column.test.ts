import {describe, expect, it} from 'vitest';
import {DAY_MS, type EpochMs, epochMs} from '../../src/domain/time.ts';
import {ageColumn, numberColumn, textColumn} from '../../src/panes/column.ts';
import {listColumns} from '../../src/panes/list-columns.ts';
import {type Column, rate} from '../../src/resources/resource.ts';
import {formatBytes, UNKNOWN} from '../../src/ui/format.ts';
import {type Line, textOf} from '../../src/ui/text.ts';
import {THEME} from '../app/a-scene.ts';
import {dollarsPerHour, NOW} from './a-known-scene.ts';

/** As the list draws it. */
function drawn(column: Column<object>): Line {
  const [placed] = listColumns([column]);
  return placed?.cell({}, 10, THEME) ?? [];
}

const PLACING = {key: 'x', title: 'X', minWidth: 4};

describe('a column', () => {
  it('shows what is absent as unknown, and gives the filter no value for it', () => {
    const columns = [
      textColumn<object>(PLACING, () => undefined),
      numberColumn<object>(PLACING, () => undefined, formatBytes),
    ];
    for (const column of columns) {
      expect(textOf(drawn(column))).toBe(UNKNOWN);
      expect(column.value({})).toBeUndefined();
    }
  });

  it('of words may say in its own way that there is nothing', () => {
    const column = textColumn<object>(PLACING, () => '', {absent: 'none'});
    expect(drawn(column)).toEqual([{text: 'none', tone: 'dim'}]);
  });

  it('of figures keeps the number itself beside the text, zero too', () => {
    const column = numberColumn<{readonly bytes: number}>(PLACING, ({bytes}) => bytes, formatBytes);
    expect(column.value({bytes: 20 * 1024 ** 2})).toEqual({text: '20M', number: 20_971_520});
    expect(column.value({bytes: 0})).toEqual({text: '0', number: 0});
    expect(column.align).toBe('right');
  });

  it('of rates is compared in dollars an hour', () => {
    expect(rate(dollarsPerHour('25.60'))?.text).toBe('25.60');
    expect(rate(dollarsPerHour('25.60'))?.number).toBeCloseTo(25.6, 9);
    expect(rate(undefined)).toBeUndefined();
  });

  it('of ages is compared in milliseconds, and never below zero', () => {
    type Row = {readonly now: EpochMs; readonly at: EpochMs};
    const column = ageColumn<Row>(PLACING, ({at}) => at);
    expect(column.value({now: NOW, at: epochMs(NOW - 3 * DAY_MS)})).toEqual({
      text: '3d',
      number: 3 * DAY_MS,
      plain: String(3 * 24 * 60 * 60),
      isAge: true,
    });
    expect(column.value({now: NOW, at: epochMs(NOW + DAY_MS)})).toEqual({
      text: '0s',
      number: 0,
      plain: '0',
      isAge: true,
    });
  });
});
