import type {DurationMs} from '../domain/time.ts';
import {SECOND_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {collectOnce} from '../state/poller/collect.ts';
import type {Feed} from '../state/feed.ts';
import {eventsFeed, metricsFeed} from '../state/machines.ts';
import {freshMetrics, needsTwoWeeks} from '../state/triage.ts';
import {idleAmong} from '../state/waste.ts';
import {formatCounted, formatDuration} from '../ui/format.ts';
import type {Account} from './account.ts';

/** Requests kept free for lists, and for whatever concerns a few machines. */
const LIMIT_MS: DurationMs = 10 * SECOND_MS;
/** Requests are sent at most at this rate, however many are wanted. */
const REQUEST_MS: DurationMs = 0.75 * SECOND_MS;

/**
 * Reads the metrics of the first of these machines that an earlier run did not cover, and saves what was learnt about
 * their activity. Triage and costs judge machines by the same readings. Without an explicit number, the setting counts,
 * and nothing waits for the request limit. Returns how many machines were not read because of it.
 */
export async function readMachineActivity(
  account: Account,
  machines: readonly VirtualMachine[],
  {askedCount, progress}: {readonly askedCount: number | undefined; readonly progress: (words: string) => void},
): Promise<number> {
  const measured = machines.slice(0, askedCount ?? account.preferences.judgedMachineCount);
  let readCount = 0;
  while (readCount < measured.length) {
    const rest = measured.slice(readCount);
    const next = askedCount === undefined ? affordable(rest, account) : rest;
    if (next.length === 0) break;
    progress(progressWords(next.length, measured.length, account));
    await readActivity(account, next);
    readCount += next.length;
  }
  if (readCount > 0) account.activity.save();
  return measured.length - readCount;
}

/** As many of the first as fit into this minute's requests, even if two weeks of each must be read. */
function affordable(machines: readonly VirtualMachine[], {session: {budget}, activity}: Account) {
  let requestCount = 0;
  const end = machines.findIndex(machine => {
    requestCount += activity.isLong(machine) ? 1 : 2;
    return !budget.hasRoom('operation', requestCount);
  });
  return end === -1 ? machines : machines.slice(0, end);
}

function progressWords(count: number, measuredCount: number, {session: {budget}}: Account): string {
  const words = `reading metrics of ${count === measuredCount ? '' : `${count} of `}${formatCounted(measuredCount, 'machine')}`;
  return budget.hasRoom('operation', count) ? words : `${words}, for up to ${formatDuration(count * REQUEST_MS)}`;
}

/** What `readMachineActivity` left out, for stderr. */
export function unreadActivity(count: number, {session: {budget}, preferences}: Account): string {
  const limit = `to stay within ${budget.ceilingPerMinute} requests a minute`;
  const advice = `run it again, or wait for them with --metrics top:${preferences.judgedMachineCount}`;
  return `metrics of ${formatCounted(count, 'machine')} not read, ${limit}; ${advice}`;
}

async function readActivity(
  {session: {poller, store}, clock, activity, preferences}: Account,
  machines: readonly VirtualMachine[],
): Promise<void> {
  // What an earlier run learnt is on disk, so the last hour is enough.
  await collect(machines.map(machine => metricsFeed(machine.id, activity.windowFor(machine, clock.wallNow()))));
  const now = clock.wallNow();
  const reading = (machine: VirtualMachine) => freshMetrics(machine, store, clock.monotonicNow());
  // Two weeks take a megabyte each: they are read once, and only for machines that were quiet for a day.
  const quiet = machines.filter(machine => {
    const metrics = reading(machine);
    return metrics !== undefined && needsTwoWeeks(machine, {metrics, now, activity, preferences});
  });
  await collect(quiet.map(({id}) => metricsFeed(id, '15d')));
  for (const machine of machines) {
    const metrics = reading(machine);
    if (metrics !== undefined) activity.learnMetrics(machine, metrics, now);
  }
  const known = {store, now, monotonicNow: clock.monotonicNow(), activity, preferences};
  await collect(idleAmong(machines, known).map(({id}) => eventsFeed(id)));

  async function collect(feeds: readonly Feed<unknown>[]): Promise<void> {
    if (feeds.length > 0) await collectOnce({feeds, poller, clock, limitMs: limitFor(feeds)});
  }
}

/** How long this many readings may take. */
export function limitFor(feeds: readonly Feed<unknown>[]): DurationMs {
  return Math.max(LIMIT_MS, feeds.length * REQUEST_MS);
}
