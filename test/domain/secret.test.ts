import {inspect} from 'node:util';
import fc from 'fast-check';
import {describe, expect, it, vi} from 'vitest';
import {checkKey, createRedactor, createSteppedRedactor, secret} from '../../src/domain/secret.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {sweepOf} from '../support/tier.ts';

/** Each has a key of its own, whose patterns are compiled first. */
const RUNS = {numRuns: sweepOf({sample: 25, deep: 100})};
const KEY = '0d9f3c1e-7b52-4a68-9c11-CANARY+/?"&77';

describe('secret', () => {
  it('gives the text only when asked to reveal it', () => {
    const key = secret(KEY);
    expect(key.reveal()).toBe(KEY);
    for (const printed of [
      String(key),
      `${key}`,
      JSON.stringify({key}),
      inspect(key),
      inspect({deep: [{key}]}, {depth: 9, showHidden: true}),
      inspect(key, {customInspect: false, showHidden: true, depth: 9}),
      Object.entries(key).join(),
    ]) {
      expect(printed).not.toContain('CANARY');
    }
  });

  it('prints a mask with the last four characters of a long key', () => {
    expect(String(secret('abcdefghijkl1234'))).toBe('[key …1234]');
    expect(inspect(secret('abcdefghijkl1234'))).toBe('[key …1234]');
    expect(JSON.stringify([secret('abcdefghijkl1234')])).toBe('["[key …1234]"]');
  });

  it('prints nothing of a short key', () => {
    expect(String(secret('abcd1234'))).toBe('[key]');
  });

  it('is frozen and cannot be cloned', () => {
    const key = secret(KEY);
    expect(Object.isFrozen(key)).toBe(true);
    expect(() => structuredClone(key)).toThrow();
  });
});

describe('checkKey', () => {
  it.each(['abcdefgh', 'x'.repeat(512), '!~"#$%&/', KEY])('accepts %j', key => {
    expect(checkKey(key)).toEqual({ok: true});
  });

  it.each([
    ['', 'the key is empty'],
    ['CANARYa', 'the key is shorter than 8 characters'],
    ['CANARY'.repeat(100), 'the key is longer than 512 characters'],
    ['CANARY-with space', 'the key contains white space or a line break'],
    ['CANARY-CANARY\n', 'the key contains white space or a line break'],
    ['CANARY-CANARY\r\nx: y', 'the key contains white space or a line break'],
    ['CANARY-\u00e9\u00e9\u00e9', 'the key contains characters other than visible ASCII'],
    ['CANARY-\u0000-CANARY', 'the key contains characters other than visible ASCII'],
  ])('refuses %j without repeating it', (key, mistake) => {
    expect(checkKey(key)).toEqual({ok: false, mistake});
  });
});

/** Our key has visible ASCII characters only; a secret that the service makes can have any. */
const OTHER_KEY = 'Schlüssel\t日本語-🔑-0123';

const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
const hex4 = (point: number) => point.toString(16).padStart(4, '0');

const hex2 = (byte: number) => byte.toString(16).padStart(2, '0');
const numbered = (spelling: (byte: number) => string, between: string) =>
  [...Buffer.from(KEY)].map(spelling).join(between);
const folded = (text: string, columns: number) => text.replaceAll(new RegExp(`.{${columns}}`, 'g'), '$&\n');

function escapedAs(spelling: (point: number) => string): string {
  return [...KEY].map(character => spelling(character.codePointAt(0) ?? 0)).join('');
}

