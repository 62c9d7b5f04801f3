import {expect, it} from 'vitest';
import {computeFigures} from '../../src/domain/money/figures.ts';
import {pricesWith} from '../../src/domain/money/prices.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {budgetLines} from '../../src/panes/budget.ts';
import {runwayLine} from '../../src/panes/runway.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../src/state/billing.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {presentTriage} from '../../src/state/triage.ts';
import {textOf} from '../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {aUsageRecord, NOW} from './a-known-scene.ts';
import {aReadScene, listed, read} from './a-read-scene.ts';

/** The runway of $960 with these hourly rates and a first machine in this state. */
function runwayOf(
  rates: readonly (string | undefined)[],
  status: 'ACTIVE' | 'REBOOTING' | 'ERROR',
  isWhole = true,
  others: readonly number[] = [],
): string {
  const usage = rates.map((rate, index) => aUsageRecord(index + 1, rate));
  const machine = aVirtualMachine({id: 1, status, flavor: {name: safeText('unlisted')}});
  const listing = isWhole ? {} : {incompleteReason: 'page-limit' as const};
  const scene = aReadScene([
    isWhole ? listed(usageFeed, usage) : read(usageFeed, {records: usage, quarantined: [], ...listing}),
    read(machinesFeed, aListing([machine, ...others.map(id => aVirtualMachine({id}))])),
    read(creditFeed, {balance: usd(rational(960n, 1n))}),
  ]);
  return textOf(runwayLine(scene, computeFigures(usage, [], NOW)));
}

it.each([
  ['all is metered', runwayOf(['4', '6'], 'ACTIVE'), '4d'],
  ['something has no price', runwayOf(['10', undefined], 'ACTIVE'), 'at most 4d'],
  ['usage was not read to its end', runwayOf(['10'], 'ACTIVE', false), 'at most 4d'],
  ['only what has no price is billed', runwayOf([undefined], 'ACTIVE'), 'unknown'],
  ['nothing is metered but usage was not read to its end', runwayOf(['0'], 'ACTIVE', false), 'unknown'],
  ['a free resource is billed beside one without a price', runwayOf(['0', undefined], 'ACTIVE'), 'unknown'],
  ['nothing is billed', runwayOf([], 'ERROR'), 'no end, nothing is billed'],
  ['a machine runs of which usage has no record', runwayOf([], 'ACTIVE'), 'unknown'],
  // Free while it reboots, at a price that nobody published.
  ['a machine changes state', runwayOf(['0', '10'], 'REBOOTING'), 'at most 4d  with 1 changing state'],
  [
    'a machine runs beside one without a record',
    runwayOf(['10'], 'ACTIVE', true, [7]),
    'at most 4d  with 1 not metered',
  ],
])('the runway claims no more than is known when %s', (_when, shown, expected) => {
  expect(shown).toBe(expected);
});

it.each<[string, {credit: bigint; flavor: string; contractId?: number}, line: string, told: readonly string[]]>([
  // $520 at $10 an hour; with five machines at $0.60, $520 at $13. A contract may set another price than that.
  [
    'lowers it where the list price is certain',
    {credit: 520n, flavor: 'n3-own'},
    '40h  CRIT: suspended at $0',
    [
      'critical: credit ends in 40 h',
      'at $10.00/h plus the price of 5 machines without a usage record, the credit lasts 40 h',
    ],
  ],
  [
    'warns where it is not',
    {credit: 520n, flavor: 'n3-own', contractId: 5},
    '40h at list prices  WARN',
    [
      'warning: credit may end in 40 h',
      'at $10.00/h plus the price of 5 machines without a usage record, the credit lasts at most 2 days, 40 h at list prices',
    ],
  ],
  [
    'is calm where the list price ends it no sooner than that',
    {credit: 5200n, flavor: 'n3-own', contractId: 5},
    'at most 21d, 16d at list prices  with 5 not metered',
    [],
  ],
  [
    'cannot judge without any price',
    {credit: 520n, flavor: 'unlisted', contractId: 5},
    'at most 52h  with 5 not metered',
    ['not judged: the credit lasts at most 2 days: not all that is billed has a price'],
  ],
])('of five machines without a usage record, the runway %s', (_, {credit, flavor, contractId: id}, line, told) => {
  const own = pricesWith({perHourByFlavor: {'n3-own': 0.6}, billingByState: {}});
  const usage = [aUsageRecord(1, '10')];
  const contract = id === undefined ? {} : {contractId: id};
  const machines = [2, 3, 4, 5, 6].map(each =>
    aVirtualMachine({id: each, flavor: {name: safeText(flavor)}, ...contract}),
  );
  const known = aReadScene([
    listed(usageFeed, usage),
    listed(machinesFeed, machines),
    listed(deletedUsageFeed, []),
    read(creditFeed, {balance: usd(rational(credit, 1n))}),
  ]);
  const scene = {...known, preferences: {...DEFAULT_PREFERENCES, prices: own}};
  expect(textOf(runwayLine(scene, computeFigures(usage, [], NOW)))).toBe(line);
  const {findings, unknown} = presentTriage(scene);
  expect([
    ...findings
      .filter(({rule}) => rule === 'credit-runway')
      .flatMap(({severity, summary, evidence}) => [`${severity}: ${summary}`, ...evidence]),
    ...unknown.flatMap(({rule, reason}) => (rule === 'credit-runway' ? [`not judged: ${reason}`] : [])),
  ]).toEqual(told);
});

