import {expect, test} from 'vitest';
import {settingNotes} from '../../src/config/setting-notes.ts';
import {PROFILE_KEYS, SETTING_KEYS} from '../../src/config/settings.ts';

test('there is a note on every key of the file', () => {
  const keys = settingNotes().map(({key}) => key);
  expect(keys).toEqual(
    [...SETTING_KEYS, ...PROFILE_KEYS.map(key => `profiles.<name>.${key}`)].toSorted(byOrderOf(keys)),
  );
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(SETTING_KEYS.length + PROFILE_KEYS.length);
});

test.each(settingNotes())('$key has a unit, a default and a meaning', ({unit, byDefault, meaning}) => {
  expect([unit, byDefault, meaning].every(text => text !== '')).toBe(true);
});

function byOrderOf(keys: readonly string[]): (left: string, right: string) => number {
  return (left, right) => keys.indexOf(left) - keys.indexOf(right);
}
