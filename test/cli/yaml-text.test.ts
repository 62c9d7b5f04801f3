import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {parseJson} from '../../src/api/json.ts';
import {yamlText} from '../../src/cli/print/yaml-text.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {anyText} from '../support/any-text.ts';

const SHOWN = {showsSecrets: true};

describe('yamlText', () => {
  test.each([
    '1.1',
    '1.2',
  ] as const)('is read as the same value by YAML %s, and contains no control characters', version => {
    const value = fc.letrec(tie => ({
      tree: fc.oneof({maxDepth: 2}, fc.jsonValue({maxDepth: 1}), tie('map'), tie('list')),
      map: fc.dictionary(fc.oneof(TRAPS, anyText()), tie('tree'), {
        noNullPrototype: true,
        maxKeys: 3,
      }),
      list: fc.array(fc.oneof(TRAPS, tie('tree')), {maxLength: 4}),
    })).tree;
    fc.assert(
      fc.property(value, each => {
        const text = yamlText(each, SHOWN);
        expect(parse(text, {version})).toEqual(wellFormed(each));
        expect(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)).toBe(false);
      }),
      {numRuns: 50},
    );
  });

  test('looks like YAML written by a person', () => {
    const value = [
      {
        id: 7,
        name: 'gpu-1',
        labels: ['prod', 'a b'],
        flavor: {cpu: 28, gpu: ''},
        ip: null,
        rules: [],
        at: '2026-11-20',
      },
    ];
    expect(yamlText(value, SHOWN)).toBe(
      [
        '- id: 7',
        '  name: gpu-1',
        '  labels:',
        '    - prod',
        '    - a b',
        '  flavor:',
        '    cpu: 28',
        '    gpu: ""',
        '  ip: null',
        '  rules: []',
        '  at: "2026-11-20"',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['\u001b[2J', String.raw`"\u001b[2J"`],
    ['\u202ea\u200b', String.raw`"\u202ea\u200b"`],
    ['\u{e0041}', String.raw`"\U000e0041"`],
    ['\ud83d', '"<U+D83D>"'],
    ['gpu-\ud800', '"gpu-<U+D800>"'],
    ['gpu-\ud801', '"gpu-<U+D801>"'],
    ['\ude00\ud83d', '"<U+DE00><U+D83D>"'],
    ['é漢', '"é漢"'],
    ['a\u0301\u0302\u0303\u0304\u0305', `"a\u0301\u0302\u0303\u0304${String.raw`\u0305`}"`],
  ])('writes %j as %s', (value, text) => {
    expect(yamlText(value, SHOWN)).toBe(`${text}\n`);
  });

  test('keeps all digits, and hides secrets', () => {
    const parsed = atOnce(parseJson('{"a": 12345678901234567890, "b": 1e400, "password": "x"}'));
    const text = yamlText(parsed.ok && parsed.value, {showsSecrets: false});
    expect(text).toBe('a: 12345678901234567890\nb: 1.0e+400\npassword: "[redacted]"\n');
  });

  test('marks a key that is too long for a plain one', () => {
    const value = {['k'.repeat(3000)]: {a: [1]}};
    expect(parse(yamlText(value, SHOWN))).toEqual(value);
  });
});

/** Texts that readers take for something else when they are not quoted. */
const TRAPS = fc.constantFrom(
  ...[
    'yes',
    'No',
    'ON',
    'null',
    '~',
    '',
    ' a',
    'a ',
    'a: b',
    'a #b',
    '- a',
    '? a',
    '0x1f',
    '1_000',
    '1:30',
    '.inf',
    '<<',
    '=',
    '1e5',
    'E0',
    'e+1',
    '_1',
  ],
  ...[
    '2026-11-20',
    '2026-11-20T20:58:12Z',
    '@a',
    '`a',
    '%a',
    '!a',
    '&a',
    '*a',
    '|',
    '>',
    '---',
    '...',
    "'a'",
    '"a"',
    'a\nb',
    'a,b',
    '[a',
    '{a',
  ],
);

/** YAML cannot contain half a character, which is shown as in tables; and JSON has no negative zero. */
function wellFormed(value: unknown): unknown {
  const text = JSON.stringify(value, (_name, each) => (typeof each === 'string' ? withoutHalves(each) : each));
  return JSON.parse(text);
}

function withoutHalves(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, half => `<U+${half.charCodeAt(0).toString(16).toUpperCase()}>`);
}
