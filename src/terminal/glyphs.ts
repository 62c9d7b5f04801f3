import {isWideCharacter} from './wide-characters.ts';

/** The shape for a resource's state. The state is always written in words beside it. */
type StateShape =
  | 'active'
  | 'shutoff'
  | 'rising'
  | 'falling'
  | 'transitional'
  | 'error'
  | 'hibernated'
  | 'deleted'
  | 'unknown';

/** Braille dots, eight to a cell, or a line of characters. */
type ChartStyle = 'braille' | 'line';

export type GlyphSetName = 'unicode' | 'narrow-safe' | 'ascii';

/** Every glyph takes exactly one cell. */
export type Glyphs = {
  readonly name: GlyphSetName;
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomLeft: string;
  readonly bottomRight: string;
  readonly horizontal: string;
  readonly vertical: string;
  /** The border of a box whose data is no longer updated because the link is down. */
  readonly dottedHorizontal: string;
  readonly dottedVertical: string;
  readonly axisTick: string;
  readonly states: Readonly<Record<StateShape, string>>;
  /** Eight heights, lowest first; the last fills the cell. */
  readonly levels: readonly string[];
  /** A cell of a bar whose value is less certain: from events, and from an estimate only. */
  readonly halfFill: string;
  readonly lightFill: string;
  /** Two halves of a cell, both at the highest level. */
  readonly upperHalf: string;
  readonly lowerHalf: string;
  /** No sample here; never the lowest level. */
  readonly gap: string;
  /** Lower than the cell, so that bars of adjacent rows stay apart. */
  readonly barFull: string;
  readonly barEmpty: string;
  /** Fractions of a full cell, smallest first; none if the set has no finer steps. */
  readonly barParts: readonly string[];
  readonly meterFull: string;
  readonly meterEmpty: string;
  readonly cursor: string;
  /** The cursor of a list that does not have the focus. */
  readonly otherCursor: string;
  readonly mark: string;
  readonly live: string;
  readonly up: string;
  readonly down: string;
  readonly left: string;
  readonly right: string;
  readonly folded: string;
  readonly unfolded: string;
  readonly ellipsis: string;
  readonly separator: string;
  readonly middleDot: string;
  readonly check: string;
  readonly cross: string;
  readonly warning: string;
  readonly old: string;
  readonly unknown: string;
  readonly charts: ChartStyle;
  /** Pieces of a chart's line, in asciichart's order: two for its axis, the ends, level, four turns, upright. */
  readonly chartLines: readonly string[];
};

const UNICODE: Glyphs = {
  name: 'unicode',
  topLeft: '╭',
  topRight: '╮',
  bottomLeft: '╰',
  bottomRight: '╯',
  horizontal: '─',
  vertical: '│',
  dottedHorizontal: '┄',
  dottedVertical: '┊',
  axisTick: '┤',
  states: {
    active: '▲',
    shutoff: '■',
    rising: '△',
    falling: '▽',
    transitional: '◌',
    error: '✖',
    hibernated: '◔',
    deleted: '✗',
    unknown: '?',
  },
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  halfFill: '▒',
  lightFill: '░',
  upperHalf: '▀',
  lowerHalf: '▄',
  gap: '·',
  barFull: '━',
  barEmpty: '─',
  barParts: ['╸'],
  meterFull: '▮',
  meterEmpty: '▯',
  cursor: '▶',
  otherCursor: '›',
  mark: '●',
  live: '●',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  folded: '▸',
  unfolded: '▾',
  ellipsis: '…',
  separator: '›',
  middleDot: '·',
  check: '✔',
  cross: '✖',
  warning: '⚠',
  old: '◔',
  unknown: '–',
  charts: 'braille',
  chartLines: ['┼', '┤', '╶', '╴', '─', '╰', '╭', '╮', '╯', '│'],
};

/** Without characters that a terminal set up for Chinese, Japanese or Korean draws two cells wide. */
const NARROW_SAFE: Glyphs = {
  ...UNICODE,
  name: 'narrow-safe',
  topLeft: '+',
  topRight: '+',
  bottomLeft: '+',
  bottomRight: '+',
  horizontal: '-',
  vertical: '|',
  dottedHorizontal: '.',
  dottedVertical: ':',
  axisTick: '|',
  states: {
    active: '▴',
    shutoff: '▪',
    rising: '▵',
    falling: '▿',
    transitional: '◌',
    error: '✖',
    hibernated: '◔',
    deleted: '✗',
    unknown: '?',
  },
  levels: ['⡀', '⣀', '⣄', '⣤', '⣦', '⣶', '⣷', '⣿'],
  halfFill: '⢕',
  lightFill: '⠕',
  upperHalf: '⠛',
  lowerHalf: '⣤',
  // Half-way up, so that it cannot be mistaken for the lowest level.
  gap: '⠂',
  barFull: '⠶',
  barEmpty: '⠒',
  barParts: ['⠆'],
  cursor: '▸',
  otherCursor: '>',
  mark: '*',
  live: '*',
  up: '^',
  down: 'v',
  left: '<',
  right: '>',
  ellipsis: '~',
  separator: '>',
  middleDot: '⠂',
  unknown: '-',
  chartLines: ['+', '|', '-', '-', '-', "'", '.', '.', "'", '|'],
};

