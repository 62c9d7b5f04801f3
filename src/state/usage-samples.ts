import {billingHistory, usage} from '../api/billing.ts';
import type {Answer, ReadClient} from '../api/client.ts';
import {readKept, replaceKept, type StateFile} from '../config/own-files.ts';
import type {BillSample, UsageRecord} from '../domain/billing.ts';
import type {BillingHistory} from '../domain/billing-history.ts';
import {isBurning, usableRate} from '../domain/cost.ts';
import {MAX_SAMPLE_GAP_MS} from '../domain/money/bill-parts.ts';
import {spanKey, usableCost} from '../domain/money/spend.ts';
import {accrue, compare, minutesOf, type Rate, ratePerMinute, subtractUsd, usd} from '../domain/money.ts';
import {type Clock, DAY_MS, type DurationMs, type EpochMs, MINUTE_MS, momentOf} from '../domain/time.ts';
import {accountOf, entriesOf, fraction, fractionText, withAccount} from './account-file.ts';
import {isWhole} from './feed.ts';

// If the provider keeps no bills, the amount of each record at every reading shows when it was billed. Between two
// samples an amount is taken to grow evenly, so a sample is kept only where growth changes, and around midnight.

const FOLDER = 'samples';
const MAX_FILE_BYTES = 8_000_000;
const WRITE_INTERVAL_MS: DurationMs = 5 * MINUTE_MS;
/** A longer list would make the file too large. */
const MAX_RECORDS = 2_000;
const MAX_SAMPLES = 150;
/** The oldest day of the previous month is at most this old. */
const MAX_AGE_MS: DurationMs = 70 * DAY_MS;
const METER_STEP = minutesOf(MINUTE_MS);

/** The samples of one span, and its rate when last read. */
type Sampled = {readonly samples: readonly BillSample[]; readonly rate: Rate | undefined; readonly isFixed: boolean};
type SampledBySpan = Map<string, Sampled>;

/** Wraps a client: usage records get their earlier amounts added, until the provider is seen to keep bills. */
export function samplingUsage(client: ReadClient, file: StateFile | undefined, clock: Clock): ReadClient {
  let account: string | undefined;
  let sampled: SampledBySpan = new Map();
  let billing: 'unknown' | 'kept' | 'none' = 'unknown';
  let writtenAt: EpochMs | undefined;

  function take(records: readonly UsageRecord[], now: EpochMs): void {
    if (records.length > MAX_RECORDS) return;
    for (const record of records) {
      const key = spanKey(record);
      const next = withSample(sampled.get(key), record, now);
      if (next !== undefined) sampled.set(key, next);
    }
    for (const [key, {samples}] of sampled) {
      if ((samples.at(-1)?.at ?? now) < now - MAX_AGE_MS) sampled.delete(key);
    }
  }

  function write(now: EpochMs): void {
    const isDue = writtenAt === undefined || now - writtenAt >= WRITE_INTERVAL_MS;
    if (file === undefined || account === undefined || billing !== 'none' || !isDue || sampled.size === 0) return;
    writtenAt = now;
    writeSamples(file, account, sampled);
  }

  function usageRead(answer: Answer<UsageRecord>, isDeleted: boolean): Answer<UsageRecord> {
    const now = clock.wallNow();
    const present = isDeleted ? account : accountOf(answer);
    if (present !== account) {
      account = present;
      sampled = account === undefined || file === undefined ? new Map() : readSamples(file, account, now);
    }
    const records = billing === 'kept' ? answer.records : answer.records.map(record => withSamples(record, sampled));
    if (!isDeleted && isWhole(answer)) take(answer.records, now);
    write(now);
    return {...answer, records};
  }

  return {
    ...client,
    read: async (endpoint, params, options) => {
      const result = await client.read(endpoint, params, options);
      // The endpoint id decides the type of its records, which the comparison cannot express: hence the casts.
      if (endpoint.id === billingHistory.id) {
        const bill = result.ok ? (result.value as Answer<BillingHistory>).records[0]?.billedCost : undefined;
        billing = bill !== undefined || billing === 'kept' ? 'kept' : 'none';
        write(clock.wallNow());
      }
      if (endpoint.id !== usage.id || !result.ok) return result;
      const isDeleted = Object.fromEntries(entriesOf(params)).isDeleted === true;
      return {ok: true, value: usageRead(result.value as Answer<UsageRecord>, isDeleted) as Answer<never>};
    },
  };
}

function withSamples(record: UsageRecord, sampled: SampledBySpan): UsageRecord {
  const samples = sampled.get(spanKey(record))?.samples;
  return samples === undefined ? record : {...record, samples};
}

