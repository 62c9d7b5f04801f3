import {usageFeed} from '../../state/billing.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {metricsFeed} from '../../state/machines.ts';
import type {MachineCandidate} from './many-warnings.ts';

/**
 * Before a question, the metrics of this many machines are read; for others the question says that they are unknown.
 */
const MAX_METRICS = 20;

/** What questions about machines need: prices, stock, contracts, and the activity of running ones. */
export function machineReads(candidates: readonly MachineCandidate[]): readonly Feed<unknown>[] {
  const machines = candidates.map(({subject}) => subject);
  const running = machines.filter(({status}) => status === 'ACTIVE').slice(0, MAX_METRICS);
  return [
    usageFeed,
    flavorsFeed,
    ...(machines.some(({contractId}) => contractId !== undefined) ? [contractsFeed] : []),
    ...running.map(({id}) => metricsFeed(id, '1h')),
  ];
}
