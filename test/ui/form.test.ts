import {describe, expect, test} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {
  chooseByLetter,
  chooseNext,
  type FormField,
  formLines,
  formValues,
  moveField,
  openForm,
  toField,
  typeInField,
} from '../../src/ui/form.ts';
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

describe('a form', () => {
  test('starts with its initial values on the first field', () => {
    expect(formValues(openForm(FIELDS))).toEqual({preset: 'none', port: ''});
  });

  test('lets a field hold more than others where it says so, and no more than that', () => {
    const form = openForm([{key: 'key', label: 'public key', initial: '', maxLength: 2000}]);
    const typed = typeInField(form, input => insert(input, 'A'.repeat(3000)));
    expect(formValues(typed).key).toHaveLength(2000);
  });

  test('goes round the fields in both directions', () => {
    const form = openForm(FIELDS);
    expect(moveField(form, 1).fieldIndex).toBe(1);
    expect(moveField(moveField(form, 1), 1).fieldIndex).toBe(0);
    expect(moveField(form, -1).fieldIndex).toBe(1);
    expect(toField(form, 'port').fieldIndex).toBe(1);
    expect(toField(form, 'nowhere')).toBe(form);
  });

  test('chooses round the words, and fills in what a choice stands for', () => {
    const ssh = chooseNext(openForm(FIELDS), 1);
    expect(formValues(ssh)).toEqual({preset: 'ssh', port: '22'});
    expect(formValues(chooseNext(openForm(FIELDS), -1)).preset).toBe('https');
  });

  test('jumps to the next word with the typed letter', () => {
    const http = chooseByLetter(openForm(FIELDS), 'h');
    expect(formValues(http).preset).toBe('http');
    expect(formValues(chooseByLetter(http, 'h')).preset).toBe('https');
    expect(formValues(chooseByLetter(http, 'x')).preset).toBe('http');
  });

  test('types into free text only', () => {
    const typed = (form: ReturnType<typeof openForm>) => typeInField(form, input => insert(input, '8'));
    expect(formValues(typed(openForm(FIELDS))).preset).toBe('none');
    expect(formValues(typed(toField(openForm(FIELDS), 'port'))).port).toBe('8');
  });

  test('shows each field in one line, with its mistake in place of its hint', () => {
    const lines = formLines(openForm(FIELDS), {mistakes: {port: 'too large'}, width: 80, glyphs: GLYPH_SETS.ascii}).map(
      textOf,
    );
    expect(lines[0]).toMatch(/^> preset {7}< none >/);
    expect(lines[1]).toMatch(/^ {2}port .*too large$/);
    expect(lines[1]).not.toContain('65535');
  });
});
