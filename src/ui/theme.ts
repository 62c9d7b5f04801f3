import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {ColourDepth} from '../terminal/abilities.ts';
import type {Glyphs} from '../terminal/glyphs.ts';

/** The meaning of a colour. A tone never stands alone: a word or a shape beside it says the same. */
export const TONES = [
  'text',
  'dim',
  'strong',
  'good',
  'warning',
  'danger',
  'notice',
  'accent',
  'money',
  'header',
  'title',
  'border',
  'focus',
  'key',
  'link',
  'series',
  // Old data, and data whose link is down.
  'stale',
  // A strip that must be noticed: dry run, read-only, a dialog that deletes.
  'loud',
  // The row under the cursor; combines with any other tone.
  'cursor',
  'marked',
  // The cell under the text cursor.
  'caret',
] as const;
export type Tone = (typeof TONES)[number];

export type Tones = Tone | readonly Tone[];

export type Theme = {
  readonly depth: ColourDepth;
  readonly glyphs: Glyphs;
  /** SGR parameters for the tones combined, `''` for plain text. Later colours win, attributes add up. */
  readonly sgr: (tones: Tones | undefined) => string;
  readonly paint: (tones: Tones | undefined, text: string) => string;
};

type Hex = `#${string}`;
type Attribute = 'bold' | 'faint' | 'underline' | 'inverse';

/** How a tone looks in every theme, apart from its colour. */
type Weight = {
  readonly attributes?: readonly Attribute[];
  /** Attributes that express without colours what the colour would. */
  readonly plain?: readonly Attribute[];
  /** The colour is that of the background. */
  readonly isBackground?: boolean;
};

/** A theme's colour for a tone, and its SGR code for terminals with sixteen colours. */
type Colour = {readonly hex?: Hex; readonly ansi?: number; readonly attributes?: readonly Attribute[]};

/** A theme as data: a missing tone has the terminal's own colour. */
export type Palette = Readonly<Partial<Record<Tone, Colour>>>;

const ATTRIBUTE_CODES: Readonly<Record<Attribute, number>> = {bold: 1, faint: 2, underline: 4, inverse: 7};

const WEIGHTS: Readonly<Record<Tone, Weight>> = {
  text: {},
  dim: {plain: ['faint']},
  strong: {attributes: ['bold']},
  good: {},
  warning: {plain: ['bold']},
  danger: {attributes: ['bold']},
  notice: {},
  accent: {plain: ['bold']},
  money: {plain: ['bold']},
  header: {attributes: ['bold']},
  title: {attributes: ['bold']},
  border: {plain: ['faint']},
  focus: {plain: ['bold']},
  key: {attributes: ['bold']},
  link: {attributes: ['underline']},
  series: {},
  stale: {attributes: ['faint']},
  loud: {attributes: ['bold', 'inverse']},
  cursor: {plain: ['inverse'], isBackground: true},
  marked: {attributes: ['bold']},
  caret: {attributes: ['inverse']},
};

