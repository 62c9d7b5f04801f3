import {billingHistory, usage} from '../api/billing.ts';
import type {Answer, ReadClient} from '../api/client.ts';
import {readKept, replaceKept, type StateFile} from '../config/own-files.ts';
import type {UsageRecord} from '../domain/billing.ts';
import type {BillingHistory, ChargePeriod} from '../domain/billing-history.ts';
import {type Usd, usd} from '../domain/money.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, isoText, parseTimestamp} from '../domain/time.ts';
import {accountOf, entriesOf, fraction, fractionText, withAccount} from './account-file.ts';
import {isWhole} from './feed.ts';

// The bill of a closed day is final, so it is read once and kept on disk: a start requests only the open day and the
// two days before it, which may still be corrected.

/** The amount billed for a day (undefined for nothing), and when the provider was asked. */
type Bill = {readonly cost: Usd | undefined; readonly readAt: EpochMs};
/** By date. */
type Bills = ReadonlyMap<string, Bill>;
type BillsByAccount = ReadonlyMap<string, Bills>;

const FOLDER = 'bills';
const MAX_FILE_BYTES = 2_000_000;
const MAX_DAYS = 800;
/** For this long after its end, a day may still be corrected. */
const CORRECTED_MS = 2 * DAY_MS;
const CORRECTED_INTERVAL_MS = HOUR_MS;

/**
 * Wraps a client: bills of closed days come from the file if they are in it, and are saved when read. Usage tells whose
 * bills they are; until it was read, nothing is taken from the file. A day is closed when it is over by both clocks.
 */
export function keepingBills(
  client: ReadClient,
  file: StateFile,
  {settledNow}: {readonly settledNow: () => EpochMs},
): ReadClient {
  let account: string | undefined;
  let known: BillsByAccount | undefined;

  function kept(day: ChargePeriod): Answer<BillingHistory> | undefined {
    if (account === undefined) return undefined;
    known ??= readBills(file);
    const bill = known.get(account)?.get(dateOf(day));
    if (bill === undefined || !isStanding(bill, day, settledNow())) return undefined;
    return {records: bill.cost === undefined ? [] : [{billedCost: bill.cost}], quarantined: []};
  }

  function keep(day: ChargePeriod, answer: Answer<BillingHistory>): void {
    const [history] = answer.records;
    if (account === undefined || !isWhole(answer) || (history !== undefined && history.billedCost === undefined))
      return;
    const bill = {cost: history?.billedCost, readAt: settledNow()};
    known = writeBill(file, {account, date: dateOf(day), bill});
  }

  return {
    ...client,
    read: async (endpoint, params, options) => {
      const day = endpoint.id === billingHistory.id ? closedDay(params, settledNow()) : undefined;
      const standing = day && kept(day);
      // The endpoint id decides the type of its records, which the comparison cannot express: hence the casts.
      if (standing !== undefined) return {ok: true, value: standing as Answer<never>};
      const result = await client.read(endpoint, params, options);
      if (result.ok && day !== undefined) keep(day, result.value as Answer<BillingHistory>);
      if (result.ok && isOfLiving(endpoint.id, params)) account = accountOf(result.value as Answer<UsageRecord>);
      return result;
    },
  };
}

function isOfLiving(endpointId: string, params: unknown): boolean {
  const isOfDeleted = typeof params === 'object' && params !== null && 'isDeleted' in params && params.isDeleted;
  return endpointId === usage.id && isOfDeleted !== true;
}

/** The period of a request, if it is a whole UTC day that is over. */
function closedDay(params: unknown, now: EpochMs): ChargePeriod | undefined {
  const {period} = Object.fromEntries(entriesOf(params));
  const {startsAt, endsAt} = Object.fromEntries(entriesOf(period));
  if (typeof startsAt !== 'number' || typeof endsAt !== 'number') return undefined;
  const isDay = startsAt % DAY_MS === 0 && endsAt - startsAt === DAY_MS;
  return isDay && endsAt <= now ? {startsAt: epochMs(startsAt), endsAt: epochMs(endsAt)} : undefined;
}

/** Whether a saved bill can be used; one read later than now was saved under another clock. */
function isStanding({readAt}: Bill, {endsAt}: ChargePeriod, now: EpochMs): boolean {
  if (readAt < endsAt || readAt > now) return false;
  return readAt - endsAt >= CORRECTED_MS || now - readAt < CORRECTED_INTERVAL_MS;
}

function dateOf({startsAt}: ChargePeriod): string {
  return isoText(startsAt).slice(0, 10);
}

/** Empty if the file is missing, not our own, or not in our format. */
function readBills(file: StateFile): BillsByAccount {
  const read = readKept(file, FOLDER, {maxBytes: MAX_FILE_BYTES, isPrivate: true});
  return new Map(entriesOf(read).map(([account, bills]) => [account, billsIn(bills)]));
}

/** Adds one bill to the file, keeping what another skydeck may have added meanwhile. */
function writeBill(
  file: StateFile,
  {account, date, bill}: {readonly account: string; readonly date: string; readonly bill: Bill},
): BillsByAccount {
  const known = readBills(file);
  const own = new Map([...(known.get(account) ?? []), [date, bill]]);
  const bills = new Map([...own].sort(([left], [right]) => (left < right ? -1 : 1)).slice(-MAX_DAYS));
  const all = withAccount(known, account, bills);
  replaceKept(file, FOLDER, `${JSON.stringify(fileContent(all), undefined, 1)}\n`);
  return all;
}

function fileContent(all: BillsByAccount): object {
  const bills = (own: Bills) =>
    Object.fromEntries(
      [...own].map(([date, {cost, readAt}]) => [
        date,
        {usd: cost === undefined ? null : fractionText(cost), readAt: isoText(readAt)},
      ]),
    );
  return Object.fromEntries([...all].map(([account, own]) => [account, bills(own)]));
}

function billsIn(value: unknown): Bills {
  return new Map(
    entriesOf(value).flatMap(([date, bill]): [string, Bill][] => {
      const {usd: text, readAt: moment} = Object.fromEntries(entriesOf(bill));
      const readAt = typeof moment === 'string' ? parseTimestamp(moment) : undefined;
      const amount = typeof text === 'string' ? fraction(text) : undefined;
      const cost = amount && usd(amount);
      const isBill = /^\d{4}-\d\d-\d\d$/.test(date) && readAt !== undefined && (cost !== undefined || text === null);
      return isBill ? [[date, {cost, readAt}]] : [];
    }),
  );
}
