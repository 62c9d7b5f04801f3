import {type SafeText, safeText, say} from './safe-text.ts';

const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** A key held in a closure: whatever prints it, serialises it or inspects it gets only the mask. */
export type Secret = {
  /** The text itself: for the request header, for the redactor, and for the key file of a new profile. */
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
  readonly [INSPECT]: () => string;
};

const MIN_KEY_LENGTH = 8;
const MAX_KEY_LENGTH = 512;
/** Four characters of a shorter key would give too much of it away. */
const MIN_LENGTH_TO_HINT = 16;
const HINT_LENGTH = 4;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

export function secret(text: string): Secret {
  const mask = maskOf(text);
  const show = () => mask;
  return Object.freeze({reveal: () => text, toString: show, toJSON: show, [INSPECT]: show});
}

/**
 * Whether a text can be a key at all: 8 to 512 visible ASCII characters. The mistake never repeats the text, since
 * it may be a key with a line break in it.
 */
export function checkKey(text: string): {readonly ok: true} | {readonly ok: false; readonly mistake: SafeText} {
  if (text.length === 0) return {ok: false, mistake: say`The key is empty.`};
  if (/\s/.test(text)) return {ok: false, mistake: say`The key contains white space or a line break.`};
  if (!VISIBLE_ASCII.test(text))
    return {ok: false, mistake: say`The key contains characters other than visible ASCII.`};
  if (text.length < MIN_KEY_LENGTH)
    return {ok: false, mistake: say`The key is shorter than ${MIN_KEY_LENGTH} characters.`};
  if (text.length > MAX_KEY_LENGTH)
    return {ok: false, mistake: say`The key is longer than ${MAX_KEY_LENGTH} characters.`};
  return {ok: true};
}

/**
 * Replaces the secrets, and the forms in which they travel through other texts, by their masks. Capitals and small
 * letters count as the same, since a host name or a hex digit may come back in either.
 */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const replacements = secrets
    .flatMap(each => formsOf(each.reveal()).map(form => ({form, mask: each.toString()})))
    .sort((left, right) => right.form.length - left.form.length)
    .map(({form, mask}) => ({pattern: new RegExp(form.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi'), mask}));
  return text => replacements.reduce((kept, {pattern, mask}) => kept.replaceAll(pattern, () => mask), text);
}

function maskOf(text: string): string {
  return text.length >= MIN_LENGTH_TO_HINT ? `[key …${safeText(text.slice(-HINT_LENGTH))}]` : '[key]';
}

function formsOf(text: string): string[] {
  if (text.length === 0) return [];
  const bytes = [...new TextEncoder().encode(text)];
  const base64 = btoa(String.fromCharCode(...bytes));
  const base64Url = base64.replaceAll('+', '-').replaceAll('/', '_');
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0')).join('');
  const forms = [
    text,
    base64,
    base64.replace(/=+$/, ''),
    base64Url,
    base64Url.replace(/=+$/, ''),
    encodeURIComponent(text.toWellFormed()),
    JSON.stringify(text).slice(1, -1),
    hex,
  ];
  return [...new Set(forms)];
}
