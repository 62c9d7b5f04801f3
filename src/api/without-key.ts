import {oncePer} from '../domain/memo.ts';
import {createSteppedRedactor, type Secret} from '../domain/secret.ts';
import {atOnce, type Steps} from '../domain/steps.ts';

/**
 * A parsed body without secrets, in case a name in it repeats the key: everything shown, saved or cut to a width comes
 * from it. `text` is the body before parsing; the value is searched only if that contains a secret.
 */
export function* withoutKey(
  {secrets}: {readonly secrets: readonly Secret[]},
  text: string,
  value: unknown,
): Steps<unknown> {
  const redact = createSteppedRedactor(secrets);
  let isWhole = (yield* redact(text)) !== text;
  if (!isWhole && text.includes('\\')) {
    const joined = (yield* textsIn(value)).join(', ');
    isWhole = (yield* redact(joined)) !== joined;
  }
  let kept = isWhole ? yield* withTexts(value, redact) : value;
  for (const each of secrets) kept = yield* withoutSpreadKey(kept, each, isWhole ? each.toString() : undefined);
  return kept;
}

/** Takes a few milliseconds. */
const TEXTS_PER_STEP = 1024;

/** Shorter parts of a key are also ordinary words. */
const MIN_SPREAD_LENGTH = 12;

/** Shorter texts of one record are in a key by chance, in any order. */
const MIN_ROW_PIECE_LENGTH = 4;

/** Numbers at the end of names are in a key by chance. */
const MIN_WORD_LENGTH = 4;

/** Texts by the record or list they stand in, and their place there. */
type Places = Map<object, Set<string>>;

/** A text that is a piece of the key, and where it stands. */
type Piece = {readonly text: string; readonly holder: object; readonly place: string; readonly isMasked?: boolean};

/**
 * A value without a key that is spread over several records, a piece in each: a list or table shows the same field of
 * them below each other. Looks at the texts of each field in order, and at what stands after `team=` in labels or last
 * in names such as `train-a1b2`. A row
 * shows the fields of one record beside each other in an order of its own, so their order does not matter. `mask`:
 * what stands for parts of the key that were found alone.
 */
function* withoutSpreadKey(value: unknown, key: Secret, mask?: string): Steps<unknown> {
  const whole = key.reveal().toLowerCase();
  const least = Math.min(MIN_SPREAD_LENGTH, whole.length);
  const pieces = new Map<string, readonly Piece[]>();
  const found: Places = new Map();
  const hide = (run: readonly Piece[]) => {
    for (const {holder, place, isMasked} of run)
      if (isMasked !== true) found.set(holder, (found.get(holder) ?? new Set()).add(place));
  };
  const note = (field: string, text: string, holder: object, place: string): Piece | undefined => {
    if (text === '') return undefined;
    const piece = pieceOf(text, whole);
    if (piece === undefined) return void pieces.delete(field);
    const noted = {text: piece, holder, place};
    const run = [...(pieces.get(field) ?? []), noted];
    while (!whole.includes(run.map(each => each.text).join(''))) run.shift();
    pieces.set(field, run);
    const length = run.reduce((sum, each) => sum + each.text.length, 0);
    if (run.length > 1 && length >= least) hide(run);
    return noted;
  };
  const mayBePiece = pieceTest(key);
  let textCount = 0;
  // A record is an element of the outermost list around it; what is in no list is one as well.
  function* look(
    within: Readonly<Record<string, unknown>>,
    field: string,
    row: Piece[],
    isListed: boolean,
  ): Steps<void> {
    for (const place of Object.keys(within)) {
      textCount += 1;
      if (textCount % TEXTS_PER_STEP === 0) yield;
      const each = within[place];
      if (typeof each !== 'string') {
        if (!isRecord(each)) continue;
        const begins = !isListed && Array.isArray(within);
        const own = begins ? [] : row;
        yield* look(each, fieldAt(within, field, place), own, isListed || begins);
        if (begins && coveredLength(own, whole) >= least) hide(own);
      } else if (mask !== undefined && each.includes(mask)) {
        // Long enough to be masked by itself: what stands beside it may be the rest.
        row.push({text: whole.slice(0, least), holder: within, place, isMasked: true});
      } else if (mayBePiece(each)) {
        const piece = note(fieldAt(within, field, place), each, within, place);
        if (piece !== undefined && piece.text.length >= MIN_ROW_PIECE_LENGTH) row.push(piece);
      } else if (pieces.size > 0) pieces.delete(fieldAt(within, field, place));
    }
  }
  if (!isRecord(value)) return value;
  const outside: Piece[] = [];
  yield* look(value, '', outside, false);
  if (coveredLength(outside, whole) >= least) hide(outside);
  return found.size === 0 ? value : withoutFound(value, found, key.toString());
}

