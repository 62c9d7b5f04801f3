import * as z from 'zod';
import {transform} from 'zod/mini';
import {parseDecimal, type Rational} from '../domain/money.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type EpochMs, parseTimestamp} from '../domain/time.ts';
import type {ParsedRecord, Quarantined} from './endpoint.ts';
import {numberText} from './json.ts';

/** The interface allows names of 50 characters. */
const MAX_SHORT_LENGTH = 256;

/**
 * The interface's fields as schemas. All but `requiredId` accept anything: an odd value costs only its field, because
 * one renamed field must not hide a machine that costs money.
 */

/** A field of our own reading. The other `transform` of zod makes a function for each value: half of a record's time. */
export const field = transform;

/**
 * The only required field. A number above 2^53 would be rounded to the id of another object. Zero is unusual but
 * accepted.
 */
export const requiredId = z.int().nonnegative();
/** Required when the name is the record's only identity. */
export const requiredName = z
  .string()
  .min(1)
  .transform(name => safeText(name, {maxLength: MAX_SHORT_LENGTH}));
/** Required where a record means nothing without it. */
export const requiredText = z
  .string()
  .min(1)
  .transform(text => safeText(text));
/** Text that is absent if null, empty or not a string: the service writes "none" in all three ways. */
export const text = field((value: unknown) => readText(value));
/** The same for names, states and addresses. Longer text is dropped, because 20,000 machines may each carry it. */
export const shortText = field((value: unknown) => readText(value, {maxLength: MAX_SHORT_LENGTH}));
/** An integer of zero or more. */
export const count = field(readCount);
/** The id of another object; absent if null or zero. */
export const reference = field(readReference);
/** A finite number of zero or more, also given as a string. */
export const amount = field(readAmount);
/** Memory or disk size in GB. An impossible size is dropped, because prices and shares are computed from it. */
export const gigabytes = field(readGigabytes);
/** An exact decimal, possibly negative, read from the number's own text. An impossible amount is dropped. */
export const decimal = field(readDecimal);
/** The same, zero or more: for prices and durations. */
export const positiveDecimal = field(readPositiveDecimal);
export const flag = field(readFlag);
export const moment = field(readMoment);
/** A name given as plain text or as an object with a `name`. */
export const nameOf = field(readName);
/** Words given as plain text or as objects with a `label`. */
export const labels = field(readLabels);

/** The same for a set that a person may replace: also says whether every element was read unchanged. */
export const labelSet = field(readLabelSet);

/** An object whose fields are all tolerant; absent if it is anything else. */
export function part<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined);
}

/** The readable elements of an array; none if it is anything else. */
export function list<Element extends z.core.$ZodType>(element: Element) {
  return field((value: unknown): z.output<Element>[] =>
    Array.isArray(value)
      ? value.flatMap(each => {
          const parsed = z.safeParse(element, each);
          return parsed.success ? [parsed.data] : [];
        })
      : [],
  );
}

/** The same, whether every element was readable, and whether the field was there at all. */
export function wholeList<Element extends z.core.$ZodType>(element: Element) {
  const elementsOf = list(element);
  return field((value: unknown) => {
    const elements = elementsOf.parse(value);
    const isWhole = Array.isArray(value) && elements.length === value.length;
    return {elements, isWhole, isGiven: value !== undefined};
  });
}

/**
 * A record parser from a schema and a function that converts the service's names to ours; another one names what a good
 * record has lost.
 */
export function recordOf<Schema extends z.ZodType, R>(
  schema: Schema,
  toDomain: (parsed: z.output<Schema>) => R,
  lostIn?: (parsed: z.output<Schema>) => Quarantined | undefined,
): (raw: unknown) => ParsedRecord<R> {
  return raw => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return {ok: false, fields: parsed.error.issues.map(issue => fieldName(issue.path))};
    const lost = lostIn?.(parsed.data);
    return {ok: true, value: toDomain(parsed.data), ...(lost === undefined ? {} : {lost: [lost]})};
  };
}

