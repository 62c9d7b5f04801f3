import {expect, test} from 'vitest';
import {keySequences} from './keys.ts';

test.each([
  ['enter', ['\r']],
  ['esc', ['\x1b']],
  ['shift-tab', ['\x1b[Z']],
  ['up', ['\x1b[A']],
  ['pagedown', ['\x1b[6~']],
  ['ctrl-c', ['\x03']],
  ['ctrl-z', ['\x1a']],
  ['ctrl-\\', ['\x1c']],
  ['alt-x', ['\x1bx']],
  ['gpu', ['g', 'p', 'u']],
  ['é東', ['é', '東']],
])('turns %s into what a terminal sends', (key, expected) => {
  expect(keySequences(key, {isApplicationCursor: false})).toEqual(expected);
});

test('uses other sequences for cursor keys if the program asks for application cursor keys', () => {
  expect(keySequences('up', {isApplicationCursor: true})).toEqual(['\x1bOA']);
  expect(keySequences('end', {isApplicationCursor: true})).toEqual(['\x1bOF']);
});