const ASCII: Glyphs = {
  ...NARROW_SAFE,
  name: 'ascii',
  states: {
    active: '^',
    shutoff: '#',
    rising: '/',
    falling: '\\',
    transitional: '~',
    error: 'X',
    hibernated: 'z',
    deleted: 'x',
    unknown: '?',
  },
  levels: ['_', ',', '-', '~', '=', '+', '*', '#'],
  halfFill: '%',
  lightFill: ':',
  upperHalf: '"',
  lowerHalf: '_',
  gap: '.',
  barFull: '#',
  barEmpty: '.',
  barParts: [],
  meterFull: '#',
  meterEmpty: '.',
  cursor: '>',
  otherCursor: '-',
  folded: '+',
  unfolded: '-',
  middleDot: '.',
  check: 'v',
  cross: 'X',
  warning: '!',
  old: '@',
  charts: 'line',
};

export const GLYPH_SETS: Readonly<Record<GlyphSetName, Glyphs>> = {
  unicode: UNICODE,
  'narrow-safe': NARROW_SAFE,
  ascii: ASCII,
};

/** A locale that is not UTF-8 can only show ASCII, whatever the settings say. */
export function chooseGlyphs({
  isUtf8,
  preference = 'unicode',
  charts,
}: {
  readonly isUtf8: boolean;
  readonly preference?: GlyphSetName | undefined;
  readonly charts?: ChartStyle | undefined;
}): Glyphs {
  const glyphs = isUtf8 ? GLYPH_SETS[preference] : ASCII;
  return charts === 'line' ? {...glyphs, charts} : glyphs;
}

/**
 * Replacements for signs in our own texts that a smaller set lacks. Each takes one cell before and after, so the layout
 * does not change.
 */
const PLAIN_SIGNS: ReadonlyMap<string, string> = new Map([
  ['–', '-'],
  ['—', '-'],
  ['−', '-'],
  ['…', '~'],
  ['·', '.'],
  ['×', 'x'],
  ['÷', '/'],
  ['→', '>'],
  ['←', '<'],
  ['↑', '^'],
  ['↓', 'v'],
  ['›', '>'],
  ['‹', '<'],
  ['“', '"'],
  ['”', '"'],
  ['‘', "'"],
  ['’', "'"],
  ['Σ', 'S'],
  ['Δ', 'd'],
  ['±', '~'],
  ['≥', '>'],
  ['≤', '<'],
  ['•', '*'],
  ['●', '*'],
  ['▶', '>'],
  ['▲', '^'],
  ['■', '#'],
  ['°', 'o'],
]);

/**
 * The replacement, of the same width, for a character that a set cannot show; undefined if it can be shown as it is.
 */
export function plainSign(character: string, set: GlyphSetName): string | undefined {
  if (set === 'unicode') return undefined;
  if (set === 'narrow-safe') return PLAIN_SIGNS.get(character);
  const code = character.charCodeAt(0);
  return character.length === 1 && code < 0x7f ? undefined : (PLAIN_SIGNS.get(character) ?? '?');
}

/** Two-cell code units within the ranges below, which are otherwise one cell wide. */
const WIDE_SYMBOLS: ReadonlySet<number> = new Set([
  0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ea, 0x23eb, 0x23ec, 0x23f0, 0x23f3, 0x25fd, 0x25fe, 0x2614, 0x2615,
  0x267f, 0x2693, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26d4, 0x26ea, 0x26f2, 0x26f3,
  0x26f5, 0x26fa, 0x26fd, 0x2705, 0x270a, 0x270b, 0x2728, 0x274c, 0x274e, 0x2753, 0x2754, 0x2755, 0x2757, 0x2795,
  0x2796, 0x2797, 0x27b0, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b55,
]);

/**
 * Whether every terminal draws a code unit in one cell, without joining it to the one before. A fast answer for most of
 * what a deck shows; false only means that the slow way must decide.
 */
export function isOneCell(unit: number): boolean {
  if (unit < 0x7f) return unit >= 0x20;
  if (unit < 0x300) return unit >= 0xa0 && unit !== 0xad;
  if (unit < 0x2010) return isPlainLetter(unit);
  if (unit < 0x2800) return isPlainSymbol(unit);
  return unit <= 0x28ff || (unit >= 0x2900 && unit <= 0x2b4f && !WIDE_SYMBOLS.has(unit)) || unit === 0xfffd;
}

/** The same for two cells: the ideographs, kana and syllables that all terminals agree on. */
export function isTwoCells(unit: number): boolean {
  return (
    unit >= 0x3041 &&
    (unit <= 0x3096 ||
      (unit >= 0x30a1 && unit <= 0x30fe) ||
      (unit >= 0x3400 && unit <= 0x4dbf) ||
      (unit >= 0x4e00 && unit <= 0x9fff) ||
      (unit >= 0xac00 && unit <= 0xd7a3) ||
      (unit >= 0xff01 && unit <= 0xff60))
  );
}

