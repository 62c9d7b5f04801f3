import {oncePer} from './memo.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import {atOnce, type Steps} from './steps.ts';

const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** A key held in a closure: whatever prints, serialises or inspects it only gets the mask. */
export type Secret = {
  /** The text itself: for the request header, the redactor, the digest, and for the key file of a new profile. */
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
  readonly [INSPECT]: () => string;
};

/** The name of a kind of secret in messages. */
export type SecretWord = 'key' | 'token';

const MIN_KEY_LENGTH = 8;
/**
 * A signed token contains claims about its bearer: those of a Kubernetes service account have over a thousand
 * characters.
 */
const MAX_LENGTH = {key: 512, token: 4096};
/** Four characters of a shorter key would reveal too much of it. */
const MIN_LENGTH_TO_HINT = 16;
const HINT_LENGTH = 4;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

export function secret(text: string): Secret {
  const mask = maskOf(text);
  const show = () => mask;
  return Object.freeze({reveal: () => text, toString: show, toJSON: show, [INSPECT]: show});
}

/**
 * Whether a text can be a key or a bearer token at all: visible ASCII characters, 8 to 512 for a key. The error never
 * repeats the text, since it may be a key with a line break in it.
 */
export function checkKey(
  text: string,
  word: SecretWord = 'key',
): {readonly ok: true} | {readonly ok: false; readonly mistake: SafeText} {
  const mistake = mistakeIn(text, word);
  return mistake === undefined ? {ok: true} : {ok: false, mistake: say`the ${safeText(word)} ${mistake}`};
}

function mistakeIn(text: string, word: SecretWord): SafeText | undefined {
  if (text.length === 0) return say`is empty`;
  if (/\s/.test(text)) return say`contains white space or a line break`;
  if (!VISIBLE_ASCII.test(text)) return say`contains characters other than visible ASCII`;
  if (text.length < MIN_KEY_LENGTH) return say`is shorter than ${MIN_KEY_LENGTH} characters`;
  if (text.length > MAX_LENGTH[word]) return say`is longer than ${MAX_LENGTH[word]} characters`;
  return undefined;
}

/**
 * Replaces secrets by their masks, in all forms in which other texts may contain them: each character as URLs, JSON,
 * source code, mail or HTML write it, with anything but letters and digits between characters or not, its bytes as
 * numbers, and the whole as base64, also as part of a longer text. Case is ignored, since a host name or a hex digit
 * may come back in either. Parts of a secret that are too long to be an ordinary word are replaced as well. A key with
 * invisible or overstruck characters or accents inside reads like the key, so a text with one is returned without all
 * of these.
 */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const redactionOf = createSteppedRedactor(secrets);
  return text => atOnce(redactionOf(text));
}

/** The same in steps, for texts so long that a key would have to wait until they are redacted. */
export function createSteppedRedactor(secrets: readonly Secret[]): (text: string) => Steps<string> {
  const replacements = secrets
    .filter(each => each.reveal() !== '')
    .sort((left, right) => right.reveal().length - left.reveal().length)
    .map(each => ({...formsOf(each), mask: each.toString()}));
  function* isSuspect(text: string): Steps<boolean> {
    for (const {samples} of replacements) {
      if (hasSample(text, samples)) return true;
      yield;
    }
    return false;
  }
  function* withoutWhole(text: string, hasSamples: boolean): Steps<string> {
    const small = hasSamples ? text.toLowerCase() : '';
    let kept = text;
    for (const {plain, spelt, numbers, encoded, mask} of replacements) {
      const written = [plain, ...(CODES.test(kept) ? [spelt] : []), ...numbers];
      const present: RegExp[] = [];
      for (const {sign, pattern} of written) {
        if (sign.test(kept)) present.push(pattern);
        yield;
      }
      for (const {signs, groupSign, pattern} of encoded) {
        const isInGroups = groupSign !== undefined && kept.includes(groupSign);
        if (isInGroups || signs.some(sign => small.includes(sign))) present.push(pattern);
      }
      for (const pattern of present) {
        yield;
        kept = maskAll(kept, pattern, mask);
      }
    }
    return kept;
  }
  function* withoutHidden(text: string, hasSamples: boolean): Steps<string> {
    const redacted = yield* withoutWhole(text, hasSamples);
    if (replacements.length === 0 || !mayHide(redacted)) return redacted;
    const visible = yield* withoutInvisible(redacted);
    if (visible === redacted) return redacted;
    if ((yield* withoutWhole(visible, yield* isSuspect(visible))) === visible) return redacted;
    const whole = yield* withoutInvisible(text);
    return yield* withoutWhole(whole, yield* isSuspect(whole));
  }
  // Parts come last: a secret that something hides in, or that begins with another, has to be found in full before.
  return function* redact(text) {
    const hasSamples = yield* isSuspect(text);
    let kept = yield* withoutHidden(text, hasSamples);
    if (!(kept === text ? hasSamples : yield* isSuspect(kept))) return kept;
    for (const each of replacements) kept = yield* withoutRuns(kept, each);
    for (const each of replacements) kept = yield* withoutParts(kept, each);
    return kept;
  };
}

