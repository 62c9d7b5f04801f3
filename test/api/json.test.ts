import fc from 'fast-check';
import {describe, expect, it, vi} from 'vitest';
import {numberText, parseJson} from '../../src/api/json.ts';
import {parseDecimal} from '../../src/domain/money.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {anyCharacter} from '../support/any-text.ts';
import {cpuMsOf} from '../support/cpu-time.ts';
import {sweepOf} from '../support/tier.ts';

function read(text: string): unknown {
  const parsed = atOnce(parseJson(text));
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.value;
}

describe('parseJson', () => {
  it('reads any JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({maxDepth: 6, stringUnit: anyCharacter}), value => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual(JSON.parse(text));
        expect(read(JSON.stringify(value, undefined, 2))).toEqual(JSON.parse(text));
      }),
      {numRuns: sweepOf({sample: 40, deep: 2000})},
    );
  });

  it('reads bare NaN and Infinity as null, but not inside strings', () => {
    expect(read('{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN and \\"Infinity"}')).toEqual({
      a: null,
      b: [null, null],
      c: 'NaN and "Infinity',
    });
    expect(read('NaN')).toBeNull();
    expect(read('["ends in a backslash\\\\", NaN, "in quotes\\\\\\"", NaN]')).toEqual([
      'ends in a backslash\\',
      null,
      'in quotes\\"',
      null,
    ]);
  });

  it('keeps the text of numbers that a double cannot hold', () => {
    const texts = ['9007199254740993', '0.12345678901234567891', '1e400', '-123456789012345678.5', '1e-400'];
    const value = read(`[${texts.join(', ')}]`);
    expect(Array.isArray(value) && value.map(numberText)).toEqual(texts);
    expect(JSON.stringify(value)).toBe(`[${texts.join(',')}]`);
  });

  it('reads ordinary numbers as plain numbers, however they are written', () => {
    const text = '[9007199254740991, 0.30000000000000004, 1.6e-06, 0E-9, 0.150000000000000000, -0.5, 1E3]';
    expect(read(text)).toEqual([9007199254740991, 0.30000000000000004, 0.0000016, 0, 0.15, -0.5, 1000]);
  });

  it('never loses a digit of any decimal', () => {
    fc.assert(
      fc.property(fc.bigInt({min: -(10n ** 30n), max: 10n ** 30n}), fc.nat({max: 25}), (whole, places) => {
        const text = places === 0 ? `${whole}` : `${whole}.${'1234567890'.repeat(3).slice(0, places)}`;
        expect(parseDecimal(numberText(read(text)) ?? '')).toEqual(parseDecimal(text));
      }),
    );
  });

  it.each([
    ['', 'an empty body'],
    [' \n', 'an empty body'],
    ['<html>', 'not JSON'],
    ['{"a": 1', 'not JSON'],
    ['{"a": "unterminated', 'not JSON'],
    ['[1,]', 'not JSON'],
    ['NaNa', 'not JSON'],
  ])('says what is wrong with %j without repeating it', (text, detail) => {
    expect(atOnce(parseJson(text))).toEqual({ok: false, detail});
  });

  it('refuses more than 32 levels of nesting, ten thousand as well as 33', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(atOnce(parseJson(nested(32))).ok).toBe(true);
    for (const depth of [33, 10_000]) {
      expect(atOnce(parseJson(nested(depth)))).toEqual({ok: false, detail: 'JSON nested more than 32 levels deep'});
    }
    expect(atOnce(parseJson('{"a":'.repeat(10_000))).ok).toBe(false);
    expect(atOnce(parseJson(JSON.stringify(nested(40)))).ok).toBe(true);
  });

  it('is not fooled by prototype keys, on either path', () => {
    for (const number of ['1', '9007199254740993']) {
      const value = read(`{"__proto__": {"polluted": true}, "n": ${number}}`);
      expect(Object.keys(Object(value))).toEqual(['__proto__', 'n']);
      expect(Reflect.get(Object(value), 'polluted')).toBeUndefined();
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('compares numbers with many digits as texts', () => {
    const bigints = vi.spyOn(globalThis, 'BigInt');
    const numbers = ['12345678901234567.1', '1.50000000000000000', '0.1000000000000000000e3', '25e-20', '0e99999999'];
    const read = atOnce(parseJson(`[${numbers.join()}]`));
    expect(bigints).not.toHaveBeenCalled();
    bigints.mockRestore();
    expect(read).toEqual({ok: true, value: [JSON.rawJSON('12345678901234567.1'), 1.5, 100, 25e-20, 0]});
  });

  it('takes linear time, even for strings of quotes and backslashes', () => {
    const takenMs = cpuMsOf(() => {
      for (const unit of ['\\\\', '\\"', 'a']) atOnce(parseJson(`{"a": "${unit.repeat(2_000_000)}"}`));
      atOnce(parseJson(`[${'1'.repeat(1_000_000)}]`));
    });
    expect(takenMs).toBeLessThan(2000);
  });

  it('rejects a long number where JSON has none', () => {
    const number = '12345678901234567890';
    for (const text of [`{${number}:1}`, `{"a":1, ${number} :1}`, `[0${number}]`, `[+${number}]`, `[--${number}]`]) {
      expect(atOnce(parseJson(text))).toEqual({ok: false, detail: 'not JSON'});
    }
    for (const text of [
      `["a"${number}]`,
      `[${number}"a"]`,
      `[${number}.]`,
      `[.${number}]`,
      `[${number}e]`,
      `[NaN${number}]`,
    ])
      expect(atOnce(parseJson(text))).toEqual({ok: false, detail: 'not JSON'});
    expect(JSON.stringify(read(`{"-${number}": [-${number}], "__proto__": ${number}}`))).toBe(
      `{"-${number}":[-${number}],"__proto__":${number}}`,
    );
  });

  it.each([
    ['one long number among short ones', `12345678901234567891${',1'.repeat(400_000)}`],
    ['numbers with exponents', `1e400${',1e5'.repeat(200_000)}`],
  ])('calls nothing of ours for each value of a mebibyte with %s', (_, numbers) => {
    const text = `[${numbers}]`;
    expect(cpuMsOf(() => atOnce(parseJson(text)))).toBeLessThan(300);
  });
});

describe('numberText', () => {
  it.each([
    [25.6, '25.6'],
    [0, '0'],
    ['0.150000000', '0.150000000'],
    ['0E-9', '0E-9'],
    [' -3 ', '-3'],
  ])('gives the text of %j', (value, expected) => {
    expect(numberText(value)).toBe(expected);
  });

  it.each([
    [null],
    [undefined],
    [''],
    ['10+'],
    ['0x10'],
    ['1,5'],
    [true],
    [[1]],
    [{}],
    [Number.NaN],
    [Infinity],
  ])('gives nothing for %j', value => {
    expect(numberText(value)).toBeUndefined();
  });
});