/** A name that is a whole record: plain text, or an object of which only the `name` is used. */
export function readWord(raw: unknown): ParsedRecord<SafeText> {
  const name = readName(raw);
  return name === undefined ? {ok: false, fields: [say`the record itself`]} : {ok: true, value: name};
}

type Present<T> = {[K in keyof T as undefined extends T[K] ? never : K]: T[K]} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out undefined values: absent and undefined mean the same here. */
export function present<T extends object>(fields: T): Present<T>;
export function present(fields: Readonly<Record<string, unknown>>): object {
  // V8 turns an object built field by field into a dictionary after a dozen fields, which takes four times the memory.
  const entries: (readonly [string, unknown])[] = [];
  // Not with `Object.entries`: of an absent field, it would make an entry that is larger than the field.
  for (const name in fields) if (fields[name] !== undefined) entries.push([name, fields[name]]);
  return Object.fromEntries(entries);
}

/** Converts a value if there is one. */
export function mapped<From, To>(value: From | undefined, to: (value: From) => To): To | undefined {
  return value === undefined ? undefined : to(value);
}

/** The array under one of several spellings of a key; a single object there counts as an array of one. */
export function under(body: unknown, ...keys: readonly string[]): readonly unknown[] | undefined {
  if (!isObject(body)) return undefined;
  const found = keys.map(key => body[key]).find(value => Array.isArray(value) || isObject(value));
  return found === undefined ? undefined : Array.isArray(found) ? found : [found];
}

/** The object under a key, if there is one. */
export function inside(body: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const value = isObject(body) ? body[key] : undefined;
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(value: unknown, bound?: {readonly maxLength: number}): SafeText | undefined {
  return typeof value === 'string' && value !== '' ? safeText(value, bound) : undefined;
}

export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const written = numberText(value);
  const number = written === undefined ? Number.NaN : Number(written);
  return Number.isFinite(number) ? number : undefined;
}

function readAmount(value: unknown): number | undefined {
  const number = readNumber(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** A pebibyte: the maximum for a new volume, and more than any machine has. */
const MAX_GIGABYTES = 1_048_576;

function readGigabytes(value: unknown): number | undefined {
  const size = readAmount(value);
  return size !== undefined && size <= MAX_GIGABYTES ? size : undefined;
}

function readCount(value: unknown): number | undefined {
  const number = readNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function readReference(value: unknown): number | undefined {
  return readCount(value) || undefined;
}

/** In dollars or minutes: larger than any account, and longer than any cloud has existed. */
const MAX_DECIMAL = 1_000_000_000_000n;

function readDecimal(value: unknown): Rational | undefined {
  const written = numberText(value);
  const read = written === undefined ? undefined : parseDecimal(written);
  if (read === undefined) return undefined;
  const {numerator, denominator} = read;
  return (numerator < 0n ? -numerator : numerator) > MAX_DECIMAL * denominator ? undefined : read;
}

export function readPositiveDecimal(value: unknown): Rational | undefined {
  const read = readDecimal(value);
  return read === undefined || read.numerator < 0n ? undefined : read;
}

function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function readMoment(value: unknown): EpochMs | undefined {
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

function readName(value: unknown): SafeText | undefined {
  return readText(isObject(value) ? value.name : value, {maxLength: MAX_SHORT_LENGTH});
}

function readLabels(value: unknown): readonly SafeText[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap(each => readText(isObject(each) ? each.label : each) ?? []);
}

function readLabelSet(value: unknown) {
  const words = readLabels(value);
  const texts: readonly unknown[] = Array.isArray(value) ? value.map(each => (isObject(each) ? each.label : each)) : [];
  const isWhole =
    Array.isArray(value) && texts.length === words.length && texts.every((text, at) => text === words[at]);
  return {words, isWhole};
}

function fieldName(path: readonly PropertyKey[]): SafeText {
  return path.length === 0 ? say`the record itself` : safeText(path.map(String).join('.'));
}
