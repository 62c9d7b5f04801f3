import {describe, expect, it} from 'vitest';
import {DAY_MS, epochMs} from '../../../src/domain/time.ts';
import {listColumns, wideColumns} from '../../../src/panes/list/list-columns.ts';
import {age, bytes, type Column, rate, text} from '../../../src/resources/column.ts';
import {clusters} from '../../../src/resources/clusters.ts';
import {contracts} from '../../../src/resources/contracts.ts';
import {firewalls} from '../../../src/resources/firewalls.ts';
import {flavors} from '../../../src/resources/flavors.ts';
import {machines} from '../../../src/resources/machines.ts';
import {TIMELINE_COLUMNS} from '../../../src/resources/timeline.ts';
import {volumes} from '../../../src/resources/volumes.ts';
import {LISTED_COLUMNS} from '../../../src/panes/overview/rows.ts';
import {UNKNOWN} from '../../../src/ui/format.ts';
import {layoutColumns} from '../../../src/ui/table.ts';
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

describe('the wide list', () => {
  /** As long as no source reports the load of GPUs. */
  const MACHINE_COLUMNS = machines.columns.filter(({needs}) => needs === undefined);
  const keys = <Row>(columns: ReturnType<typeof listColumns<Row>>, width: number) =>
    layoutColumns(columns, width).map(({column}) => column.key);
  const both =
    <Row>(columns: readonly Column<Row>[]) =>
    (width: number) => ({usual: keys(listColumns(columns), width), wide: keys(wideColumns(columns), width)});

  it.each([
    ['machines', both(MACHINE_COLUMNS)],
    ['clusters', both(clusters.columns)],
    ['firewalls', both(firewalls.columns)],
    ['volumes', both(volumes.columns)],
    ['flavors', both(flavors.columns)],
    ['contracts', both(contracts.columns)],
    // The preview has the evidence in full.
    ['findings', both(LISTED_COLUMNS.filter(({key}) => key !== 'evidence'))],
    ['timeline', both(TIMELINE_COLUMNS)],
  ])(// The preview has the evidence in full.
  'of %s has every column of the usual one, at any width', (_, placedAt) => {
    for (let width = 60; width <= 240; width += 1) {
      const {usual, wide} = placedAt(width);
      expect(wide, `${width} cells`).toEqual(expect.arrayContaining(usual));
    }
  });

  it('of machines at 80 columns still has the load and the cost, and adds to them', () => {
    // Two edges and the three cells for cursor and mark.
    const {usual, wide} = both(MACHINE_COLUMNS)(80 - 2 - 3);
    expect(usual).toEqual(['name', 'state', 'flavor', 'cpu', 'mem', 'cost']);
    expect(wide).toEqual(['name', 'state', 'flavor', 'cpu', 'mem', 'in', 'cost']);
  });
});
