import {mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {type LastScreen, lastScreenFile, readLastScreen, writeLastScreen} from '../../src/config/last-screen.ts';
import {epochMs} from '../../src/domain/time.ts';

const SCREEN: LastScreen = {readAt: epochMs(1_700_000_000_000), organization: 'acme', lines: ['one', '', 'three']};
const ACCOUNT = {baseUrl: 'https://cloud.test:8443/v1', key: 'CANARY-0123456789'};

function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'last-screen-'));
}

describe('the last screen', () => {
  it('is read back as it was stored, in a file of mode 0600 in a folder of mode 0700', () => {
    const file = lastScreenFile(aFolder(), ACCOUNT);
    writeLastScreen(file, SCREEN);
    expect(readLastScreen(file)).toEqual(SCREEN);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file.path)).mode & 0o777).toBe(0o700);
  });

  it('has a file of its own for each service, and for the simulated cloud', () => {
    const folder = aFolder();
    const paths = [ACCOUNT, {...ACCOUNT, baseUrl: 'https://other.test/v1'}, undefined].map(
      account => lastScreenFile(folder, account).path,
    );
    expect(new Set(paths).size).toBe(3);
    expect(paths[2]).toBe(join(folder, 'simulated.json'));
    expect(paths[0]).toBe(join(folder, 'cloud.test_8443.json'));
  });

  it('is not given to another key, and its file does not contain the key', () => {
    const folder = aFolder();
    const file = lastScreenFile(folder, ACCOUNT);
    writeLastScreen(file, SCREEN);
    expect(readLastScreen(lastScreenFile(folder, {...ACCOUNT, key: 'another-0123456789'}))).toBeUndefined();
    expect(readFileSync(file.path, 'utf8')).not.toContain('CANARY');
  });

  it.each([
    '',
    '[',
    'null',
    '7',
    '{"format":1,"keyMark":0}',
    '{"format":2,"keyMark":0,"readAt":1,"organization":"a","lines":[]}',
    '{"format":1,"keyMark":0,"readAt":"1","organization":"a","lines":[]}',
    '{"format":1,"keyMark":0,"readAt":1,"organization":"a","lines":[1]}',
    '{"format":1,"keyMark":0,"readAt":1e300,"organization":"a","lines":[]}',
  ])('is ignored when the file contains %j', text => {
    const file = lastScreenFile(aFolder(), undefined);
    writeFileSync(file.path, text);
    expect(readLastScreen(file)).toBeUndefined();
  });

  it('is skipped without an error when it cannot be written', () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'last-screen'), '');
    const file = lastScreenFile(join(folder, 'last-screen'), undefined);
    writeLastScreen(file, SCREEN);
    expect(readLastScreen(file)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['last-screen']);
  });
});
