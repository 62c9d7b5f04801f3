import type {Clock, DurationMs} from '../../domain/time.ts';
import type {Feed} from '../feed.ts';
import type {Poller} from './poller.ts';

/**
 * Reads the same feeds as the deck, each once, and gives up after `limitMs`. What arrived is in the store; the rest
 * stays waiting there. Resolves with whether anything arrived.
 */
export async function collectOnce(options: {
  readonly feeds: readonly Feed<unknown>[];
  readonly poller: Poller;
  readonly clock: Clock;
  readonly limitMs: DurationMs;
}): Promise<boolean> {
  const {feeds, poller, clock, limitMs} = options;
  let hasAnything = false;
  const distinct = new Map(feeds.map(feed => [feed.key, feed])).values();
  const reads = [...distinct].map(async feed => {
    const reading = await poller.readNow(feed);
    hasAnything ||= reading.ok;
  });
  let cancelLimit = (): void => {};
  const limit = new Promise<void>(resolve => {
    cancelLimit = clock.after(limitMs, resolve);
  });
  await Promise.race([Promise.all(reads), limit]);
  cancelLimit();
  return hasAnything;
}
