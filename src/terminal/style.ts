/** How a cell is drawn. Equal styles are one object, so they are compared by identity. */
export type Style = {
  readonly id: number;
  readonly attributes: number;
  /** SGR parameters of the colour; `''` for the terminal's own. */
  readonly foreground: string;
  readonly background: string;
  /** The visible part of the style on a blank, where a foreground colour cannot be seen. */
  readonly onBlank: () => Style;
};

const BOLD = 1;
const FAINT = 2;
const ITALIC = 4;
const UNDERLINE = 8;
const INVERSE = 16;
const STRIKE = 32;

const ATTRIBUTES: readonly {readonly bit: number; readonly on: number; readonly off: number}[] = [
  {bit: BOLD, on: 1, off: 22},
  {bit: FAINT, on: 2, off: 22},
  {bit: ITALIC, on: 3, off: 23},
  {bit: UNDERLINE, on: 4, off: 24},
  {bit: INVERSE, on: 7, off: 27},
  {bit: STRIKE, on: 9, off: 29},
];

/** A theme needs a few dozen; beyond the limit the cache starts afresh, at the cost of some bytes. */
const MAX_STYLES = 4096;
const MAX_ID = 2 ** 26;
const interned = new Map<string, Style>();
const transitions = new Map<number, string>();
let nextId = 0;

export const PLAIN: Style = styleOf(0, '', '');

/** The style after an SGR sequence, and how many of its parameters we do not send (blink, conceal, unknown). */
export function afterSgr(style: Style, parameters: string): {readonly style: Style; readonly refusedCount: number} {
  let {attributes, foreground, background} = style;
  let refusedCount = 0;
  const codes = parameters.split(';').map(Number);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    const attribute = ATTRIBUTES.find(({on}) => on === code);
    if (code === 0) [attributes, foreground, background] = [0, '', ''];
    else if (attribute !== undefined) attributes |= attribute.bit;
    else if (code >= 22 && code <= 29) attributes &= ~bitsOff(code);
    else if (isColour(code, 30)) foreground = String(code);
    else if (isColour(code, 40)) background = String(code);
    else if (code === 39) foreground = '';
    else if (code === 49) background = '';
    else if (code === 38 || code === 48) {
      const length = codes[index + 1] === 5 ? 3 : codes[index + 1] === 2 ? 5 : 1;
      const colour = codes.slice(index, index + length);
      const isWhole = length > 1 && colour.length === length && colour.slice(1).every(part => part >= 0 && part <= 255);
      if (!isWhole) refusedCount += 1;
      else if (code === 38) foreground = colour.join(';');
      else background = colour.join(';');
      index += length - 1;
    } else refusedCount += 1;
  }
  return {style: styleOf(attributes, foreground, background), refusedCount};
}

/** The shortest sequence from one style to the other: only what changes, or a reset and everything that stays. */
export function transition(from: Style, to: Style): string {
  if (from === to) return '';
  const key = from.id * MAX_ID + to.id;
  const known = transitions.get(key);
  if (known !== undefined) return known;
  const fresh = sequence([0, ...onCodes(to)]);
  const changed = sequence(changedCodes(from, to));
  const shortest = to === PLAIN ? '\u001b[m' : changed.length <= fresh.length ? changed : fresh;
  if (transitions.size >= MAX_STYLES) transitions.clear();
  transitions.set(key, shortest);
  return shortest;
}

function styleOf(attributes: number, foreground: string, background: string): Style {
  const key = `${attributes}/${foreground}/${background}`;
  const known = interned.get(key);
  if (known !== undefined) return known;
  if (interned.size >= MAX_STYLES) {
    interned.clear();
    interned.set('0//', PLAIN);
  }
  nextId += 1;
  let blank: Style | undefined;
  const style: Style = {
    id: nextId,
    attributes,
    foreground,
    background,
    onBlank: () => {
      blank ??= blankOf(style);
      return blank;
    },
  };
  interned.set(key, style);
  return style;
}

function blankOf(style: Style): Style {
  const isSeen = (style.attributes & (UNDERLINE | INVERSE | STRIKE)) !== 0;
  return isSeen ? style : styleOf(0, '', style.background);
}

function changedCodes(from: Style, to: Style): readonly (number | string)[] {
  const off = new Set<number>();
  for (const {bit, off: code} of ATTRIBUTES) {
    if ((from.attributes & bit) !== 0 && (to.attributes & bit) === 0) off.add(code);
  }
  // Bold and faint share one off code, so the one that stays has to be set again.
  const kept = off.has(22) ? from.attributes & ~(BOLD | FAINT) : from.attributes;
  const on = ATTRIBUTES.filter(({bit}) => (to.attributes & bit) !== 0 && (kept & bit) === 0).map(({on: code}) => code);
  const foreground = from.foreground === to.foreground ? [] : [to.foreground === '' ? 39 : to.foreground];
  const background = from.background === to.background ? [] : [to.background === '' ? 49 : to.background];
  return [...off, ...on, ...foreground, ...background];
}

function onCodes(style: Style): readonly (number | string)[] {
  const attributes = ATTRIBUTES.filter(({bit}) => (style.attributes & bit) !== 0).map(({on}) => on);
  return [...attributes, style.foreground, style.background].filter(code => code !== '');
}

function sequence(codes: readonly (number | string)[]): string {
  return `\u001b[${codes.join(';')}m`;
}

function bitsOff(code: number): number {
  return ATTRIBUTES.reduce((bits, attribute) => (attribute.off === code ? bits | attribute.bit : bits), 0);
}

function isColour(code: number, base: 30 | 40): boolean {
  return (code >= base && code <= base + 7) || (code >= base + 60 && code <= base + 67);
}
