import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {machinesLayout} from '../../../src/panes/machines/layout.ts';
import {type DetailPart, FIRST_CHOICE} from '../../../src/panes/machines/view.ts';
import {anySize, expectToFill} from '../any-size.ts';

describe('machinesLayout', () => {
  it('fills every size exactly, zoomed or not, with the map or the list', () => {
    fc.assert(
      fc.property(anySize(), fc.boolean(), fc.boolean(), (size, isZoomed, isOpen) => {
        const view = {isZoomed, own: {...FIRST_CHOICE, map: {...FIRST_CHOICE.map, isOpen}}};
        const {listRows, detailRows, detailColumns, actionColumns, eventColumns} = machinesLayout(size, view);
        expectToFill(size.rows, [listRows, detailRows]);
        expectToFill(size.columns, [detailColumns, actionColumns, eventColumns]);
      }),
    );
  });

  it('gives the whole pane to a zoomed detail, and a list to every other', () => {
    fc.assert(
      fc.property(anySize(), size => {
        expect(machinesLayout(size, {isZoomed: true, own: FIRST_CHOICE})).toMatchObject({
          listRows: 0,
          detailRows: size.rows,
        });
        expect(machinesLayout(size, {isZoomed: false, own: FIRST_CHOICE}).listRows).toBeGreaterThanOrEqual(5);
      }),
    );
  });

  it('keeps actions and events beside an open record in a large terminal, and none beside charts', () => {
    const open = (columns: number, part: DetailPart) =>
      machinesLayout({columns, rows: 46}, {isZoomed: true, own: {...FIRST_CHOICE, part}}).detailColumns;
    // 48 cells for the actions and 44 for the events.
    expect([open(200, 'record'), open(200, 'cost'), open(200, 'metrics')]).toEqual([108, 108, 200]);
    expect(open(159, 'record')).toBe(159);
  });

  it.each([
    [80, 20, {isStrip: true, actionColumns: 0, eventColumns: 0}],
    [99, 40, {isStrip: true, actionColumns: 0, eventColumns: 0}],
    [100, 31, {isStrip: false, actionColumns: 48, eventColumns: 0}],
    [159, 31, {isStrip: false, actionColumns: 48, eventColumns: 0}],
    [160, 46, {isStrip: false, actionColumns: 48, eventColumns: 44}],
    [200, 17, {isStrip: true, actionColumns: 0, eventColumns: 0}],
  ])('has the parts that fit at %i × %i', (columns, rows, expected) => {
    expect(machinesLayout({columns, rows}, {isZoomed: false, own: FIRST_CHOICE})).toMatchObject(expected);
  });
});
