import type {Firewall} from '../domain/firewall.ts';
import {lastValue, readAt} from '../domain/snapshot.ts';
import {firewallFeed, firewallsFeed} from './feeds.ts';
import type {Store} from './store.ts';

/**
 * The firewalls as last observed: the list, with every firewall that was read by itself since (an operation watches its
 * firewall more often than the list is read). Undefined until the first list has come.
 */
export function observedFirewalls(store: Store): readonly Firewall[] | undefined {
  const snapshot = store.get(firewallsFeed);
  const listing = lastValue(snapshot);
  const listedAt = readAt(snapshot);
  if (listing === undefined || listedAt === undefined) return undefined;
  return listing.records.map(firewall => {
    const alone = store.get(firewallFeed(firewall.id));
    const isNewer = (alone.status === 'fresh' || alone.status === 'stale') && alone.readAt > listedAt;
    return isNewer ? alone.value : firewall;
  });
}
