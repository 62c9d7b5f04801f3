import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parseJson} from '../../src/api/json.ts';
import {jsonText} from '../../src/cli/print/json-text.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {anyCharacter} from '../support/any-text.ts';

const PLAIN = {showsSecrets: false};

describe('jsonText', () => {
  test('parses to the same value, and contains no control characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({stringUnit: anyCharacter}), fc.boolean(), (value, isIndented) => {
        const text = jsonText(value, {showsSecrets: true, isIndented});
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)).toBe(false);
      }),
    );
  });

  test.each([
    ['\u001b[2J\u0007', String.raw`"\u001b[2J\u0007"`],
    ['\u007f\u009b', String.raw`"\u007f\u009b"`],
    ['\u202ea\u2066b\u200b', String.raw`"\u202ea\u2066b\u200b"`],
    ['\u2028\ufeff\u00ad', String.raw`"\u2028\ufeff\u00ad"`],
    ['\u{e0041}', String.raw`"\udb40\udc41"`],
    ['é漢😀', '"é漢😀"'],
    ['line\nbreak', String.raw`"line\nbreak"`],
    ['a\u0301\u0302\u0303\u0304', '"a\u0301\u0302\u0303\u0304"'],
    ['a\u0301\u0302\u0303\u0304\u0305\u0306', `"a\u0301\u0302\u0303\u0304${String.raw`\u0305\u0306`}"`],
    ['👍🏽🏽🏽🏽🏽', `"👍🏽🏽🏽🏽${String.raw`\ud83c\udffd`}"`],
  ])('writes %j as %s', (value, text) => {
    expect(jsonText(value, PLAIN)).toBe(text);
  });

  test('stacks no more than four marks, in names, keys and values, and stays the same value', () => {
    const flood = fc
      .array(fc.constantFrom('a', '\u0301', '\u0489', '\u20dd', '\u1160', '🏽', '\u200d', '"'), {maxLength: 40})
      .map(each => each.join(''));
    fc.assert(
      fc.property(fc.dictionary(flood, flood), fc.boolean(), (value, isIndented) => {
        const text = jsonText(value, {showsSecrets: true, isIndented});
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toMatch(/[\p{M}\p{Emoji_Modifier}\u1160-\u11ff]{5}/u);
      }),
    );
  });

  test.each([
    '12345678901234567890',
    '0.1234567890123456789',
    '-9007199254740993',
  ])('keeps the digits of %s', digits => {
    const parsed = atOnce(parseJson(`{"a": [${digits}]}`));
    expect(parsed.ok && jsonText(parsed.value, PLAIN)).toBe(`{"a":[${digits}]}`);
  });

  test.each([
    'kube_config',
    'Kube_Config',
    'secret_key',
    'private_key',
    'user_data',
    'user-data',
    'password',
    'api_key',
  ])('hides the value of %s at any depth', name => {
    const value = {a: [{[name]: 'CANARY', b: {[name]: {deep: 'CANARY'}}}]};
    expect(jsonText(value, PLAIN)).toBe(`{"a":[{"${name}":"[redacted]","b":{"${name}":"[redacted]"}}]}`);
    expect(jsonText(value, {showsSecrets: true})).toContain('CANARY');
  });

  test('leaves absent secrets absent, and fields that only sound like secrets', () => {
    const value = {kube_config: null, secret_key: '', vnc_url: {id: 1}, keypair: {name: 'k'}, access_key: 'AK'};
    expect(JSON.parse(jsonText(value, PLAIN))).toEqual(value);
  });

  test('hides the address of a console inside the object of the same name', () => {
    expect(jsonText({vnc_url: {id: 1, vnc_url: 'https://x'}}, PLAIN)).toBe(
      '{"vnc_url":{"id":1,"vnc_url":"[redacted]"}}',
    );
  });

  test('hides a private key under any name', () => {
    const text = '-----BEGIN OPENSSH PRIVATE KEY-----\nCANARY';
    expect(jsonText({note: text}, PLAIN)).toBe('{"note":"[redacted]"}');
  });

  test('keeps a field called __proto__', () => {
    expect(jsonText(JSON.parse('{"__proto__": {"a": 1}}'), PLAIN)).toBe('{"__proto__":{"a":1}}');
  });
});
