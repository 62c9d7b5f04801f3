import type {Glyphs} from '../terminal/glyphs.ts';

/** What a colour means. A tone never carries a meaning alone: a word or a shape beside it says the same. */
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
  'threshold',
  // Old data, and data whose link is down.
  'stale',
  // A strip that has to be seen: dry run, read-only, a dialog that deletes.
  'loud',
  // The row under the cursor; combines with any other tone.
  'cursor',
  'marked',
  // The cell under the text cursor.
  'caret',
] as const;
export type Tone = (typeof TONES)[number];

export type Tones = Tone | readonly Tone[];

export type ColourDepth = 'none' | '16' | '256' | 'truecolor';

export type Background = 'dark' | 'light';

export type Theme = {
  readonly depth: ColourDepth;
  readonly background: Background;
  readonly glyphs: Glyphs;
  /** SGR parameters for the tones together, `''` for plain text. Later colours win, attributes add up. */
  readonly sgr: (tones: Tones | undefined) => string;
  readonly paint: (tones: Tones | undefined, text: string) => string;
};

type Hex = `#${string}`;
type Attribute = 'bold' | 'faint' | 'underline' | 'inverse';
type Look = {
  readonly attributes?: readonly Attribute[];
  /** Attributes that say without colours what the colour says with them. */
  readonly plain?: readonly Attribute[];
  /** The SGR code of sixteen colours. */
  readonly ansi?: number;
  readonly dark?: Hex;
  readonly light?: Hex;
  /** The colours belong to the background. */
  readonly isBackground?: boolean;
};

const ATTRIBUTE_CODES: Readonly<Record<Attribute, number>> = {bold: 1, faint: 2, underline: 4, inverse: 7};

const LOOKS: Readonly<Record<Tone, Look>> = {
  text: {},
  dim: {plain: ['faint'], attributes: [], ansi: 2, dark: '#9a9a9a', light: '#616161'},
  strong: {attributes: ['bold']},
  good: {ansi: 32, dark: '#5fd787', light: '#007a33'},
  warning: {plain: ['bold'], ansi: 33, dark: '#ffaf5f', light: '#9a5200'},
  danger: {attributes: ['bold'], ansi: 31, dark: '#ff6b6b', light: '#c4001a'},
  notice: {ansi: 36, dark: '#5fd7ff', light: '#00678f'},
  accent: {plain: ['bold'], ansi: 36, dark: '#87afff', light: '#1b4fc4'},
  money: {plain: ['bold'], ansi: 33, dark: '#e4c95b', light: '#7a5a00'},
  header: {attributes: ['bold']},
  title: {attributes: ['bold'], ansi: 36, dark: '#87d7d7', light: '#005f5f'},
  border: {plain: ['faint'], ansi: 2, dark: '#7c7c8a', light: '#75757f'},
  focus: {plain: ['bold'], ansi: 36, dark: '#5fd7ff', light: '#00678f'},
  key: {attributes: ['bold'], ansi: 35, dark: '#d7afff', light: '#7b1fa2'},
  link: {attributes: ['underline'], ansi: 34, dark: '#87afff', light: '#1b4fc4'},
  series: {ansi: 32, dark: '#5fd7af', light: '#00705a'},
  threshold: {ansi: 31, dark: '#ff8787', light: '#b3261e'},
  stale: {attributes: ['faint']},
  loud: {attributes: ['bold', 'inverse'], ansi: 33, dark: '#ffaf5f', light: '#9a5200'},
  cursor: {plain: ['inverse'], dark: '#33374d', light: '#dbe4ff', isBackground: true},
  marked: {attributes: ['bold'], ansi: 35, dark: '#d7afff', light: '#7b1fa2'},
  caret: {attributes: ['inverse']},
};

const FAINT = 2;
/** More combinations than a deck has; beyond them the answer is made anew each time. */
const MAX_REMEMBERED = 512;

export function createTheme({
  depth,
  background,
  glyphs,
}: {
  readonly depth: ColourDepth;
  readonly background: Background;
  readonly glyphs: Glyphs;
}): Theme {
  const remembered = new Map<string, string>();
  const sgr = (tones: Tones | undefined): string => {
    if (tones === undefined || tones === 'text') return '';
    const key = typeof tones === 'string' ? tones : tones.join(' ');
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const made = sgrOf(typeof tones === 'string' ? [tones] : tones, depth, background);
    if (remembered.size < MAX_REMEMBERED) remembered.set(key, made);
    return made;
  };
  const paint = (tones: Tones | undefined, text: string): string => {
    const codes = sgr(tones);
    return codes === '' || text === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
  };
  return {depth, background, glyphs, sgr, paint};
}

function sgrOf(tones: readonly Tone[], depth: ColourDepth, background: Background): string {
  const attributes = new Set<number>();
  let foreground = '';
  let behind = '';
  for (const tone of tones) {
    const look = LOOKS[tone];
    const colour = colourOf(look, depth, background);
    const isPlain = colour === '';
    for (const attribute of [...(look.attributes ?? []), ...(isPlain ? (look.plain ?? []) : [])]) {
      attributes.add(ATTRIBUTE_CODES[attribute]);
    }
    if (isPlain) continue;
    if (colour === String(FAINT)) attributes.add(FAINT);
    else if (look.isBackground === true) behind = colour;
    else foreground = colour;
  }
  return [...[...attributes].sort((left, right) => left - right), foreground, behind]
    .filter(code => code !== '')
    .join(';');
}

function colourOf(look: Look, depth: ColourDepth, background: Background): string {
  if (depth === 'none') return '';
  if (depth === '16') return look.ansi === undefined ? '' : String(look.ansi);
  const hex = background === 'dark' ? look.dark : look.light;
  if (hex === undefined) return '';
  const plane = look.isBackground === true ? 48 : 38;
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
