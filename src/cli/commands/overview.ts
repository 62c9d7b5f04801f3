import {assert} from '../../domain/assert.ts';
import {costliestFirst, runwayText} from '../../domain/cost.ts';
import {monthSoFar} from '../../domain/billing-history.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {knownBurn, knownMonthToDate} from '../../domain/money/report.ts';
import {type Rate, sumRates} from '../../domain/money.ts';
import type {Preferences} from '../../domain/preferences.ts';
import {safeText} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../../domain/time.ts';
import {isTransitional, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  historyFeed,
  knownCredit,
  knownRates,
  presentRates,
  presentRunway,
  usageFeed,
} from '../../state/billing.ts';
import {flavorsFeed, priceBookFeed, withPricesInForce} from '../../state/catalogue.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {machines} from '../../resources/machines.ts';
import type {RowInput} from '../../resources/resource.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Session} from '../../state/session.ts';
import {UNKNOWN} from '../../ui/format.ts';
import type {Account} from '../account.ts';
import {type CommandIo, complain, print} from '../command-io.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {gapsIn} from '../print/print-records.ts';
import {codeOfRead} from '../run-command.ts';

const LIMIT_MS: DurationMs = 5 * SECOND_MS;
const LISTS: readonly Feed<Listing<unknown>>[] = [machinesFeed, usageFeed, deletedUsageFeed, flavorsFeed];
const FEEDS: readonly Feed<unknown>[] = [...LISTS, organizationFeed, meFeed, creditFeed];
const COSTLIEST_COUNT = 10;

/**
 * Prints the state of the account once, as plain text, after all first reads or after five seconds. Whatever is missing
 * is called unknown. Returns the exit code: 0; 3 or 6 if nothing could be read; 6 if it could not be written.
 */
export async function printOverview(io: CommandIo, account: Account): Promise<ExitCode> {
  const {session, clock} = account;
  const {store, poller} = session;
  // What the month was billed; if the provider does not say, usage does.
  const billed = historyFeed(monthSoFar(clock.wallNow()));
  const hasAnything = await collectOnce({feeds: [...FEEDS, priceBookFeed, billed], poller, clock, limitMs: LIMIT_MS});
  for (const feed of FEEDS) {
    const snapshot = store.get(feed);
    const failure = failureOf(snapshot);
    if (failure !== undefined) complain(io, `${feed.key}: ${describeReadFailure(failure)}`);
    else if (snapshot.status === 'waiting') complain(io, `${feed.key}: timed out after ${LIMIT_MS / SECOND_MS} s`);
  }
  if (!hasAnything) {
    const isRefused = FEEDS.some(feed => failureOf(store.get(feed))?.kind === 'not-authorised');
    return isRefused ? EXIT.notAuthorised : EXIT.noAnswer;
  }
  for (const feed of LISTS) {
    const listing = lastValue(store.get(feed));
    for (const gap of listing === undefined ? [] : gapsIn(safeText(feed.key), listing)) complain(io, gap);
  }
  await print(io, await overviewText(io, account));
  return codeOfRead(io);
}

async function overviewText({terminal}: CommandIo, account: Account): Promise<string> {
  const {session, clock, isSimulated} = account;
  const preferences = withPricesInForce(account.preferences, {store: session.store, now: clock.wallNow()});
  // The table needs React, so it is loaded only when something is printed.
  const {summaryTable} = await import('../../ui/summary-table.tsx');
  const {formatUtcFull} = await import('../../ui/format.ts');
  const observed = observedMachines(session.store);
  const name = lastValue(session.store.get(organizationFeed))?.name ?? 'account unknown';
  const head = ['skydeck', name, ...(isSimulated ? ['SIMULATED'] : []), formatUtcFull(clock.wallNow())].join('  ');
  const sections = [head, await moneyText(session, clock, preferences)];
  if (observed === undefined) return `${[...sections, 'machines    unknown'].join('\n\n')}\n`;
  const rates = presentRates(session.store);
  const options = {hasBoxCharacters: terminal.isUtf8};
  const known = {store: session.store, now: clock.wallNow(), monotonicNow: clock.monotonicNow(), preferences};
  const states = summaryTable(STATE_COLUMNS, await stateRows(observed, known), options);
  const costliest = summaryTable(COSTLIEST_COLUMNS, costliestRows(observed, rates, known), options);
  const costliestTitle = rates.size === 0 ? 'machines, with unknown rates' : 'costliest machines';
  if (observed.length === 0) return `${[...sections, 'machines    none'].join('\n\n')}\n`;
  return `${[...sections, states, costliestTitle, costliest].join('\n\n')}\n`;
}

