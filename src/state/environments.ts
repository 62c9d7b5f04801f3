import {getEnvironment, listEnvironments, machineQuota} from '../api/environments.ts';
import type {Environment, EnvironmentId, MachineQuota} from '../domain/environment.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, oneFeed, recordFeed} from './feed.ts';

export const environmentsFeed: Feed<Listing<Environment>> = listFeed('environments', MINUTE_MS, listEnvironments, {});

export const environmentRecordFeed = (id: EnvironmentId) => recordFeed(['environment', id], getEnvironment, {id});

export function quotaFeed(id: EnvironmentId): Feed<MachineQuota> {
  return oneFeed(['quota', id], MINUTE_MS, machineQuota, {id});
}