/**
 * Whether a text may contain consecutive characters of the key or of its base64: nearly none does, and one look at
 * every sixth character takes less time than a search for each of them.
 */
function hasSample(text: string, samples: Samples): boolean {
  for (let at = 0; at + SAMPLE_LENGTH <= text.length; at += SAMPLE_LENGTH) {
    if (!mayBeSample(text, at, samples)) continue;
    if (samples.joined.includes(text.slice(at, at + SAMPLE_LENGTH).toLowerCase())) return true;
  }
  if (samples.shorter.length === 0) return false;
  const small = text.toLowerCase();
  return samples.shorter.some(sign => small.includes(sign));
}

/** Read from its end, a text begins with the end of the secret, so the same patterns find that too. */
function* withoutParts(
  text: string,
  {parts, mask}: {readonly parts: Parts | undefined; readonly mask: string},
): Steps<string> {
  if (parts === undefined) return text;
  const small = text.toLowerCase();
  const has = (signs: readonly string[]) => signs.some(sign => small.includes(sign));
  const fromStart = has(parts.signs) ? yield* maskEach(text, parts.patterns, mask) : text;
  if (!has(parts.backwardSigns)) return fromStart;
  return backwards(yield* maskEach(backwards(fromStart), parts.patterns, backwards(mask)));
}

/** Of consecutive characters from anywhere in the key, read in either direction. */
function* withoutRuns(
  text: string,
  {runs, samples, mask}: {readonly runs: Runs | undefined; readonly samples: Samples; readonly mask: string},
): Steps<string> {
  if (runs === undefined) return text;
  let kept = '';
  let keptTo = 0;
  for (let at = 0; at + SAMPLE_LENGTH <= text.length; at += SAMPLE_LENGTH) {
    if (at % CHARACTERS_PER_STEP === 0) yield;
    if (at < keptTo || !mayBeSample(text, at, samples)) continue;
    const run = runAround(text, at, runs);
    if (run === undefined) continue;
    kept += text.slice(keptTo, Math.max(keptTo, run.start)) + mask;
    keptTo = run.end;
  }
  return keptTo === 0 ? text : kept + text.slice(keptTo);
}

/** Each half of it must be in the key or its base64: nearly no text passes, and nothing is allocated for it. */
function mayBeSample(text: string, at: number, {triples}: Samples): boolean {
  return triples[tripleAt(text, at)] === 1 && triples[tripleAt(text, at + TRIPLE_LENGTH)] === 1;
}

/** Three characters as a small number, the same for upper and lower case. */
function tripleAt(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return ((first & LOW_BITS) << (2 * LOW_BIT_COUNT)) | ((second & LOW_BITS) << LOW_BIT_COUNT) | (third & LOW_BITS);
}

/** The first run around the sample that is long enough; what is left of a longer one is found by its own samples. */
function runAround(text: string, at: number, directions: Runs): {start: number; end: number} | undefined {
  const sample = text.slice(at, at + SAMPLE_LENGTH).toLowerCase();
  for (const whole of directions) {
    for (let place = whole.indexOf(sample); place !== -1; place = whole.indexOf(sample, place + 1)) {
      let [start, end] = [at, at + SAMPLE_LENGTH];
      while (place > at - start && text[start - 1]?.toLowerCase() === whole[place - (at - start) - 1]) start -= 1;
      while (end < text.length && text[end]?.toLowerCase() === whole[place + (end - at)]) end += 1;
      if (end - start >= MIN_RUN_LENGTH) return {start, end};
    }
  }
  return undefined;
}

