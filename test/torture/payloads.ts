import naughtyStrings from 'big-list-of-naughty-strings' with {type: 'json'};
import fc from 'fast-check';
import {anyText} from '../support/any-text.ts';

/** A word that only payloads contain: when it appears in a title, a link or a clipboard, a terminal has obeyed. */
export const CANARY = 'kanarie';

const [ESC, BEL] = ['\u001b', '\u0007'];
const C0 = codes(0x00, 0x1f);
const C1 = codes(0x80, 0x9f);
const CONTROLS = [...C0, '\u007f', ...C1];
/** The openers of terminal strings in seven and in eight bits: unlike CSI, these continue up to a terminator. */
const OPENERS = ['P', 'X', ']', '^', '_'].flatMap(letter => [
  `${ESC}${letter}`,
  String.fromCharCode(code(letter) + 0x40),
]);
const TERMINATORS = [BEL, `${ESC}\\`, '\u009c', ''];
/** From the control sequences of xterm, and from iTerm2, kitty, Konsole, VTE and Windows Terminal. */
const OSC_NUMBERS = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 50, 51, 52, 60, 66, 99],
  ...[104, 105, 110, 112, 117, 133, 200, 555, 633, 666, 697, 777, 1337, 1338, 3008, 5113, 5522, 9001],
];
const OSC_BODIES = [`;${CANARY}`, `;;https://${CANARY}.example`, `;c;${Buffer.from(CANARY).toString('base64')}`];
const DEVICE_BODIES = [
  'q#0;2;0;0;0#0~~',
  '$qm',
  '+q544e',
  '1$r0m',
  `tmux;${ESC}${ESC}]0;${CANARY}${BEL}`,
  `Gf=32;${CANARY}`,
];
const PARAMETERS = ['', '1;1', '?25', '>4;2', '=1', '0;0;0$', '9999999999'];
/** Unseen, or turning the order around. */
export const UNSEEN = [
  ...[...codes(0x202a, 0x202e), ...codes(0x2066, 0x206f), '\u061c', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f'],
  ...['\u2060', '\u2061', '\u2064', '\ufeff', '\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u180e', '\u3164'],
  ...['\uffa0', '\ufff9', '\ufffb', '\u2028', '\u2029', '\u{1bca0}', '\u{1d173}', '\u{e0001}', '\ufffe', '\u{1ffff}'],
];
const TAGS = codes(0xe0020, 0xe007f);
const SELECTORS = [...codes(0xfe00, 0xfe0f), ...codes(0xe0100, 0xe01ef)];
const NONCHARACTERS = [
  ...codes(0xfdd0, 0xfdef),
  ...Array.from({length: 17}, (_, plane) => codes(plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff)).flat(),
];
const SURROGATES = codes(0xd800, 0xdfff).filter((_, index) => index % 32 === 0);
const FLOODS = ['\u0301', '\u20e3', '\u{1f3fd}', '\u11a8', '\u0e47'].flatMap(mark =>
  [5, 50, 500].map(count => `e${mark.repeat(count)}`),
);
/** Published cases of other programs: each showed something other than the text was. */
const KNOWN_CASES = [
  `/srv/hello${ESC}[/../../etc/hosts`,
  `${ESC}]8;;file:///etc/passwd${BEL}safe${ESC}]8;;${BEL}`,
  `prod${'\b'.repeat(4)}test`,
  `delete-me\rkeep-me  `,
  `a${ESC}[8mhidden${ESC}[28mb`,
  `${ESC}[2J${ESC}[Hno machines`,
  `name${ESC}[1F${ESC}[2Koverwritten`,
  `${ESC}c`,
  `${ESC}]52;c;${Buffer.from(CANARY).toString('base64')}${BEL}`,
  `${ESC}[6n${ESC}[c${ESC}[>0q`,
  `x\u202egnp.exe`,
  '=cmd|"/c calc"!A1',
  '+1+1',
  '@SUM(1)',
];

/** Published for any program that takes text: https://github.com/minimaxir/big-list-of-naughty-strings. */
const NAUGHTY: readonly string[] = naughtyStrings;

/** Every sequence that terminals know, one by one, and published collections. */
export const FIXED: readonly string[] = [
  ...CONTROLS.flatMap(control => [control, `a${control}b`, `${control}${CANARY}`]),
  ...codes(0x20, 0x7e).map(byte => `${ESC}${byte}${CANARY}`),
  ...[`${ESC}[`, '\u009b'].flatMap(opener =>
    codes(0x40, 0x7e).flatMap(final => PARAMETERS.map(parameters => `a${opener}${parameters}${final}b`)),
  ),
  ...OPENERS.flatMap(opener => TERMINATORS.flatMap(end => DEVICE_BODIES.map(body => `a${opener}${body}${end}b`))),
  ...[`${ESC}]`, '\u009d'].flatMap(opener =>
    OSC_NUMBERS.flatMap(number =>
      OSC_BODIES.flatMap(body => TERMINATORS.map(end => `a${opener}${number}${body}${end}b`)),
    ),
  ),
  ...[...UNSEEN, ...TAGS, ...SELECTORS, ...NONCHARACTERS, ...SURROGATES].map(character => `gpu${character}-1`),
  ...FLOODS,
  ...KNOWN_CASES,
  ...NAUGHTY,
];

const PARTS = [
  ...[
    ...CONTROLS,
    ...UNSEEN,
    ...OPENERS,
    ...TERMINATORS,
    `${ESC}[`,
    '\u009b',
    '\u0301',
    '\u{1f3fd}',
    '👩',
    '❤\ufe0f',
    '東',
  ],
  ...['a', '1', ';', '?', 'm', 'H', 'J', '0', '8;;', '52;c;', 'é', '<U+202E>', '…', ' ', '"', "'", '\\', ',', CANARY],
];

/** Any of these, cut, joined and mixed with other characters. */
export const anyPayload: fc.Arbitrary<string> = fc.oneof(
  {weight: 1, arbitrary: fc.constantFrom(...FIXED)},
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...PARTS), anyText({maxLength: 3})), {
        minLength: 1,
        maxLength: 16,
      })
      .map(parts => parts.join('')),
  },
);

/** As many as asked for, always the same for a seed. */
export function generated(count: number, seed: number): readonly string[] {
  return fc.sample(anyPayload, {numRuns: count, seed});
}

const EMOJI =
  /[0-9#*]\ufe0f\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|\u200d(?=\p{Extended_Pictographic}))*/gu;
const PLAIN = /^[ -~]*$/;
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{5}/u;

/**
 * The first character of a text that a terminal would obey, hide, reorder or pile up, by its code; undefined when all of
 * it can be seen. Line ends are the layout's own where `isPrinted`.
 */
export function obeyedIn(text: string, {isPrinted = false} = {}): string | undefined {
  if (PLAIN.test(text)) return undefined;
  const found = OBEYED.exec((isPrinted ? text.replaceAll('\n', ' ') : text).replaceAll(EMOJI, ''))?.[0];
  return found === undefined ? undefined : `U+${found.codePointAt(0)?.toString(16).padStart(4, '0')}`;
}

function codes(first: number, last: number): string[] {
  return Array.from({length: last - first + 1}, (_, index) => String.fromCodePoint(first + index));
}

function code(letter: string): number {
  return letter.charCodeAt(0);
}
