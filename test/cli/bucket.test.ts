import {describe, expect, test} from 'vitest';
import {bucketCommand} from '../../src/cli/commands/bucket.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const SCRATCH = {name: 'scratch', region: 'NORWAY-1', num_objects: 3};

describe('skydeck bucket delete, while a region does not answer', () => {
  test.each([
    ['scratch --region CANADA-1', [], 'whether there is a bucket "scratch" is not known: no answer from CANADA-1'],
    ['scratch', [], 'whether there is a bucket "scratch" is not known: no answer from CANADA-1'],
    ['scratch', [SCRATCH], 'whether only one bucket is called "scratch" is not known: no answer from CANADA-1'],
  ])('makes no decision for %s', async (line, buckets, words) => {
    const {simulator, asked} = await openService({
      '/object-storage/buckets': {buckets, failed_regions: ['CANADA-1']},
    });
    const given = await run(bucketCommand, `delete ${line} --yes`, {simulator});
    expect(given).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: nothing was sent: ${words}\n`});
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test.each([
    ['another region', 'scratch --region NORWAY-1', 'bucket "scratch" not found'],
    ['no region', 'scratch', 'bucket "scratch" not found', []],
  ])('reports a bucket as missing when %s failed to answer', async (_, line, words, failed: string[] = [
    'CANADA-1',
  ]) => {
    const {simulator} = await openService({'/object-storage/buckets': {buckets: [], failed_regions: failed}});
    const given = await run(bucketCommand, `delete ${line} --yes`, {simulator});
    expect(given).toMatchObject({exitCode: 4, stderr: `skydeck: nothing was sent: ${words}\n`});
  });

  test('uses the bucket in the region that was named', async () => {
    const {simulator} = await openService({
      '/object-storage/buckets': {buckets: [SCRATCH], failed_regions: ['CANADA-1']},
    });
    const given = await run(bucketCommand, 'delete scratch --region NORWAY-1 --dry-run', {simulator});
    expect(given).toMatchObject({exitCode: 0, stdout: expect.stringContaining('scratch')});
  });
});

test.each(['.', '..'])('refuses in words to delete a bucket that is called %s', async name => {
  const {simulator, asked} = await openService({'/object-storage/buckets': {buckets: [{...SCRATCH, name}]}});
  const given = await run(bucketCommand, `delete ${name} --yes`, {simulator});
  expect(given).toMatchObject({exitCode: 1, stdout: '', stderr: expect.stringContaining('cannot be addressed')});
  expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
});

test.each([
  ['a name of which only the beginning was kept', 'a'.repeat(300), `${'a'.repeat(255)}…`],
  ['a name with a hidden character', 'prod\u200b', 'prod<U+200B>'],
])('does not delete a bucket by the form in which it shows %s', async (_, name, shown) => {
  for (const option of ['--yes', '--dry-run']) {
    const {simulator, asked} = await openService({'/object-storage/buckets': {buckets: [{...SCRATCH, name}]}});
    const given = await run(bucketCommand, ['delete', shown, option], {simulator});
    expect(given).toMatchObject({exitCode: 1, stdout: ''});
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  }
});
