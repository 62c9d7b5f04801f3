import type {UsageRecord} from '../../src/domain/billing.ts';
import {computeFigures, topSpenders} from '../../src/domain/money/figures.ts';
import {costReport} from '../../src/domain/money/report.ts';
import {monthEnd, monthStart, monthToDate} from '../../src/domain/money/spend.ts';
import {add, ratePerMinute, rational, usd, ZERO_USD} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS} from '../../src/domain/time.ts';
import {aCostReading} from '../domain/money/a-usage-record.ts';
import type {Figure} from './report.ts';
import {median} from './statistics.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12));
const MONTH = {start: monthStart(NOW), end: monthEnd(NOW)};
const SECONDS_OF_58_DAYS = 5_000_000;
const WARM_UPS = 2;

/** How long the sums over many usage records take, in this process only. */
export async function measureMoney(count: number): Promise<readonly Figure[]> {
  const all = records(100_000);
  const fleet = all.slice(0, 10_000);
  const report = () => costReport(aCostReading(fleet, {now: NOW, month: MONTH}));
  const living = all
    .filter(({isActive}) => isActive)
    .filter((_, index) => index % 66 === 1)
    .slice(0, 1000);
  const ended = all.filter(({isActive}) => !isActive);
  const pollAt = (poll: number) => epochMs(NOW + poll * MINUTE_MS);
  const livingAt = (poll: number) =>
    living.map(record => ({
      ...record,
      billedCost: usd(add(record.billedCost ?? ZERO_USD, rational(BigInt(poll), 100n))),
    }));
  return [
    {
      group: 'money',
      name: 'poll of 1,000 live usage records beside 33,000 ended ones',
      value: medianMs(count, poll => computeFigures(livingAt(poll), ended, pollAt(poll))),
      unit: 'ms',
      target: 10,
      note: 'days, month, curve and forecast, each poll a minute later with new records',
    },
    {
      group: 'money',
      name: 'spenders of such a poll',
      value: medianMs(count, poll => topSpenders(computeFigures(livingAt(poll), ended, pollAt(poll)))),
      unit: 'ms',
      note: 'the poll included; while the billing pane is open',
    },
    {
      group: 'money',
      name: 'month-to-date of 100,000 usage records',
      value: medianMs(count, () => monthToDate(all, {monthStart: MONTH.start, now: NOW})),
      unit: 'ms',
      target: 200,
      note: 'exact',
    },
    {
      group: 'money',
      name: 'whole cost report of 10,000 usage records',
      value: medianMs(count, report),
      unit: 'ms',
      note: 'with days, forecast, replays; once a minute in the deck',
    },
  ];
}

function medianMs(count: number, work: (index: number) => unknown): number | undefined {
  const taken = Array.from({length: count + WARM_UPS}, (_, index) => {
    const startedAt = performance.now();
    work(index);
    return performance.now() - startedAt;
  });
  return median(taken.slice(WARM_UPS));
}

/** Machines created at any second of two months, a third of them deleted, with bills of six decimals. */
function records(count: number): readonly UsageRecord[] {
  return Array.from({length: count}, (_, index): UsageRecord => {
    const createdAt = epochMs(NOW - (((index * 7919) % SECONDS_OF_58_DAYS) + 1) * 1000);
    const isActive = index % 3 !== 0;
    return {
      resourceId: index + 1,
      resourceType: safeText('vm'),
      name: safeText(`machine-${index}`),
      createdAt,
      billedCost: usd(rational(BigInt(index * 37 + 1), 1_000_000n)),
      isActive,
      isExcludedFromBilling: false,
      ...(isActive
        ? {rate: ratePerMinute(rational(BigInt((index % 977) + 1), 100_000n))}
        : {terminatedAt: epochMs(Math.floor((createdAt + NOW) / 2))}),
    };
  });
}
