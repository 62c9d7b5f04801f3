import type {DurationMs} from '../domain/time.ts';
import {SECOND_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {collectOnce} from '../state/collect.ts';
import type {Feed} from '../state/feed.ts';
import {metricsFeed} from '../state/machines.ts';
import {freshMetrics, needsTwoWeeks} from '../state/triage.ts';
import type {Account} from './account.ts';

/** For lists, and for what belongs to few machines. */
const LIMIT_MS: DurationMs = 10 * SECOND_MS;
/** Requests leave at this pace at most, whatever is asked for. */
const REQUEST_MS: DurationMs = 0.75 * SECOND_MS;

/**
 * Reads the metrics of these machines as far as they are not known from an earlier run, and keeps what was learnt of
 * their activity. Triage and costs judge machines by the same readings.
 */
export async function readMachineActivity(
  {session: {poller, store}, clock, pasts, preferences}: Account,
  machines: readonly VirtualMachine[],
): Promise<void> {
  // What was learnt by an earlier run is on the disk: the last hour is enough then.
  await collect(machines.map(machine => metricsFeed(machine.id, pasts.windowFor(machine, clock.wallNow()))));
  const now = clock.wallNow();
  const reading = (machine: VirtualMachine) => freshMetrics(machine, store, clock.monotonicNow());
  // Two weeks are a megabyte each, so they are read once, and of those alone that a day calls quiet.
  const quiet = machines.filter(machine => {
    const metrics = reading(machine);
    return metrics !== undefined && needsTwoWeeks(machine, {metrics, now, pasts, preferences});
  });
  await collect(quiet.map(({id}) => metricsFeed(id, '15d')));
  for (const machine of machines) {
    const metrics = reading(machine);
    if (metrics !== undefined) pasts.joined(machine, metrics, now);
  }
  pasts.save();

  async function collect(feeds: readonly Feed<unknown>[]): Promise<void> {
    if (feeds.length > 0) await collectOnce({feeds, poller, clock, limitMs: limitFor(feeds)});
  }
}

/** How long so many readings may take. */
export function limitFor(feeds: readonly Feed<unknown>[]): DurationMs {
  return Math.max(LIMIT_MS, feeds.length * REQUEST_MS);
}
