import {expect, test} from 'vitest';
import {settingNotes} from '../../src/config/setting-notes.ts';

test.each(settingNotes())('$key has a unit, a default and a meaning', ({unit, byDefault, meaning}) => {
  expect([unit, byDefault, meaning].every(text => text !== '')).toBe(true);
});
