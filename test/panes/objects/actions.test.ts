import {describe, expect, it} from 'vitest';
import {accessKeyId, type Bucket} from '../../../src/domain/object-storage.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {ACCESS_KEY_ACTIONS} from '../../../src/panes/objects/pane.tsx';
import {partActions} from '../../../src/panes/action-keys.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import {storageRegionsFeed} from '../../../src/state/object-storage.ts';
import {NOW} from '../a-known-scene.ts';
import {aReadScene, keysOf, listed, questionOf, questionText, read, submitted} from '../a-read-scene.ts';

const BUCKET: Bucket = {
  name: safeText('datasets-raw'),
  regionName: safeText('CANADA-1'),
  objectCount: 2_481_907,
  sizeBytes: 87 * 1024 ** 4,
};
const rowOf = (rest: Partial<Bucket> = {}) => ({...BUCKET, ...rest});
const scene = aReadScene([listed(storageRegionsFeed, [{name: safeText('CANADA-1')}, {name: safeText('US-1')}])]);

const BUCKET_ACTIONS = keysOf(partActions<Bucket>('bucket', bucket => bucket));
const ACCESS_KEY_KEYS = keysOf(ACCESS_KEY_ACTIONS);

describe('deleting a bucket', () => {
  it('requires its full name, and says how many objects and bytes are deleted', () => {
    const question = questionOf(BUCKET_ACTIONS.remove?.run(rowOf(), scene));
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'datasets-raw'});
    expect(questionText(question)).toContain('deleted permanently: 2,481,907 objects, 87 TiB.');
    expect(questionText(question)).toContain('DELETE /object-storage/buckets/datasets-raw?region=CANADA-1');
  });

  it('requires more than a name that fingers type by themselves', () => {
    const question = questionOf(BUCKET_ACTIONS.remove?.run(rowOf({name: safeText('y')}), scene));
    expect(question.answer).toEqual({kind: 'text', what: 'words', expected: 'bucket y'});
  });

  it('says that everything is deleted when the count is not known', () => {
    const {objectCount: _count, sizeBytes: _size, ...bucket} = BUCKET;
    const text = questionText(questionOf(BUCKET_ACTIONS.remove?.run(bucket, scene)));
    expect(text).toContain('deleted permanently: all objects, unknown.');
  });

  it('is off when the region is unknown or the name cannot be typed', () => {
    const {regionName: _region, ...bucket} = BUCKET;
    expect(BUCKET_ACTIONS.remove?.reason?.(bucket, scene)).toContain('region is unknown');
    expect(BUCKET_ACTIONS.remove?.reason?.(rowOf({name: safeText('バケツ')}), scene)).toContain('cannot be typed');
    expect(BUCKET_ACTIONS.remove?.reason?.(rowOf(), scene)).toBeUndefined();
  });
});

describe('a new access key', () => {
  const make = (values: Record<string, string>) => submitted(ACCESS_KEY_KEYS.create?.run(scene), values);

  it('is created in a region that the service has, and says that the secret is shown once', () => {
    const {question} = make({region: 'US-1', description: ' CI '});
    expect(question?.steps[0].action).toEqual({
      kind: 'access-key.create',
      spec: {regionName: 'US-1', description: 'CI'},
    });
    expect(question && questionText(question)).toContain('shown once');
  });

  it('sends no description when none was written', () => {
    expect(make({description: '   '}).question?.steps[0].action).toEqual({
      kind: 'access-key.create',
      spec: {regionName: 'CANADA-1'},
    });
  });

  it('accepts a description of 250 characters and not one more', () => {
    expect(make({description: '鍵'.repeat(250)}).mistakes).toEqual({});
    expect(make({description: '鍵'.repeat(251)}).mistakes).toEqual({description: '251 characters, at most 250'});
  });

  it('needs a region with object storage', () => {
    expect(ACCESS_KEY_KEYS.create?.reason?.(aReadScene([]))).toBe('no region with object storage is known');
  });
});

describe('deleting an access key', () => {
  const accessKey = {id: accessKeyId(807), accessKey: safeText('SIMQZHTI'), userId: 5102};
  const row = {accessKey, userName: safeText('ines@acme.example'), now: NOW};

  it('requires its id, since it has no name, and says whose it is', () => {
    const users = [{id: 5102, email: safeText('ines@acme.example'), grantedRoles: []}];
    const known = aReadScene([read(organizationFeed, {id: 1, name: safeText('acme'), users})]);
    const question = questionOf(ACCESS_KEY_KEYS.remove?.run(row, known));
    expect(question.answer).toEqual({kind: 'text', what: 'id', expected: '807'});
    expect(questionText(question)).toContain('SIMQZHTI  #807');
    expect(questionText(question)).toContain('It belongs to ines@acme.example.');
  });

  it('copies the public half', () => {
    expect(ACCESS_KEY_KEYS.copy?.(row)).toBe('SIMQZHTI');
  });
});
