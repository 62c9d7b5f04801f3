import type {AccountMoment} from '../api/exported-series.ts';
import {virtualMachineMetrics} from '../api/virtual-machines.ts';
import {withExported} from '../domain/exported-metrics.ts';
import {describeFailure} from '../domain/failure.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {type Feed, feedName} from './feed.ts';

/** Windows longer than the service keeps; a Prometheus with the exporter's series has them. */
export const LONG_WINDOWS = ['90d', '1y'] as const;
export type LongWindow = (typeof LONG_WINDOWS)[number];

export const LONG_WINDOWS_MS: Readonly<Record<LongWindow, DurationMs>> = {'90d': 90 * DAY_MS, '1y': 365 * DAY_MS};

/** A machine over a long time. If Prometheus fails: the longest the service keeps, and the reason. */
export type LongMetrics = {readonly metrics: MachineMetrics; readonly instead?: SafeText};

const INTERVAL_MS: DurationMs = 10 * MINUTE_MS;
const NO_PROMETHEUS = say`the profile has no Prometheus`;

export function longMetricsFeed(
  {id, flavor}: Pick<VirtualMachine, 'id' | 'flavor'>,
  window: LongWindow,
): Feed<LongMetrics> {
  return {
    ...feedName(['long-metrics', id, window]),
    intervalMs: INTERVAL_MS,
    // Where it falls back to the service, failures are handled like those of any other request.
    source: 'prometheus',
    read: async (client, signal) => {
      const exported = await client.prometheus?.exported.machine(id, LONG_WINDOWS_MS[window]);
      const isKnown = exported?.ok === true && exported.value.length > 0;
      if (isKnown) return {ok: true, value: {metrics: withExported({}, exported.value, {flavor, since: epochMs(0)})}};
      const instead =
        exported === undefined ? NO_PROMETHEUS : exported.ok ? NOTHING : describeFailure(exported.failure);
      const read = await client.read(virtualMachineMetrics, {id, duration: '30d'}, {signal});
      if (!read.ok) return read;
      const [metrics] = read.value.records;
      return {ok: true, value: {metrics: metrics ?? {}, instead}};
    },
  };
}

const NOTHING = say`Prometheus has no data of this machine`;

/** A year of the account, one step per day. */
export const accountDaysFeed: Feed<readonly AccountMoment[]> = {
  ...feedName('account-days'),
  intervalMs: HOUR_MS,
  source: 'prometheus',
  read: ({prometheus}) =>
    prometheus === undefined
      ? Promise.resolve({ok: false, failure: {kind: 'incomplete', detail: NO_PROMETHEUS}})
      : prometheus.exported.account({windowMs: LONG_WINDOWS_MS['1y'], stepMs: DAY_MS}),
};
