import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {editInput} from '../../src/app/edit-input.ts';
import {emptyInput, inputWith, type TextInput} from '../../src/ui/text-input.ts';

function pressed(input: TextInput, ...keys: readonly string[]): TextInput {
  return keys.reduce((now, key) => editInput(now, key) ?? now, input);
}

describe('editInput', () => {
  it('types characters at the cursor, blanks included', () => {
    expect(pressed(emptyInput, 'g', 'p', 'u', 'space', '7').text).toBe('gpu 7');
    expect(pressed(inputWith('gp7'), 'left', 'u').text).toBe('gpu7');
  });

  it.each<[string, readonly string[], string, number]>([
    ['backspace', ['backspace'], 'gpu ', 4],
    ['left and backspace', ['left', 'backspace'], 'gpu7', 3],
    ['home and backspace', ['home', 'backspace'], 'gpu 7', 0],
    ['ctrl-a', ['ctrl-a'], 'gpu 7', 0],
    ['ctrl-a and ctrl-e', ['ctrl-a', 'ctrl-e'], 'gpu 7', 5],
    ['home, right', ['home', 'right'], 'gpu 7', 1],
    ['end, right', ['end', 'right', 'right'], 'gpu 7', 5],
    ['ctrl-w', ['ctrl-w'], 'gpu ', 4],
    ['ctrl-u', ['ctrl-u'], '', 0],
    ['left, ctrl-u', ['left', 'ctrl-u'], '7', 0],
  ])('edits "gpu 7" by %s', (_name, keys, text, cursor) => {
    expect(pressed(inputWith('gpu 7'), ...keys)).toMatchObject({text, cursor});
  });

  it.each([
    'enter',
    'esc',
    'up',
    'down',
    'tab',
    'shift-tab',
    'pageup',
    'ctrl-c',
    'ctrl-s',
    'ctrl-space',
  ])('does not handle %s', key => {
    expect(editInput(inputWith('gpu'), key)).toBeUndefined();
  });

  it('removes a whole character, however many code points it has', () => {
    expect(pressed(inputWith('a🚀'), 'backspace').text).toBe('a');
    expect(pressed(inputWith('ae\u0301'), 'backspace').text).toBe('a');
  });

  it('never contains control characters, and keeps its cursor inside the text', () => {
    const keys = fc.constantFrom(
      'a',
      '東',
      'space',
      '\u0301',
      '\u0007',
      '\u202e',
      'left',
      'right',
      'home',
      'backspace',
      'ctrl-w',
    );
    fc.assert(
      fc.property(fc.array(keys, {maxLength: 60}), typed => {
        const {text, cursor} = pressed(emptyInput, ...typed);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual([...new Intl.Segmenter('en').segment(text)].length);
      }),
    );
  });
});