/** The built-in themes by name, to be chosen in the settings. */
export const PALETTES = {
  dark: {
    dim: {hex: '#9a9a9a', ansi: 2},
    good: {hex: '#5fd787', ansi: 32},
    warning: {hex: '#ffaf5f', ansi: 33},
    danger: {hex: '#ff6b6b', ansi: 31},
    notice: {hex: '#5fd7ff', ansi: 36},
    accent: {hex: '#87afff', ansi: 36},
    money: {hex: '#e4c95b', ansi: 33},
    title: {hex: '#87d7d7', ansi: 36},
    border: {hex: '#7c7c8a', ansi: 2},
    focus: {hex: '#5fd7ff', ansi: 36},
    key: {hex: '#d7afff', ansi: 35},
    link: {hex: '#87afff', ansi: 34},
    series: {hex: '#5fd7af', ansi: 32},
    loud: {hex: '#ffaf5f', ansi: 33},
    cursor: {hex: '#33374d'},
    marked: {hex: '#d7afff', ansi: 35},
  },
  light: {
    dim: {hex: '#616161', ansi: 2},
    good: {hex: '#007a33', ansi: 32},
    warning: {hex: '#a84a00', ansi: 33},
    danger: {hex: '#c4001a', ansi: 31},
    notice: {hex: '#00678f', ansi: 36},
    accent: {hex: '#1b4fc4', ansi: 36},
    money: {hex: '#5c6400', ansi: 33},
    title: {hex: '#005f5f', ansi: 36},
    border: {hex: '#75757f', ansi: 2},
    focus: {hex: '#00678f', ansi: 36},
    key: {hex: '#7b1fa2', ansi: 35},
    link: {hex: '#1b4fc4', ansi: 34},
    series: {hex: '#00705a', ansi: 32},
    loud: {hex: '#9a5200', ansi: 33},
    cursor: {hex: '#dbe4ff'},
    marked: {hex: '#7b1fa2', ansi: 35},
  },
  // For a black background: a contrast of at least seven to one for all text and edges, and nothing made fainter.
  'high-contrast': {
    dim: {hex: '#d0d0d0', ansi: 37},
    good: {hex: '#00ff5f', ansi: 92},
    warning: {hex: '#ffaf00', ansi: 93},
    danger: {hex: '#ff8f8f', ansi: 91},
    notice: {hex: '#5fffff', ansi: 96},
    accent: {hex: '#a0c8ff', ansi: 96},
    money: {hex: '#ffff5f', ansi: 93},
    title: {hex: '#87ffff', ansi: 96},
    border: {hex: '#c0c0c0', ansi: 37},
    focus: {hex: '#5fffff', ansi: 96},
    key: {hex: '#ffafff', ansi: 95},
    link: {hex: '#a0c8ff', ansi: 94},
    series: {hex: '#5fffaf', ansi: 92},
    stale: {hex: '#b8b8b8', ansi: 37, attributes: []},
    loud: {hex: '#ffd700', ansi: 93},
    cursor: {hex: '#00005f'},
    marked: {hex: '#ffafff', ansi: 95},
  },
} as const satisfies Readonly<Record<string, Palette>>;

export const THEME_NAMES: readonly string[] = Object.keys(PALETTES);

function isPaletteName(name: string): name is keyof typeof PALETTES {
  return Object.hasOwn(PALETTES, name);
}

/** What a name stands for, or what is wrong with it. */
export type Chosen<Value> =
  | {readonly ok: true; readonly value: Value}
  | {readonly ok: false; readonly mistake: SafeText};

/**
 * A theme by its name: a person's own, whose file `readFile` reads (undefined if there is none; it may throw), or else
 * built-in. Own first, so that a theme built in later changes nobody's. An error names the file, the key and what is
 * allowed.
 */
export function paletteNamed(
  name: string,
  readFile: () => {readonly path: string; readonly content: unknown} | undefined,
): Chosen<Palette> {
  try {
    const file = readFile();
    if (file !== undefined) {
      const parsed = parsePalette(file.content);
      if (parsed.ok) return {ok: true, value: parsed.palette};
      return {ok: false, mistake: say`the theme ${safeText(file.path)}: ${safeText(parsed.mistake)}`};
    }
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    return {ok: false, mistake: say`the theme ${safeText(name)}: ${reason}`};
  }
  if (isPaletteName(name)) return {ok: true, value: PALETTES[name]};
  const builtIn = safeText(THEME_NAMES.join(', '));
  return {
    ok: false,
    mistake: say`no theme ${safeText(name)}: there are auto, ${builtIn} and themes/*.json in the settings folder`,
  };
}

/**
 * A theme from a file: `{"extends": "dark", "colors": {"danger": "#ff5f5f"}}`. Colours it does not name come from the
 * theme it extends (dark by default). An error names the key and what is allowed.
 */
