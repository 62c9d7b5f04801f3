import {buckets as bucketsEndpoint} from '../api/object-storage.ts';
import {joinSafe, safeText, say} from '../domain/safe-text.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {mistaken, planned} from './plan.ts';

const remove: OperationCommand<{readonly region?: string}> = {
  name: 'delete',
  summary: 'deletes a bucket with everything in it, for ever',
  arguments: '<bucket>',
  options: command => command.option('--region <region>', 'its region, where several have a bucket of that name'),
  plan: async ({reader, words, flags}) => {
    const wanted = safeText(words[0] ?? '');
    const read = await reader.client.read(bucketsEndpoint, {}, {signal: reader.signal});
    if (!read.ok) return read;
    const named = read.value.records.filter(({name}) => name === wanted);
    const matching = named.filter(({regionName}) => flags.region === undefined || regionName === flags.region);
    const [bucket] = matching;
    if (bucket === undefined)
      return {ok: false, failure: {kind: 'not-found', message: say`there is no bucket "${wanted}"`}};
    if (matching.length > 1) {
      const regions = joinSafe(
        matching.flatMap(({regionName}) => regionName ?? []),
        ', ',
      );
      return mistaken(say`${matching.length} go by the name "${wanted}": add --region (${regions})`);
    }
    const {name, regionName, objectCount} = bucket;
    if (regionName === undefined) return mistaken(say`the region of "${wanted}" is not known: add --region`);
    const warnings = [say`${objectCount ?? say`All its`} objects are lost.`];
    return planned({
      act: {kind: 'bucket.delete', name, regionName},
      subjectName: name,
      weight: 'irreversible',
      warnings,
    });
  },
};

/** `skydeck bucket`. */
export const bucketCommand = operationGroup('bucket', 'buckets of the object storage', [operationCommand(remove)]);
