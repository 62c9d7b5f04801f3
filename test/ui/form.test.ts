import {describe, expect, test} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {
  adjustedForm,
  chooseByLetter,
  chooseNext,
  currentField,
  type FormState,
  formLines,
  formValues,
  isUnmatched,
  linesAround,
  moveField,
  openForm,
  takeBackLetter,
  toField,
  toggleChoice,
  typeInField,
} from '../../src/ui/form.ts';
import {type FormField, type FormValues, takenIn} from '../../src/ui/form-field.ts';
import {textOf} from '../../src/ui/text.ts';
import {insert} from '../../src/ui/text-input.ts';

const FIELDS: readonly FormField[] = [
  {
    key: 'preset',
    label: 'preset',
    initial: 'none',
    choices: ['none', 'ssh', 'http', 'https'],
    fills: choice => (choice === 'ssh' ? {port: '22'} : {}),
  },
  {key: 'port', label: 'port', initial: '', hint: '1 to 65535'},
];

function shown(form: FormState): readonly string[] {
  return formLines(form, {mistakes: {}, width: 80, glyphs: GLYPH_SETS.ascii}).map(textOf);
}

describe('a form', () => {
  test('starts with its initial values on the first field', () => {
    expect(formValues(openForm(FIELDS))).toEqual({preset: 'none', port: ''});
  });

  test('lets a field be longer than others when it says so, up to its own limit', () => {
    const form = openForm([{key: 'key', label: 'public key', initial: '', maxLength: 2000}]);
    const typed = typeInField(form, input => insert(input, 'A'.repeat(3000)));
    expect(formValues(typed).key).toHaveLength(2000);
  });

  test('moves around the fields in both directions, and to a field by its key', () => {
    const form = openForm(FIELDS);
    expect(moveField(form, 1).fieldIndex).toBe(1);
    expect(moveField(moveField(form, 1), 1).fieldIndex).toBe(0);
    expect(moveField(form, -1).fieldIndex).toBe(1);
    expect(toField(form, 'port').fieldIndex).toBe(1);
    expect(toField(form, 'nowhere')).toBe(form);
  });

  test('cycles through the choices, and fills in what a choice implies', () => {
    const ssh = chooseNext(openForm(FIELDS), 1);
    expect(formValues(ssh)).toEqual({preset: 'ssh', port: '22'});
    expect(formValues(chooseNext(openForm(FIELDS), -1)).preset).toBe('https');
  });

  test('jumps to the next word with the typed letter', () => {
    const http = chooseByLetter(openForm(FIELDS), 'h');
    expect(formValues(http).preset).toBe('http');
    expect(formValues(chooseByLetter(http, 'h')).preset).toBe('https');
    expect(formValues(chooseByLetter(http, 'x')).preset).toBe('none');
  });

  test('says that no choice has the typed letters, keeps the choice from before, and removes them one by one', () => {
    const typed = [...'htx'].reduce(chooseByLetter, openForm(FIELDS));
    expect(shown(typed)[0]).toContain('< none > no match for htx');
    expect([isUnmatched(typed), isUnmatched(openForm(FIELDS))]).toEqual([true, false]);
    expect(isUnmatched(toField(typed, 'preset'))).toBe(true);
    expect(shown(takeBackLetter(typed))[0]).toContain('< http > /ht');
    expect(isUnmatched(takeBackLetter(typed))).toBe(false);
    // What the choice in between filled in is gone too.
    const [http = openForm([])] = [chooseByLetter(openForm(FIELDS), 'h')].map(form => moveField(moveField(form, 1), 1));
    expect(formValues([...'sx'].reduce(chooseByLetter, http))).toEqual({preset: 'http', port: ''});
    expect(takeBackLetter(openForm(FIELDS))).toMatchObject({sought: ''});
  });

  test('types into free text only', () => {
    const typed = (form: ReturnType<typeof openForm>) => typeInField(form, input => insert(input, '8'));
    expect(formValues(typed(openForm(FIELDS))).preset).toBe('none');
    expect(formValues(typed(toField(openForm(FIELDS), 'port'))).port).toBe('8');
  });

  test('finds a choice by the letters typed one after the other, at its beginning before in its middle', () => {
    const flavors = ['n1-cpu', 'n3-L40x1', 'n3-L40x2', 'n3-H100x1', 'h-small'];
    const form = openForm([{key: 'flavor', label: 'flavor', initial: 'n1-cpu', choices: flavors}]);
    const typed = (letters: string) => [...letters].reduce(chooseByLetter, form);
    const chosen = (letters: string) => formValues(typed(letters)).flavor;
    expect(chosen('l40')).toBe('n3-L40x1');
    expect(chosen('h')).toBe('h-small');
    expect(chosen('h1')).toBe('n3-H100x1');
    expect(chosen('nn')).toBe('n3-L40x2');
    expect(typed('l40').sought).toBe('l40');
    expect(chooseNext(typed('l40'), 1)).toMatchObject({sought: ''});
    expect(formValues(chooseNext(typed('l40'), 1)).flavor).toBe('n3-L40x2');
  });

  test('chooses the one whose whole name was typed before those that only begin with it', () => {
    const flavors = ['n1-cpu', 'n3-A6000x1-spot', 'n3-A6000x1', '10', '1'];
    const form = openForm([{key: 'flavor', label: 'flavor', initial: 'n1-cpu', choices: flavors}]);
    const typed = (letters: string) => [...letters].reduce(chooseByLetter, form);
    const chosen = (letters: string) => formValues(typed(letters)).flavor;
    expect([chosen('n3-a6000x'), chosen('n3-a6000x1'), chosen('1')]).toEqual(['n3-A6000x1-spot', 'n3-A6000x1', '1']);
    // The same letter again still moves to the next one.
    expect(chosen('11')).toBe('10');
    expect(formValues(takeBackLetter(typed('n3-a6000x1-')))).toEqual({flavor: 'n3-A6000x1'});
  });

  test('gives up the typed letters before a part of the chosen name, which tells two of them apart', () => {
    const flavors = ['n3-RTX-A6000x1-spot', 'n3-RTX-A6000x1', 'a', 'b', 'c'];
    const form = openForm([{key: 'flavor', label: 'flavor', initial: 'a', choices: flavors}]);
    const chosen = (letters: string) => [...letters].reduce(chooseByLetter, form);
    expect(shown(chosen('rtx'))[0]).toContain('< n3-RTX-A6000x1-spot > 1/5 /rtx');
    // 38 cells at a width of 80: 23 with the arrows and 4 of the position leave too few for these letters.
    expect(shown(chosen('n3-RTX-A6000'))[0]).toContain('< n3-RTX-A6000x1-spot > 1/5  ');
    expect(shown(chosen('n3-RTX-A6000z'))[0]).toContain('no match for n3-RTX-A6000z');
  });

  test('adds to a list where it ends, and replaces other initial text', () => {
    const typed = (list: {readonly isList?: true}) => {
      const form = openForm([{key: 'labels', label: 'labels', initial: 'team=ml, prod', ...list}]);
      return formValues(typeInField(form, input => insert(input, ', sweep=3'))).labels;
    };
    expect([typed({isList: true}), typed({})]).toEqual(['team=ml, prod, sweep=3', ', sweep=3']);
    const long = openForm([{key: 'labels', label: 'labels', initial: 'a', isList: true, maxLength: 3}]);
    expect(formValues(typeInField(long, input => insert(input, ',bc'))).labels).toBe('a,b');
  });

  test('accepts as many characters as the field allows', () => {
    const typed = (maxLength: number) => {
      const form = openForm([{key: 'key', label: 'key', initial: '', maxLength}]);
      return formValues(typeInField(form, input => insert(input, 'x'.repeat(2000)))).key?.length;
    };
    expect([typed(10), typed(1500)]).toEqual([10, 1500]);
  });

  test('shows the position of a choice among many', () => {
    const choices = Array.from({length: 27}, (_, index) => `flavor-${index + 1}`);
    const form = openForm([{key: 'flavor', label: 'flavor', initial: 'flavor-3', choices}]);
    expect(shown(form)[0]).toContain('< flavor-3 > 3/27');
    expect(shown(openForm(FIELDS))[0]).not.toMatch(/\d\/\d/);
  });

  test('lets several choices of a field be toggled, and gives them all as its value', () => {
    const field: FormField = {key: 'set', label: 'set', initial: 'b', choices: ['a', 'b', 'c'], takesMany: true};
    const form = openForm([field, ...FIELDS]);
    expect(formValues(form).set).toBe('b');
    const more = toggleChoice(chooseNext(chooseNext(form, 1), 1));
    expect(takenIn(formValues(more).set)).toEqual(['b', 'c']);
    expect(takenIn(formValues(toggleChoice(more)).set)).toEqual(['b']);
    expect(shown(more)[0]).toMatch(/< \[\S\] c > 3\/3/);
    expect(shown(moveField(more, 1))[0]).toContain('b, c');
    expect(toggleChoice(openForm(FIELDS))).toEqual(openForm(FIELDS));
    expect(takenIn('')).toEqual([]);
  });

  test('marks a selected choice with the sign of the list of all of them, in every set of glyphs', () => {
    const field = {key: 'set', label: 'set', initial: 'a', choices: ['a', 'b'], takesMany: true} as const;
    for (const glyphs of Object.values(GLYPH_SETS)) {
      const [line] = formLines(openForm([field]), {mistakes: {}, width: 80, glyphs});
      expect(textOf(line ?? [])).toContain(' [x] a ');
    }
  });

  test('keeps what was typed when its fields change, and starts again where a choice is gone', () => {
    const regions = {north: ['n1', 'n2'], south: ['s1']} as const;
    const fieldsFor = ({region = 'north'}: FormValues): readonly FormField[] => [
      {key: 'name', label: 'name', initial: ''},
      {key: 'region', label: 'region', initial: 'north', choices: ['north', 'south']},
      {key: 'flavor', label: 'flavor', initial: '', choices: region === 'south' ? regions.south : regions.north},
      ...(region === 'south' ? [{key: 'extra', label: 'extra', initial: 'yes'}] : []),
    ];
    const named = typeInField(adjustedForm(openForm(fieldsFor({})), fieldsFor), input => insert(input, 'me'));
    expect(formValues(named)).toEqual({name: 'me', region: 'north', flavor: 'n1'});
    const moved = adjustedForm(chooseNext(toField(named, 'region'), 1), fieldsFor);
    expect(formValues(moved)).toEqual({name: 'me', region: 'south', flavor: 's1', extra: 'yes'});
    expect(currentField(moved)?.key).toBe('region');
    expect(adjustedForm(named, undefined)).toBe(named);
  });

  test('scrolls to the current field when there is no room for all', () => {
    const fields = Array.from(
      {length: 12},
      (_, index): FormField => ({key: `f${index}`, label: `f${index}`, initial: ''}),
    );
    const all = formLines(openForm(fields), {mistakes: {}, width: 80, glyphs: GLYPH_SETS.ascii});
    expect(linesAround(all, 5, {height: 12, what: 'field'})).toEqual(all);
    for (const index of [0, 5, 11]) {
      const window = linesAround(all, index, {height: 7, what: 'field'});
      expect(window).toHaveLength(7);
      expect(window).toContain(all[index]);
    }
    expect(linesAround(all, 11, {height: 7, what: 'field'}).map(textOf).at(-1)).toBe('  field 12 of 12, +6 more above');
  });

  test('shows each field in one line, with its mistake in place of its hint', () => {
    const lines = formLines(openForm(FIELDS), {mistakes: {port: 'too large'}, width: 80, glyphs: GLYPH_SETS.ascii}).map(
      textOf,
    );
    expect(lines[0]).toMatch(/^> preset {7}< none >/);
    expect(lines[1]).toMatch(/^ {2}port .*too large$/);
    expect(lines[1]).not.toContain('65535');
  });

  test('shows the first parts of a mistake that fit, instead of cutting it within a word', () => {
    const fields = [{key: 'port', label: 'port', initial: '99999'}];
    const mistakes = {port: '45 machines in all; the environment has room for 30 more'};
    const [line = []] = formLines(openForm(fields), {mistakes, width: 76, glyphs: GLYPH_SETS.unicode});
    expect(textOf(line)).toMatch(/✖ 45 machines in all$/);
  });

  test('marks what is wrong, and not what is only still to be filled in', () => {
    const empty = openForm([{key: 'port', label: 'port', initial: ''}]);
    const typed = openForm([{key: 'port', label: 'port', initial: '99999'}]);
    const look = {width: 80, glyphs: GLYPH_SETS.ascii};
    const {cross} = GLYPH_SETS.ascii;
    expect(formLines(empty, {...look, mistakes: {port: 'required'}}).map(textOf)[0]).toMatch(/ {2}required$/);
    expect(formLines(typed, {...look, mistakes: {port: 'too large'}}).map(textOf)[0]).toContain(`${cross} too large`);
  });
});
