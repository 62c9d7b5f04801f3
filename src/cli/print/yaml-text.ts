import {safeText} from '../../domain/safe-text.ts';
import {escapedForTerminal, type JsonOptions, shownValue} from './json-text.ts';

/** What every YAML reader takes for a string without quotes: words of letters, none of which has a special meaning. */
const PLAIN_TEXT = /^_*[a-z][\w./+-]*(?: [\w./+-]+)*$/i;
const MEANS_SOMETHING = /^(?:y|n|yes|no|on|off|true|false|null|e[+-]?\d+)$/i;
/** A longer key has to be marked as one. */
const MAX_KEY_LENGTH = 1000;
const HALF_PAIR = /\p{Surrogate}/gu;
const EXPONENT = /^(-?\d+)(\.\d+)?e([+-]?)(\d+)$/i;

/**
 * A value as block YAML that readers of 1.1 and 1.2 read as the same value as the JSON, with one line break at the end.
 * Strings that could mean anything else are in double quotes, with the characters escaped that a terminal would obey,
 * hide or reorder.
 */
export function yamlText(value: unknown, {showsSecrets}: Pick<JsonOptions, 'showsSecrets'>): string {
  return `${blockLines(shownValue(value, showsSecrets)).join('\n')}\n`;
}

function blockLines(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap(each => under('- ', blockLines(each)));
  if (!isBranch(value) || Array.isArray(value)) return [scalar(value)];
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return ['{}'];
  return fields.flatMap(([name, field]) => {
    const [key, lines] = [scalar(name), blockLines(field)];
    if (key.length > MAX_KEY_LENGTH) return [`? ${key}`, ...under(': ', lines)];
    const isBelow = isBranch(field) && Object.keys(field).length > 0;
    return isBelow ? [`${key}:`, ...lines.map(line => `  ${line}`)] : [`${key}: ${lines[0] ?? ''}`];
  });
}

function under(mark: string, [first = '', ...rest]: readonly string[]): readonly string[] {
  return [`${mark}${first}`, ...rest.map(line => `${' '.repeat(mark.length)}${line}`)];
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value);
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : quoted(value);
  return (JSON.stringify(value) ?? 'null').replace(EXPONENT, withPoint);
}

function isPlain(text: string): boolean {
  return PLAIN_TEXT.test(text) && !MEANS_SOMETHING.test(text);
}

/**
 * Half a surrogate pair is not valid YAML, not even as an escape. It is shown as in tables, since two names may differ
 * in it alone.
 */
function quoted(text: string): string {
  return escapedForTerminal(JSON.stringify(text.replaceAll(HALF_PAIR, half => safeText(half))), character => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Readers of 1.1 recognise an exponent only with a decimal point and a sign. */
function withPoint(_all: string, whole: string, fraction = '.0', sign: string, exponent: string): string {
  return `${whole}${fraction}e${sign === '' ? '+' : sign}${exponent}`;
}
