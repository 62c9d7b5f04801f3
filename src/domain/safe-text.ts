import {assert} from './assert.ts';

declare const brand: unique symbol;

/**
 * Foreign text that is safe to show: characters that a terminal would obey, hide or reorder are replaced by a visible
 * glyph or by an escape such as `<U+202E>`. Nothing is removed, since a shortened name could be that of another object.
 */
export type SafeText = string & {readonly [brand]: 'SafeText'};

/** The longest text kept of one field, in code points. */
const MAX_LENGTH = 4096;
/** Real scripts stack up to four marks on one base; more would only paint over neighbouring rows. */
export const MAX_MARKS = 4;
/** An emoji can end in two marks already: its variation selector and a keycap. */
const EMOJI_MARKS = 2;
const CUT_MARK = '…';

// Printable ASCII and the signs, lines, bars and dots that screens are drawn with: none is hidden, and none joins another.
const PLAIN = /^[\x20-\x7e\u00b7\u2013\u2014\u2026\u2190-\u23ff\u2500-\u27bf\u2801-\u28ff]*$/;
// Unusual blanks look like the plain one or like nothing, so different names would look the same. Letters that join
// whatever follows would merge with the edge of a box.
const HIDDEN =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u0d4e\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}]--\x20]/v;
// Vowel and final jamo take no column of their own, skin tones join any base, and so do the Thai and Lao vowel am: all
// of them stack like marks.
export const MARK = /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7ff]/u;
// The longest emoji in use join four pictures (a family); a terminal that cannot join them draws each one.
const EMOJI_CLUSTER =
  /[0-9#*]\uFE0F\u20E3|[\p{Extended_Pictographic}--\p{C}](?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D[\p{Extended_Pictographic}--\p{C}](?:\uFE0F|\p{Emoji_Modifier})?){0,3}/vy;
const ESCAPED = /<U\+[0-9A-F]{4,6}>|[\u2400-\u241f\u2421]/u;

/**
 * Makes any string safe to show, in linear time. Safe text is returned unchanged, so it can pass several times. Longer
 * text is cut and ends in `…`; `maxLength` counts code points of the result.
 */
export function safeText(raw: string, {maxLength = MAX_LENGTH}: {readonly maxLength?: number} = {}): SafeText {
  assert(maxLength >= 1, 'safe text without room for the cut mark');
  const head = raw.length <= maxLength ? raw : raw.slice(0, maxLength);
  if (!PLAIN.test(head)) return show(raw, maxLength);
  return (head === raw ? raw : `${copyOf(head.slice(0, -1))}${CUT_MARK}`) as SafeText;
}

/** A substring would keep the whole text in memory. */
function copyOf(part: string): string {
  return JSON.parse(JSON.stringify(part));
}

/** The lines of a log, each made safe by itself. */
export function safeLines(raw: string): SafeText[] {
  return raw.split('\n').map(line => safeText(line));
}

/** Our own words around safe values: `` say`Stop ${name}` ``. A raw string as a value does not compile. */
export function say(words: TemplateStringsArray, ...values: readonly (SafeText | number)[]): SafeText {
  return words.reduce((said, word, index) => `${said}${values[index - 1] ?? ''}${word}`) as SafeText;
}

export function joinSafe(parts: readonly SafeText[], separator = ' '): SafeText {
  return parts.join(safeText(separator)) as SafeText;
}

/** Whether the displayed text differs from what the service sent, which a confirmation has to point out. */
export function isAltered(raw: string, safe: SafeText): boolean {
  return raw !== safe;
}

/** Why a text cannot be sent as typed, since only safe text is sent; undefined for text that needs no change. */
export function alteration(raw: string): SafeText | undefined {
  const safe = safeText(raw);
  if (!isAltered(raw, safe)) return undefined;
  const shown = [...safe];
  const character = [...raw].find((each, index) => each !== shown[index]) ?? '';
  if (safeText(character) === character) return say`it is longer than ${MAX_LENGTH} characters`;
  const point = character.codePointAt(0) ?? 0;
  return say`it contains the character U+${safeText(point.toString(16).toUpperCase().padStart(4, '0'))}, which cannot be sent`;
}

/**
 * Whether safe text contains anything escaped. Also true if the service itself sent the characters of an escape, since
 * the two can no longer be distinguished and both deserve the mark.
 */
export function hasEscapes(text: SafeText): boolean {
  return ESCAPED.test(text);
}

/** Whether safe text may be only the beginning of what the service sent. */
export function isCut(text: SafeText): boolean {
  return text.endsWith(CUT_MARK);
}

type TextPiece = {readonly text: string; readonly length: number; readonly rawUnits: number; readonly marks: number};

function show(raw: string, maxLength: number): SafeText {
  let shown = '';
  let length = 0;
  let cutAt = 0;
  // A mark at the start has no base of its own and would be drawn on the character before the text.
  let marks = MAX_MARKS;
  for (let index = 0; index < raw.length; ) {
    const piece = pieceAt(raw, index, marks);
    if (length + piece.length > maxLength) return `${shown.slice(0, cutAt)}${CUT_MARK}` as SafeText;
    shown += piece.text;
    length += piece.length;
    if (length < maxLength) cutAt = shown.length;
    marks = piece.marks;
    index += piece.rawUnits;
  }
  return shown as SafeText;
}

function pieceAt(raw: string, index: number, marks: number): TextPiece {
  const cluster = emojiClusterAt(raw, index);
  if (cluster !== undefined) {
    return {text: cluster, length: [...cluster].length, rawUnits: cluster.length, marks: EMOJI_MARKS};
  }
  const point = raw.codePointAt(index) ?? 0;
  const character = String.fromCodePoint(point);
  const rawUnits = character.length;
  if (HIDDEN.test(character)) return escaped(point, rawUnits);
  if (!MARK.test(character)) return {text: character, length: 1, rawUnits, marks: 0};
  return marks < MAX_MARKS ? {text: character, length: 1, rawUnits, marks: marks + 1} : escaped(point, rawUnits);
}

function emojiClusterAt(raw: string, index: number): string | undefined {
  EMOJI_CLUSTER.lastIndex = index;
  return EMOJI_CLUSTER.exec(raw)?.[0];
}

/** Marks after an escape are escaped too, so that they cannot disfigure it. */
function escaped(point: number, rawUnits: number): TextPiece {
  const text =
    point < 0x20
      ? String.fromCodePoint(0x2400 + point)
      : point === 0x7f
        ? '\u2421'
        : `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`;
  return {text, length: text.length, rawUnits, marks: MAX_MARKS};
}

/**
 * Whether a text mixes two alphabets that look alike, such as a Cyrillic `а` in a Latin name. Chinese, Japanese and
 * Korean letters resemble none of these, and occur beside Latin ones in honest names.
 */
export function hasMixedScripts(text: SafeText): boolean {
  return LOOKALIKE_SCRIPTS.filter(script => script.test(text)).length > 1;
}

/** The interface allows names of 50 characters. */
const MAX_NAME_LENGTH = 50;
/** A blank other than one plain blank between two words. */
const ODD_BLANKS = /^ +| {2,}| +$/g;
const BLANK_MARK = '␣';

/** What is odd about a name shown in a question: it may have been made to look like another one. */
export function nameRemarks(name: SafeText): readonly SafeText[] {
  return [
    ...(isMarked(name) ? [say`Its name has blanks that are easily overlooked, shown as \u2423 in the title.`] : []),
    ...(/#\s*\d/.test(name) ? [say`Its name contains a # and a number, which is not its id.`] : []),
    ...([...name].length > MAX_NAME_LENGTH ? [say`Its name is longer than the service allows.`] : []),
    ...(hasEscapes(name) ? [say`Its name has hidden or control characters, shown as escapes here.`] : []),
    ...(isOddlyWritten(name) ? [say`Its name has characters that look like plain ones: compare the id.`] : []),
    ...(hasMixedScripts(name) ? [say`Its name mixes look-alike alphabets: compare the id.`] : []),
    ...(isOfLookAlikes(name) ? [say`Its name is not in Latin letters, but looks like it: compare the id.`] : []),
  ];
}

/** Other forms of a character, such as a fullwidth letter, and dashes and quotes other than those of ASCII. */
function isOddlyWritten(name: SafeText): boolean {
  if (ASCII.test(name)) return false;
  return name !== name.normalize('NFKC') || name.search(ODD_DASHES) !== -1 || name.search(ODD_QUOTES) !== -1;
}

function isOfLookAlikes(name: SafeText): boolean {
  const letters = ASCII.test(name) ? [] : (name.match(/\p{L}/gu) ?? []);
  return letters.length > 0 && letters.every(letter => LOOKALIKES.has(letter));
}

/** How a name looks: names that can be taken for each other have the same. */
export function nameLook(name: SafeText): string {
  const plain = ASCII.test(name)
    ? name
    : name
        .normalize('NFKC')
        .replaceAll(ODD_DASHES, '-')
        .replaceAll(ODD_QUOTES, "'")
        .replaceAll(/\p{L}/gu, letter => LOOKALIKES.get(letter) ?? letter);
  return plain.trim().replaceAll(/ +/g, ' ').replaceAll(/[Oo]/g, '0').replaceAll(/[Il|]/g, '1');
}

const ASCII = /^[\x20-\x7e]*$/;
const ODD_DASHES = /[[\p{Pd}\u02d7\u2043\u2212]--\-]/gv;
const ODD_QUOTES = /[\p{Pi}\p{Pf}\u201a\u201e\u02b9-\u02bd\u02c8\u2032-\u2037]/gu;
/** Cyrillic and Greek letters that are drawn like Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['аеорсухіјѕһԁԛԝѵӏ', 'aeopcyxijshdqwvl'],
    ['АВЕКМНОРСТУХІЈЅӀԚԜ', 'ABEKMHOPCTYXIJSIQW'],
    ['οναιρυκγ', 'ovaipuky'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  ].flatMap(([foreign = '', latin = '']) => [...foreign].map((letter, index) => [letter, latin[index] ?? ''] as const)),
);

/** A word that cannot be confused with our own text: without blank, comma, colon, quote or number sign. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}\p{So}._-]*$/u;

/**
 * A name within a sentence of ours: in quotes if it could be mistaken for our words, as `train-01: confirmed` could, or
 * for another name. A quote inside it is escaped.
 */
export function nameInWords(name: SafeText): SafeText {
  if (PLAIN_NAME.test(name) && nameRemarks(name).length === 0) return name;
  const shown = name.replaceAll(ODD_BLANKS, blanks => BLANK_MARK.repeat(blanks.length));
  return say`"${safeText(shown.replaceAll(/["\\]/g, character => `\\${character}`))}"`;
}

function isMarked(name: SafeText): boolean {
  return name.includes(BLANK_MARK) || name.search(ODD_BLANKS) !== -1;
}

const LOOKALIKE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];
