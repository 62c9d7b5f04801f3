import type {MachineQuota} from '../../domain/environment.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {quotaFeed} from '../../state/environments.ts';
import type {Feed} from '../../state/feed.ts';
import type {Known} from '../../state/known.ts';
import type {Line} from '../../ui/text.ts';
import {environmentNamed} from '../creation/choices.ts';

// How many machines an environment has room for: said in the form, in the question, and before a command sends.

/** The quota of an environment, which is read by id and so only after the environments. */
export function quotaReads(
  known: Pick<Known, 'store'>,
  environmentName: string | undefined,
): readonly Feed<MachineQuota>[] {
  const environment = environmentNamed(known, environmentName);
  return environment === undefined ? [] : [quotaFeed(environment.id)];
}

function quotaOf(known: Pick<Known, 'store'>, environmentName: string | undefined): MachineQuota | undefined {
  const [feed] = quotaReads(known, environmentName);
  return feed && lastValue(known.store.get(feed));
}

/** Why that many more do not fit; undefined if they do, or if the quota is unknown. */
export function quotaRefusal(
  known: Pick<Known, 'store'>,
  {environmentName, count}: {readonly environmentName: string | undefined; readonly count: number},
): SafeText | undefined {
  const left = quotaOf(known, environmentName)?.availableCount;
  return left !== undefined && count > left ? say`the environment has room for ${left} more` : undefined;
}

export function quotaLine(known: Pick<Known, 'store'>, environmentName: string | undefined): Line {
  const quota = quotaOf(known, environmentName);
  if (quota?.availableCount === undefined) return [{text: 'The quota of the environment is unknown.', tone: 'dim'}];
  const most = quota.maxCount === undefined ? '' : ` of ${quota.maxCount}`;
  return [{text: `Quota: room for ${quota.availableCount}${most} machines in the environment.`, tone: 'dim'}];
}
