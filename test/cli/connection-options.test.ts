import {describe, expect, it} from 'vitest';
import {parseDeckOptions} from '../../src/cli/connection-options.ts';
import {type AskedOptions, OPTIONS, type OptionRecord} from '../../src/config/options.ts';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {epochMs} from '../../src/domain/time.ts';

const ABOUT = {version: '1.2.3', commands: [['simulator', 'the small cloud alone'] as const]};
const NOTHING_ASKED: AskedOptions = {
  profileName: undefined,
  baseUrl: undefined,
  keySource: undefined,
  isReadOnly: undefined,
  readTimeoutMs: undefined,
  hasColour: true,
  isAscii: false,
  logPath: undefined,
  fixedNow: undefined,
};

function parse(line: string, environment: EnvironmentVariables = {}) {
  return parseDeckOptions(
    line.split(' ').filter(word => word !== ''),
    environment,
    ABOUT,
  );
}

function mistakeIn(line: string, environment: EnvironmentVariables = {}): string {
  const parsed = parse(line, environment);
  if (parsed.kind !== 'mistake') throw new Error(`Expected a mistake, not ${parsed.kind}.`);
  return parsed.mistake;
}

describe('parseDeckOptions', () => {
  it.each<[string, EnvironmentVariables, Partial<AskedOptions>]>([
    ['', {}, {}],
    ['--base-url https://a.example/v1', {}, {baseUrl: 'https://a.example/v1'}],
    ['', {SKYDECK_BASE_URL: 'https://b.example/v1'}, {baseUrl: 'https://b.example/v1'}],
    ['', {SKYDECK_BASE_URL: '', SKYDECK_API_KEY: '', SKYDECK_NOW: ''}, {}],
    ['', {SKYDECK_API_KEY: 'from-env'}, {keySource: {kind: 'environment', text: 'from-env'}}],
    ['--key-file k', {}, {keySource: {kind: 'file', path: 'k'}}],
    ['--read-only', {}, {isReadOnly: true}],
    ['--profile prod', {}, {profileName: 'prod'}],
    ['', {SKYDECK_PROFILE: 'prod'}, {profileName: 'prod'}],
    ['--profile a', {SKYDECK_PROFILE: 'b'}, {profileName: 'a'}],
    ['--timeout 2m', {}, {readTimeoutMs: 120_000}],
    ['--timeout 15', {}, {readTimeoutMs: 15_000}],
    ['--timeout 500ms', {}, {readTimeoutMs: 500}],
    ['--timeout 1h', {}, {readTimeoutMs: 3_600_000}],
    ['--no-color --ascii --log l', {}, {hasColour: false, isAscii: true, logPath: 'l'}],
    ['', {SKYDECK_NOW: '2026-11-20T20:58:12Z'}, {fixedNow: epochMs(Date.UTC(2026, 10, 20, 20, 58, 12))}],
  ])('reads "%s" with %j', (line, environment, expected) => {
    expect(parse(line, environment)).toEqual({kind: 'options', options: {...NOTHING_ASKED, ...expected}});
  });

  it.each(Object.values<OptionRecord>(OPTIONS))('uses $flag, as the help lists it', ({flag, value}) => {
    const given = parse(value === undefined ? flag : `${flag} 7`);
    expect(given).toMatchObject({kind: 'options'});
    expect(given).not.toEqual(parse(''));
  });

  it('splits the key command into words, since no shell runs it', () => {
    const parsed = parseDeckOptions(['--key-command', ' pass  show cloud;rm '], {}, ABOUT);
    expect(parsed).toMatchObject({options: {keySource: {kind: 'command', words: ['pass', 'show', 'cloud;rm']}}});
  });

  it.each<[string, EnvironmentVariables, Partial<AskedOptions>]>([
    ['--base-url https://a.example/v1', {SKYDECK_BASE_URL: 'https://b.example/v1'}, {baseUrl: 'https://a.example/v1'}],
    ['--key-file k', {SKYDECK_API_KEY: 'from-env'}, {keySource: {kind: 'file', path: 'k'}}],
    ['--key-command c', {SKYDECK_API_KEY: 'from-env'}, {keySource: {kind: 'command', words: ['c']}}],
    ['--read-only', {SKYDECK_READ_ONLY: '0'}, {isReadOnly: true}],
  ])('prefers %s to the environment', (line, environment, expected) => {
    expect(parse(line, environment)).toMatchObject({options: expected});
  });

  it.each([
    ['1', true],
    ['true', true],
    ['yes', true],
    ['0', false],
    ['False', false],
    ['no', false],
    ['', undefined],
  ])('reads SKYDECK_READ_ONLY=%s as %s', (text, isReadOnly) => {
    expect(parse('', {SKYDECK_READ_ONLY: text})).toMatchObject({options: {isReadOnly}});
  });

  it.each<[string, EnvironmentVariables, RegExp]>([
    ['--base-urll x', {}, /^unknown option "--base-urll"; did you mean --base-url\?$/],
    ['--scenario empty', {}, /^unknown option "--scenario"; it belongs to skydeck simulator, which prints/],
    ['--base-url', {}, /^option "--base-url <url>" argument missing$/],
    ['--timeout soon', {}, /"soon" is invalid; use a duration such as 15s or 2m, at most 24h$/],
    ['--timeout 0', {}, /use a duration such as 15s or 2m/],
    ['--timeout -5', {}, /use a duration such as 15s or 2m|argument missing/],
    ['--timeout 600h', {}, /at most 24h/],
    ["--timeout don't", {}, /^option "--timeout <duration>" argument "don't" is invalid; use/],
    ['overview now', {}, /too many arguments/],
    ['--key-file a --key-command b', {}, /--key-file and --key-command exclude each other/],
    ['', {SKYDECK_NOW: 'yesterday'}, /SKYDECK_NOW must be an ISO 8601 moment such as 2026-11-20T20:58:12Z/],
    ['', {SKYDECK_NOW: '2026-02-30'}, /SKYDECK_NOW must be an ISO 8601 moment/],
  ])('says in one line what is wrong with "%s" and what would be right', (line, environment, expected) => {
    expect(mistakeIn(line, environment)).toMatch(expected);
    expect(mistakeIn(line, environment)).not.toMatch(/[\n␊]/);
  });

  it.each([
    '--api-key=CANARY-0123456789',
    '--api-key CANARY-0123456789',
    'CANARY-0123456789',
    '-kCANARY-0123456789',
    "--api-key='CANARY-0123456789'",
  ])('does not repeat what may be a key: %s', line => {
    expect(mistakeIn(line)).not.toContain('CANARY');
  });

  it('prints help with every option and the commands, and the version', () => {
    const help = parse('--help');
    if (help.kind !== 'printed') throw new Error('Expected help.');
    const options = ['--base-url', '--key-file', '--key-command', '--read-only', '--timeout', '--no-color', '--log'];
    for (const option of options) expect(help.text).toContain(option);
    expect(help.text).toContain('  simulator  the small cloud alone');
    expect(help.text).not.toContain('--api-key');
    expect(parse('--version')).toEqual({kind: 'printed', text: '1.2.3\n'});
  });
});