function* maskEach(text: string, patterns: readonly RegExp[], mask: string): Steps<string> {
  let kept = text;
  for (const pattern of patterns) {
    yield;
    kept = maskAll(kept, pattern, mask);
  }
  return kept;
}

function maskAll(text: string, pattern: RegExp, mask: string): string {
  return text.replaceAll(pattern, () => mask);
}

/** A list of characters would take many times the memory of a long text. */
function backwards(text: string): string {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < units.length; at += 1) units[at] = text.charCodeAt(units.length - 1 - at);
  let reversed = '';
  for (let at = 0; at < units.length; at += REVERSED_AT_ONCE) {
    reversed += String.fromCharCode(...units.subarray(at, at + REVERSED_AT_ONCE));
  }
  return reversed;
}

const REVERSED_AT_ONCE = 4096;

const UNPRINTABLE = /[^\t\n\r\x20-\x7e]/;
const SPELT_STARTS = ['\\b', '\\u', '<U+'];

/** Nearly all texts are plain, and need no further check. */
function mayHide(text: string): boolean {
  return UNPRINTABLE.test(text) || SPELT_STARTS.some(start => text.includes(start));
}

/** As JSON writes a character, and as safe text does. */
const SPELT_CHARACTER = /\\{1,9}u([0-9a-f]{4})|<U\+([0-9a-f]{4,5}|10[0-9a-f]{4})>/gi;
/** Accents included: letters with them are taken apart before. */
const INVISIBLE = /[[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]--[\t\n\r]]/v;
const EVERY_INVISIBLE = new RegExp(`${INVISIBLE.source}+`, 'gv');
/** Ligatures of a whole sentence: they have no plain letter inside, and a text of them would become eighteen times as long. */
const SENTENCES = /[\ufdfa\ufdfb]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences that a terminal obeys without a trace.
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** A character that the next one is written over, as in manual pages; the backspace as such, as safe text, as JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the character that is looked for.
const BACKSPACE = /[\u0008\u2408]|\\(?:b|u0008)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the character that is looked for.
const OVERSTRUCK = /[^\n](?:[\u0008\u2408]|\\{1,9}(?:b|u0008))/g;

/**
 * A text as a reader sees it: plain letters, without characters of zero width, in any spelling, without those that
 * others are written over, and without terminal sequences. Marks are removed before letters are taken apart as well,
 * since putting a long run of them in their order takes a time that grows with its square.
 */
function* withoutInvisible(text: string): Steps<string> {
  const last = BACKSPACE.test(text) ? text.replace(OVERSTRUCK, '') : text;
  yield;
  const unspelt = yield* withoutSpelling(last.replaceAll('␛', '\u001b'));
  yield;
  const shown = unspelt.replace(SEQUENCES, '');
  yield;
  const unmarked = shown.replace(EVERY_INVISIBLE, '');
  yield;
  const plain = unmarked.replace(SENTENCES, '\ufffd').normalize('NFKD');
  yield;
  return plain.replace(EVERY_INVISIBLE, '');
}

/** With each invisible character as itself if it is spelt. */
function* withoutSpelling(text: string): Steps<string> {
  let plain = '';
  let from = 0;
  let count = 0;
  for (const {0: spelt, 1: unit, 2: point, index} of text.matchAll(SPELT_CHARACTER)) {
    count += 1;
    if (count % MATCHES_PER_STEP === 0) yield;
    const character = String.fromCodePoint(Number.parseInt(unit ?? point ?? '', 16));
    if (!INVISIBLE.test(character)) continue;
    plain += text.slice(from, index) + character;
    from = index + spelt.length;
  }
  return plain + text.slice(from);
}

/** Every character code begins with one of these; most texts have none. */
const CODES = /[%\\&]|=[2-7][\da-f]/i;

function maskOf(text: string): string {
  return text.length >= MIN_LENGTH_TO_HINT ? `[key …${safeText(text.slice(-HINT_LENGTH))}]` : '[key]';
}

