import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {type InkKey, keyNames, typedText} from '../../src/app/keys.ts';

const NO_KEY: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

describe('keyNames', () => {
  it.each<[string, Partial<InkKey>, readonly string[]]>([
    ['j', {}, ['j']],
    ['G', {shift: true}, ['G']],
    ['$', {}, ['$']],
    [' ', {}, ['space']],
    ['', {upArrow: true}, ['up']],
    ['', {downArrow: true}, ['down']],
    ['', {leftArrow: true}, ['left']],
    ['', {rightArrow: true}, ['right']],
    ['', {pageUp: true}, ['pageup']],
    ['', {pageDown: true}, ['pagedown']],
    ['', {home: true}, ['home']],
    ['', {end: true}, ['end']],
    ['\r', {return: true}, ['enter']],
    ['', {escape: true}, ['esc']],
    ['', {escape: true, meta: true}, ['esc']],
    ['', {backspace: true}, ['backspace']],
    ['', {tab: true}, ['tab']],
    ['', {tab: true, shift: true}, ['shift-tab']],
    ['d', {ctrl: true}, ['ctrl-d']],
    [' ', {ctrl: true}, ['ctrl-space']],
  ])('names one key: %j with %j', (input, flags, names) => {
    expect(keyNames(input, {...NO_KEY, ...flags})).toEqual(names);
  });

  it.each<[string, readonly string[]]>([
    ['jjj', ['j', 'j', 'j']],
    ['\rq', ['enter', 'q']],
    ['px y', ['p', 'x', 'space', 'y']],
    ['a\r\nb', ['a', 'enter', 'b']],
    ['a\n\rb', ['a', 'enter', 'enter', 'b']],
    ['j\tk', ['j', 'tab', 'k']],
    ['j\u0003', ['j', 'ctrl-c']],
    ['\u0004\u0015', ['ctrl-d', 'ctrl-u']],
    ['ab\u007f\b', ['a', 'b', 'backspace', 'backspace']],
    ['j\u001bq', ['j', 'esc', 'q']],
    ['東e\u0301🚀👨‍👩‍👧', ['東', 'e\u0301', '🚀', '👨‍👩‍👧']],
    ['', []],
  ])('takes a run that arrived as one event apart: %j', (input, names) => {
    expect(keyNames(input, NO_KEY)).toEqual(names);
  });

  it.each<[string, Partial<InkKey>, readonly string[]]>([
    ['s', {ctrl: true}, ['esc', 'ctrl-s']],
    ['q', {}, ['esc', 'q']],
    ['jj', {}, ['esc', 'j', 'j']],
    ['\r', {return: true}, ['esc', 'enter']],
    ['', {backspace: true}, ['esc', 'backspace']],
  ])('takes Escape with a key right behind it for both: %j with %j', (input, flags, names) => {
    expect(keyNames(input, {...NO_KEY, meta: true, ...flags})).toEqual(names);
  });

  it('loses and invents no character of a run', () => {
    const printable = fc.stringMatching(/^[!-~]{0,40}$/);
    fc.assert(
      fc.property(printable, text => {
        expect(keyNames(text, NO_KEY)).toEqual([...text]);
      }),
    );
  });

  it('never gives more than one key for one control character', () => {
    for (let code = 0; code < 0x20; code += 1) {
      const names = keyNames(`x${String.fromCharCode(code)}`, NO_KEY);
      expect(names).toHaveLength(2);
      expect(names[1]).toMatch(/^(ctrl-.|enter|tab|esc|backspace)$/);
    }
  });
});

describe('typedText', () => {
  it.each<[string, string | undefined]>([
    ['a', 'a'],
    ['?', '?'],
    ['space', ' '],
    ['東', '東'],
    ['e\u0301', 'e\u0301'],
    ['👨‍👩‍👧', '👨‍👩‍👧'],
    ['enter', undefined],
    ['esc', undefined],
    ['up', undefined],
    ['ctrl-a', undefined],
    ['backspace', undefined],
  ])('of %s is %j', (key, text) => {
    expect(typedText(key)).toBe(text);
  });
});