describe('createRedactor', () => {
  const redact = createRedactor([secret(KEY)]);
  const mask = '[key …"&77]';

  it.each([
    ['itself', KEY],
    ['base64', Buffer.from(KEY).toString('base64')],
    ['base64 without padding', Buffer.from(KEY).toString('base64').replace(/=+$/, '')],
    ['base64url', Buffer.from(KEY).toString('base64url')],
    ['URL-encoded', encodeURIComponent(KEY)],
    ['URL-encoded in lower case', encodeURIComponent(KEY).replaceAll(/%../g, code => code.toLowerCase())],
    ['JSON-escaped', JSON.stringify(KEY).slice(1, -1)],
    ['hex', Buffer.from(KEY).toString('hex')],
    ['lower case, as in a host name', KEY.toLowerCase()],
    ['upper-case hex', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['percent codes of every byte', [...Buffer.from(KEY)].map(byte => `%${byte.toString(16)}`).join('')],
    ['percent codes of percent codes', encodeURIComponent(encodeURIComponent(KEY))],
    ['JSON escapes', escapedAs(point => `\\u${hex4(point)}`)],
    ['JSON escapes within JSON', quoted(escapedAs(point => `\\u${hex4(point)}`))],
    ['JSON within JSON within JSON', quoted(quoted(quoted(KEY)))],
    ['code point escapes', escapedAs(point => `\\u{${point.toString(16)}}`)],
    ['byte escapes', escapedAs(point => `\\x${point.toString(16)}`)],
    ['numbered entities', escapedAs(point => `&#${point};`)],
    ['hex entities', escapedAs(point => `&#x${point.toString(16).toUpperCase()};`)],
    ['named entities', KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['base64 in a URL', encodeURIComponent(Buffer.from(KEY).toString('base64'))],
    ['base64 folded into lines', folded(Buffer.from(KEY).toString('base64'), 30)],
    ['base64 folded into lines, within JSON', quoted(folded(Buffer.from(KEY).toString('base64'), 40))],
    ['the bytes of a buffer', [...Buffer.from(KEY)].join(',')],
    ['decimal bytes in a list', [...Buffer.from(KEY)].join(', ')],
    ['decimal bytes on lines of their own', [...Buffer.from(KEY)].join(',\n    ')],
    ['decimal bytes of three digits', numbered(byte => String(byte).padStart(3, '0'), ' ').slice(1), '0'],
    ['hex with colons', numbered(hex2, ':')],
    ['hex with blanks', numbered(hex2, ' ')],
    ['hex in upper case with dashes', numbered(hex2, '-').toUpperCase()],
    ['hex literals', numbered(byte => `0x${hex2(byte)}`, ', ').slice(2), '0x'],
    ['octal escapes', numbered(byte => `\\${byte.toString(8).padStart(3, '0')}`, '').slice(2), '\\0'],
    ['quoted-printable', numbered(byte => `=${hex2(byte).toUpperCase()}`, '')],
    ['quoted-printable for its signs only', KEY.replaceAll(/[^\w-]/g, sign => `=${hex2(sign.charCodeAt(0))}`)],
    ['quoted-printable with a soft line break', `${KEY.slice(0, 20)}=\r\n${KEY.slice(20)}`],
    [
      'base64 in groups of four',
      Buffer.from(KEY)
        .toString('base64')
        .replaceAll(/.{4}(?!$)/g, '$& '),
    ],
    ['code points', numbered(byte => `U+00${hex2(byte)}`, ' ').slice(4), 'U+00'],
    ['code points in lower case', numbered(byte => `u+00${hex2(byte)}`, '').slice(4), 'u+00'],
    ['hex of two bytes for each character', numbered(byte => `00${hex2(byte)}`, '').slice(2), '00'],
    ['hex literals of two bytes for each character', numbered(byte => `0x${hex2(byte)}`, ', 0x00, ').slice(2), '0x'],
    ['decimal bytes, two for each character', [...Buffer.from(KEY)].join(',0,')],
    ['percent escapes with a u', numbered(byte => `%u00${hex2(byte)}`, '').slice(4), '%u00'],
  ])('masks the key as %s', (_form, text, sign = '') => {
    const written = `before ${sign}${text} after ${sign}${text}`;
    expect(redact(written)).toBe(`before ${sign}${mask} after ${sign}${mask}`);
  });

  it.each([
    '',
    'a',
    'ab',
    'abc',
  ])('masks the key in the base64 of a text of two bytes for each character, after %j', before => {
    const bytes = Buffer.from(`${before}${KEY}`, 'utf16le');
    for (const order of [bytes, Buffer.from(bytes).swap16()]) {
      for (const form of ['base64', 'base64url'] as const) {
        const redacted = redact(order.toString(form));
        expect(redacted).toContain(mask);
        // The bytes before it, and none or one after it.
        expect(redacted.replace(mask, '').length).toBeLessThanOrEqual(Math.ceil(((2 * before.length + 2) * 8) / 6) + 2);
      }
    }
  });

  it('masks the key in what Node prints of a buffer', () => {
    const bytes = Buffer.from(KEY);
    expect(redact(JSON.stringify({bytes}))).toBe(`{"bytes":{"type":"Buffer","data":[${mask}]}}`);
    expect(redact(JSON.stringify({bytes}, undefined, 2))).toMatch(/"data": \[\s+\[key .*\]\s+\]/);
    expect(redact(inspect({bytes}))).toBe(`{\n  bytes: <Buffer ${mask}>\n}`);
  });

  it.each(['-', ',', '.', '|', '_', '/', '", "', '·', ' - '])('masks a key with %j between its characters', between => {
    expect(redact(`before ${[...KEY].join(between)} after`)).toBe(`before ${mask} after`);
    expect(redact(`[${[...KEY.replaceAll(/[^a-z\d]/gi, '')].join(between)}]`)).toBe(`[${mask}]`);
  });

  it.each(['\b', '␈', '\\b', '\\u0008'])('masks a key written over other characters, with %j', backspace => {
    const written = [...KEY].map(character => `q${backspace}${character}`).join('');
    expect(redact(`before ${written} after`)).toBe(`before ${mask} after`);
  });

  it.each([
    ['itself', OTHER_KEY],
    ['hex', Buffer.from(OTHER_KEY).toString('hex')],
    ['base64', Buffer.from(OTHER_KEY).toString('base64')],
    ['URL-encoded', encodeURIComponent(OTHER_KEY)],
    ['JSON escapes', OTHER_KEY.replaceAll(/[^ -~]/g, unit => `\\u${hex4(unit.charCodeAt(0))}`)],
    ['byte escapes', OTHER_KEY.replaceAll('\t', '\\x09')],
    ['numbered entities', [...OTHER_KEY].map(character => `&#${character.codePointAt(0)};`).join('')],
  ])('masks a secret of the service, which can have any characters, as %s', (_form, text) => {
    expect(createRedactor([secret(OTHER_KEY)])(`before ${text} after`)).toMatch(/^before \[key.*\] after$/);
  });

  it('leaves no backslash of a key, however it is quoted', () => {
    const key = String.raw`C:\keys\\of the cloud`;
    const once = createRedactor([secret(key)]);
    for (const text of [
      key,
      quoted(key),
      quoted(quoted(key)),
      key.replaceAll('\\', '%5C'),
      key.replaceAll('\\', '&#92;'),
    ])
      expect(once(`<${text}>`)).toBe('<[key …loud]>');
  });

  it.each([
    ['a zero-width space', '\u200b'],
    ['a soft hyphen', '\u00ad'],
    ['a word joiner as JSON writes it', String.raw`\u2060`],
    ['a word joiner in JSON within JSON', String.raw`\\u2060`],
    ['a zero-width space as safe text shows it', '<U+200B>'],
    ['a colour', '\u001b[0m'],
    ['a colour as safe text shows it', '␛[0m'],
    ['a colour as JSON writes it', String.raw`\u001b[0m`],
    ['a terminal title', '\u001b]0;x\u0007'],
    ['a control character', '\u0001'],
    ['several of them', '\u200b\u001b[1;31m\u00ad'],
  ])('masks a key with %s inside', (_, hidden) => {
    for (const at of [2, 10, KEY.length - 1]) {
      const split = `${KEY.slice(0, at)}${hidden}${KEY.slice(at)}`;
      expect(redact(`before ${split} after`)).toBe(`before ${mask} after`);
    }
    const everywhere = [...KEY].join(hidden);
    expect(redact(`before ${everywhere} after`)).toBe(`before ${mask} after`);
  });

  const backwards = (text: string) => [...text].reverse().join('');

  it.each([
    ['without its last character', KEY.slice(0, -1)],
    ['without its last four', KEY.slice(0, -4)],
    ['its first half', KEY.slice(0, KEY.length / 2)],
    ['its first twelve characters', KEY.slice(0, 12)],
    ['without its first character', KEY.slice(1)],
    ['its second half', KEY.slice(KEY.length / 2)],
    ['its last twelve characters', KEY.slice(-12)],
    ['its first half in capitals', KEY.slice(0, KEY.length / 2).toUpperCase()],
    ['all but its first and last characters', KEY.slice(1, -1)],
    ['a piece of its middle', KEY.slice(6, 36)],
    ['sixteen characters of its middle', KEY.slice(9, 25)],
    ['a piece of its middle, reversed', backwards(KEY.slice(6, 30))],
    ['a piece of its middle in capitals', KEY.slice(6, 30).toUpperCase()],
    ['reversed', backwards(KEY)],
    ['the end of it, reversed', backwards(KEY.slice(5))],
    ['the start of it, reversed', backwards(KEY.slice(0, -5))],
  ])('masks a part of the key: %s', (_, part) => {
    expect(redact(`before ${part} after ${part}`)).toBe(`before ${mask} after ${mask}`);
    expect(redact(`name=${part}…`)).toBe(`name=${mask}…`);
  });

  it('masks both parts of a key with other text inside', () => {
    expect(redact(`before ${KEY.slice(0, 18)} and ${KEY.slice(18)} after`)).toBe(`before ${mask} and ${mask} after`);
  });

  it.each([
    ['eleven characters from its start', KEY.slice(0, 11)],
    ['eleven characters from its end', KEY.slice(-11)],
    ['characters from its middle', KEY.slice(2, -2).slice(0, 12)],
  ])('leaves what may be an ordinary word: %s', (_, part) => {
    expect(redact(`before ${part} after`)).toBe(`before ${part} after`);
  });

  it('masks no part of a key that is little longer than an ordinary word', () => {
    const short = createRedactor([secret('hibernation1')]);
    expect(short('hibernation, hibernation1, 1noitanrebih')).toBe('hibernation, [key], 1noitanrebih');
  });

  it.each([
    ['a space', ' '],
    ['three spaces', '   '],
    ['a tab', '\t'],
    ['a line break', '\r\n'],
    ['a no-break space', '\u00a0'],
    ['an accent', '\u0301'],
    ['two accents', '\u0301\u0323'],
    ['an enclosing circle', '\u20dd'],
    ['an accent and a zero-width space', '\u0301\u200b'],
  ])('masks a key with %s between its characters', (_, between) => {
    expect(redact(`before ${[...KEY].join(between)} after`)).toBe(`before ${mask} after`);
    const groups = KEY.match(/.{1,4}/g) ?? [];
    expect(redact(`before ${groups.join(between)} after`)).toBe(`before ${mask} after`);
  });

  it('masks a key with accents on its letters', () => {
    const accented = KEY.replaceAll('A', 'Á').replaceAll('N', 'Ñ').replaceAll('c', 'ç');
    expect(redact(`before ${accented} after`)).toBe(`before ${mask} after`);
  });

  it('leaves the spaces and accents of a text without the key', () => {
    for (const text of ['0 d 9 f 3 c', 'a naïve façade in Zürich', `${KEY.slice(0, 6)} ${KEY.slice(6, 11)} é`]) {
      expect(redact(text)).toBe(text);
    }
  });

  it('keeps invisible characters in a text without the key', () => {
    for (const text of ['a\u200bb', '\u001b[31mred\u001b[0m', String.raw`{"a": "\u200b"}`, 'gpu<U+200B>-1']) {
      expect(redact(text)).toBe(text);
    }
  });

  it('leaves other text alone', () => {
    expect(redact('nothing to see, $& included')).toBe('nothing to see, $& included');
    expect(createRedactor([secret('')])('text')).toBe('text');
    expect(createRedactor([])('text')).toBe('text');
  });

  it('masks each of several keys, even when one begins with the other', () => {
    const both = createRedactor([secret('short-key-000000'), secret('short-key-000000-longer')]);
    expect(both('short-key-000000-longer and short-key-000000')).toBe('[key …nger] and [key …0000]');
  });

  it('leaves lists, dumps and texts without the key', () => {
    const byte = fc.integer({min: 0, max: 255});
    const text = fc.oneof(
      fc.array(byte, {maxLength: 200}).map(bytes => JSON.stringify(Buffer.from(bytes))),
      fc.array(byte, {maxLength: 200}).map(bytes => bytes.map(hex2).join(':')),
      fc.array(byte, {maxLength: 200}).map(bytes => folded(Buffer.from(bytes).toString('base64'), 76)),
      fc.array(fc.constantFrom(...KEY, ...'-,.|_/ '), {maxLength: 200}).map(signs => signs.join('')),
      fc.uuid(),
      fc.json(),
    );
    fc.assert(
      fc.property(text, given => {
        expect(redact(given)).toBe(given);
      }),
    );
  });

  it('never lets a key through, in any form, with any text around it', () => {
    const key = fc.string({unit: fc.constantFrom(...'abcXYZ019+/=?&%"\\-_'), minLength: 16, maxLength: 64});
    fc.assert(
      fc.property(key, fc.string(), fc.string(), (text, before, after) => {
        const forms = [
          text,
          Buffer.from(text).toString('base64'),
          Buffer.from(text).toString('base64url'),
          Buffer.from(text).toString('hex'),
          encodeURIComponent(text),
          JSON.stringify(text).slice(1, -1),
        ];
        const redacted = createRedactor([secret(text)])(forms.map(form => before + form + after).join(' '));
        for (const form of forms) expect(redacted).not.toContain(form);
      }),
      RUNS,
    );
  });

  it('never lets sixteen consecutive characters of a key through, wherever they begin and whatever is around', () => {
    const key = fc.string({unit: fc.constantFrom(...'abcXYZ019+/=?&%"\\-_'), minLength: 17, maxLength: 64});
    fc.assert(
      fc.property(key, fc.nat(), fc.nat(), fc.string(), fc.string(), (text, from, more, before, after) => {
        const start = from % (text.length - 15);
        const piece = text.slice(start, start + 16 + more);
        const redacted = createRedactor([secret(text)])(before + piece + after).toLowerCase();
        for (let at = 0; at + 16 <= text.length; at += 1) {
          expect(redacted).not.toContain(text.slice(at, at + 16).toLowerCase());
        }
      }),
      RUNS,
    );
  });

  it('leaves fifteen characters from the middle of a key', () => {
    const part = KEY.slice(8, 23);
    expect(redact(`before ${part} after`)).toBe(`before ${part} after`);
  });

  it('masks a key as it is, in upper and in lower case, whatever characters it has', () => {
    const visible = fc.string({unit: fc.integer({min: 0x21, max: 0x7e}).map(String.fromCharCode), minLength: 8});
    fc.assert(
      fc.property(visible, fc.constantFrom('toLowerCase', 'toUpperCase', 'toString'), (text, written) => {
        expect(createRedactor([secret(text)])(`a name: ${text[written]()}.`)).toMatch(/^a name: \[key.*\]\.$/s);
      }),
      RUNS,
    );
  });

  it('masks a key of which each character is encoded in a way of its own', () => {
    const spellings: readonly ((character: string) => string)[] = [
      character => character,
      character => `%${character.charCodeAt(0).toString(16)}`,
      character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      character => `\\u${hex4(character.charCodeAt(0))}`,
      character => `&#${character.charCodeAt(0)};`,
      character => `&#x${character.charCodeAt(0).toString(16)};`,
      character => `\\x${character.charCodeAt(0).toString(16)}`,
    ];
    const visible = fc.string({
      unit: fc.integer({min: 0x21, max: 0x7e}).map(String.fromCharCode),
      minLength: 8,
      maxLength: 40,
    });
    fc.assert(
      fc.property(visible, fc.infiniteStream(fc.constantFrom(...spellings)), (text, choices) => {
        const written = [...text].map(character => (choices.next().value ?? String)(character)).join('');
        expect(createRedactor([secret(text)])(`<${written}>`)).toMatch(/^<\[key.*\]>$/s);
      }),
      RUNS,
    );
  });

  it('masks a key in the base64 of any text that contains it', () => {
    const key = fc.string({unit: fc.constantFrom(...'abcXYZ019+/=?&%"-_'), minLength: 8, maxLength: 64});
    fc.assert(
      fc.property(
        key,
        fc.string(),
        fc.string(),
        fc.constantFrom('base64' as const, 'base64url' as const),
        (text, before, after, form) => {
          const written = Buffer.from(before + text + after).toString(form);
          const redacted = createRedactor([secret(text)])(written);
          const mask = String(secret(text));
          expect(redacted).toContain(mask);
          // No character is left that holds bits of the key only.
          const wholeCount = Math.floor((text.length * 8 - 4) / 6);
          expect(redacted.replace(mask, '').length).toBeLessThanOrEqual(written.length - wholeCount);
        },
      ),
      RUNS,
    );
  });

  // A base64 character holds six bits: those with a bit of the key are masked with it, and no others.
  const places = [0, 1, 2, 3, 4].flatMap(before => [16, 17, 18].map(length => ({before, length})));
  it.each(places)('masks no more of the base64 than holds the key: %j', ({before, length}) => {
    const text = 'kE9+/canary-0123x#'.slice(0, length);
    const after = 6 - ((before + length) % 3);
    const written = Buffer.from('b'.repeat(before) + text + 'a'.repeat(after)).toString('base64');
    const [start, end] = [Math.floor((before * 8) / 6), Math.ceil(((before + length) * 8) / 6)];
    const expected = `${written.slice(0, start)}${secret(text)}${written.slice(end)}`;
    expect(createRedactor([secret(text)])(written)).toBe(expected);
  });

  it('does not hang on a text that can be decoded in too many ways', () => {
    const redact = createRedactor([secret(`${'\\'.repeat(20)}"key"`)]);
    for (const text of ['\\'.repeat(2_000), '%25'.repeat(2_000), '&amp;'.repeat(2_000)]) {
      const begun = performance.now();
      redact(text);
      expect(performance.now() - begun).toBeLessThan(5000);
    }
  });

  // What is between two characters can be read in one way only, so nothing is tried twice.
  it.each([
    ['signs after the first character', (key: string) => key.slice(0, 1) + '-'.repeat(250_000)],
    ['signs between some characters', (key: string) => [...key.slice(0, -1)].join('-'.repeat(5_000))],
    ['the start of the key', (key: string) => key.slice(0, -1).repeat(5_000)],
    ['the start of the key, spaced', (key: string) => [...key.slice(0, -1)].join(' - ').repeat(1_250)],
    ['the start of its bytes', (key: string) => [...Buffer.from(key.slice(0, -1))].join(', ').repeat(1_250)],
    ['the start of its hex', (key: string) => Buffer.from(key.slice(0, -1)).toString('hex').repeat(2_500)],
    ['line breaks within its base64', (key: string) => btoa(key).slice(0, 20) + '\r\n'.repeat(75_000)],
  ])('takes a time that grows with the length of the text only: %s', (_, written) => {
    for (const key of [
      'a-------------------------------------b-1-2-3-4-5-6',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
      KEY,
    ]) {
      const [redact, text] = [createRedactor([secret(key)]), written(key)];
      const before = process.cpuUsage();
      redact(text);
      const {user, system} = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(500);
    }
  });

  it('puts no long run of marks in order, which takes a time that grows with its square', () => {
    const longest = vi.spyOn(String.prototype, 'normalize');
    for (const marks of ['\u0301\u0316', '\u0316\u0301\u0327\u200d', '\u0344\u0f73']) {
      redact(`a${marks.repeat(1000)}`);
      expect(redact(`${[...KEY].join(marks.repeat(1000))}`)).toBe(mask);
    }
    const runs = longest.mock.contexts.flatMap(text => String(text).match(/\p{M}+/gu) ?? []);
    longest.mockRestore();
    expect(runs.filter(run => run.length > 4)).toEqual([]);
  });

  it('masks a signed token and parts of its signature, but not what it says of itself, which others say as well', () => {
    const said = `${btoa('{"alg":"RS256","kid":"one-of-many"}')}.${btoa('{"iss":"https://kubernetes.example"}')}`;
    const [own, other] = [`${said}.CANARY-signature-0123456789`, `${said}.OTHER_signature-9876543210`];
    const redactToken = createRedactor([secret(own)]);
    expect(redactToken(`a ${own} b`)).toBe('a [key …6789] b');
    expect(redactToken('a CANARY-signatur b NARY-signature-01 c ture-0123456789 d')).toBe(
      'a [key …6789] b [key …6789] c [key …6789] d',
    );
    expect(redactToken(other)).toBe(other);
  });

  it('never makes a text much longer while it looks for a key', () => {
    const normalized = vi.spyOn(String.prototype, 'normalize');
    redact('\ufdfa'.repeat(1000));
    const lengths = normalized.mock.results.map(({value}) => String(value).length);
    normalized.mockRestore();
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4000);
  });

  it('masks a key in letters of other forms, with signs of any script around it', () => {
    const fullwidth = [...KEY].map(character => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)).join('');
    expect(redact(`\ufdfa${fullwidth}\u1112\u1161\u11ab`)).toContain(mask);
  });

  it.each([
    ['marks', '\u0301\u0316'],
    ['letters that become eighteen', '\ufdfa'],
    ['beginnings of terminal sequences', '\u001b]'],
    ['backslashes', '\\'],
    ['spelt letters', '\\\\\\\\\\\\\\\\\\u0061'],
    ['the start of the key', KEY.slice(0, 12)],
    ['the end of the key', KEY.slice(-12)],
  ])('reads a mebibyte of %s in a short time', (_, unit) => {
    const text = unit.repeat(2 ** 20 / unit.length);
    const begun = performance.now();
    redact(text);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('gives in steps what it gives at once, wherever a key is, whatever else is redacted between two steps', () => {
    const redactSteps = createSteppedRedactor([secret(KEY), secret(SECOND_KEY)]);
    const redactAtOnce = createRedactor([secret(KEY), secret(SECOND_KEY)]);
    const anyNumberOfBoth = fc.array(
      fc.oneof(fc.string(), fc.constantFrom(...writtenWays(KEY), ...writtenWays(SECOND_KEY))),
    );
    const text = anyNumberOfBoth.map(pieces => pieces.join(''));
    fc.assert(
      fc.property(text, text, fc.infiniteStream(fc.boolean()), (one, other, turns) => {
        const [first, second] = [redactSteps(one), redactSteps(other)];
        let step = first.next();
        while (step.done !== true) {
          if (turns.next().value === true) second.next();
          step = first.next();
        }
        expect(step.value).toBe(redactAtOnce(one));
        for (const way of [KEY, SECOND_KEY]) expect(atOnce(redactSteps(one))).not.toContain(way);
      }),
    );
  });
});

const SECOND_KEY = 'aaaa-bbbb-cccc-\\\\-CANARY-9';

function writtenWays(key: string): readonly string[] {
  const spelt = (write: (character: string) => string) => [...key].map(write).join('');
  return [
    key,
    ...[0, 1, 2].map(offset => Buffer.from(`${'x'.repeat(offset)}${key}yz`).toString('base64')),
    Buffer.from(key).toString('hex'),
    spelt(character => `%${hex2(character.charCodeAt(0))}`),
    spelt(character => `\\u${hex4(character.charCodeAt(0))}`),
    spelt(character => `&#${character.charCodeAt(0)};`),
    spelt(character => `${character}\u0301`),
    spelt(character => `${character}\\u200b`),
    spelt(character => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)),
    [...key].reverse().join(''),
    key.slice(0, 14),
    key.slice(-14),
  ];
}