/** How much of the key the pieces are together. */
function coveredLength(pieces: readonly Piece[], whole: string): number {
  if (pieces.length < 2) return 0;
  const covered = new Set<number>();
  for (const {text} of pieces) {
    const start = whole.indexOf(text);
    for (let at = start; at < start + text.length; at += 1) covered.add(at);
  }
  return covered.size;
}

/** The name of a machine and that of its environment are two fields, of which one does not interrupt the other. */
function fieldAt(within: object, field: string, place: string): string {
  return Array.isArray(within) ? field : `${field}.${place}`;
}

/**
 * Tells from the last two characters of a text whether it can be, or end in, a piece of the key: nearly none can, and
 * this is many times faster than looking for it in the key. It rules out neither an empty text, which is shown as
 * nothing between two pieces, nor one with other characters than ASCII, whose small letters may be.
 */
const pieceTest = oncePer((key: Secret): ((text: string) => boolean) => {
  const lower = key.reveal().toLowerCase();
  const pairs = new Uint8Array(ASCII_COUNT * ASCII_COUNT);
  const casesOf = (character: string) => [character.charCodeAt(0), character.toUpperCase().charCodeAt(0)];
  for (const [index, character] of [...lower].entries()) {
    for (const last of casesOf(character)) {
      for (const before of ['=', ':', lower[index - 1] ?? '='].flatMap(casesOf)) pairs[before * ASCII_COUNT + last] = 1;
    }
  }
  return text => {
    if (text === '') return true;
    const last = text.charCodeAt(text.length - 1);
    const before = text.length === 1 ? EQUALS : text.charCodeAt(text.length - 2);
    return last >= ASCII_COUNT || before >= ASCII_COUNT || pairs[before * ASCII_COUNT + last] === 1;
  };
});

const ASCII_COUNT = 128;
const EQUALS = 0x3d;

function pieceOf(text: string, whole: string): string | undefined {
  if (text.length <= whole.length && whole.includes(text.toLowerCase())) return text.toLowerCase();
  const value = text.slice(text.search(/[=:]/) + 1).toLowerCase();
  if (value !== '' && value.length < text.length && whole.includes(value)) return value;
  // Of a name, its last word.
  const word = /[^a-z0-9]([a-z0-9]+)$/.exec(value)?.[1] ?? '';
  return word.length >= MIN_WORD_LENGTH && whole.includes(word) ? word : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value);
}

function withoutFound(within: unknown, found: Places, mask: string): unknown {
  if (!isRecord(within)) return within;
  const places = found.get(within);
  const entries = Object.entries(within).map(
    ([place, each]) => [place, places?.has(place) === true ? mask : withoutFound(each, found, mask)] as const,
  );
  return Array.isArray(within) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** All names and texts in a value, in order. */
function* textsIn(value: unknown): Steps<readonly string[]> {
  const texts: string[] = [];
  function* look(within: unknown): Steps<void> {
    if (typeof within === 'string') texts.push(within);
    if (!isRecord(within)) return;
    for (const name of Object.keys(within)) {
      if (!Array.isArray(within)) texts.push(name);
      if (texts.length % TEXTS_PER_STEP === 0) yield;
      yield* look(within[name]);
    }
  }
  yield* look(value);
  return texts;
}

type Change = (text: string) => Steps<string>;

/** Redacted in far less time than a slice lasts, so a rest after each of its steps would only cost time. */
const SHORT_TEXT_LENGTH = 4096;

function* withTexts(value: unknown, change: Change): Steps<unknown> {
  if (typeof value === 'string') return value.length > SHORT_TEXT_LENGTH ? yield* change(value) : atOnce(change(value));
  if (Array.isArray(value)) return (yield* withoutPieces(value, change)) ?? (yield* eachWithTexts(value, change));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const entries: (readonly [string, unknown])[] = [];
  for (const [name, each] of Object.entries(value)) {
    yield;
    entries.push([String(yield* withTexts(name, change)), yield* withTexts(each, change)]);
  }
  return Object.fromEntries(entries);
}

function* eachWithTexts(list: readonly unknown[], change: Change): Steps<readonly unknown[]> {
  const changed: unknown[] = [];
  for (const each of list) {
    yield;
    changed.push(yield* withTexts(each, change));
  }
  return changed;
}

/**
 * A list of bytes, or of pieces such as labels that are shown side by side, can contain the key of which no element has
 * a recognisable part. One text takes its place; undefined for any other list.
 */
function* withoutPieces(list: readonly unknown[], change: Change): Steps<readonly unknown[] | undefined> {
  if (!list.every(each => typeof each === 'number' || typeof each === 'string')) return undefined;
  const changed = yield* eachWithTexts(list, change);
  const joined = changed.join(', ');
  const hidden = yield* change(joined);
  return hidden === joined ? changed : [hidden];
}
