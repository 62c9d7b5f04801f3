import type {UsageRecord} from '../../../src/domain/billing.ts';
import type {BilledDay} from '../../../src/domain/money/billed-day.ts';
import type {Cliff} from '../../../src/domain/money/forecast.ts';
import {ratePerMinute, rational, type Usd, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs} from '../../../src/domain/time.ts';
import type {Chance} from './chance.ts';

// Synthetic fleets whose whole month is known: three months of history and the month that is forecast. Written apart
// from the methods that are judged on them, and shares no arithmetic with them.
//
// The goals were set on other fleets, of which a sentence each and what plain methods err on them are known. How much
// comes and goes in a fleet of ours is chosen so that the run rate, which the program does not forecast by, errs as
// much on day 10 as it does there: the goals would mean nothing on easier or on harder fleets.

export const REGIMES = [
  'steady',
  'growing',
  'shrinking',
  'bursty',
  'weekly',
  'shock',
  'contract, then market',
  'contract, then deleted',
] as const;
/** With as much coming and going beside them as in the steady regime: harder than what is asked, and in no mean. */
export const WITH_TURNOVER = ['weekly, turnover', 'market, turnover', 'deleted, turnover'] as const;
export type Regime = (typeof REGIMES)[number] | (typeof WITH_TURNOVER)[number];

/** What a fleet of a regime is made of, for a scale of 1. */
type MakeUp = {
  /** Machines that last, and the share of them that begin or end within these four months. */
  readonly lastingCount: number;
  readonly changingShare: number;
  /** Machines that are there for some hours or days, and how many of them come on a day. */
  readonly arrivalsPerDay: number;
  /** Percent that the run rate errs by on day 10 on the fleet of the goal; undefined if there was none like it. */
  readonly runRateError?: number;
};

const STEADY: MakeUp = {lastingCount: 10, changingShare: 0.25, arrivalsPerDay: 1.5};
const COMMITTED: MakeUp = {lastingCount: 10, changingShare: 0.06, arrivalsPerDay: 0.12};

export const MAKE_UPS: Readonly<Record<Regime, MakeUp>> = {
  steady: {...STEADY, runRateError: 10.4},
  growing: {lastingCount: 12, changingShare: 0.1, arrivalsPerDay: 0.7, runRateError: 8.3},
  shrinking: {lastingCount: 10, changingShare: 0.25, arrivalsPerDay: 1.4, runRateError: 10.3},
  bursty: {lastingCount: 6, changingShare: 0.25, arrivalsPerDay: 0.5, runRateError: 20.3},
  weekly: {lastingCount: 12, changingShare: 0.05, arrivalsPerDay: 0.05, runRateError: 2.1},
  shock: {lastingCount: 3.5, changingShare: 0.1, arrivalsPerDay: 0.2, runRateError: 19.3},
  'contract, then market': {...COMMITTED, runRateError: 8.8},
  'contract, then deleted': {...COMMITTED, runRateError: 24.8},
  'weekly, turnover': STEADY,
  'market, turnover': STEADY,
  'deleted, turnover': STEADY,
};

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const MONTH_START = Date.UTC(2026, 10, 1);
export const MONTH_END = Date.UTC(2026, 11, 1);
const HISTORY_START = MONTH_START - 90 * DAY;
/** The closed days whose bills the program has at hand. */
const BILLED_DAYS = 28;

/** One machine's life, in hours of its price. */
type Life = {
  readonly from: number;
  readonly to: number;
  readonly perHour: number;
  /** Asleep outside office hours, at this share of the price. */
  readonly asleepShare?: number;
  /** Another price from a moment on. */
  readonly repricing?: {readonly at: number; readonly factor: number};
};

export type Fleet = {
  readonly records: readonly UsageRecord[];
  readonly cliffs: readonly Cliff[];
  readonly billed: readonly BilledDay[];
  readonly total: number;
  readonly monthToDate: number;
};