export function parsePalette(
  value: unknown,
): {readonly ok: true; readonly palette: Palette} | {readonly ok: false; readonly mistake: string} {
  const fields = fieldsOf(value);
  if (fields === undefined) return {ok: false, mistake: 'not a JSON object'};
  const unknown = [...fields.keys()].find(key => key !== 'extends' && key !== 'colors');
  if (unknown !== undefined)
    return {ok: false, mistake: `${unknown}: not a key of a theme; there are: extends, colors`};
  const base = fields.get('extends') ?? 'dark';
  if (typeof base !== 'string' || !isPaletteName(base)) {
    return {ok: false, mistake: `extends: one of ${THEME_NAMES.join(', ')}`};
  }
  const colours = fieldsOf(fields.get('colors') ?? {});
  if (colours === undefined) return {ok: false, mistake: 'colors: not a JSON object'};
  const palette: Partial<Record<Tone, Colour>> = {...PALETTES[base]};
  for (const [key, colour] of colours) {
    const tone = TONES.find(name => name === key);
    if (tone === undefined)
      return {ok: false, mistake: `colors.${key}: no such colour; there are: ${TONES.join(', ')}`};
    if (!isHex(colour)) return {ok: false, mistake: `colors.${key}: a colour as #rrggbb`};
    palette[tone] = {...palette[tone], hex: colour};
  }
  return {ok: true, palette};
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? new Map<string, unknown>(Object.entries(value)) : undefined;
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

const FAINT = 2;
/** More combinations than a deck has; further ones are computed each time. */
const MAX_REMEMBERED = 512;

export function createTheme({
  depth,
  palette,
  glyphs,
}: {
  readonly depth: ColourDepth;
  readonly palette: Palette;
  readonly glyphs: Glyphs;
}): Theme {
  const remembered = new Map<string, string>();
  const sgr = (tones: Tones | undefined): string => {
    const key = tones === undefined ? 'text' : typeof tones === 'string' ? tones : tones.join(' ');
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const made = sgrOf(tones === undefined ? ['text'] : typeof tones === 'string' ? [tones] : tones, depth, palette);
    if (remembered.size < MAX_REMEMBERED) remembered.set(key, made);
    return made;
  };
  const paint = (tones: Tones | undefined, text: string): string => {
    const codes = sgr(tones);
    return codes === '' || text === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
  };
  return {depth, glyphs, sgr, paint};
}

function sgrOf(tones: readonly Tone[], depth: ColourDepth, palette: Palette): string {
  const attributes = new Set<number>();
  let foreground = '';
  let behind = '';
  for (const tone of tones) {
    const {plain = [], isBackground = false, ...weight} = WEIGHTS[tone];
    const look = depth === 'none' ? {} : (palette[tone] ?? {});
    const colour = colourOf(look, depth, isBackground);
    const isPlain = colour === '';
    const always = look.attributes ?? weight.attributes ?? [];
    for (const attribute of isPlain ? [...always, ...plain] : always) attributes.add(ATTRIBUTE_CODES[attribute]);
    if (isPlain) continue;
    if (colour === String(FAINT)) attributes.add(FAINT);
    else if (isBackground) behind = colour;
    else foreground = colour;
  }
  return [...[...attributes].sort((left, right) => left - right), foreground, behind]
    .filter(code => code !== '')
    .join(';');
}

function colourOf({hex, ansi}: Colour, depth: ColourDepth, isBackground: boolean): string {
  if (depth === 'none') return '';
  if (depth === '16') return ansi === undefined ? '' : String(ansi);
  if (hex === undefined) return '';
  const plane = isBackground ? 48 : 38;
  return depth === '256' ? `${plane};5;${nearestOf256(hex)}` : `${plane};2;${channels(hex).join(';')}`;
}

export function channels(hex: string): readonly [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}

/** The nearest colour of the 6×6×6 cube or of the grey ramp, by squared distance. */
export function nearestOf256(hex: string): number {
  const wanted = channels(hex);
  let best = 16;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let index = 16; index < 256; index++) {
    const distance = squaredDistance(wanted, colourOf256(index));
    if (distance < bestDistance) [best, bestDistance] = [index, distance];
  }
  return best;
}

/** xterm's palette: the cube has the steps 0, 95, 135, …, 255, and the ramp 8, 18, …, 238. */
function colourOf256(index: number): readonly [number, number, number] {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const step = (level: number): number => (level === 0 ? 0 : 55 + 40 * level);
  const cube = index - 16;
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
}

function squaredDistance(left: readonly [number, number, number], right: readonly [number, number, number]): number {
  return (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 + (left[2] - right[2]) ** 2;
}
