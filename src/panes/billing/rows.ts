import type {Spender} from '../../domain/billing-figures.ts';
import {type MachineHistory, monthSoFar} from '../../domain/billing-history.ts';
import {type Contract, type Discount, daysLeft, isDiscountInForce} from '../../domain/contract.ts';
import {type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {hourlyUsd, type Rational, sumUsd, type Usd} from '../../domain/money.ts';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import {DAY_MS, type EpochMs} from '../../domain/time.ts';
import {billingFigures, machineHistoriesFeed} from '../../state/billing.ts';
import {contractFeed, contractsFeed} from '../../state/contracts.ts';
import {formatPercent, formatRateFigure, formatUsdFigure, formatUtcDate} from '../../ui/format.ts';
import {shareBar} from '../../ui/gauge.ts';
import type {TableColumn} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import type {Theme, Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';
import type {BillingView} from './view.ts';

const FILTER_COLUMNS = ['name', 'type', 'cost', 'spent'];
const MICRO = 1e6;

/** A spender, and what the service itself says its machine was billed this month; absent where it does not say. */
export type SpenderRow = Spender & {readonly billed?: Usd};

/** The spenders that match the filter, costliest first. */
export function shownSpenders(scene: Scene, view: Pick<BillingView, 'filterText'>): readonly SpenderRow[] {
  const spenders = billedSpenders(scene);
  if (view.filterText.trim() === '') return spenders;
  const parsed = parseSpenderFilter(view.filterText);
  return parsed.ok ? spenders.filter(spender => matchesFilter(parsed.filter, filterRow(spender))) : spenders;
}

type Kept = {readonly histories: readonly MachineHistory[] | undefined; readonly rows: readonly SpenderRow[]};

/** The last rows of each reckoning, dropped with it, so that rows that did not change are not painted again. */
const keptRows = new WeakMap<readonly Spender[], Kept>();

function billedSpenders(scene: Scene): readonly SpenderRow[] {
  const spenders = billingFigures(scene.store, scene.now)?.spenders ?? [];
  const histories = lastValue(scene.store.get(machineHistoriesFeed(monthSoFar(scene.now))))?.records;
  const kept = keptRows.get(spenders);
  if (kept !== undefined && kept.histories === histories) return kept.rows;
  const rows = histories === undefined ? spenders : withBilled(spenders, histories);
  keptRows.set(spenders, {histories, rows});
  return rows;
}

/** A machine that was made anew under its id has two records, and both were billed. */
function withBilled(spenders: readonly Spender[], histories: readonly MachineHistory[]): readonly SpenderRow[] {
  const byMachine = Map.groupBy(histories, ({machineId}) => machineId);
  return spenders.map(spender => {
    const own = spender.resourceType.toLowerCase() === 'vm' ? byMachine.get(spender.resourceId) : undefined;
    const costs = own?.flatMap(({billedCost}) => billedCost ?? []) ?? [];
    return costs.length === 0 ? spender : {...spender, billed: sumUsd(costs)};
  });
}

export function parseSpenderFilter(text: string): FilterOutcome {
  return parseFilter(text, FILTER_COLUMNS);
}

function filterRow(spender: Spender): FilterRow {
  const cells = {
    name: {text: spender.name},
    type: {text: typeWord(spender)},
    cost:
      spender.rate === undefined ? undefined : {text: formatRateFigure(spender.rate), number: hourlyUsd(spender.rate)},
    spent: {text: formatUsdFigure(spender.spent), number: spender.spent / MICRO},
  };
  return {
    cell: column => new Map(Object.entries(cells)).get(column),
    shownTexts: () => Object.values(cells).map(cell => cell?.text ?? ''),
  };
}

const BILLED_COLUMN = 'billed';

/** With what the service billed beside what we reckon. */
export const WIDE_SPENDER_COLUMNS: readonly TableColumn<SpenderRow>[] = [
  {
    key: 'name',
    title: 'NAME',
    minWidth: 14,
    maxWidth: 51,
    flex: 2,
    cell: ({name}) => [{text: name, tone: 'strong', isName: true}],
  },
  {key: 'type', title: 'TYPE', minWidth: 12, priority: 2, cell: spender => [{text: typeWord(spender), tone: 'dim'}]},
  {
    key: 'rate',
    title: '$/h',
    minWidth: 8,
    align: 'right',
    cell: ({rate, isActive}) => [isActive ? {text: formatRateFigure(rate), tone: 'money'} : {text: '–', tone: 'dim'}],
  },
  {key: 'spent', title: 'MONTH $', minWidth: 11, align: 'right', cell: ({spent}) => [{text: formatUsdFigure(spent)}]},
  {
    key: BILLED_COLUMN,
    title: 'BILLED $',
    minWidth: 11,
    align: 'right',
    cell: ({billed}) => [{text: formatUsdFigure(billed), tone: 'dim'}],
  },
  {key: 'share', title: 'SHARE', minWidth: 10, maxWidth: 80, flex: 3, cell: shareCell},
];

export const SPENDER_COLUMNS = WIDE_SPENDER_COLUMNS.filter(({key}) => key !== BILLED_COLUMN);

function typeWord({resourceType, isActive}: Spender): string {
  return isActive ? resourceType : `${resourceType} ended`;
}

/** A figure, and a bar in the room that is left. */
function shareCell({shareRatio, barRatio}: Spender, width: number, theme: Theme): Line {
  const figure = formatPercent(shareRatio).padStart(FIGURE_CELLS);
  const bar = shareBar(barRatio, {width: Math.max(0, width - FIGURE_CELLS - 1), glyphs: theme.glyphs, tone: 'series'});
  return [{text: figure}, {text: ' '}, ...bar];
}

const FIGURE_CELLS = 4;

/** The contracts; the one that ends soonest is read by itself too, and is as in the newer of both readings. */
export function contractsOf(scene: Scene): readonly Contract[] | undefined {
  const listed = scene.store.get(contractsFeed);
  const contracts = lastValue(listed)?.records;
  const soonest = soonestContract(scene);
  if (soonest === undefined) return contracts;
  const alone = scene.store.get(contractFeed(soonest.id));
  const newer = (readAt(alone) ?? 0) > (readAt(listed) ?? 0) ? lastValue(alone) : undefined;
  return newer === undefined ? contracts : contracts?.map(contract => (contract.id === newer.id ? newer : contract));
}

/** The one that ends next, by the list; one without a known end may be it, but nothing says so. */
export function soonestContract({store, now}: Pick<Scene, 'store' | 'now'>): Contract | undefined {
  const ahead = (lastValue(store.get(contractsFeed))?.records ?? []).filter(
    ({endsAt}) => endsAt !== undefined && endsAt > now,
  );
  return ahead.sort((left, right) => (left.endsAt ?? 0) - (right.endsAt ?? 0) || left.id - right.id)[0];
}

const NOTICE_DAYS = 30;

/** A contract that deletes is a danger shortly before its end, any other end worth a look from thirty days. */
function contractTone(contract: Contract, {now, preferences}: Pick<Scene, 'now' | 'preferences'>): Tone {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'warning';
  if (contract.expirationPolicy.kind !== 'market' && days * DAY_MS <= preferences.contractCriticalMs) return 'danger';
  return days <= NOTICE_DAYS ? 'warning' : 'text';
}

/** `#118  6d left  26 Nov  DELETES what it covers  30% off H100 ×24`. */
export function contractLine(contract: Contract, scene: Pick<Scene, 'now' | 'preferences'>): Line {
  const tone = contractTone(contract, scene);
  const {now} = scene;
  return [
    {text: ` #${contract.id}`.padEnd(8), tone: 'strong'},
    {text: `${contract.statusText}`.padEnd(10), tone: 'dim'},
    {text: daysText(contract, now).padEnd(13), tone},
    {text: `${formatUtcDate(contract.endsAt)}  `, tone: 'dim'},
    {text: `${POLICIES[contract.expirationPolicy.kind]}  `, tone},
    {text: contract.discounts.map(discount => discountText(discount, contract, now)).join(', ')},
    {text: contract.description === undefined ? '' : `  ${contract.description}`, tone: 'dim'},
  ];
}

const POLICIES: Readonly<Record<Contract['expirationPolicy']['kind'], string>> = {
  delete: 'then DELETES what it covers',
  market: 'then market price',
  unknown: 'then unknown',
};

function daysText(contract: Contract, now: EpochMs): string {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'end unknown';
  if (days < 0) return `ended ${Math.ceil(-days)}d ago`;
  return days < 1 ? `${Math.floor(days * 24)}h left` : `${Math.floor(days)}d left`;
}

function discountText(discount: Discount, contract: Contract, now: EpochMs): string {
  const what = discount.resourceName ?? (discount.resourceId === undefined ? 'resource' : `#${discount.resourceId}`);
  const count = discount.resourceCount === undefined ? '' : ` ×${discount.resourceCount}`;
  const free = discount.remainingCount === undefined ? '' : `, ${discount.remainingCount} unused`;
  const isOff = isDiscountInForce(discount, contract, now) ? '' : ' (not in force)';
  return `${termsText(discount)} ${what}${count}${free}${isOff}`;
}

function termsText({terms, typeText}: Discount): string {
  switch (terms.kind) {
    case 'percent':
      return `${decimalText(terms.percent)}% off`;
    case 'flat':
      // Per what time a flat price counts is documented nowhere, so none is claimed.
      return `$${priceText(terms.price)} flat for`;
    case 'unusable':
      return `${typeText ?? 'unknown'} discount on`;
  }
}

/** Cents at least, and whatever is finer as it is: a price per unit is no total. */
function priceText(price: Rational): string {
  const text = decimalText(price);
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals < 2 ? (Number(price.numerator) / Number(price.denominator)).toFixed(2) : text;
}

function decimalText({numerator, denominator}: Rational): string {
  return String(Number(numerator) / Number(denominator));
}