type Forms = {
  /** The key itself. */
  readonly plain: WrittenForm;
  /** Each of its characters in any spelling. */
  readonly spelt: WrittenForm;
  /** Its bytes as hex, decimal and octal numbers. */
  readonly numbers: readonly WrittenForm[];
  /** All of its bytes as base64. */
  readonly encoded: readonly EncodedForm[];
  /** None of a key that is hardly longer than an ordinary word. */
  readonly parts: Parts | undefined;
  readonly runs: Runs | undefined;
  readonly samples: Samples;
};

/**
 * A form in which a key may appear, and how that form begins: a text without the beginning cannot contain the form.
 * Nearly no text contains one, and a long pattern that is never used is never compiled: that of all spellings takes
 * 18 ms, which would delay the first answer.
 */
type WrittenForm = {readonly sign: RegExp; readonly pattern: RegExp};

/**
 * A form in which a key may appear, and parts of it in lower case: a text without any of these cannot contain the form.
 * Nearly no text contains one, and searching for them takes a fraction of the time of the pattern.
 */
type EncodedForm = {
  readonly signs: readonly string[];
  /** The first group of base64 that is written in groups of four, of the key alone. */
  readonly groupSign?: string;
  readonly pattern: RegExp;
};

/** The key in lower case, forwards and backwards. */
type Runs = readonly string[];

/**
 * What a text with a run, a part or an encoded form contains: six consecutive characters of `joined`, both halves of
 * which are in `triples`, or one of the texts that are too short for that.
 */
type Samples = {readonly triples: Uint8Array; readonly joined: string; readonly shorter: readonly string[]};

/** How a part of the key begins, from either end, in lower case: in a text read forwards and in one read backwards. */
type Parts = {
  readonly signs: readonly string[];
  readonly backwardSigns: readonly string[];
  readonly patterns: readonly RegExp[];
};

/** Cached, since they take longer to build than to use, and the same key is redacted in many places. */
const formsOf = oncePer((key: Secret): Forms => {
  const text = key.reveal().toWellFormed();
  const bytes = new TextEncoder().encode(text);
  const runs = text.match(/\\+|[^\\]/gu) ?? [];
  // With two bytes for each character, in either order: the last of them may be missing.
  const wide = text.length > MAX_LENGTH.key ? [] : [...text].flatMap(character => wideBytes(character)).slice(0, -1);
  const encoded = [bytes, ...(wide.length === 0 ? [] : [wide])].flatMap(each =>
    [0, 1, 2].map(offset => base64Form(each, offset)),
  );
  const own = text.replace(TOKEN_CLAIMS, '');
  const hasParts = VISIBLE_ASCII.test(own) && own.length > MIN_PART_LENGTH;
  return {
    plain: plainForm(text),
    spelt: writtenForm(runs, some => some.map(runPattern).join('')),
    numbers: [
      hexPattern,
      (some: readonly number[]) => numberPattern(some, 10),
      (some: readonly number[]) => numberPattern(some, 8),
    ].map(pattern => writtenForm([...bytes], pattern)),
    encoded,
    samples: samplesOf([...(hasParts ? directionsOf(own) : []), ...encoded.flatMap(({signs}) => signs)]),
    runs: hasParts && own.length > MIN_RUN_LENGTH ? directionsOf(own) : undefined,
    parts: hasParts ? partsOf(own) : undefined,
  };
});

function wideBytes(character: string): readonly number[] {
  return [...Array(character.length).keys()].flatMap(index => {
    const unit = character.charCodeAt(index);
    return [unit % BYTE, Math.floor(unit / BYTE)];
  });
}

const BYTE = 256;

/** Before its signature, a JSON Web Token says what it is and for whom. Others say the same, and it opens nothing. */
const TOKEN_CLAIMS = /^eyJ[\w=-]*\.[\w=-]*\./;

/** What a service may put between the characters of a key, or between groups of them. */
const GAP = String.raw`\s*`;
const ANY_SIGNS = '[^a-z0-9]*';

/**
 * The characters with white space between them; those of a key with enough letters and digits with any other signs
 * between these, or with its own left out. What may be between never begins as the next character does, so no text
 * matches in more than one way.
 */
