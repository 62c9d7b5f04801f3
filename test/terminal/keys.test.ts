import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {keyNames, typedText} from '../../src/terminal/keys.ts';

describe('keyNames', () => {
  it.each<[string, readonly string[]]>([
    ['j', ['j']],
    ['G', ['G']],
    ['$', ['$']],
    [' ', ['space']],
    ['\r', ['enter']],
    ['\n', ['enter']],
    ['\r\n', ['enter']],
    ['\t', ['tab']],
    ['\u001b', ['esc']],
    ['\u007f', ['backspace']],
    ['\b', ['backspace']],
    ['\u0000', ['ctrl-space']],
    ['\u0004', ['ctrl-d']],
    ['\u001f', ['ctrl-_']],
  ])('names one key: %j', (text, names) => {
    expect(keyNames(text)).toEqual(names);
  });

  // The forms of xterm, rxvt and the Linux console.
  it.each<[string, readonly string[]]>([
    ['\u001b[A', ['up']],
    ['\u001bOA', ['up']],
    ['\u001b[B', ['down']],
    ['\u001b[C', ['right']],
    ['\u001bOD', ['left']],
    ['\u001b[H', ['home']],
    ['\u001bOF', ['end']],
    ['\u001b[1~', ['home']],
    ['\u001b[4~', ['end']],
    ['\u001b[7~', ['home']],
    ['\u001b[8~', ['end']],
    ['\u001b[3~', ['delete']],
    ['\u001b[5~', ['pageup']],
    ['\u001b[6~', ['pagedown']],
    ['\u001b[Z', ['shift-tab']],
    ['\u001b[1;2A', ['up']],
    ['\u001b[1;5B', ['down']],
    ['\u001b[3;5~', ['delete']],
    ['\u001b[a', ['up']],
  ])('names the key of a sequence: %j', (text, names) => {
    expect(keyNames(text)).toEqual(names);
  });

  it.each([
    ['F1', '\u001bOP'],
    ['F1 of the Linux console', '\u001b[[A'],
    ['F5', '\u001b[15~'],
    ['insert', '\u001b[2~'],
    ['focus', '\u001b[I'],
    ['a cursor position', '\u001b[12;40R'],
    ['device attributes', '\u001b[?1;2c'],
    ['a colour that another program asked for', '\u001b]11;rgb:1e1e/1e1e/2e2e\u0007'],
    ['the same with the other terminator', '\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\'],
    ['a copied text that another program asked for', '\u001b]52;c;eXl5\u0007'],
    ["the terminal's name", '\u001bP>|foot(1.16)\u001b\\'],
    ['the result of drawing a picture', '\u001b_Gi=1;OK\u001b\\'],
    ['a title', '\u001b]ldelete y\u001b\\'],
    ['the title of an icon', '\u001b]Ldelete\u001b\\'],
    ['a setting', '\u001bP$r1 q\u001b\\'],
    ['a long copied text', `\u001b]52;c;${'eXl5'.repeat(5000)}\u0007`],
    ['a position in one byte', '\u009b12;40R'],
    ['a key in one byte', '\u009bA'],
    ['a copied text in one byte', '\u009d52;c;eXl5\u009c'],
    ['a title in one byte', '\u009dly\u0007'],
    ["the terminal's name in one byte", '\u0090>|foot(1.16)\u009c'],
    ['the result of drawing a picture in one byte', '\u009fGi=1;OK\u001b\\'],
    ['a lone control character of one byte', '\u0085'],
    ['a capability', '\u001bP1+r544e=787465726d\u001b\\'],
  ])('gives no key for %s', (_name, text) => {
    expect(keyNames(text)).toEqual([]);
    expect(keyNames(`j${text}k`)).toEqual(['j', 'k']);
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
    ['j\u001b[B\u001b[Bk', ['j', 'down', 'down', 'k']],
    ['東e\u0301🚀👨‍👩‍👧', ['東', 'e\u0301', '🚀', '👨‍👩‍👧']],
    ['', []],
  ])('splits a run of keys: %j', (text, names) => {
    expect(keyNames(text)).toEqual(names);
  });

  it.each<[string, readonly string[]]>([
    ['\u001bq', ['esc', 'q']],
    ['j\u001bq', ['j', 'esc', 'q']],
    ['\u001bjj', ['esc', 'j', 'j']],
    ['\u001b\r', ['esc', 'enter']],
    ['\u001b\u0013', ['esc', 'ctrl-s']],
    ['\u001b\u001b[A', ['esc', 'up']],
    ['\u001b\u001b', ['esc', 'esc']],
    ['\u001b]', ['esc', ']']],
    ['\u001b]1', ['esc', ']', '1']],
    ['\u001bPx', ['esc', 'P', 'x']],
    ['\u001b\u001b]11;rgb:0/0/0\u001b\\j', ['esc', 'j']],
  ])('reads Escape with a key right after it as both: %j', (text, names) => {
    expect(keyNames(text)).toEqual(names);
  });

  // From the documents of the kitty keyboard protocol and of xterm's modifyOtherKeys.
  it.each<[string, readonly string[]]>([
    ['\u001b[27u', ['esc']],
    ['\u001b[27;1u', ['esc']],
    ['\u001b[27;129:1u', ['esc']],
    ['\u001b[99;5u', ['ctrl-c']],
    ['\u001b[99:67;5u', ['ctrl-c']],
    ['\u001b[108;69u', ['ctrl-l']],
    ['\u001b[27;5;99~', ['ctrl-c']],
    ['j\u001b[99;5uk', ['j', 'ctrl-c', 'k']],
  ])('reads what cancels and leaves in the form of another keyboard protocol: %j', (text, names) => {
    expect(keyNames(text)).toEqual(names);
  });

  it.each([
    ['the release of Escape', '\u001b[27;1:3u'],
    ['y', '\u001b[121u'],
    ['y and its text', '\u001b[121;1;121u'],
    ['Y', '\u001b[27;2;89~'],
    ['enter', '\u001b[13u'],
    ['ctrl-enter', '\u001b[13;5u'],
    ['alt-c', '\u001b[99;3u'],
    ['no character', '\u001b[0;5u'],
    ['more than a character', '\u001b[99999999;5u'],
    ['the flags of the keyboard', '\u001b[?5u'],
  ])('gives no key for %s in such a form', (_name, text) => {
    expect(keyNames(text)).toEqual([]);
  });

  it('neither loses nor adds a character in a run', () => {
    const printable = fc.stringMatching(/^[!-~]{0,40}$/);
    fc.assert(
      fc.property(printable, text => {
        expect(keyNames(text)).toEqual([...text]);
      }),
    );
  });

  it('never gives more than one key for one control character', () => {
    for (let code = 0; code < 0x20; code += 1) {
      const names = keyNames(`x${String.fromCharCode(code)}`);
      expect(names).toHaveLength(2);
      expect(names[1]).toMatch(/^(ctrl-(.|space)|enter|tab|esc|backspace)$/);
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
