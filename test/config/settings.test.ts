import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {preferencesOf} from '../../src/config/options.ts';
import {DEFAULT_SETTINGS, readSettings, settingNotes} from '../../src/config/settings.ts';
import {listRate, listSource} from '../../src/domain/cost.ts';
import {unitSource} from '../../src/domain/money/prices.ts';
import {billingInStatus} from '../../src/domain/money/state-billing.ts';
import {hourlyUsd, usdNumber, ZERO_RATE} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';

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
  it('gives the defaults when there is no file, and creates none', async () => {
    const folder = aFolder();
    expect(await readSettings({SKYDECK_CONFIG_DIR: folder})).toEqual({ok: true, settings: DEFAULT_SETTINGS});
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fills in the defaults that the file leaves out', async () => {
    expect(await readSettings({SKYDECK_CONFIG_DIR: aFolder('{"glyphs": "ascii"}')})).toEqual({
      ok: true,
      settings: {...DEFAULT_SETTINGS, glyphs: 'ascii'},
    });
  });

  it.each<[string, RegExp]>([
    ['{"glyphs": "fancy"}', /settings\.json: glyphs: .*auto.*unicode.*ascii/],
    ['{"theme": 7}', /settings\.json: theme: .*dark.*light.*high-contrast/],
    ['{"theme": "../../etc/passwd"}', /settings\.json: theme: .*dark.*light.*high-contrast/],
    ['{"charts": "pie"}', /settings\.json: charts: .*braille.*line/],
    ['{"colour": "red"}', /settings\.json: settings: .*colour/],
    [
      '{"colour": "red"}',
      /: there is no setting "colour"; skydeck profile show --defaults lists all; skydeck profile set colour removes it$/,
    ],
    [
      '{"quietAfterHour": 3}',
      /settings\.json: settings: .* "quietAfterHour"; did you mean quietAfterHours\? skydeck profile set quietAfterHour removes it$/,
    ],
    // No word of a command line.
    ['{"theme ;rm": 3}', /there is no setting "theme ;rm"; .* lists all; remove it from the file$/],
    ['{"profiles": {"a": {"baseUrl": "https://x.test", "keyfile": "k"}}}', /"keyfile"; did you mean keyFile\?$/],
    ['{"profiles": {"a": {"baseUrl": "https://x.test", "key": "k"}}}', /: profiles\.a: there is no setting "key"; /],
    [
      '{"profiles": {"a": {"baseUrl": "https://x.test", "prometheus": {"url": "ftp://x.test", "tokenFile": "t"}}}}',
      /settings\.json: profiles\.a\.prometheus\.url: must be an http or https URL/,
    ],
    [
      '{"alertCommand": ["./notify"]}',
      /settings\.json: alertCommand: .*the name of a program on the PATH or an absolute path/,
    ],
    ['{"glyphs": ', /settings\.json is not valid JSON: /],
  ])('names the file, the key and what is allowed for %s', async (settings, mistake) => {
    expect(await mistakeIn(settings)).toMatch(mistake);
  });

  it('fails when the file is a folder', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'settings.json'));
    expect(await readSettings({SKYDECK_CONFIG_DIR: folder})).toMatchObject({ok: false});
  });
});