function plainForm(text: string): WrittenForm {
  const spaced = (characters: string | readonly string[]) => [...characters].map(literal).join(GAP);
  const [, before = '', core = '', after = ''] = /^([^a-z0-9]*)(.*?)([^a-z0-9]*)$/is.exec(text) ?? [];
  const words = core.match(/[a-z0-9]/gi) ?? [];
  if (!VISIBLE_ASCII.test(text) || words.length < MIN_KEY_LENGTH) return writtenForm([...text], spaced);
  const start = before === '' ? '' : `(?:${spaced(before)}${GAP})?`;
  const end = after === '' ? '' : `(?:${GAP}${spaced(after)})?`;
  const sign = words.slice(0, SIGN_LENGTH).join(ANY_SIGNS);
  return {sign: new RegExp(sign, 'i'), pattern: anyCase(`${start}${words.join(ANY_SIGNS)}${end}`)};
}

/** How many characters of a key are unlikely enough in a text to be a sign of the rest. */
const SIGN_LENGTH = 4;

/**
 * The pattern of all parts of a key, and as its sign that of the first. Of several backslashes at its beginning the
 * last is enough for a sign: otherwise each of a million in a row would be tried with the eight after it.
 */
function writtenForm<Part>(parts: readonly Part[], patternOf: (some: readonly Part[]) => string): WrittenForm {
  const sign = patternOf(parts.slice(0, SIGN_LENGTH)).replace(BACKSLASHES, () => String.raw`\\`);
  return {sign: new RegExp(sign, 'i'), pattern: anyCase(patternOf(parts))};
}

/** `6239`, `62:39`, `<Buffer 62 39>`, `0x62, 0x39`, `=62=39`, `%u0062%u0039`, `U+0062 U+0039`, `62003900`. */
function hexPattern(bytes: readonly number[]): string {
  return bytes.map(hexOf).join(`${ANY_SIGNS}(?:(?:0?x)?00${ANY_SIGNS})?(?:0?x|u\\+?00)?`);
}

/** `98, 57` as in the JSON of a buffer, `98, 0, 57`, or `\142\071`. */
function numberPattern(bytes: readonly number[], base: 8 | 10): string {
  return bytes.map(byte => byte.toString(base)).join('[^a-z0-9]+(?:0{1,3}[^a-z0-9]+)?0{0,2}');
}

/** No ordinary word has more characters by chance in common with a key. */
const MIN_PART_LENGTH = 12;

/**
 * Of random characters, no other text has this many in common by chance, and a name that somebody chose is not in a key.
 * The rest of a shorter run would still have to be guessed.
 */
const MIN_RUN_LENGTH = 16;
/** One of these is whole within any run or part, wherever that begins. */
const SAMPLE_LENGTH = MIN_PART_LENGTH / 2;
/** What takes about a microsecond is done this many times in a step. */
const MATCHES_PER_STEP = 2048;
const CHARACTERS_PER_STEP = MATCHES_PER_STEP * SAMPLE_LENGTH;
const TRIPLE_LENGTH = SAMPLE_LENGTH / 2;
const LOW_BIT_COUNT = 5;
const LOW_BITS = 2 ** LOW_BIT_COUNT - 1;

function directionsOf(text: string): Runs {
  return [text, backwards(text)].map(each => each.toLowerCase());
}

function samplesOf(signs: readonly string[]): Samples {
  const triples = new Uint8Array(2 ** (TRIPLE_LENGTH * LOW_BIT_COUNT));
  for (const sign of signs) {
    for (let at = 0; at + TRIPLE_LENGTH <= sign.length; at += 1) triples[tripleAt(sign, at)] = 1;
  }
  const isShort = (sign: string) => sign.length < MIN_PART_LENGTH;
  return {triples, joined: signs.filter(sign => !isShort(sign)).join(' '), shorter: signs.filter(isShort)};
}

function partsOf(text: string): Parts {
  const directions = [text, backwards(text)];
  const signs = directions.map(each => each.slice(0, MIN_PART_LENGTH).toLowerCase());
  return {signs, backwardSigns: signs.map(backwards), patterns: directions.map(startPattern)};
}

/** At least the first characters of the text, and as many as follow of the rest. */
function startPattern(text: string): RegExp {
  const characters = [...text].map(literal);
  const rest = characters.slice(MIN_PART_LENGTH).map(each => `(?:${each})?`);
  return anyCase([...characters.slice(0, MIN_PART_LENGTH), ...rest].join(''));
}

function anyCase(source: string): RegExp {
  return new RegExp(source, 'gi');
}

