import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it, onTestFinished, vi} from 'vitest';
import {compileCacheFolder} from '../../src/config/compile-cache.ts';

const MIB = 1024 * 1024;

/** A state folder's base, with a cache as Node leaves it under the usual umask. */
function aCache() {
  const base = mkdtempSync(join(tmpdir(), 'skydeck-compile-cache-'));
  onTestFinished(() => rmSync(base, {recursive: true, force: true}));
  const folder = join(base, 'skydeck', 'compile-cache');
  const version = join(folder, 'v26.10.0-x64-310b2ce3-0');
  const entry = join(version, '324407be');
  mkdirSync(folder, {recursive: true, mode: 0o700});
  mkdirSync(version, {mode: 0o755});
  chmodSync(version, 0o755);
  writeFileSync(entry, 'compiled');
  chmodSync(entry, 0o644);
  return {base, folder, version, entry, found: () => compileCacheFolder({XDG_STATE_HOME: base})};
}

describe('compileCacheFolder', () => {
  it('creates the folder for its owner only', () => {
    const {base, folder, found} = aCache();
    rmSync(join(base, 'skydeck'), {recursive: true});
    expect(found()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('gives a folder as Node leaves it, with its content', () => {
    const {folder, version, found} = aCache();
    expect(found()).toBe(folder);
    expect(readdirSync(version)).toEqual(['324407be']);
  });

  it('removes the empty files that Node leaves on a full disk, and keeps the others', () => {
    const {folder, version, found} = aCache();
    for (const name of ['0c5e666c.OEXyeV', '324407be.0qDg6E']) writeFileSync(join(version, name), '');
    expect(found()).toBe(folder);
    expect(readdirSync(version)).toEqual(['324407be']);
  });

  it('makes a folder that others could write to private, and empties it', () => {
    const {folder, found} = aCache();
    chmodSync(folder, 0o777);
    expect(found()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (cache: ReturnType<typeof aCache>) => void]>([
    ['an entry is a pipe', ({entry}) => replaceBy(entry, () => execFileSync('mkfifo', ['-m', '600', entry]))],
    ['an entry is a link', ({entry}) => replaceBy(entry, () => symlinkSync('elsewhere', entry))],
    ['an entry is a folder', ({entry}) => replaceBy(entry, () => mkdirSync(entry))],
    ['an entry can be changed by the group', ({entry}) => chmodSync(entry, 0o664)],
    ['an entry can be changed by everybody', ({entry}) => chmodSync(entry, 0o602)],
    ['a version can be filled by everybody', ({version}) => chmodSync(version, 0o757)],
    ['a version is a link', ({version}) => replaceBy(version, () => symlinkSync(tmpdir(), version))],
    ['a version is a pipe', ({version}) => replaceBy(version, () => execFileSync('mkfifo', [version]))],
    ['a version is a file', ({version}) => replaceBy(version, () => writeFileSync(version, ''))],
  ])('gives no folder when %s, and an empty one the next time', (_, spoil) => {
    const cache = aCache();
    spoil(cache);
    expect(cache.found()).toBeUndefined();
    expect(cache.found()).toBe(cache.folder);
    expect(readdirSync(cache.folder)).toEqual([]);
  });

  it.each<[string, (cache: ReturnType<typeof aCache>) => void]>([
    ['is a link', ({folder}) => replaceBy(folder, () => symlinkSync(tmpdir(), folder))],
    ['is a pipe', ({folder}) => replaceBy(folder, () => execFileSync('mkfifo', [folder]))],
    ['can be replaced by everybody', ({base}) => chmodSync(base, 0o777)],
  ])('gives no folder when it %s, not even the next time', (_, spoil) => {
    const cache = aCache();
    spoil(cache);
    expect(cache.found()).toBeUndefined();
    expect(cache.found()).toBeUndefined();
  });

  it('gives no folder that belongs to another user, and leaves it unchanged', () => {
    const {version, found} = aCache();
    const own = process.getuid?.() ?? 0;
    vi.spyOn(process, 'getuid').mockReturnValue(own + 1);
    expect(found()).toBeUndefined();
    expect(readdirSync(version)).toEqual(['324407be']);
  });

  it('empties a folder that has grown too large over the years', () => {
    const {folder, entry, found} = aCache();
    truncateSync(entry, 64 * MIB + 1);
    expect(found()).toBe(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function replaceBy(path: string, plant: () => unknown): void {
  rmSync(path, {recursive: true});
  plant();
}
