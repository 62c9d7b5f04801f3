import {describe, expect, it} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {pricesWith} from '../../../src/domain/money/prices.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {aheadLine} from '../../../src/panes/billing/ahead-line.ts';
import {creditFeed, usageFeed} from '../../../src/state/billing.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {textOf, widthOf} from '../../../src/ui/text.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, read} from '../a-read-scene.ts';

/** The figures of a machine at a dollar an hour, and scenes with this much credit. */
const usage = [aUsageRecord(1, '1')];
const figures = computeFigures(usage, [], NOW, {contracts: []});
const sceneWith = (credit: number, budget?: number) => sceneOf(usage, credit, budget);
const sceneOf = (records: readonly UsageRecord[], credit: number, budget?: number) => ({
  ...aReadScene([
    read(creditFeed, {balance: usd(rational(BigInt(credit), 1n))}),
    read(usageFeed, {records, quarantined: []}),
  ]),
  preferences: {
    ...DEFAULT_PREFERENCES,
    ...(budget === undefined ? {} : {budget: usd(rational(BigInt(budget), 1n))}),
  },
});

it('puts a date at its place on the line of thirty days', () => {
  // 360 hours are half of 30 days: half of the 71 cells between label and edge.
  const line = textOf(aheadLine(sceneWith(360), figures, 80));
  expect(line).toMatch(/^ 30 days ─{35}● \d+ \w{3} credit used up ─+$/);
  expect(widthOf(line)).toBe(79);
});

it('puts the end of the credit where list prices put it, if a contract may set another price', () => {
  // $600 at $1 an hour are 600 hours; with a machine at $1 without a usage record 300.
  const prices = pricesWith({perHourByFlavor: {'n3-own': 1}, billingByState: {}});
  const machine = aVirtualMachine({id: 2, contractId: 5, flavor: {name: safeText('n3-own')}});
  const scene = {
    ...aReadScene([
      read(creditFeed, {balance: usd(rational(600n, 1n))}),
      read(usageFeed, {records: usage, quarantined: []}),
      read(machinesFeed, {records: [machine], quarantined: []}),
    ]),
    preferences: {...DEFAULT_PREFERENCES, prices},
  };
  // 300 of 720 hours, of the 71 cells between label and edge: 29.
  expect(textOf(aheadLine(scene, figures, 80))).toMatch(/^ 30 days ─{29}● \d+ \w{3} credit used up ─+$/);
});

it('says that nothing ends within thirty days, and nothing at all before the usage was read', () => {
  expect(textOf(aheadLine(sceneWith(10_000), figures, 80))).toMatch(/no contract, budget or credit ends/);
  expect(aheadLine(sceneWith(10), undefined, 80)).toEqual([]);
});

it('counts the dates that do not fit, at any width', () => {
  for (const width of [60, 80, 120]) {
    const line = textOf(aheadLine(sceneWith(20, 10), figures, width));
    expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(line).toMatch(/● .*(budget|credit)/);
  }
  expect(textOf(aheadLine(sceneWith(20, 10), figures, 60))).toMatch(/ \+\d$/);
});

describe('what is unknown', () => {
  const unread = computeFigures(usage, [], NOW);
  const noCredit = (budget?: number) => ({...sceneWith(0, budget), store: aReadScene([]).store});

  it('is named, and nothing of it is said to have no end', () => {
    expect(textOf(aheadLine(noCredit(), unread, 80))).toBe(' 30 days contracts and credit unknown ');
    expect(textOf(aheadLine(noCredit(), figures, 80))).toBe(' 30 days credit unknown, no contract ends ');
    expect(textOf(aheadLine(sceneWith(10_000), unread, 80))).toBe(' 30 days contracts unknown, no credit ends ');
    expect(textOf(aheadLine(noCredit(100_000), unread, 80))).toBe(
      ' 30 days contracts and credit unknown, no budget ends ',
    );
  });

  it('is named before the dates that are known', () => {
    const line = textOf(aheadLine(sceneWith(360), unread, 80));
    // At its day: half of the 71 cells, 18 of them for the words.
    expect(line).toMatch(/^ 30 days contracts unknown ─{17}● \d+ \w{3} credit used up ─+$/);
    expect(widthOf(line)).toBe(79);
  });

  it('is budget and credit too while no rate is known', () => {
    const priceless = computeFigures([aUsageRecord(1, undefined)], [], NOW, {contracts: []});
    expect(textOf(aheadLine(sceneWith(360, 10), priceless, 80))).toMatch(/^ 30 days budget and credit unknown/);
  });

  it('is the credit too while all that has a price is free, and it and the budget while something more is billed', () => {
    const [free, dear, priceless] = [aUsageRecord(1, '0'), aUsageRecord(2, '1'), aUsageRecord(3, undefined)];
    const lineOf = (records: readonly UsageRecord[], credit: number, budget?: number) =>
      textOf(aheadLine(sceneOf(records, credit, budget), computeFigures(records, [], NOW, {contracts: []}), 80));
    expect(lineOf([free], 360)).toMatch(/^ 30 days no contract, budget or credit ends/);
    expect(lineOf([free, priceless], 360)).toBe(' 30 days credit unknown, no contract ends ');
    // At a dollar an hour it lasts until the sixteenth day at most, or for more than a year.
    expect(lineOf([dear, priceless], 360)).toMatch(/^ 30 days ─+● \d+ \w{3} credit used up ─+$/);
    expect(lineOf([dear, priceless], 10_000)).toBe(' 30 days credit unknown, no contract ends ');
    expect(lineOf([dear, priceless], 10_000, 100_000)).toBe(' 30 days budget and credit unknown, no contract ends ');
    expect(lineOf([dear, priceless], 10_000, 200)).toMatch(/^ 30 days credit unknown ─*● .*budget/);
  });
});
