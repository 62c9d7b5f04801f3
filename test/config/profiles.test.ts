import {describe, expect, it} from 'vitest';
import type {AskedOptions} from '../../src/config/options.ts';
import {resolveOptions} from '../../src/config/profiles.ts';
import {DEFAULT_SETTINGS, type Settings} from '../../src/config/settings.ts';

const NOTHING: AskedOptions = {
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
const SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  profile: 'a',
  profiles: {
    a: {baseUrl: 'https://a.example/v1', keyFile: 'a.key', readOnly: false, color: true},
    b: {baseUrl: 'https://b.example/v1', keyCommand: ['pass', 'b'], readOnly: true, color: false},
  },
};
const A_KEY = {kind: 'file', path: 'a.key'};
const B_KEY = {kind: 'command', words: ['pass', 'b']};
const OWN_KEY = {kind: 'environment', text: 'own-key-1234'} as const;

describe('resolveOptions', () => {
  it.each<[string, Partial<AskedOptions>, object]>([
    ['the profile in use', {}, {baseUrl: 'https://a.example/v1', keySource: A_KEY, isReadOnly: false, hasColour: true}],
    [
      'a named profile',
      {profileName: 'b'},
      {baseUrl: 'https://b.example/v1', keySource: B_KEY, isReadOnly: true, hasColour: false},
    ],
    ['an option over the profile', {profileName: 'b', isReadOnly: false}, {isReadOnly: false}],
    [
      'a key of our own for the service of the profile',
      {keySource: OWN_KEY},
      {baseUrl: 'https://a.example/v1', keySource: OWN_KEY},
    ],
    [
      'the key of the profile for its own service in another spelling',
      {baseUrl: 'https://A.example/v1/'},
      {keySource: A_KEY},
    ],
    [
      'no key for another service',
      {baseUrl: 'https://b.example/v1'},
      {baseUrl: 'https://b.example/v1', keySource: undefined},
    ],
    ['no key for another path', {baseUrl: 'https://a.example/v2'}, {keySource: undefined}],
    ['no key for another port', {baseUrl: 'https://a.example:8443/v1'}, {keySource: undefined}],
    ['no key without encryption', {baseUrl: 'http://a.example/v1'}, {keySource: undefined}],
  ])('uses %s', (_, asked, expected) => {
    expect(resolveOptions({...NOTHING, ...asked}, SETTINGS)).toMatchObject({ok: true, options: expected});
  });

  it('needs no profile', () => {
    expect(resolveOptions(NOTHING, DEFAULT_SETTINGS)).toMatchObject({ok: true, options: {isReadOnly: false}});
  });

  it.each(['none', '__proto__', 'toString'])('lists the profiles when %s is not one of them', profileName => {
    expect(resolveOptions({...NOTHING, profileName}, SETTINGS)).toMatchObject({
      ok: false,
      mistake: `unknown profile "${profileName}"; available: a, b`,
    });
  });

  it('does not repeat a profile name that may be a key', () => {
    const outcome = resolveOptions({...NOTHING, profileName: 'CANARY-0123456789-abcdef'}, SETTINGS);
    expect(JSON.stringify(outcome)).not.toContain('CANARY');
  });
});
