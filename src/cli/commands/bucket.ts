import {deleteBucket} from '../../actions/object-storage.ts';
import type {Answer} from '../../api/client.ts';
import {buckets as bucketsEndpoint} from '../../api/object-storage.ts';
import type {Bucket} from '../../domain/object-storage.ts';
import {joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {buckets} from '../../resources/buckets.ts';
import {meantName, notFound} from '../../resources/find.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {mistaken, planned, plannedOn} from '../operations/plan.ts';

const remove: OperationCommand<{readonly region?: string}> = {
  name: 'delete',
  summary: 'delete a bucket and everything in it, permanently',
  arguments: '<bucket>',
  options: command =>
    command.option('--region <region>', 'its region; needed if several regions have a bucket of that name'),
  plan: async ({reader, words, flags}) => {
    const wanted = safeText(words[0] ?? '');
    const read = await reader.client.read(bucketsEndpoint, {}, {signal: reader.signal});
    if (!read.ok) return read;
    const named = read.value.records.filter(({name}) => name === wanted);
    const matching = named.filter(({regionName}) => flags.region === undefined || regionName === flags.region);
    const [bucket] = matching;
    // The missing part of the list may contain the bucket, or another with the same name.
    const gap = gapIn(read.value, flags.region);
    if (gap !== undefined && (bucket === undefined || (flags.region === undefined && matching.length === 1))) {
      const known = bucket === undefined ? say`there is a bucket` : say`only one bucket is called`;
      const detail = say`whether ${known} "${wanted}" is not known: ${gap}`;
      return {ok: false, failure: {kind: 'incomplete', detail}};
    }
    if (bucket === undefined) {
      const meant = meantName(
        wanted,
        read.value.records.map(({name}) => name),
      );
      const message = notFound(buckets, wanted, meant);
      return {ok: false, failure: {kind: 'not-found', message, isSoughtInList: true}};
    }
    if (matching.length > 1) {
      const regions = joinSafe(
        matching.flatMap(({regionName}) => regionName ?? []),
        ', ',
      );
      return mistaken(say`${matching.length} are called "${wanted}": add --region (${regions})`);
    }
    const {name, regionName} = bucket;
    if (regionName === undefined) return mistaken(say`the region of "${wanted}" is not known: add --region`);
    return planned(plannedOn(deleteBucket.with({name, regionName}), bucket));
  },
};

/** Why the list is incomplete; for one region, only what is missing there matters. */
function gapIn({incompleteReason, absentParts = []}: Answer<Bucket>, region: string | undefined): SafeText | undefined {
  const absent = absentParts.filter(part => region === undefined || part === region);
  if (absent.length > 0) return say`no answer from ${joinSafe(absent, ', ')}`;
  return incompleteReason === undefined ? undefined : say`the list may be incomplete (${safeText(incompleteReason)})`;
}

/** `skydeck bucket`. */
export const bucketCommand = operationGroup('bucket', [operationCommand(remove)]);
