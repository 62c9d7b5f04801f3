import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {DEFAULT_SETTINGS, readSettings} from '../../src/config/settings.ts';

function aFolder(settings?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-settings-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  if (settings !== undefined) writeFileSync(join(folder, 'settings.json'), settings, {mode: 0o600});
  return folder;
}

async function mistakeIn(settings: string): Promise<string> {
  const read = await readSettings({SKYDECK_CONFIG_DIR: aFolder(settings)});
  if (read.ok) throw new Error('Expected a mistake.');
  return read.mistake;
}

describe('readSettings', () => {
  it('gives the defaults where there is no file, and makes none', async () => {
    const folder = aFolder();
    expect(await readSettings({SKYDECK_CONFIG_DIR: folder})).toEqual({ok: true, settings: DEFAULT_SETTINGS});
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fills in what the file leaves out', async () => {
    expect(await readSettings({SKYDECK_CONFIG_DIR: aFolder('{"glyphs": "ascii"}')})).toEqual({
      ok: true,
      settings: {...DEFAULT_SETTINGS, glyphs: 'ascii'},
    });
  });

  it.each<[string, RegExp]>([
    ['{"glyphs": "fancy"}', /settings\.json: glyphs: .*auto.*unicode.*ascii/],
    ['{"background": 7}', /settings\.json: background: .*dark.*light/],
    ['{"colour": "red"}', /settings\.json: settings: .*colour/],
    ['{"glyphs": ', /settings\.json is not valid JSON: /],
  ])('names the file, the key and what is allowed for %s', async (settings, mistake) => {
    expect(await mistakeIn(settings)).toMatch(mistake);
  });

  it('says so where the file is a folder', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'settings.json'));
    expect(await readSettings({SKYDECK_CONFIG_DIR: folder})).toMatchObject({ok: false});
  });
});
