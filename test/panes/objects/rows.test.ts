import {describe, expect, it} from 'vitest';
import {accessKeyId, type Bucket} from '../../../src/domain/object-storage.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {bucketsNote} from '../../../src/panes/objects/pane.tsx';
import {accessKeys} from '../../../src/resources/access-keys.ts';
import {bucketKey, buckets as resource} from '../../../src/resources/buckets.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import {accessKeysFeed, bucketsFeed, storageHealthFeed} from '../../../src/state/object-storage.ts';
import {cellOf, rowsOf} from '../../resources/a-resource.ts';
import {aReadScene, listed, read} from '../a-read-scene.ts';

const bucket = (name: string, sizeBytes?: number, regionName = 'CANADA-1'): Bucket => ({
  name: safeText(name),
  regionName: safeText(regionName),
  ...(sizeBytes === undefined ? {} : {sizeBytes}),
});
const buckets = (records: readonly Bucket[], failedRegions: readonly string[] = []) =>
  read(bucketsFeed, {
    records,
    quarantined: [],
    ...(failedRegions.length === 0 ? {} : {absentParts: failedRegions.map(name => safeText(name))}),
  });

describe('buckets', () => {
  it('are sorted by size, the largest first, then by region and name, those without a size last', () => {
    const scene = aReadScene([buckets([bucket('b'), bucket('raw', 900), bucket('a'), bucket('ckpt', 7000)])]);
    expect(rowsOf(resource, scene)?.map(row => row.name)).toEqual(['ckpt', 'raw', 'a', 'b']);
  });

  it('with the same name in two regions are distinguished', () => {
    const scene = aReadScene([buckets([bucket('raw', 1), bucket('raw', 1, 'NORWAY-1')])]);
    expect(new Set(rowsOf(resource, scene)?.map(bucketKey)).size).toBe(2);
  });

  it('are undefined until they were read, and empty when there are none', () => {
    expect(rowsOf(resource, aReadScene([]))).toBeUndefined();
    expect(rowsOf(resource, aReadScene([buckets([])]))).toEqual([]);
  });
});

describe('bucketsNote', () => {
  it('says which regions are missing in the list', () => {
    const note = bucketsNote(aReadScene([buckets([], ['NORWAY-1', 'US-1'])]));
    expect(note).toBe('incomplete: NORWAY-1, US-1 did not answer');
  });

  it('says that the storage is not healthy, with the word it reports', () => {
    const health = read(storageHealthFeed, {isAlive: false, statusText: safeText('degraded')});
    expect(bucketsNote(aReadScene([buckets([]), health]))).toBe('object storage reports degraded');
  });

  it('says nothing about a complete list and a storage that is healthy or unknown', () => {
    const health = read(storageHealthFeed, {isAlive: true, statusText: safeText('alive')});
    expect(bucketsNote(aReadScene([buckets([]), health]))).toBeUndefined();
    expect(bucketsNote(aReadScene([]))).toBeUndefined();
  });
});

describe('access keys', () => {
  it('are sorted newest first, and name their user if the members are known', () => {
    const keys = [{id: accessKeyId(801), userId: 5102}, {id: accessKeyId(807), userId: 9999}, {id: accessKeyId(803)}];
    const users = [{id: 5102, email: safeText('ines@acme.example'), grantedRoles: []}];
    const scene = aReadScene([
      listed(accessKeysFeed, keys),
      read(organizationFeed, {id: 1, name: safeText('acme'), users}),
    ]);
    const rows = rowsOf(accessKeys, scene) ?? [];
    expect(rows.map(({accessKey}) => accessKey.id)).toEqual([807, 803, 801]);
    expect(rows.map(row => cellOf(accessKeys, row, 'user')?.text)).toEqual([
      'user #9999',
      undefined,
      'ines@acme.example',
    ]);
  });
});