/** Adds the present amount. It replaces the last sample if the amount has grown evenly since the one before. */
function withSample(known: Sampled | undefined, record: UsageRecord, at: EpochMs): Sampled | undefined {
  const billedCost = usableCost(record);
  const last = known?.samples.at(-1);
  if (billedCost === undefined || !isBurning(record) || (last !== undefined && at <= last.at)) return known;
  const rate = usableRate(record);
  if (known === undefined || last === undefined || at - last.at > MAX_SAMPLE_GAP_MS) {
    return {samples: limited([...(known?.samples ?? []), {at, billedCost, isFirst: true}]), rate, isFixed: true};
  }
  const sample = {at, billedCost, isFirst: false};
  const isTurn =
    Math.floor(at / DAY_MS) !== Math.floor(last.at / DAY_MS) ||
    (rate !== undefined && !isEven(known, {last, sample, rate}));
  const before = isTurn || known.isFixed ? known.samples : known.samples.slice(0, -1);
  return {samples: limited([...before, sample]), rate, isFixed: isTurn};
}

/** Whether the rate is unchanged and the amount has grown at that rate. */
function isEven(
  {rate: rateBefore}: Sampled,
  {last, sample, rate}: {readonly last: BillSample; readonly sample: BillSample; readonly rate: Rate},
): boolean {
  if (rateBefore === undefined || compare(rate, rateBefore) !== 0) return false;
  const grown = subtractUsd(sample.billedCost, last.billedCost);
  const gap = subtractUsd(grown, accrue(rate, minutesOf(sample.at - last.at)));
  const size = {...gap, numerator: gap.numerator < 0n ? -gap.numerator : gap.numerator};
  return compare(size, accrue(rate, METER_STEP)) <= 0;
}

function limited(samples: readonly BillSample[]): readonly BillSample[] {
  const [, second, ...others] = samples;
  // What the dropped sample showed is lost.
  return samples.length > MAX_SAMPLES && second !== undefined ? [{...second, isFirst: true}, ...others] : samples;
}

function readSamples(file: StateFile, account: string, now: EpochMs): SampledBySpan {
  return new Map(
    (readFile(file).get(account) ?? []).flatMap(([key, value]): [string, Sampled][] => {
      const sampled = sampledIn(value);
      return sampled === undefined || (sampled.samples.at(-1)?.at ?? now) > now ? [] : [[key, sampled]];
    }),
  );
}

type Spans = readonly (readonly [string, unknown])[];

/** Empty if the file is missing, not our own, or not in our format. */
function readFile(file: StateFile): ReadonlyMap<string, Spans> {
  const read = readKept(file, FOLDER, {maxBytes: MAX_FILE_BYTES, isPrivate: true});
  return new Map(entriesOf(read).map(([account, spans]) => [account, entriesOf(spans)]));
}

function writeSamples(file: StateFile, account: string, sampled: SampledBySpan): void {
  const own = [...sampled].map(([key, each]) => [key, written(each)] as const);
  const all = withAccount<Spans>(readFile(file), account, own);
  const content = Object.fromEntries([...all].map(([each, spans]) => [each, Object.fromEntries(spans)]));
  replaceKept(file, FOLDER, `${JSON.stringify(content)}\n`);
}

/** For each sample: seconds since 1970, dollars, and whether nothing was read before it. */
function written({samples, rate, isFixed}: Sampled): object {
  return {
    rate: rate === undefined ? null : fractionText(rate),
    isFixed,
    samples: samples.map(({at, billedCost, isFirst}) => [at / 1000, fractionText(billedCost), isFirst]),
  };
}

/** Undefined if it is not in our format. */
function sampledIn(value: unknown): Sampled | undefined {
  const {rate, isFixed, samples: all} = Object.fromEntries(entriesOf(value));
  if (!Array.isArray(all) || all.length === 0) return undefined;
  const samples = all.flatMap((each): BillSample[] => {
    const [seconds, text, isFirst] = Array.isArray(each) ? each : [];
    const billedCost = typeof text === 'string' ? fraction(text) : undefined;
    const at = typeof seconds === 'number' ? momentOf(Math.round(seconds * 1000)) : undefined;
    if (at === undefined || billedCost === undefined || typeof isFirst !== 'boolean') return [];
    return [{at, billedCost: usd(billedCost), isFirst}];
  });
  const isAscending = samples.every(({at}, index) => index === 0 || at > (samples[index - 1]?.at ?? at));
  if (samples.length < all.length || !isAscending) return undefined;
  const known = typeof rate === 'string' ? fraction(rate) : undefined;
  return {samples, rate: known && ratePerMinute(known), isFixed: isFixed !== false};
}
