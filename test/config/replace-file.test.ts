import {mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {replaceFile} from '../../src/config/replace-file.ts';

function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'replace-file-'));
}

describe('replaceFile', () => {
  it('makes the folders, keeps others out, and leaves nothing else behind', () => {
    const folder = join(aFolder(), 'one', 'two');
    replaceFile(join(folder, 'file'), 'first');
    replaceFile(join(folder, 'file'), Buffer.from('second'));
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('second');
    expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it.each([
    ['its folder is a file', (folder: string) => writeFileSync(join(folder, 'place'), '')],
    ['a folder has its name', (folder: string) => mkdirSync(join(folder, 'place', 'file'), {recursive: true})],
  ])('gives up quietly where %s', (_, spoil) => {
    const folder = aFolder();
    spoil(folder);
    replaceFile(join(folder, 'place', 'file'), 'text');
    expect(readdirSync(folder, {recursive: true}).some(name => String(name).endsWith('.part'))).toBe(false);
  });
});
