import {getFirewall, listFirewalls, ruleProtocols} from '../api/firewalls.ts';
import type {Firewall, FirewallId} from '../domain/firewall.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue, readAt} from '../domain/snapshot.ts';
import {MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';
import type {Store} from './store.ts';

export const firewallsFeed: Feed<Listing<Firewall>> = {
  ...listFeed('firewalls', 20 * SECOND_MS, listFirewalls, {}),
  isPaced: true,
};

export function firewallFeed(id: FirewallId): Feed<Firewall> {
  return {...oneFeed(['firewall', id], 2.5 * SECOND_MS, getFirewall, {id}), listKey: firewallsFeed.key};
}

/** Changes with a release of the service, not with the account. */
export const protocolsFeed: Feed<Listing<SafeText>> = listFeed('protocols', 60 * MINUTE_MS, ruleProtocols, {});

/**
 * The firewalls as last observed: the list, updated with every firewall read on its own since then (an operation reads
 * its firewall more often than the list is read). Undefined until the first list arrived.
 */
export function observedFirewalls(store: Store): readonly Firewall[] | undefined {
  const snapshot = store.get(firewallsFeed);
  const listing = lastValue(snapshot);
  const listedAt = readAt(snapshot);
  if (listing === undefined || listedAt === undefined) return undefined;
  if (!store.hasNewerParts(firewallsFeed)) return listing.records;
  return listing.records.map(firewall => {
    const alone = store.get(firewallFeed(firewall.id));
    const isNewer = (alone.status === 'fresh' || alone.status === 'stale') && alone.readAt > listedAt;
    return isNewer ? alone.value : firewall;
  });
}