function literal(character: string): string {
  return character.replace(SYNTAX, String.raw`\$&`);
}

/** What has a meaning in a regular expression. */
const SYNTAX = /[\^$.*+?()[\]{}|/\\-]/;

/** Backslashes double each time a text is quoted inside another. */
const BACKSLASHES = String.raw`\\{1,9}`;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {'"': 'quot', '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt'};

/** Adjacent backslashes are one run: repeated one by one, they could be counted in too many ways. */
function runPattern(run: string): string {
  const [character = ''] = run;
  if (character !== '\\') return characterPattern(run);
  const eachByItself = `(?:${characterPattern(character)}){${run.length}}`;
  return String.raw`(?:${eachByItself}|\\{${run.length},${9 * run.length}})`;
}

/**
 * One character in every spelling: itself, `%6B`, `=6B`, `\u006b`, `\x6b`, `&#107;`, `&#x6b;`, and what JSON puts a
 * backslash before.
 */
function characterPattern(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const bytes = [...new TextEncoder().encode(character)].map(hexOf);
  const units = [...Array(character.length).keys()].map(index => character.charCodeAt(index).toString(16));
  const hex = point.toString(16);
  const quoted = /[a-z0-9\\]/i.test(character) ? '' : '\\\\{0,9}';
  const named = NAMED_ENTITIES[character];
  return `(?:${[
    bytes.map(byte => `%(?:25){0,2}${byte}`).join(''),
    bytes.map(byte => `=${byte}`).join(''),
    `${BACKSLASHES}(?:${[
      units.map(unit => `u0{0,3}${unit}`).join(BACKSLASHES),
      String.raw`u\{0{0,6}${hex}\}`,
      `x${hex.padStart(2, '0')}`,
    ].join('|')})`,
    `&(?:amp;){0,2}#0{0,6}${point};?`,
    `&(?:amp;){0,2}#x0{0,6}${hex};?`,
    ...(named === undefined ? [] : [`&(?:amp;){0,2}${named};?`]),
    // Last, since a code may begin with the character it represents.
    quoted + literal(character),
  ].join('|')})`;
}

const BASE64_CHARACTER = '[a-z0-9+/_-]';
const BASE64_SPELLINGS: Readonly<Record<string, string>> = {'+': '(?:[+-]|%2b)', '/': String.raw`(?:\\?\/|_|%2f)`};
/** Base64 is folded into lines of 64 or 76 characters. */
const SHORTEST_LINE = 64;
const FOLD = String.raw`(?:\s|\\{1,9}[rn])*`;
const GROUP_LENGTH = 4;
const BITS_PER_CHARACTER = 6;
const BITS_PER_BYTE = 8;

/** The bytes as they appear in the base64 of a longer text, with this many bytes of a group of three before them. */
function base64Form(bytes: ArrayLike<number> & Iterable<number>, offset: number): EncodedForm {
  const padded = [...new Uint8Array(offset), ...bytes];
  // Characters that also contain bits of a neighbour can be anything; they are replaced with the rest.
  const firstWhole = Math.ceil((offset * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  const wholeCount = Math.floor((padded.length * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  const isTornAtEnd = (padded.length * BITS_PER_BYTE) % BITS_PER_CHARACTER !== 0;
  const core = btoa(String.fromCharCode(...padded)).slice(firstWhole, wholeCount);
  const spelt = [...core].map(character => BASE64_SPELLINGS[character] ?? character).join(FOLD);
  const before = offset === 0 ? '' : `${BASE64_CHARACTER}?`;
  const after = isTornAtEnd ? `${BASE64_CHARACTER}?` : '';
  return {
    signs: signsOf(core),
    ...(offset === 0 ? {groupSign: core.slice(0, GROUP_LENGTH)} : {}),
    pattern: anyCase(`${before}${spelt}${after}(?:=|%3d){0,2}`),
  };
}

/** Of a text folded into lines, one half of a line's length has no line break inside. */
function signsOf(core: string): readonly string[] {
  const half = Math.min(core.length, SHORTEST_LINE) / 2;
  return [core.slice(0, half), core.slice(half, 2 * half)].map(part => longestPart(part).toLowerCase());
}

/** Without the two characters that base64 has several spellings for. */
function longestPart(base64: string): string {
  return base64.split(/[+/]/).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
