import {graphemes} from './glyphs.ts';

/** Sent by the Escape key, and the first character of every control sequence. */
export const ESCAPE = '\u001b';

/**
 * Keys come as bytes, whatever a program before this one asked for: the kitty keyboard off, which each screen has for
 * itself, and xterm's modifyOtherKeys.
 */
export const KEYS_AS_BYTES = '\u001b[=0u\u001b[>4;0m';

/**
 * How a terminal's answer begins if it is text, such as its colour, title, name, clipboard or the result of drawing a
 * picture: `ESC ] 11 ; rgb:0/0/0`. Another program in the same terminal asked for it. No person types this, nor the
 * control characters of one byte that stand for Escape and a letter.
 */
const ANSWER_START = `(?:${ESCAPE}{1,2}(?:\\](?:\\d{1,4};|[lL])|P[\\d>!=$+]|_\\w)|[\\u0090\\u0098\\u009d-\\u009f])`;
const IN_ANSWER = '[^\\u0000-\\u001f\\u0080-\\u009f]';
/** What has no end but is longer than this was no key either. */
const MIN_CUT_ANSWER_LENGTH = 256;
/** A complete control sequence, such as `ESC [ 1 ; 2 A` or `ESC O A`, including an Escape pressed right before it. */
const SEQUENCE = new RegExp(
  [
    `(?:${ESCAPE}{1,2}\\[{1,2}|\\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESCAPE}{1,2}O|\\u008f)[\\d;]*[A-Za-z]`,
    // The end of an answer or of any other text, without its beginning.
    `${ESCAPE}\\\\`,
    `${ANSWER_START}(?:${IN_ANSWER}*(?:\\u0007|${ESCAPE}\\\\|\\u009c)|${IN_ANSWER}{${MIN_CUT_ANSWER_LENGTH},})`,
  ].join('|'),
  'gu',
);
/**
 * Text that may be the beginning of a sequence whose rest is still on its way. It has a group if that may be a
 * terminal's answer.
 */
export const UNFINISHED = new RegExp(
  `(?:${[
    `(${ANSWER_START}${IN_ANSWER}*${ESCAPE}?|${ESCAPE}{1,2}(?:\\]\\d{0,4}|[P_]))`,
    `(?:${ESCAPE}{1,2}\\[{1,2}|\\u009b)[0-?]{0,32}[ -/]{0,4}`,
    `(?:${ESCAPE}{1,2}O|\\u008f)[\\d;]{0,32}`,
    `${ESCAPE}{1,2}`,
  ].join('|')})$`,
  'u',
);
/** Numbers after the first say which modifiers were held. */
const KEY_OF_SEQUENCE = /^[[O](\d*)(?:;[\d;]*)?([A-Za-z~^])$/;

/**
 * A key in the form of the kitty keyboard protocol, `ESC [ 99 ; 5 u`, or of xterm's modifyOtherKeys, `ESC [ 27 ; 5 ; 99
 * ~`: its character and what is held. Not its release, which has the event 3.
 */
const CODED_KEY = /^\[(?:(\d+)(?::[\d:]*)?(?:;(\d*)(?::[12])?(?:;[\d:]*)?)?u|27;(\d+);(\d+)~)$/;
const CTRL = 4;
/** Caps lock and num lock, which change no meaning. */
const LOCKS = 64 + 128;

const BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
  // rxvt marks shift and ctrl by a lowercase letter.
  a: 'up',
  b: 'down',
  c: 'right',
  d: 'left',
};

const BY_NUMBER: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};

/**
 * The keys in a chunk, in order: `j`, `G`, `enter`, `ctrl-d`, `shift-tab`. Over a slow line several keys arrive in one
 * chunk. Modifiers of arrows are ignored; unknown sequences, such as a terminal's answers, give no key.
 */
export function keyNames(text: string): readonly string[] {
  const keys: string[] = [];
  let index = 0;
  for (const {0: sequence, index: at} of text.matchAll(SEQUENCE)) {
    keys.push(...typedKeys(text.slice(index, at)), ...sequenceKeys(sequence));
    index = at + sequence.length;
  }
  return [...keys, ...typedKeys(text.slice(index))];
}

/** Control characters of one byte, which no key sends. */
const ONE_BYTE_CONTROL = /^[\u0080-\u009f]/;

function typedKeys(text: string): readonly string[] {
  return graphemes(text)
    .filter(each => !ONE_BYTE_CONTROL.test(each))
    .map(keyOf);
}

function sequenceKeys(sequence: string): readonly string[] {
  const isAfterEscape = sequence.startsWith(ESCAPE, 1);
  const body = sequence.slice(isAfterEscape ? 2 : 1);
  const [, number = '', final = ''] = KEY_OF_SEQUENCE.exec(body) ?? [];
  const name = codedKey(body) ?? (/[A-Za-z]/.test(final) ? BY_LETTER[final] : BY_NUMBER[number]);
  return [...(isAfterEscape ? ['esc'] : []), ...(name === undefined ? [] : [name])];
}

/**
 * Another program may have switched the terminal to this form while the deck runs. Escape and ctrl with a letter are
 * read in it, so that everything can still be cancelled, redrawn and left; no character is, so that it answers nothing.
 */
function codedKey(body: string): string | undefined {
  const [, code = '', modifiers = '', otherModifiers = modifiers, otherCode = code] = CODED_KEY.exec(body) ?? [];
  const held = Math.max(0, Number(otherModifiers) - 1) & ~LOCKS;
  const character = Number(otherCode) === 0 ? '' : String.fromCodePoint(Math.min(Number(otherCode), MAX_CODE_POINT));
  if (character === ESCAPE && held === 0) return 'esc';
  return held === CTRL && /^[a-z]$/.test(character) ? `ctrl-${character}` : undefined;
}
const MAX_CODE_POINT = 0x10ffff;

function keyOf(grapheme: string): string {
  // The segmenter keeps a carriage return and a line feed together.
  if (grapheme === '\r' || grapheme === '\n' || grapheme === '\r\n') return 'enter';
  if (grapheme === '\t') return 'tab';
  if (grapheme === ' ') return 'space';
  if (grapheme === ESCAPE) return 'esc';
  if (grapheme === '\u007f' || grapheme === '\b') return 'backspace';
  if (grapheme === '\u0000') return 'ctrl-space';
  const code = grapheme.codePointAt(0) ?? 0;
  return code < 0x20 ? `ctrl-${String.fromCodePoint(code + 0x40).toLowerCase()}` : grapheme;
}

/** The text a key types into an input; undefined for a key that only moves or acts. */
export function typedText(key: string): string | undefined {
  if (key === 'space') return ' ';
  return key.length === 1 || graphemes(key).length === 1 ? key : undefined;
}
