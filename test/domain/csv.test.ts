import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {csvLine, plainNumber} from '../../src/domain/csv.ts';

describe('csvLine', () => {
  test.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'say "x"'], '"a,b","say ""x"""\r\n'],
    [['two\nlines'], '"two\nlines"\r\n'],
    [['=1+2', '+x', '-x', '@x'], "'=1+2,'+x,'-x,'@x\r\n"],
    [['-12', '-0.5', '1e-7', '+5'], "-12,-0.5,1e-7,'+5\r\n"],
    [['＝1+2', '＋x', '－x', '＠x'], "'＝1+2,'＋x,'－x,'＠x\r\n"],
    [['\u00a0=1', ' =1', '\u3000@x', '\u200b=1', '\ufeff+1'], "'\u00a0=1,' =1,'\u3000@x,'\u200b=1,'\ufeff+1\r\n"],
    [[' a', '\u00a0b=1', 'a＝b'], ' a,\u00a0b=1,a＝b\r\n'],
    [['=HYPERLINK("x","y")'], `"'=HYPERLINK(""x"",""y"")"\r\n`],
  ])('writes %j', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  test('is read back unchanged by a reader of RFC 4180', () => {
    const cell = fc.string({unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é')});
    fc.assert(
      fc.property(fc.array(cell, {minLength: 1, maxLength: 5}), cells => {
        expect(readLine(csvLine(cells))).toEqual(cells);
      }),
    );
  });
});

/** The fields of one record, read by the grammar of the RFC. */
function readLine(line: string): string[] {
  const fields: string[] = [];
  let rest = line.replace(/\r\n$/, '');
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(?=,|$)/.exec(rest);
    const plain = /^[^",]*/.exec(rest);
    const whole = quoted?.[0] ?? plain?.[0] ?? '';
    fields.push(quoted === null ? whole : (quoted[1] ?? '').replaceAll('""', '"'));
    if (rest.length === whole.length) return fields;
    rest = rest.slice(whole.length + 1);
  }
}

describe('plainNumber', () => {
  test.each([
    [0.1 + 0.2, '0.3'],
    [63.53254149331479, '63.5325414933'],
    [1e-7, '0.0000001'],
    [-2.5, '-2.5'],
    [0, '0'],
    [1_234_567_890_123_457, '1234567890123457'],
    [1e21, '1000000000000000000000'],
  ])('writes %d as %s', (value, text) => {
    expect(plainNumber(value)).toBe(text);
  });
});
