import {createHash} from 'node:crypto';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {Steps} from '../domain/steps.ts';

declare global {
  interface JSON {
    /** Keeps a number's own text. In Node since 21, but not yet in the type library. */
    rawJSON(text: string): {readonly rawJSON: string};
    isRawJSON(value: unknown): value is {readonly rawJSON: string};
  }
}

/** The most deeply nested reply of the interface has 7 levels. */
const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = /\s*:/y;
const BARE_TOKEN = /NaN|Infinity/y;
const ZERO = 0x30;
const DECIMAL = /^\+?(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** A double keeps fifteen digits exactly. */
const MAX_CERTAIN_DIGITS = 15;
const NUMERIC = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Takes a few milliseconds. */
const TOKENS_PER_STEP = 1024;

export type Parsed = {readonly ok: true; readonly value: unknown} | {readonly ok: false; readonly detail: SafeText};

/**
 * Parses a reply. Bare `NaN` and `Infinity`, which the service can emit, become null. A number that a double cannot
 * hold is kept as `JSON.rawJSON` with its own text, so that no id or price loses a digit.
 */
export function* parseJson(text: string): Steps<Parsed> {
  const found = yield* scanJson(text);
  if (found === undefined) return {ok: false, detail: say`JSON nested more than ${MAX_DEPTH} levels deep`};
  // No text contains 96 bits of its own digest, so no string of the reply begins with them.
  const mark = found.some(({isNumber}) => isNumber)
    ? createHash('sha256').update(text).digest('base64').slice(0, 16)
    : '';
  const clean = yield* withReplacements(text, found, mark);
  yield;
  let value: unknown;
  try {
    value = JSON.parse(clean);
  } catch {
    // The parser's own message quotes the body, which must not be repeated.
    return {ok: false, detail: text.trim() === '' ? say`an empty body` : say`not JSON`};
  }
  yield;
  return {ok: true, value: mark === '' ? value : yield* withLongNumbers(value, mark)};
}

/** The exact text of a JSON number or a numeric string; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'string') return NUMERIC.test(value.trim()) ? value.trim() : undefined;
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

/** The names of the members of a valid JSON object, each as often as it occurs. */
export function memberNames(text: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      const isName = depth === 1 && matchAt(COLON, text, end + 1) !== undefined;
      if (isName) names.push(String(JSON.parse(text.slice(index, end + 1))));
      index = end;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return names;
}

/** What `JSON.parse` would reject or round: a bare token, or a number that a double cannot hold. */
type Replaced = {readonly start: number; readonly end: number; readonly isNumber: boolean};

/**
 * One pass over the text before it is parsed; undefined if it is nested too deeply. Strings, which make up most of a
 * reply, are skipped with `indexOf`, so this costs a fraction of the parsing.
 */
function* scanJson(text: string): Steps<readonly Replaced[] | undefined> {
  const found: Replaced[] = [];
  let depth = 0;
  let tokenCount = 0;
  const note = (start: number, end: number, isNumber: boolean) =>
    found.push({start: text[start - 1] === '-' ? start - 1 : start, end, isNumber});
  for (let index = 0; index < text.length; index += 1) {
    tokenCount += 1;
    if (tokenCount % TOKENS_PER_STEP === 0) yield;
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code >= 0x30 && code <= 0x39) {
      const end = endOfNumber(text, index);
      if (!isShort(text, index, end) && !isCertain(text.slice(index, end))) note(index, end, true);
      index = end - 1;
    } else if (code === 0x4e || code === 0x49) {
      const token = matchAt(BARE_TOKEN, text, index);
      if (token !== undefined) note(index, index + token.length, false);
      index += (token?.length ?? 1) - 1;
    }
  }
  return found;
}

/** The index of the closing quote, or the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** The index after a run of digits, points, signs and exponents. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || isExponent(code);
}

function isExponent(code: number): boolean {
  return code === 0x65 || code === 0x45;
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

/**
 * Whether a number has few digits, and an exponent of two at most: nearly all do, and none of these is cut out to be
 * looked at.
 */
function isShort(text: string, start: number, end: number): boolean {
  if (end - start > MAX_CERTAIN_DIGITS) return false;
  for (let index = start; index < end; index += 1) if (isExponent(text.charCodeAt(index))) return end - index <= 3;
  return true;
}

/** Counters in nanoseconds have sixteen digits, and comparing them as text would take as long as parsing the reply. */
function isCertain(token: string): boolean {
  if (isShort(token, 0, token.length)) return true;
  const held = Number(token);
  return (
    (token.length === MAX_CERTAIN_DIGITS + 1 && Number.isSafeInteger(held)) || String(held) === token || isHeld(token)
  );
}

/** Whether the nearest double prints as the same decimal. Compared as text, since a reply can be full of such numbers. */
function isHeld(token: string): boolean {
  const held = Number(token);
  return Number.isFinite(held) && decimalOf(token) === decimalOf(String(held));
}

/** A number in one form: its digits without zeros at either end, and the power of ten of the last one. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.slice(0, digits.length - zeroCountAtEnd(digits));
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** A pattern for these would look at each run of zeros within the digits from each of its places. */
function zeroCountAtEnd(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(digits.length - 1 - count) === ZERO) count += 1;
  return count;
}

/** Anything that is not a valid JSON number, or stands where a name has to be, is left for the parser to reject. */
function* withReplacements(text: string, found: readonly Replaced[], mark: string): Steps<string> {
  let clean = '';
  let from = 0;
  let count = 0;
  for (const {start, end, isNumber} of found) {
    count += 1;
    if (count % TOKENS_PER_STEP === 0) yield;
    const token = text.slice(start, end);
    if (isNumber && (!JSON_NUMBER.test(token) || matchAt(COLON, text, end) !== undefined)) continue;
    clean += text.slice(from, start) + (isNumber ? `"${mark}${token}"` : 'null');
    from = end;
  }
  return from === 0 ? text : clean + text.slice(from);
}

/**
 * The parsed value with the marked texts as numbers. Calling a function of ours for each value while parsing takes a
 * hundred times as long.
 */
function* withLongNumbers(value: unknown, mark: string): Steps<unknown> {
  if (typeof value === 'string') return value.startsWith(mark) ? JSON.rawJSON(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const names = Array.isArray(value) ? value.keys() : Object.keys(value);
  let count = 0;
  for (const name of names) {
    count += 1;
    if (count % TOKENS_PER_STEP === 0) yield;
    const each: unknown = Reflect.get(value, name);
    if (typeof each === 'string' ? each.startsWith(mark) : typeof each === 'object' && each !== null)
      Reflect.set(value, name, yield* withLongNumbers(each, mark));
  }
  return value;
}