const GPU_PRICES = [0.5, 1, 1.35, 2.5, 3.2] as const;

/** A fleet of a regime as the service would tell of it at `now`, with what the month comes to in the end. */
export function fleetOf(regime: Regime, now: number, chance: Chance): Fleet {
  const {lives, cliffs} = livesOf(regime, now, chance);
  const records = lives.flatMap((life, index) => (life.from < now ? [recordOf(life, index + 1, now)] : []));
  const total = lives.reduce((sum, life) => sum + cost(life, MONTH_START, MONTH_END), 0);
  const monthToDate = lives.reduce((sum, life) => sum + cost(life, MONTH_START, now), 0);
  return {records, cliffs, billed: closedDays(lives, now), total, monthToDate};
}

/** What the service billed on each of the last days that are over. */
function closedDays(lives: readonly Life[], now: number): readonly BilledDay[] {
  const today = Math.floor(now / DAY) * DAY;
  return Array.from({length: BILLED_DAYS}, (_, index) => {
    const [start, until] = [today - (index + 1) * DAY, today - index * DAY];
    const dollars = lives.reduce((sum, life) => sum + cost(life, start, until), 0);
    return {start: epochMs(start), until: epochMs(until), cost: microDollars(dollars)};
  });
}

function microDollars(dollars: number): Usd {
  return usd(rational(BigInt(Math.round(dollars * 1e6)), 1_000_000n));
}

function livesOf(regime: Regime, now: number, chance: Chance): {readonly lives: Life[]; readonly cliffs: Cliff[]} {
  const scale = chance.between(0.6, 2.5);
  const makeUp = MAKE_UPS[regime];
  const lasting = Array.from({length: Math.round(makeUp.lastingCount * scale)}, () => lastingLife(makeUp, chance));
  const lives = [...lasting, ...arrivals(regime, makeUp.arrivalsPerDay * scale, chance)];
  const cliffs: Cliff[] = [];
  switch (regime) {
    case 'bursty':
      lives.push(...bursts(chance));
      break;
    case 'weekly':
    case 'weekly, turnover':
      return {lives: lives.map(life => ({...life, ...officeHours(chance)})), cliffs};
    case 'shock':
      lives.push(machine(now - chance.between(0.2, 9) * DAY, MONTH_END + DAY, chance.integer(8, 16), chance));
      break;
    case 'contract, then market':
    case 'market, turnover':
      return underContract(lives, 'market', now, chance);
    case 'contract, then deleted':
    case 'deleted, turnover':
      return underContract(lives, 'deleted', now, chance);
  }
  return {lives, cliffs};
}

/** Nine of twenty machines hibernate outside office hours. */
function officeHours(chance: Chance): Pick<Life, 'asleepShare'> {
  return chance.is(0.45) ? {asleepShare: 0.002} : {};
}

/** There from before the history until after the month; or given up, or begun, somewhere in between. */
function lastingLife({changingShare}: MakeUp, chance: Chance): Life {
  const [from, to] = [HISTORY_START - chance.between(0, 60) * DAY, MONTH_END + 10 * DAY];
  const moment = chance.between(HISTORY_START, MONTH_END);
  if (!chance.is(changingShare)) return machine(from, to, gpuCount(chance), chance);
  return chance.is(0.5)
    ? machine(moment, to, gpuCount(chance), chance)
    : machine(from, moment, gpuCount(chance), chance);
}

function gpuCount(chance: Chance): number {
  return chance.pick([1, 1, 2, 4, 8]);
}

/** Machines that come and go, more of them where the account grows. */
function arrivals(regime: Regime, perDay: number, chance: Chance): Life[] {
  const lives: Life[] = [];
  for (let at = HISTORY_START; at < MONTH_END; ) {
    const progress = (at - HISTORY_START) / (MONTH_END - HISTORY_START);
    const trend = regime === 'growing' ? 0.4 + 1.8 * progress : regime === 'shrinking' ? 1.8 - 1.5 * progress : 1;
    at += (chance.exponential(1) / (perDay * trend)) * DAY;
    const length = chance.is(0.6) ? chance.exponential(14) * HOUR : chance.exponential(8) * DAY;
    if (at < MONTH_END) lives.push(machine(at, at + Math.max(HOUR / 2, length), gpuCount(chance), chance));
  }
  return lives;
}

