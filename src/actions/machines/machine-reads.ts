import {usageFeed} from '../../state/billing.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {metricsFeed} from '../../state/machines.ts';
import type {MachineCandidate} from './many-warnings.ts';

/** Of so many machines the metrics are read before a question; of the others it says that they are not known. */
const MAX_METRICS = 20;

/** What the question about machines is made of: prices, stock, contracts, and the work of those that run. */
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
