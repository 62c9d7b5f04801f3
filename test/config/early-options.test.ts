import {chmodSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {type EarlyOptions, readEarlyOptions} from '../../src/config/early-options.ts';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';

const KEY = 'CANARY-0123456789';
const EMPTY_HOME: EnvironmentVariables = {SKYDECK_CONFIG_DIR: join(tmpdir(), 'no-such-folder')};
const NOTHING_ASKED: EarlyOptions = {
  account: undefined,
  isReadOnly: false,
  hasColour: true,
  isAscii: false,
  glyphs: 'auto',
  charts: 'auto',
  theme: 'auto',
};

function read(line: string, environment: EnvironmentVariables = {}): EarlyOptions | undefined {
  return readEarlyOptions(
    line.split(' ').filter(word => word !== ''),
    {...EMPTY_HOME, ...environment},
  );
}

function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'early-options-'));
}

describe('readEarlyOptions', () => {
  it('gives the defaults without arguments, for the deck on the simulated cloud', () => {
    expect(read('')).toEqual(NOTHING_ASKED);
  });

  it('reads the switches and skips options that do not change the first frame', () => {
    expect(read('--read-only --no-color --ascii --timeout 5s --log=requests.txt')).toEqual({
      ...NOTHING_ASKED,
      isReadOnly: true,
      hasColour: false,
      isAscii: true,
    });
    expect(read('', {SKYDECK_READ_ONLY: '1'})?.isReadOnly).toBe(true);
    expect(read('', {SKYDECK_READ_ONLY: 'no'})?.isReadOnly).toBe(false);
  });

  it('combines a service with its key, from the environment or from a file', () => {
    const keyFile = join(aFolder(), 'key');
    writeFileSync(keyFile, `${KEY}\n`);
    chmodSync(keyFile, 0o600);
    const account = {baseUrl: 'https://cloud.test/v1', key: KEY};
    expect(read('--base-url https://cloud.test/v1', {SKYDECK_API_KEY: KEY})?.account).toEqual(account);
    expect(read(`--key-file=${keyFile}`, {SKYDECK_BASE_URL: 'https://cloud.test/v1'})?.account).toEqual(account);
  });

  it.each([
    ['a subcommand', 'simulator', {}],
    ['help', '--help', {}],
    ['an unknown option', '--colour', {}],
    ['an option without its value', '--log', {}],
    ['an option with an empty value', '--log=', {}],
    ['a switch with a value', '--ascii=1', {}],
    ['a key command', '--key-command true', {SKYDECK_BASE_URL: 'https://cloud.test/v1'}],
    ['a key without a service', '', {SKYDECK_API_KEY: KEY}],
    ['a service without a key', '--base-url https://cloud.test/v1', {}],
    ['a key file that does not exist', '--key-file no-such-file', {SKYDECK_BASE_URL: 'https://cloud.test/v1'}],
    ['an invalid time', '', {SKYDECK_NOW: 'yesterday'}],
  ])('gives nothing for %s, which is left to the full parser', (_, line, environment) => {
    expect(read(line, environment)).toBeUndefined();
  });

  it.each([
    ['{"glyphs": "ascii", "theme": "light"}', {glyphs: 'ascii', theme: 'light'}],
    ['{"charts": "line", "theme": "solarized"}', {charts: 'line', theme: 'solarized'}],
    ['{}', {glyphs: 'auto', charts: 'auto', theme: 'auto'}],
  ])('follows the settings %s', (text, preferences) => {
    const folder = aFolder();
    writeFileSync(join(folder, 'settings.json'), text, {mode: 0o600});
    expect(read('', {SKYDECK_CONFIG_DIR: folder})).toMatchObject(preferences);
  });

  it.each([
    '{"glyphs": "fancy"}',
    '{"charts": "pie"}',
    '{"theme": 1}',
    '{"theme": "../secret"}',
    '{"profiles": {"prod": 1}}',
    '{"profile": 1}',
    '[',
    '[]',
    'null',
    '3',
  ])('gives nothing for the settings %s, which are left to the full parser', text => {
    const folder = aFolder();
    writeFileSync(join(folder, 'settings.json'), text, {mode: 0o600});
    expect(read('', {SKYDECK_CONFIG_DIR: folder})).toBeUndefined();
  });

  it('follows the profile in use, as the program itself does', () => {
    const folder = aFolder();
    const keyFile = join(folder, 'prod.key');
    writeFileSync(keyFile, `${KEY}\n`, {mode: 0o600});
    const [prod, vault] = [
      {baseUrl: 'https://cloud.test/v1', keyFile, readOnly: true, color: false},
      {baseUrl: 'https://b.test/v1', keyCommand: ['pass']},
    ];
    const settings = {profile: 'prod', profiles: {prod, vault}, refreshSeconds: 30};
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings), {mode: 0o600});
    const environment = {SKYDECK_CONFIG_DIR: folder};
    const account = {baseUrl: 'https://cloud.test/v1', key: KEY};
    expect(read('', environment)).toEqual({...NOTHING_ASKED, account, isReadOnly: true, hasColour: false});
    expect(read('', {...environment, SKYDECK_PROFILE: 'vault'})).toBeUndefined();
    expect(read('--profile vault', environment)).toBeUndefined();
    expect(read('--profile nobody', environment)).toBeUndefined();
    // The key of a profile is for its own service only.
    expect(read('--base-url https://other.test/v1', environment)).toBeUndefined();
  });
});
