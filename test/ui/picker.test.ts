import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import type {FormField} from '../../src/ui/form-field.ts';
import {type Picker, pickerChoices, pickerLines} from '../../src/ui/picker.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {emptyInput, inputWith} from '../../src/ui/text-input.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});

const FACTS = new Map([
  ['n3-L40x1', ['1.00', '16', '1 × L40']],
  ['n3-H100x8', ['25.60', 'none', '8 × H100']],
  ['n1-cpu', ['0.20', 'yes', 'none']],
]);
const FLAVOR: FormField = {
  key: 'flavor',
  label: 'flavor',
  initial: '',
  choices: [...FACTS.keys()],
  facts: {titles: ['$/h', 'STOCK', 'GPU'], of: choice => FACTS.get(choice) ?? []},
};

function gpuFacts(choice: string): readonly string[] {
  if (choice === 'n3-L40x1') return ['16', '1 × L40', '64 GB'];
  return choice === 'n3-H100x8' ? ['2', '8 × H100-80G', '960 GB'] : ['yes', 'none', '8 GB'];
}

function lines(picker: Partial<Picker> = {}, width = 60, height = 6): readonly string[] {
  const shown = pickerLines(FLAVOR, {input: emptyInput, cursorIndex: 0, ...picker}, {width, height, theme});
  expect(shown.map(lineWidth).filter(cells => cells > width)).toEqual([]);
  return shown.map(line => textOf(line).trimEnd());
}

describe('the list of choices', () => {
  it('shows price, stock and size of each choice under their titles', () => {
    const [, titles, first, second] = lines({cursorIndex: 1});
    expect(titles).toMatch(/FLAVOR +\$\/h STOCK +GPU/);
    expect(first).toMatch(/^ {3}n3-L40x1 +1\.00 +16 +1 × L40/);
    expect(second).toMatch(/^▶ {2}n3-H100x8 +25\.60 +none +8 × H100/);
  });

  it('keeps a text apart from the number before it: a stock of 2 and 8 GPUs are not 28', () => {
    const field = {...FLAVOR, facts: {titles: ['STOCK', 'GPU', 'RAM'], texts: ['GPU'], of: gpuFacts}};
    const shown = pickerLines(field, {input: emptyInput, cursorIndex: 0}, {width: 60, height: 6, theme}).map(textOf);
    expect(shown[1]).toMatch(/STOCK {2}GPU +RAM *$/);
    expect(shown[2]).toMatch(/ 16 {2}1 × L40 {7}64 GB *$/);
    expect(shown[3]).toMatch(/ 2 {2}8 × H100-80G 960 GB *$/);
  });

  it.each([
    ['h100', ['n3-H100x8']],
    ['n3 l40', ['n3-L40x1']],
    ['none', ['n3-H100x8', 'n1-cpu']],
    ['', ['n3-L40x1', 'n3-H100x8', 'n1-cpu']],
    ['zebra', []],
  ])('keeps the choices that have every word of "%s" in their name or facts', (text, expected) => {
    expect(pickerChoices(FLAVOR, text)).toEqual(expected);
    expect(lines({input: inputWith(text)})[0]).toContain(`${expected.length} of 3`);
  });

  it('says that nothing matches', () => {
    expect(lines({input: inputWith('zebra')}).join('\n')).toContain('no matches');
  });

  it('drops the last facts first when it is narrow, and keeps the price', () => {
    const text = lines({}, 32).join('\n');
    expect(text).toContain('25.60');
    expect(text).not.toContain('GPU');
  });

  it('keeps the cursor visible with few lines', () => {
    expect(lines({cursorIndex: 2}, 60, 3)[2]).toMatch(/^▶ {2}n1-cpu/);
  });
});