/** Greek and Cyrillic, without unassigned code points and combining marks. */
function isPlainLetter(unit: number): boolean {
  return (unit >= 0x3a3 && unit <= 0x482) || (unit >= 0x48a && unit <= 0x52f);
}

/** Punctuation, arrows, mathematics, boxes, blocks, shapes and dingbats. */
function isPlainSymbol(unit: number): boolean {
  if (unit <= 0x2027) return true;
  if (unit < 0x2100) return (unit >= 0x2030 && unit <= 0x205e) || (unit >= 0x20a0 && unit <= 0x20bf);
  if (unit > 0x2426 && unit < 0x2440) return false;
  if (unit > 0x244a && unit < 0x2460) return false;
  // Trigrams and the zodiac became wide in recent Unicode; terminals do not agree yet.
  if ((unit >= 0x2630 && unit <= 0x2653) || (unit >= 0x268a && unit <= 0x268f)) return false;
  return !WIDE_SYMBOLS.has(unit);
}

// Created on first use: it takes 10 to 30 ms, half of what the first paint may take, and most screens never need it.
let segmenter: Intl.Segmenter | undefined;

/** The characters as a person counts them: a base with its marks, an emoji with all its parts. */
export function graphemes(text: string): readonly string[] {
  const characters = [...text];
  if (characters.length < 2 || characters.every(isAlone)) return characters;
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({segment}) => segment);
}

/** Characters that never join each other: those of certain width, private ones, of which Ink draws some, and emoji. */
function isAlone(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return isOneCell(code) || isTwoCells(code) || (code >= 0xe000 && code <= 0xf8ff) || isPictograph(code);
}

/** Most emoji, without the skin tones, which join the emoji before them. */
function isPictograph(code: number): boolean {
  return code >= 0x1f300 && code <= 0x1faff && !(code >= 0x1f3fb && code <= 0x1f3ff);
}

/**
 * The number of cells a text takes in the terminal, counted as Ink does (the rules of the package string-width). Text
 * that consists of control characters or lone marks takes none.
 */
export function cellWidth(text: string): number {
  let cells = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (isOneCell(unit)) cells += 1;
    else if (isTwoCells(unit)) cells += 2;
    else return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
  }
  return cells;
}

const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/v;
const PICTOGRAPHS = /\p{Extended_Pictographic}/gu;
/** Marks that take a cell of their own, and the half- and fullwidth forms that combine as voicing marks do. */
const WIDENING = /[\p{Mc}\uff00-\uffef]/u;
const JOINER = '\u200d';
/** No emoji in use has more code units; a longer cluster could be made to slow the program down. */
const MAX_EMOJI_LENGTH = 50;

function graphemeWidth(grapheme: string): number {
  const start = grapheme.search(VISIBLE);
  if (start === -1) return 0;
  if (isEmoji(grapheme)) return 2;
  const [base = '', ...following] = grapheme.slice(start);
  if (isJamo(base)) return jamoWidth([base, ...following.filter(character => VISIBLE.test(character))]);
  const widening = following.filter(character => WIDENING.test(character));
  return [base, ...widening].reduce((sum, character) => sum + characterWidth(character), 0);
}

const EMOJI_ALONE = /^[\p{Emoji_Presentation}--\p{RI}]$/v;
const EMOJI_PART = /[\p{Emoji}\p{Extended_Pictographic}]/u;

function isEmoji(grapheme: string): boolean {
  const [first = ''] = grapheme;
  if (first === grapheme) return EMOJI_ALONE.test(grapheme);
  if (!EMOJI_PART.test(grapheme)) return false;
  // Compiled on first use: it takes 30 ms because it lists every emoji, and few screens show one with several parts.
  if (/^(?:\p{RGI_Emoji}|[\d#*]\u20e3)$/v.test(grapheme)) return true;
  // Terminals join sequences that are not listed as well.
  const isJoined = grapheme.length <= MAX_EMOJI_LENGTH && grapheme.includes(JOINER);
  return isJoined && (grapheme.match(PICTOGRAPHS)?.length ?? 0) >= 2;
}

/**
 * A leading and a vowel jamo, with or without a trailing one, make one syllable of two cells; others count one by one.
 */
function jamoWidth(characters: readonly string[]): number {
  let cells = 0;
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    if (LEADING_JAMO.test(character) && VOWEL_JAMO.test(characters[index + 1] ?? '')) {
      index += TRAILING_JAMO.test(characters[index + 2] ?? '') ? 2 : 1;
      cells += 2;
    } else {
      cells += characterWidth(character);
    }
  }
  return cells;
}

const LEADING_JAMO = /[\u1100-\u115f\ua960-\ua97c]/;
const VOWEL_JAMO = /[\u1160-\u11a7\ud7b0-\ud7c6]/;
const TRAILING_JAMO = /[\u11a8-\u11ff\ud7cb-\ud7fb]/;

function isJamo(character: string): boolean {
  return LEADING_JAMO.test(character) || VOWEL_JAMO.test(character) || TRAILING_JAMO.test(character);
}

function characterWidth(character: string): number {
  return isWideCharacter(character.codePointAt(0) ?? 0) ? 2 : 1;
}
