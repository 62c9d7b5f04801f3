import type {Period} from '../world/metering.ts';
import {badRequest, notFound} from './answer.ts';
import type {Inquiry} from './route.ts';
import {TEXT} from './schema.ts';
import {spacedTimestamp} from './timestamps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A shorter period than this is drawn by the hour. */
const HOURLY_UP_TO_MS = 2 * DAY_MS;
const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

export const PERIOD_QUERY = {start_date: TEXT, end_date: TEXT} as const;
export const PERIOD_NAMES = ['start_date', 'end_date'] as const;

/**
 * Reads the two dates that every billing question needs, without zone and fractions. What is asked of the time before
 * the account and after the present is cut away, since there is nothing in it.
 */
export function withPeriod({world, query}: Inquiry, answer: (period: Period) => Response): Response {
  for (const name of PERIOD_NAMES) {
    if (query(name) === undefined) return badRequest(`The parameter ${name} is required.`);
    if (momentFrom(query(name)) === undefined) {
      return badRequest(`The parameter ${name} must have the form YYYY-MM-DDTHH:MM:SS.`);
    }
  }
  const [from, until] = [momentFrom(query('start_date')) ?? 0, momentFrom(query('end_date')) ?? 0];
  if (from >= until) return badRequest('The start_date must be before the end_date.');
  const begin = Math.max(from, world.organization.createdAt);
  const end = Math.min(until, world.now());
  return begin < end ? answer({from: begin, until: end}) : noData();
}

/** Nothing in a period is an error to this part of the service. */
export function noData(): Response {
  return notFound('There is no billing history in this period.');
}

/** The steps of a graph: whole days, or whole hours of a short period, the first and the last of them cut. */
export function stepsOf({from, until}: Period): {readonly granularityS: number; readonly steps: readonly Period[]} {
  const sizeMs = until - from > HOURLY_UP_TO_MS ? DAY_MS : HOUR_MS;
  const steps: Period[] = [];
  for (let start = from; start < until; start = Math.floor(start / sizeMs) * sizeMs + sizeMs) {
    steps.push({from: start, until: Math.min(until, Math.floor(start / sizeMs) * sizeMs + sizeMs)});
  }
  return {granularityS: sizeMs / 1000, steps};
}

/** The moment of a step, which stands at the beginning of its day or hour. */
export function stepTime({from}: Period, granularityS: number): string {
  return spacedTimestamp(Math.floor(from / (granularityS * 1000)) * granularityS * 1000);
}

function momentFrom(text: string | undefined): number | undefined {
  if (text === undefined || !FORM.test(text)) return undefined;
  const moment = Date.parse(`${text}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}