it.each([
  // A dollar of $1,000 is billed, 243 hours of the month are left, and $799 at $80/h take ten of them.
  ['and is not', ['1'], 'stays below 80% this month'],
  ['and is', ['80'], '80% on 21 Nov at this burn'],
  ['while a part has no price', ['1', undefined], 'stays below 80% this month without 1 of unknown price'],
  ['while nothing has a price', [undefined, undefined], 'unknown when 80% is reached'],
])('tells when the next share of the budget is reached, if it is known: %s', (_, rates, expected) => {
  const usage = rates.map((rate, index) => ({
    ...aUsageRecord(index + 1, rate),
    ...(index === 0 ? {billedCost: usd(rational(1n, 1n))} : {}),
  }));
  const preferences = {...DEFAULT_PREFERENCES, budget: usd(rational(1000n, 1n)), budgetAlertRatios: [0.8]};
  const lines = budgetLines({preferences, now: NOW}, computeFigures(usage, [], NOW));
  expect(lines.slice(1).map(textOf)).toEqual([expected]);
});

it('says which part of a budget is behind when no threshold is ahead', () => {
  const usage = [{...aUsageRecord(1, '1'), billedCost: usd(rational(850n, 1n))}];
  const preferences = {...DEFAULT_PREFERENCES, budget: usd(rational(1000n, 1n)), budgetAlertRatios: [0.5, 0.8]};
  const lines = budgetLines({preferences, now: NOW}, computeFigures(usage, [], NOW));
  expect(lines.slice(1).map(textOf)).toEqual(['past the last alert threshold']);
});

it('says that a credit is used up, though nothing is billed any more', () => {
  const scene = aReadScene([listed(usageFeed, []), read(creditFeed, {balance: usd(rational(-12n, 1n))})]);
  expect(textOf(runwayLine(scene, computeFigures([], [], NOW)))).toBe('used up  CRIT: suspended at $0');
  expect(presentTriage(scene).findings.map(({summary}) => summary)).toContain('credit used up');
});

it.each([
  'REBOOTING',
  'STOPPING',
  'SHUTOFF',
  'ACTIVE',
] as const)('keeps its finding while usage was read during a change of state, and says how it counts it: now %s', status => {
  const prices = pricesWith({perHourByFlavor: {'n3-own': 20}, billingByState: {}});
  const scene = aReadScene([
    listed(usageFeed, [aUsageRecord(1, '0'), aUsageRecord(2, '4')]),
    read(machinesFeed, aListing([aVirtualMachine({id: 1, status, flavor: {name: safeText('n3-own')}})])),
    read(creditFeed, {balance: usd(rational(240n, 1n))}),
  ]);
  // $240 last 10 hours at $24 an hour; at $4 they would last 60, which is no finding.
  const found = presentTriage({...scene, preferences: {...DEFAULT_PREFERENCES, prices}}).findings;
  expect(found.filter(({rule}) => rule === 'credit-runway').map(({evidence}) => evidence)).toEqual([
    ['at $4.00/h plus the price of 1 machine changing state, the credit lasts 10 h'],
  ]);
});
