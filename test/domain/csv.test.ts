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
    [['a;=1', ';=1+1', '; -x', ';;@x'], `"a;'=1",";'=1+1",";' -x",";;'@x"\r\n`],
    [['a\t=1', '\t=1', '\r=1', 'a\r\n+1'], `"a\t'=1","'\t'=1","'\r'=1","a\r\n'+1"\r\n`],
    [['a;"=1', 'a;＝1', 'a;-5'], `"a;'""=1","a;'＝1","a;'-5"\r\n`],
    [['a;b', 'a\tb', 'a; b=1', '-5'], '"a;b","a\tb","a; b=1",-5\r\n'],
  ])('writes %j', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  // Quotation marks around a cell are not where a cell of another separator begins, so those do not protect it.
  test('has no formula in any cell of a spreadsheet, wherever that splits', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '5', '=', '+', '-', '@', '＝', ';', '\t', '\r', '\n', ' ', '"', ','),
    });
    const isFormula = (text: string) => /^[\s"]*[=+\-@＝]/.test(text);
    fc.assert(
      fc.property(fc.array(cell, {maxLength: 4}), cells => {
        const line = csvLine(['name', ...cells]);
        const split = [';', '\t', /[\r\n]/].flatMap(separator => line.split(separator));
        expect(split.filter(isFormula)).toEqual([]);
        const read = readLine(line).slice(1);
        expect(read.filter(text => /^\s*[=+\-@＝]/.test(text) && !/^-5+$/.test(text))).toEqual([]);
        expect(read.map(text => text.replaceAll("'", ''))).toEqual(cells);
      }),
      {numRuns: 2000},
    );
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
