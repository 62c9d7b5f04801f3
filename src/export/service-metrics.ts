import {type Failure, isKeyRefused} from '../domain/failure.ts';
import {type DurationMs, type EpochMs, SECOND_MS} from '../domain/time.ts';
import type {BreakerState} from '../state/poller/circuit-breaker.ts';
import {counters, gauge, gauges, type MetricFamily} from './metric.ts';

/** The last reading of one list. */
export type KnownReading = {
  readonly feed: string;
  readonly intervalMs: DurationMs;
  readonly ageMs: DurationMs | undefined;
  readonly failure: Failure | undefined;
  readonly unreadableCount: number;
  readonly isIncomplete: boolean;
  /** Read too long ago to be repeated, so its metrics are left out. */
  readonly isTooOld: boolean;
};

/** The state of the service's connection, and of the exporter itself. */
export type ServiceReadings = {
  readonly now: EpochMs;
  readonly readings: readonly KnownReading[];
  readonly health: BreakerState['status'];
  readonly requestsLastMinute: number;
  readonly requestCeiling: number;
  readonly latencyMs: DurationMs | undefined;
  readonly clockOffsetMs: DurationMs | undefined;
  readonly measuredCount: number;
  readonly measuredLimit: number;
  readonly scrapeCount: number;
  readonly process: {
    readonly startedAt: EpochMs;
    readonly cpuSeconds: number;
    readonly residentBytes: number;
  };
};

export function serviceMetrics(known: ServiceReadings): readonly MetricFamily[] {
  return [...readingMetrics(known), ...requestMetrics(known), ...ownMetrics(known)];
}

const HEALTH: readonly BreakerState['status'][] = ['up', 'down', 'rate-limited', 'not-authorised'];

function readingMetrics({readings, now}: ServiceReadings): readonly MetricFamily[] {
  const usageAge = readings.find(({feed}) => feed === 'usage')?.ageMs;
  return [
    gauges(
      {name: 'skydeck_reading_age_seconds', help: 'How long ago a list was last read.'},
      readings.map(({feed, ageMs}) => ({labels: {feed}, value: ageMs === undefined ? undefined : ageMs / SECOND_MS})),
    ),
    gauges(
      {name: 'skydeck_reading_interval_seconds', help: 'How often a list is read while all is well.'},
      readings.map(({feed, intervalMs}) => ({labels: {feed}, value: intervalMs / SECOND_MS})),
    ),
    gauges(
      {name: 'skydeck_reading_failed', help: 'Why the last reading of a list failed; 0 if it did not.'},
      readings.map(({feed, failure}) => ({
        labels: {feed, reason: reasonOf(failure)},
        value: failure === undefined ? 0 : 1,
      })),
    ),
    gauges(
      {name: 'skydeck_reading_unreadable_records', help: 'Records of a list that could not be read.'},
      readings.map(({feed, ageMs, unreadableCount}) => ({
        labels: {feed},
        value: ageMs === undefined ? undefined : unreadableCount,
      })),
    ),
    gauges(
      {name: 'skydeck_reading_incomplete', help: '1 for a list that was not read completely, else 0.'},
      readings.map(({feed, ageMs, isIncomplete}) => ({
        labels: {feed},
        value: ageMs === undefined ? undefined : Number(isIncomplete),
      })),
    ),
    gauges(
      {
        name: 'skydeck_reading_too_old',
        help: '1 for a list that was read too long ago: its series are left out until it is read again; else 0.',
      },
      readings.map(({feed, ageMs, isTooOld}) => ({
        labels: {feed},
        value: ageMs === undefined ? undefined : Number(isTooOld),
      })),
    ),
    gauge(
      {name: 'cloudcost_last_poll_timestamp_seconds', help: 'When the usage was last read.'},
      usageAge === undefined ? undefined : (now - usageAge) / SECOND_MS,
    ),
  ];
}

/** A refused key refuses every list, which is another trouble than a missing permission for one of them. */
function reasonOf(failure: Failure | undefined): string {
  if (failure === undefined) return '';
  return isKeyRefused(failure) ? 'key-refused' : failure.kind;
}

function requestMetrics(known: ServiceReadings): readonly MetricFamily[] {
  const {health, requestsLastMinute, requestCeiling, latencyMs, clockOffsetMs} = known;
  return [
    gauges(
      {name: 'skydeck_service_state', help: '1 for the present state of the service, else 0.'},
      HEALTH.map(state => ({labels: {state}, value: Number(state === health)})),
    ),
    gauge(
      {name: 'skydeck_requests_last_minute', help: 'Requests sent to the service in the last 60 seconds.'},
      requestsLastMinute,
    ),
    gauge(
      {name: 'skydeck_request_ceiling', help: 'Maximum number of requests sent to the service in 60 seconds.'},
      requestCeiling,
    ),
    gauge(
      {name: 'skydeck_request_latency_seconds', help: 'Median round trip of the last answers.'},
      latencyMs === undefined ? undefined : latencyMs / SECOND_MS,
    ),
    gauge(
      {name: 'skydeck_clock_offset_seconds', help: "The service's clock minus the local one."},
      clockOffsetMs === undefined ? undefined : clockOffsetMs / SECOND_MS,
    ),
  ];
}

function ownMetrics({measuredCount, measuredLimit, scrapeCount, process}: ServiceReadings): readonly MetricFamily[] {
  return [
    gauge(
      {name: 'skydeck_measured_machines', help: 'Machines whose metrics are read, the costliest first.'},
      measuredCount,
    ),
    gauge(
      {name: 'skydeck_measured_machines_limit', help: 'Maximum number of machines whose metrics are read.'},
      Number.isFinite(measuredLimit) ? measuredLimit : undefined,
    ),
    counters({name: 'skydeck_scrapes_total', help: 'How often these metrics were created.'}, [{value: scrapeCount}]),
    gauge({name: 'process_start_time_seconds', help: 'When the exporter started.'}, process.startedAt / SECOND_MS),
    counters({name: 'process_cpu_seconds_total', help: 'CPU time used by the exporter.'}, [
      {value: process.cpuSeconds},
    ]),
    gauge({name: 'process_resident_memory_bytes', help: 'Memory used by the exporter.'}, process.residentBytes),
  ];
}
