import {Counter, Gauge, type OpenMetricsContentType, Registry} from 'prom-client';
import type {Clock} from '../domain/time.ts';
import type {MetricFamily} from './metric.ts';

type Exposition = {readonly contentType: string; readonly text: string};

/** An exposition as sent. */
export type MetricsAnswer = {readonly contentType: string; readonly body: Buffer};

type PendingMetrics = {readonly answer: Promise<MetricsAnswer>; givenUntil: number};

/**
 * Creates one answer, in each format, for all who ask at about the same time: it is shared while it is being created,
 * and reused for as long as that took. Twenty scrapes of a large fleet then cost as much as one, and half of the time
 * is left for reading lists.
 */
export function sharedAnswers(
  make: (isOpenMetrics: boolean) => Promise<MetricsAnswer>,
  {monotonicNow}: Pick<Clock, 'monotonicNow'>,
): (isOpenMetrics: boolean) => Promise<MetricsAnswer> {
  const pending = new Map<boolean, PendingMetrics>();
  return isOpenMetrics => {
    const startedAt = monotonicNow();
    const known = pending.get(isOpenMetrics);
    if (known !== undefined && startedAt <= known.givenUntil) return known.answer;
    const made: PendingMetrics = {answer: make(isOpenMetrics), givenUntil: Number.POSITIVE_INFINITY};
    pending.set(isOpenMetrics, made);
    const rest = () => {
      const now = monotonicNow();
      made.givenUntil = now + (now - startedAt);
    };
    made.answer.then(rest, () => pending.delete(isOpenMetrics));
    return made.answer;
  };
}

/**
 * The families in the text format 0.0.4, or as OpenMetrics. The registry is created for each answer, so that a series
 * no longer known cannot be repeated. A family without samples is left out.
 */
export async function exposition(families: readonly MetricFamily[], isOpenMetrics: boolean): Promise<Exposition> {
  const registry = isOpenMetrics ? openMetricsRegistry() : new Registry();
  for (const family of families) if (family.samples.length > 0) register(family, registry);
  return {contentType: registry.contentType, text: await registry.metrics()};
}

function openMetricsRegistry(): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
}

function register(
  {name, help, type, samples}: MetricFamily,
  registry: Registry | Registry<OpenMetricsContentType>,
): void {
  const labelNames = Object.keys(samples[0]?.labels ?? {});
  const settings = {name, help, labelNames, registers: [registry]};
  if (type === 'counter') {
    const counter = new Counter(settings);
    for (const {labels, value} of samples) counter.inc(labels, value);
  } else {
    const gauge = new Gauge(settings);
    for (const {labels, value} of samples) gauge.set(labels, value);
  }
}

/** Whether an Accept header prefers OpenMetrics to plain text. */
export function acceptsOpenMetrics(accept: string | undefined): boolean {
  const weights = (accept ?? '').split(',').map(each => {
    const [type = '', ...parameters] = each.split(';').map(part => part.trim().toLowerCase());
    const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
    return {type, weight: quality === undefined ? 1 : Number(quality) || 0};
  });
  const weightOf = (wanted: readonly string[]) =>
    Math.max(0, ...weights.filter(({type}) => wanted.includes(type)).map(({weight}) => weight));
  const openMetrics = weightOf(['application/openmetrics-text']);
  return openMetrics > 0 && openMetrics >= weightOf(['text/plain']);
}
