import type {PictureSize} from '../tools/scene.ts';
import {openSteppedDeck, type SteppedDeck} from '../tools/stepped-deck.ts';
import {minimalDiffBytes} from './cell-diff-bound.ts';
import {type CellGrid, gridOf} from './cell-grid.ts';
import {watchPenLook} from './pen-look.ts';
import type {Figure} from './report.ts';
import {median} from './statistics.ts';

/** The bytes that a change sent, and the minimum for it. */
type Cost = {readonly sentBytes: number; readonly leastBytes: number};

type Watched = SteppedDeck & {readonly grid: () => CellGrid};

/** The same key repeated, or different ones. Their costs are added up. */
type Gesture = {readonly name: string; readonly keys: readonly string[]; readonly undoneBy?: readonly string[]};

const GESTURES: readonly Gesture[] = [
  {name: 'j, 8 times', keys: Array.from({length: 8}, () => 'j')},
  {name: 'k, 8 times', keys: Array.from({length: 8}, () => 'k')},
  {name: 'G', keys: ['G'], undoneBy: ['g']},
  {name: '/', keys: ['/']},
  {name: 'typing tra', keys: ['t', 'r', 'a']},
  {name: 'esc of the filter', keys: ['esc']},
  {name: 'p, the power menu', keys: ['p']},
  {name: 'esc of the menu', keys: ['esc']},
];
const SIZES: readonly PictureSize[] = [
  {columns: 120, rows: 35},
  {columns: 200, rows: 50},
];
const TARGET_RATIO = 1.05;
const LOADING_MS = 12_000;
/**
 * A key is painted at once. What it makes the deck read arrives 23 ms later and is drawn another quarter of a second
 * later.
 */
const KEY_MS = 20;
const SETTLING_MS = 2000;
/** Only time distinguishes an escape from the start of a sequence. */
const ESCAPE_MS = 150;
/** Short enough that two repaints rarely fall into one step. */
const STEP_MS = 50;

/** Bytes per tick and per key, in virtual time: the same on every machine and in every run. */
export async function measureWire({idleSeconds}: {readonly idleSeconds: number}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const size of SIZES) figures.push(...(await measureSize(size, idleSeconds)));
  return figures;
}

async function measureSize({columns, rows}: PictureSize, idleSeconds: number): Promise<readonly Figure[]> {
  const group = `bytes on the wire, ${columns}×${rows}`;
  const opened = await openSteppedDeck({columns, rows, env: {COLORTERM: 'truecolor'}});
  const {emulator} = opened.terminal;
  const pen = watchPenLook(emulator);
  const deck: Watched = {...opened, grid: () => gridOf(emulator, pen())};
  try {
    await deck.press('2', KEY_MS);
    await deck.letPass(LOADING_MS);
    const seconds: Cost[] = [];
    for (let second = 0; second < idleSeconds; second += 1) seconds.push(await costOfSecond(deck));
    const figures = costFigures(group, 'an idle second, median', {
      sentBytes: median(seconds.map(({sentBytes}) => sentBytes)),
      leastBytes: median(seconds.map(({leastBytes}) => leastBytes)),
    });
    for (const gesture of GESTURES) figures.push(...costFigures(group, gesture.name, await costOf(deck, gesture)));
    return figures;
  } finally {
    await deck.close();
  }
}

function costFigures(group: string, name: string, {sentBytes, leastBytes}: Cost): Figure[] {
  const note = `${Math.round(leastBytes)} B at least`;
  return [
    {group, name, value: sentBytes / leastBytes, unit: '×', target: TARGET_RATIO, note: `${sentBytes} B, ${note}`},
  ];
}

async function costOfSecond(deck: Watched): Promise<Cost> {
  const costs: Cost[] = [];
  for (let elapsedMs = 0; elapsedMs < 1000; elapsedMs += STEP_MS) {
    costs.push(await costDuring(deck, () => deck.letPass(STEP_MS)));
  }
  return total(costs);
}

async function costOf(deck: Watched, {keys, undoneBy = []}: Gesture): Promise<Cost> {
  const costs: Cost[] = [];
  for (const key of keys) {
    await deck.letPass(SETTLING_MS);
    costs.push(await costDuring(deck, () => deck.press(key, key === 'esc' ? ESCAPE_MS : KEY_MS)));
  }
  for (const key of undoneBy) await deck.press(key, KEY_MS);
  return total(costs);
}

async function costDuring({grid, receivedBytes}: Watched, happening: () => Promise<void>): Promise<Cost> {
  const before = grid();
  const sentBefore = receivedBytes();
  await happening();
  const sentBytes = receivedBytes() - sentBefore;
  return {sentBytes, leastBytes: sentBytes === 0 ? 0 : minimalDiffBytes(before, grid())};
}

function total(costs: readonly Cost[]): Cost {
  return {
    sentBytes: costs.reduce((sum, cost) => sum + cost.sentBytes, 0),
    leastBytes: costs.reduce((sum, cost) => sum + cost.leastBytes, 0),
  };
}