/** Runs of many GPUs for some days, about one a week. */
function bursts(chance: Chance): Life[] {
  const lives: Life[] = [];
  for (let at = HISTORY_START; at < MONTH_END; at += chance.exponential(8) * DAY) {
    const length = chance.between(24, 168) * HOUR;
    for (let gpus = chance.integer(8, 32); gpus > 0; gpus -= 8)
      lives.push(machine(at, at + length, Math.min(8, gpus), chance));
  }
  return lives;
}

/** Two thirds of what lasts are discounted by 30 % until a day of the rest of the month. */
function underContract(lives: Life[], after: 'market' | 'deleted', now: number, chance: Chance) {
  const endsAt = now + chance.between(0.1, 0.9) * (MONTH_END - now);
  let perHour = 0;
  const contracted = lives.map(life => {
    if (life.to < endsAt || life.from > MONTH_START - 40 * DAY || !chance.is(0.65)) return life;
    perHour += life.perHour * 0.7;
    const discounted = {...life, perHour: life.perHour * 0.7};
    return after === 'market' ? {...discounted, repricing: {at: endsAt, factor: 1 / 0.7}} : {...discounted, to: endsAt};
  });
  const rise = after === 'market' ? perHour * (1 / 0.7 - 1) : -perHour;
  return {lives: contracted, cliffs: [{at: endsAt, perMs: rise / HOUR}]};
}

function machine(from: number, to: number, gpuCount: number, chance: Chance): Life {
  return {from, to, perHour: gpuCount * chance.pick(GPU_PRICES)};
}

/** Dollars of a life within a time, hour by hour. */
function cost(life: Life, start: number, end: number): number {
  const [from, to] = [Math.max(life.from, start), Math.min(life.to, end)];
  let sum = 0;
  for (let at = from; at < to; ) {
    const next = Math.min(to, (Math.floor(at / HOUR) + 1) * HOUR);
    sum += (priceAt(life, at) * (next - at)) / HOUR;
    at = next;
  }
  return sum;
}

function priceAt({perHour, asleepShare, repricing}: Life, at: number): number {
  const price = repricing !== undefined && at >= repricing.at ? perHour * repricing.factor : perHour;
  return asleepShare !== undefined && isAsleep(at) ? price * asleepShare : price;
}

function isAsleep(at: number): boolean {
  const date = new Date(at);
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
  return isWeekend || date.getUTCHours() < 8 || date.getUTCHours() >= 19;
}

/** The usage record of a life as it stands at `now`: minutes awake, bill so far, present rate. */
function recordOf(life: Life, id: number, now: number): UsageRecord {
  const isActive = life.to >= now;
  const end = Math.min(life.to, now);
  let awakeMs = 0;
  for (let at = life.from; at < end; ) {
    const next = Math.min(end, (Math.floor(at / HOUR) + 1) * HOUR);
    if (life.asleepShare === undefined || !isAsleep(at)) awakeMs += next - at;
    at = next;
  }
  return {
    resourceId: id,
    resourceType: safeText('vm'),
    name: safeText(`machine-${id}`),
    createdAt: epochMs(Math.round(life.from)),
    upTimeMinutes: rational(BigInt(Math.round(awakeMs / 60_000)), 1n),
    billedCost: microDollars(cost(life, life.from, end)),
    isActive,
    isExcludedFromBilling: false,
    ...(isActive
      ? {rate: ratePerMinute(rational(BigInt(Math.round((priceAt(life, now) / 60) * 1e9)), 10n ** 9n))}
      : {terminatedAt: epochMs(Math.round(life.to))}),
  };
}