describe('preferencesOf', () => {
  it('gives the defaults when nothing is set', () => {
    expect(preferencesOf(DEFAULT_SETTINGS)).toEqual(DEFAULT_PREFERENCES);
  });

  it('keeps dollars exact, and turns percents into ratios and times into milliseconds', () => {
    const preferences = preferencesOf({
      ...DEFAULT_SETTINGS,
      budgetUsdPerMonth: 45_000.5,
      budgetAlertPercents: [25, 100],
      creditUsd: 0.1,
      runwayCriticalHours: 3,
      contractCriticalDays: 2,
      refreshSeconds: 30,
    });
    expect(preferences.budget && usdNumber(preferences.budget)).toBe(45_000.5);
    expect(preferences.credit).toEqual({numerator: 1n, denominator: 10n});
    expect(preferences).toMatchObject({
      budgetAlertRatios: [0.25, 1],
      runwayCriticalMs: 3 * 3_600_000,
      contractCriticalMs: 2 * 86_400_000,
      refreshMs: 30_000,
    });
  });

  it('replaces published prices and billing with those that a person has set', () => {
    const {prices} = preferencesOf({
      ...DEFAULT_SETTINGS,
      pricesUsdPerHour: {'n3-H100x8': 19.5, 'N1-CPU-SMALL': 0.3},
      billingByState: {SHUTOFF: 'storage'},
    });
    const rateOf = (name: string, gpuModel?: string) => {
      const gpu = gpuModel === undefined ? {} : {gpuModel: safeText(gpuModel), gpuCount: 8};
      const rate = listRate({name: safeText(name), ...gpu}, prices);
      return rate === undefined ? undefined : hourlyUsd(rate);
    };
    expect(rateOf('n3-H100x8', 'H100-80G-PCIe')).toBe(19.5);
    expect(rateOf('n1-cpu-small')).toBe(0.3);
    expect(rateOf('n1-cpu-medium')).toBe(0.65);
    expect([...prices.ownFlavors].sort()).toEqual(['n1-cpu-small', 'n3-h100x8']);
    expect(billingInStatus('SHUTOFF', prices)).toBe('storage');
    expect(billingInStatus('ACTIVE', prices)).toBe('full');
  });
});

describe('own prices', () => {
  const prices = preferencesOf({
    ...DEFAULT_SETTINGS,
    pricesUsdPerHour: {'n3-H200-SXM5x8': 30},
    gpuPricesUsdPerHour: {'H200-141G-SXM5': 3, 'RTX-A6000': 0.25},
    storageUsdPerGbHour: 0.0002,
    publicAddressUsdPerHour: 0,
  }).prices;
  const flavor = (name: string, gpuModel: string, gpuCount: number) => ({
    name: safeText(name),
    gpuModel: safeText(gpuModel),
    gpuCount,
  });

  it.each([
    ['a flavor with a price of its own', flavor('n3-H200-SXM5x8', 'H200-141G-SXM5', 8), 30, true],
    ['another flavor whose GPU has a price of its own', flavor('n3-H200-SXM5x4', 'H200-141G-SXM5', 4), 12, true],
    ['a GPU whose published price is replaced', flavor('n3-RTX-A6000x2', 'RTX-A6000', 2), 0.5, true],
    ['a spot flavor, which keeps its published price', flavor('n3-RTX-A6000x1-spot', 'RTX-A6000', 1), 0.4, false],
    ['a GPU that no setting names', flavor('n3-L40x2', 'L40', 2), 2, false],
  ])('of %s', (_, each, perHour, isOwn) => {
    expect(hourlyUsd(listRate(each, prices) ?? ZERO_RATE)).toBe(perHour);
    expect(listSource(each, prices) === 'own').toBe(isOwn);
  });

  it('of storage and addresses replace the published ones, even when they are zero', () => {
    expect(hourlyUsd(prices.storagePerGb)).toBe(0.0002);
    expect(hourlyUsd(prices.publicIp)).toBe(0);
    expect([unitSource('publicIp', prices), unitSource('publicIp', preferencesOf(DEFAULT_SETTINGS).prices)]).toEqual([
      'own',
      'published',
    ]);
  });
});

describe('settingNotes', () => {
  it.each(settingNotes())('has a unit, a default and a meaning for $key', ({unit, byDefault, meaning}) => {
    expect([unit, byDefault, meaning].every(text => text !== '' && text !== 'undefined')).toBe(true);
  });

  it('gives the actual default of every setting', () => {
    const byDefault = new Map(settingNotes().map(note => [note.key, note.byDefault]));
    expect(byDefault.get('glyphs')).toBe('auto');
    expect(byDefault.get('budgetAlertPercents')).toBe('[50,80,100]');
    expect(byDefault.get('profile')).toBe('none');
    expect(byDefault.get('profiles.<name>.baseUrl')).toBe('none');
    expect(byDefault.get('profiles.<name>.color')).toBe('true');
    expect([...byDefault.keys()].filter(key => !key.includes('.'))).toEqual(
      expect.arrayContaining(Object.keys(DEFAULT_SETTINGS)),
    );
  });
});
