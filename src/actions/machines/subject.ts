import type {Action} from '../../domain/action.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {clusterWords, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {usageFeed} from '../../state/billing.ts';
import {flavorsFeed, priceBookFeed} from '../../state/catalogue.ts';
import {contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {metricsFeed} from '../../state/machines.ts';
import type {Candidate} from '../question/assessment.ts';
import {needs} from '../define.ts';

export type MachineCandidate = Candidate<Action, VirtualMachine>;

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
    priceBookFeed,
    flavorsFeed,
    ...(machines.some(({contractId}) => contractId !== undefined) ? [contractsFeed] : []),
    ...running.map(({id}) => metricsFeed(id, '1h')),
  ];
}

/** Changes of a machine's record take effect at once. */
export const RECORD_OVERDUE_AFTER_MS = 2 * MINUTE_MS;

/** Attachments take from seconds to a minute. */
export const ATTACHING_OVERDUE_AFTER_MS = 5 * MINUTE_MS;

/** A node is left to its cluster; undefined for every other machine. */
export function nodeReason(machine: VirtualMachine): SafeText | undefined {
  const cluster = clusterWords(machine);
  return cluster && say`a node of ${cluster}: managed by the cluster`;
}

/** Why its attachments and its size cannot be changed now. */
export function unreadyReason(machine: VirtualMachine): SafeText | undefined {
  return nodeReason(machine) ?? stateReason(machine);
}

/** The service refuses attachments and another size in every other state, as it documents. */
export function stateReason(machine: VirtualMachine): SafeText | undefined {
  return needs(['ACTIVE', 'SHUTOFF'], machine);
}
