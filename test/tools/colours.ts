import type {Cell, CellColour} from '../support/screen.ts';

type Rgb = readonly [red: number, green: number, blue: number];

/** A terminal's own two colours, those of cells that name none. */
export type Paper = {readonly ink: string; readonly ground: string};

export const DARK_PAPER: Paper = {ink: '#d8dee9', ground: '#11151c'};

const SIXTEEN = [
  ['#2a313c', '#e06c75', '#8fce7e', '#e5c07b', '#61a8f0', '#c678dd', '#56c2cf', '#c8ced9'],
  ['#6b7789', '#ff8790', '#a8e896', '#ffd98f', '#82c0ff', '#dc95f2', '#76dfec', '#ffffff'],
].flat();

// The 6×6×6 cube and the grey ramp are the same in every terminal since xterm.
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];
const CUBE_START = 16;
const GREY_START = 232;

/** How much of a dim character's colour stays, the rest being its background. */
const DIM_RATIO = 0.6;

/** The colours a cell is painted in, after inverse, dim and invisible. */
export function paintOf(cell: Cell, paper: Paper = DARK_PAPER): {ink: string; ground: string} {
  const fg = hexOf(cell.fg, paper.ink);
  const bg = hexOf(cell.bg, paper.ground);
  const [ink, ground] = cell.inverse ? [bg, fg] : [fg, bg];
  if (cell.invisible) return {ink: ground, ground};
  return {ink: cell.dim ? mixed(ink, ground, DIM_RATIO) : ink, ground};
}

function hexOf(colour: CellColour, fallback: string): string {
  if (colour === 'default') return fallback;
  return typeof colour === 'string' ? colour : paletteColour(colour);
}

/** The colour of a palette index 0–255. */
export function paletteColour(index: number): string {
  const named = SIXTEEN[index];
  if (named !== undefined) return named;
  if (index >= GREY_START) {
    const level = 8 + 10 * (index - GREY_START);
    return hex([level, level, level]);
  }
  const cube = index - CUBE_START;
  return hex([cubeLevel(Math.floor(cube / 36)), cubeLevel(Math.floor(cube / 6) % 6), cubeLevel(cube % 6)]);
}

function cubeLevel(step: number): number {
  return CUBE_LEVELS[step] ?? 0;
}

export function mixed(over: string, under: string, ratio: number): string {
  const [red, green, blue] = [0, 1, 2].map(channel => {
    const [a, b] = [channelOf(over, channel), channelOf(under, channel)];
    return Math.round(a * ratio + b * (1 - ratio));
  });
  return hex([red ?? 0, green ?? 0, blue ?? 0]);
}

function channelOf(colour: string, channel: number): number {
  return Number.parseInt(colour.slice(1 + channel * 2, 3 + channel * 2), 16);
}

function hex(rgb: Rgb): string {
  return `#${rgb.map(level => level.toString(16).padStart(2, '0')).join('')}`;
}
