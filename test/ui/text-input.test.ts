import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {graphemes} from '../../src/terminal/glyphs.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {
  backspace,
  deleteForward,
  deleteToStart,
  deleteWord,
  emptyInput,
  inputLine,
  inputWith,
  insert,
  moveEnd,
  moveHome,
  moveLeft,
  moveRight,
  selectedInput,
  type TextInput,
} from '../../src/ui/text-input.ts';

/** The input with a bar where its cursor is. */
function shown({text, cursor}: TextInput): string {
  const all = graphemes(text);
  return `${all.slice(0, cursor).join('')}|${all.slice(cursor).join('')}`;
}

const EDITS = {
  backspace,
  deleteForward,
  deleteToStart,
  deleteWord,
  moveLeft,
  moveRight,
  moveHome,
  moveEnd,
};

describe('text input', () => {
  it.each([
    ['moveLeft', 'stop gpu|-7', 'stop gp|u-7'],
    ['moveRight', 'stop gpu|-7', 'stop gpu-|7'],
    ['moveHome', 'stop gpu|-7', '|stop gpu-7'],
    ['moveEnd', 'stop gpu|-7', 'stop gpu-7|'],
    ['backspace', 'stop gpu|-7', 'stop gp|-7'],
    ['backspace', '|stop', '|stop'],
    ['backspace', 'e\u0301|x', '|x'],
    ['deleteForward', 'stop gpu|-7', 'stop gpu|7'],
    ['deleteForward', 'stop|', 'stop|'],
    ['deleteWord', 'stop gpu|-7', 'stop |-7'],
    ['deleteWord', 'stop  |', '|'],
    ['deleteToStart', 'stop gpu|-7', '|-7'],
  ] as const)('%s turns %s into %s', (edit, before, after) => {
    const [head = '', tail = ''] = before.split('|');
    const input = {...emptyInput, text: head + tail, cursor: graphemes(head).length};
    expect(shown(EDITS[edit](input))).toBe(after);
  });

  it('inserts what is typed or pasted at the cursor', () => {
    expect(shown(insert(moveLeft(inputWith('ab')), 'XY'))).toBe('aXY|b');
  });

  it('removes control characters and turns line ends into spaces', () => {
    expect(shown(insert(emptyInput, 'a\r\nb\tc\u001b[31m\u0000\ue000'))).toBe('a b c[31m|');
  });

  it('joins a combining mark with the base typed before it', () => {
    expect(shown(insert(inputWith('e'), '\u0301'))).toBe('e\u0301|');
  });

  it('accepts no more than its limit', () => {
    expect(inputWith('abcdef', 4).text).toBe('abcd');
    expect(insert(inputWith('abcd', 4), 'e').text).toBe('abcd');
  });

  it('keeps the cursor inside the text through any edits', () => {
    const edit = fc.constantFrom(...Object.values(EDITS), (input: TextInput) => insert(input, '你e\u0301 x'));
    fc.assert(
      fc.property(fc.array(edit, {maxLength: 40}), edits => {
        const {text, cursor} = edits.reduce((input, apply) => apply(input), emptyInput);
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(graphemes(text).length);
      }),
    );
  });
});

describe('inputLine', () => {
  it('keeps the cursor visible and stays within its width', () => {
    fc.assert(
      fc.property(
        fc.string({unit: 'grapheme', maxLength: 30}),
        fc.nat(30),
        fc.integer({min: 2, max: 20}),
        (text, back, width) => {
          let input = inputWith(text);
          for (let step = 0; step < back; step++) input = moveLeft(input);
          const line = inputLine(input, width);
          expect(lineWidth(line)).toBeLessThanOrEqual(width);
          expect(line[1]?.tone).toEqual(['strong', 'caret']);
        },
      ),
    );
  });

  it('shows a caret cell after the text', () => {
    expect(textOf(inputLine(inputWith('abc'), 10))).toBe('abc ');
    expect(textOf(inputLine(inputWith('abcdef'), 4))).toBe('def ');
  });
});

describe('selected text', () => {
  const edited = (edit: (input: TextInput) => TextInput) => edit(selectedInput('ab'));

  it.each<[string, (input: TextInput) => TextInput, string]>([
    ['replaced by what is typed', input => insert(input, 'x'), 'x'],
    ['cleared by backspace', backspace, ''],
    ['cleared by delete', deleteForward, ''],
    ['cleared by ctrl-u', deleteToStart, ''],
    ['kept by a move to its end', input => insert(moveRight(input), 'x'), 'abx'],
    ['kept by a move to its start', input => insert(moveHome(input), 'x'), 'xab'],
    ['kept by a move to the left, before its last character', input => insert(moveLeft(input), 'x'), 'axb'],
    ['replaced only once', input => insert(insert(input, 'x'), 'y'), 'xy'],
  ])('is %s', (_, edit, text) => {
    expect(edited(edit).text).toBe(text);
  });

  it('is shown as selected, and an empty text has no selection', () => {
    expect(inputLine(selectedInput('ab'), 10)).toEqual([{text: 'ab', tone: ['strong', 'caret']}]);
    expect(selectedInput('')).toEqual(emptyInput);
  });
});
