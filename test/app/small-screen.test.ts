import {describe, expect, it} from 'vitest';
import {isTooSmall, smallLines} from '../../src/app/small-screen.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {presentTriage} from '../../src/state/triage.ts';
import {textOf} from '../../src/ui/text.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {aConnection, aScene, OPEN_MODE, THEME} from './a-scene.ts';

describe('isTooSmall', () => {
  it.each([
    [60, 16, false],
    [59, 16, true],
    [60, 15, true],
    [200, 10, true],
    [1, 1, true],
    [80, 24, false],
  ])('of %i×%i cells is %s', (columns, rows, expected) => {
    expect(isTooSmall({columns, rows})).toBe(expected);
  });
});

describe('smallLines', () => {
  const statuses = ['ACTIVE', 'ACTIVE', 'SHUTOFF', 'HIBERNATED', 'STOPPING', 'ERROR', 'UNKNOWN'] as const;
  const listing = aListing(statuses.map((status, index) => aVirtualMachine({id: index + 1, status})));

  it('counts the machines by state, and says what size is needed', () => {
    const store = createStore();
    store.writeValue(machinesFeed, listing, monotonicMs(1));
    const [, advice, machines] = smallLines(aScene({store}), aConnection(), OPEN_MODE, {columns: 58, rows: 10}).map(
      textOf,
    );
    const {states} = THEME.glyphs;
    expect(machines).toBe(
      ` 7 machines  ${states.active}2  ${states.shutoff}1  ${states.hibernated}1  ${states.transitional}1  ${states.error}1`,
    );
    expect(advice).toContain('60×16');
  });

  it('list the worst findings in the rows that are left, and how many there are', () => {
    const machines = [
      aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ERROR', statusText: safeText('ERROR')}),
      aVirtualMachine({id: 2, name: safeText('train-2'), status: 'SHUTOFF', flavor: A_FLAVOR}),
    ];
    const scene = aKnownScene({machines, usage: [aUsageRecord(2, '25.60')]});
    const shownIn = (rows: number) =>
      smallLines(scene, aConnection(), OPEN_MODE, {columns: 58, rows}).map(textOf).slice(3);
    expect(shownIn(12)).toEqual([]);
    presentTriage(scene);
    expect(shownIn(12)).toEqual([
      ' 2 findings',
      ' WARN SHUTOFF but billed in full: train-2',
      ' WARN machine in ERROR: web-1',
    ]);
    expect(shownIn(5)).toEqual([' 2 findings', ' WARN SHUTOFF but billed in full: train-2']);
  });

  it('says that the machines are unknown before they were read', () => {
    expect(smallLines(aScene(), aConnection(), OPEN_MODE, {columns: 40, rows: 5}).map(textOf)).toContain(
      ' machines unknown',
    );
  });

  it.each([12, 20, 30, 40, 59])('say in full at %i columns that the terminal is too small', columns => {
    const lines = smallLines(aScene(), aConnection(), OPEN_MODE, {columns, rows: 15}).map(textOf);
    expect(lines.slice(1).filter(line => line.length > columns)).toEqual([]);
    expect(lines.slice(1).join('')).toContain('terminal too small: the deck needs 60×16; q quits');
  });

  it.each([12, 20, 30, 40, 59])('say in full at %i columns what is open that cannot be shown', columns => {
    const open = {secretTitle: safeText('access key AK-1')};
    const lines = smallLines(aScene(), aConnection(), OPEN_MODE, {columns, rows: 15}, open).map(textOf);
    expect(lines.slice(1).filter(line => line.length > columns)).toEqual([]);
    const told = lines.slice(1).join('').replaceAll(/\s+/g, ' ');
    expect(told).toContain('access key AK-1 is open, the deck needs 60×16 to show it; ctrl-c twice quits without it');
  });

  it.each([12, 20, 30, 40, 59])('say in full at %i columns which question is open', columns => {
    const open = {askedTitle: safeText('stop 3 machines')};
    const lines = smallLines(aScene(), aConnection(), OPEN_MODE, {columns, rows: 15}, open).map(textOf);
    expect(lines.slice(1).filter(line => line.length > columns)).toEqual([]);
    const told = lines.slice(1).join('').replaceAll(/\s+/g, ' ');
    expect(told).toContain('stop 3 machines: a question is open, the deck needs 60×16 to show it; q quits');
  });

  it.each([0, 1, 2, 3, 9])('have no more lines than the %i that fit', rows => {
    expect(smallLines(aScene(), aConnection(), OPEN_MODE, {columns: 59, rows}).length).toBe(Math.min(rows, 3));
  });
});
