import {billedPerDay, type MachineHistory, type MachineHistoryGraph, monthSoFar} from '../../domain/billing-history.ts';
import {hourlyUsd, type Rate, type Rational, usdNumber} from '../../domain/money.ts';
import type {PricePart, ResourcePrice} from '../../domain/price-book.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, HOUR_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {machineGraphFeed, machineHistoryFeed, machinePriceFeed} from '../../state/billing.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {
  formatDollars,
  formatDuration,
  formatKnown,
  formatPercent,
  formatRate,
  formatUsd,
  formatUtcDay,
  UNKNOWN,
} from '../../ui/format.ts';
import {largest, sparkline} from '../../ui/sparkline.ts';
import type {Line} from '../../ui/text.ts';
import {feedAge} from '../feed-state.ts';
import type {Scene} from '../pane.ts';

const LABEL_CELLS = 16;
const PART_CELLS = 30;
const RATE_CELLS = 12;

/** Feeds for the lines below, read only while they are shown. */
export function serviceCostFeeds({id}: Pick<VirtualMachine, 'id'>, now: Scene['now']): readonly Feed<unknown>[] {
  const period = monthSoFar(now);
  return [machinePriceFeed(id), machineHistoryFeed(id, period), machineGraphFeed(id, period)];
}

/** The machine's price and its bill of the month as computed by the service, beside ours. */
export function serviceCostLines(scene: Scene, {id}: Pick<VirtualMachine, 'id'>): readonly Line[] {
  const period = monthSoFar(scene.now);
  const priceFeed = machinePriceFeed(id);
  const price = lastValue(scene.store.get(priceFeed));
  const historyFeed = machineHistoryFeed(id, period);
  const graphFeed = machineGraphFeed(id, period);
  const days = (graph: MachineHistoryGraph) =>
    dayLines(
      billedPerDay(graph, period).map((cost, index) => ({
        at: epochMs(period.startsAt + index * DAY_MS),
        dollars: cost === undefined ? undefined : usdNumber(cost),
      })),
      scene,
    );
  return [
    [
      {text: ' by the service', tone: 'title'},
      {text: price === undefined ? '' : `  ${feedAge(scene, priceFeed)} ago`, tone: 'dim'},
    ],
    ...(price === undefined ? [missingLine(scene, priceFeed, 'price')] : priceLines(price)),
    ...soleLines(scene, historyFeed, 'bill of the month', billLines),
    ...soleLines(scene, graphFeed, 'bill by day', days),
  ];
}

function priceLines({rate, listRate, parts}: ResourcePrice): readonly Line[] {
  return [
    [...label('price'), {text: formatKnown(rate, formatRate), tone: 'money'}, discount(rate, listRate)],
    ...parts.map(partLine),
  ];
}

function partLine({name, amount, rate, listRate}: PricePart): Line {
  const count = amount === undefined ? UNKNOWN : countText(amount);
  return [
    {text: `   ${count} × ${name}`.padEnd(PART_CELLS)},
    {text: formatKnown(rate, formatRate).padStart(RATE_CELLS), tone: 'money'},
    discount(rate, listRate),
  ];
}

/** For example `  18% off $2.40/h`; nothing if the price is the list price, or if either is unknown. */
function discount(rate: Rate | undefined, listRate: Rate | undefined): Line[number] {
  if (rate === undefined || listRate === undefined) return {text: ''};
  const [paid, list] = [hourlyUsd(rate), hourlyUsd(listRate)];
  if (paid >= list) return {text: ''};
  return {text: `  ${formatPercent(1 - paid / list)} off ${formatRate(listRate)}`, tone: 'dim'};
}

function countText({numerator, denominator}: Rational): string {
  return String(Number(numerator) / Number(denominator));
}

function billLines({billedCost, listCost, usedMs, usedByState}: MachineHistory): readonly Line[] {
  const isLower = billedCost !== undefined && listCost !== undefined && usdNumber(billedCost) < usdNumber(listCost);
  const states = usedByState.map(({state, usedMs: used}) => `${state} ${hoursText(used)}`).join('  ');
  return [
    ...(isLower
      ? [
          [
            ...label('list price'),
            {text: formatUsd(listCost), tone: 'money'},
            {text: '  this month', tone: 'dim'},
          ] as const,
        ]
      : []),
    [
      ...label('metered'),
      {text: formatKnown(usedMs, hoursText)},
      {text: states === '' ? '' : `  ${states}`, tone: 'dim'},
    ],
  ];
}

/** A negative duration is an error of the service, and shown as it is. */
function hoursText(duration: DurationMs): string {
  const magnitude = Math.abs(duration);
  const text = magnitude < HOUR_MS ? formatDuration(magnitude) : `${(magnitude / HOUR_MS).toFixed(1)}h`;
  return duration < 0 ? `-${text}` : text;
}

type Day = {readonly at: EpochMs; readonly dollars: number | undefined};

/** One bar per day of the month so far, and below it the last two days and the costliest in figures. */
function dayLines(days: readonly Day[], {theme}: Scene): readonly Line[] {
  const costs = days.map(({dollars}) => dollars);
  const most = largest(costs);
  const [first, dearest] = [days[0], days.find(({dollars}) => dollars === most)];
  if (most === undefined || first === undefined || dearest === undefined) {
    return [[...label('by day'), {text: 'no day was billed', tone: 'dim'}]];
  }
  const last = [
    {word: 'today', day: days.at(-1)},
    {word: 'yesterday', day: days.at(-2)},
  ].flatMap(
    ({word, day}): Line =>
      day === undefined
        ? []
        : [
            {text: `${word} `, tone: 'dim'},
            {text: `${formatKnown(day.dollars, formatDollars)}  `, tone: 'money'},
          ],
  );
  return [
    [
      ...label('by day'),
      ...sparkline(costs, {width: days.length, glyphs: theme.glyphs, min: 0, tone: 'money'}),
      {text: `  from ${formatUtcDay(first.at)} to today`, tone: 'dim'},
    ],
    [...label(''), ...last, {text: `at most ${formatDollars(most)}, ${formatUtcDay(dearest.at)}`, tone: 'dim'}],
  ];
}

/** The service answers with one record, or with none if nothing was billed. */
function soleLines<R>(
  scene: Scene,
  feed: Feed<Listing<R>>,
  what: string,
  linesOf: (record: R) => readonly Line[],
): readonly Line[] {
  const listing = lastValue(scene.store.get(feed));
  if (listing === undefined) return [missingLine(scene, feed, what)];
  const [record] = listing.records;
  if (record !== undefined) return linesOf(record);
  if (listing.quarantined.length > 0) return [[{text: ` ${what} unreadable`, tone: 'warning'}]];
  return [[{text: ` ${what}: the service has none`, tone: 'dim'}]];
}

function label(text: string): Line {
  return [{text: ` ${text}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}];
}