async function moneyText({store}: Session, clock: Clock, preferences: Preferences): Promise<string> {
  const {formatKnown, formatRate, formatRunway, formatUsd} = await import('../../ui/format.ts');
  const credit = knownCredit(store, preferences);
  const figures = billingFigures({store, now: clock.wallNow(), monotonicNow: clock.monotonicNow(), preferences});
  const burn = figures && knownBurn(figures);
  const month = figures && knownMonthToDate(figures);
  const lasting = presentRunway({store, monotonicNow: clock.monotonicNow()}, burn, preferences);
  const runway = credit === undefined ? '' : `  runway ${runwayText(lasting, formatRunway)}`;
  const unpriced = (figures?.unpricedCount ?? 0) === 0 ? '' : `  (${figures?.unpricedCount} unpriced)`;
  return [
    `burn rate   ${formatKnown(burn, formatRate)}${unpriced}`,
    `this month  ${formatKnown(month, formatUsd)}${figures?.lacksDeleted === true ? '  without deleted resources' : ''}`,
    `credit      ${credit === undefined ? 'unknown' : `${formatUsd(credit.balance)}${credit.isOwn ? ' from your settings' : ''}`}${runway}`,
  ].join('\n');
}

const STATE_COLUMNS = [{title: 'STATE'}, {title: 'MACHINES', align: 'right'}, {title: '$/h', align: 'right'}] as const;

async function stateRows(
  machines: readonly VirtualMachine[],
  known: RowInput,
): Promise<readonly (readonly string[])[]> {
  const {formatRateFigure} = await import('../../ui/format.ts');
  const byState = Map.groupBy(machines, machine => machine.statusText);
  return [...byState]
    .sort(([, left], [, right]) => right.length - left.length)
    .map(([state, group]) => [
      `${state}${group.some(({status}) => isTransitional(status)) ? ' (changing)' : ''}`,
      String(group.length),
      groupCost(knownRates(group, known), group.length, formatRateFigure),
    ]);
}

/** The known cost of a group. An unknown part is reported, never taken as zero. */
function groupCost(known: readonly Rate[], count: number, format: (rate: Rate) => string): string {
  if (known.length === 0) return 'unknown';
  return known.length < count
    ? `${format(sumRates(known))} + ${count - known.length} unknown`
    : format(sumRates(known));
}

/** Columns of the list of machines, each with what stands for a missing value. */
const COSTLIEST_COLUMNS = [
  {...machineColumn('name'), absent: ''},
  {...machineColumn('state'), absent: ''},
  {...machineColumn('flavor'), absent: 'unknown'},
  {...machineColumn('region'), absent: 'unknown'},
  {...machineColumn('cost'), absent: UNKNOWN},
  {...machineColumn('address'), absent: 'none'},
];

function machineColumn(wanted: string) {
  const column = machines.columns.find(({key}) => key === wanted);
  assert(column !== undefined, `no column ${wanted}`);
  return column;
}

function costliestRows(
  observed: readonly VirtualMachine[],
  rates: ReadonlyMap<number, Rate>,
  known: RowInput,
): readonly (readonly string[])[] {
  const rowOf = machines.row(known);
  return costliestFirst(observed, rates)
    .slice(0, COSTLIEST_COUNT)
    .map(machine => {
      const row = rowOf(machine);
      return COSTLIEST_COLUMNS.map(({value, absent}) => value(row)?.text ?? absent);
    });
}
