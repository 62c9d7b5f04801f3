import type {UsageRecord} from '../../../src/domain/billing.ts';
import type {BilledDay} from '../../../src/domain/money/billed-day.ts';
import type {Cliff} from '../../../src/domain/money/forecast.ts';
import {ratePerMinute, rational, type Usd, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs} from '../../../src/domain/time.ts';
import type {Chance} from './chance.ts';

// Synthetic fleets whose whole month is known: three months of history and the month that is forecast. Written apart
// from the methods that are judged on them, and shares no arithmetic with them.

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
/** Weekly, and no machine comes or goes: what is left to judge is the shape of the week. In no mean over all regimes. */
export const STILL_WEEKLY = 'weekly alone';
export type Regime = (typeof REGIMES)[number] | typeof STILL_WEEKLY;

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
  const base = Array.from({length: Math.round(10 * scale)}, () => longLife(chance));
  const lives = [...base, ...arrivals(regime, scale, chance)];
  const cliffs: Cliff[] = [];
  switch (regime) {
    case 'bursty':
      lives.push(...bursts(chance));
      break;
    case 'weekly':
      return {lives: lives.map(life => ({...life, ...officeHours(chance)})), cliffs};
    case STILL_WEEKLY:
      return {lives: base.map(life => ({...life, to: MONTH_END + DAY, ...officeHours(chance)})), cliffs};
    case 'shock':
      lives.push(machine(now - chance.between(0.2, 9) * DAY, MONTH_END + DAY, chance.integer(8, 16), chance));
      break;
    case 'contract, then market':
    case 'contract, then deleted':
      return underContract(lives, regime, now, chance);
  }
  return {lives, cliffs};
}

/** Seven of ten machines hibernate outside office hours. */
function officeHours(chance: Chance): Pick<Life, 'asleepShare'> {
  return chance.is(0.7) ? {asleepShare: 0.002} : {};
}

/** There from before the history until after the month, or given up somewhere in it. */
function longLife(chance: Chance): Life {
  const from = HISTORY_START - chance.between(0, 60) * DAY;
  const to = chance.is(0.75) ? MONTH_END + 10 * DAY : HISTORY_START + chance.between(5, 125) * DAY;
  return machine(from, to, chance.pick([1, 1, 2, 4, 8]), chance);
}

/** Machines that come and go, more of them where the account grows. */
function arrivals(regime: Regime, scale: number, chance: Chance): Life[] {
  const lives: Life[] = [];
  for (let at = HISTORY_START; at < MONTH_END; ) {
    const progress = (at - HISTORY_START) / (MONTH_END - HISTORY_START);
    const trend = regime === 'growing' ? 0.4 + 1.8 * progress : regime === 'shrinking' ? 1.8 - 1.5 * progress : 1;
    at += (chance.exponential(1) / (0.5 * scale * trend)) * DAY;
    const length = chance.is(0.6) ? chance.exponential(14) * HOUR : chance.exponential(8) * DAY;
    if (at < MONTH_END) lives.push(machine(at, at + Math.max(HOUR / 2, length), chance.pick([1, 1, 2, 4, 8]), chance));
  }
  return lives;
}

/** Runs of many GPUs for a day or two, every few days. */
function bursts(chance: Chance): Life[] {
  const lives: Life[] = [];
  for (let at = HISTORY_START; at < MONTH_END; at += chance.exponential(4) * DAY) {
    const length = chance.between(6, 48) * HOUR;
    for (let gpus = chance.integer(8, 32); gpus > 0; gpus -= 8)
      lives.push(machine(at, at + length, Math.min(8, gpus), chance));
  }
  return lives;
}

/** Two fifths of what lives on are discounted by 30 % until a day of the rest of the month. */
function underContract(lives: Life[], regime: Regime, now: number, chance: Chance) {
  const endsAt = now + chance.between(0.1, 0.9) * (MONTH_END - now);
  let perHour = 0;
  const contracted = lives.map(life => {
    if (life.to < endsAt || life.from > MONTH_START - 40 * DAY || !chance.is(0.7)) return life;
    perHour += life.perHour * 0.7;
    const discounted = {...life, perHour: life.perHour * 0.7};
    return regime === 'contract, then market'
      ? {...discounted, repricing: {at: endsAt, factor: 1 / 0.7}}
      : {...discounted, to: endsAt};
  });
  const after = regime === 'contract, then market' ? perHour * (1 / 0.7 - 1) : -perHour;
  return {lives: contracted, cliffs: [{at: endsAt, perMs: after / HOUR}]};
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
