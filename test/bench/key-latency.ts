import {setTimeout as pause} from 'node:timers/promises';
import {openCloud} from './cloud.ts';
import type {Figure} from './report.ts';
import {percentile} from './statistics.ts';
import {openMachines, openTimedDeck, type TimedTerminal} from './timed-terminal.ts';

const SIZE = {columns: 120, rows: 35};
type Fleet = {
  /** The 40 of the scenario if undefined. */
  readonly vmCount: number | undefined;
  readonly p95TargetMs: number;
  readonly p99TargetMs: number;
};

const FLEETS: readonly Fleet[] = [
  {vmCount: undefined, p95TargetMs: 16, p99TargetMs: 16},
  {vmCount: 10_000, p95TargetMs: 16, p99TargetMs: 32},
];
/** The costs and the metrics are read after the first rows. */
const LOADING_MS = 6000;
const BLOCK_KEYS = 10;
/** A frame arrives in pieces. A pause of this length ends it. */
const GAP_MS = 10;
const KEY_LIMIT_MS = 2000;
/** The deck redraws its ages every second. Keys avoid that time, because the redraw would be taken for their paint. */
const TICK_GUARD_MS = 60;

type Deck = {
  readonly fleet: Fleet;
  readonly terminal: TimedTerminal;
  readonly timesMs: number[];
  lateCount: number;
};

/** The time from writing a key to the last byte of the change. */
export async function measureKeys({keyCount}: {readonly keyCount: number}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const fleet of FLEETS) figures.push(...(await measureFleet(fleet, keyCount)));
  return figures;
}

/** One fleet at a time: the polling of another deck and the work of its simulator would be measured as lag of this one. */
async function measureFleet(fleet: Fleet, keyCount: number): Promise<readonly Figure[]> {
  const cloud = await openCloud(fleet.vmCount);
  const terminal = openTimedDeck(cloud.connection, SIZE);
  try {
    await openMachines(terminal);
    await pause(LOADING_MS);
    const deck: Deck = {fleet, terminal, timesMs: [], lateCount: 0};
    for (let done = 0; done < keyCount; done += BLOCK_KEYS) await pressBlock(deck);
    return figuresOf(deck);
  } finally {
    await terminal.close();
    cloud.close();
  }
}

function figuresOf({fleet, timesMs, lateCount}: Deck): readonly Figure[] {
  const {vmCount = 40, p95TargetMs, p99TargetMs} = fleet;
  const group = `key to paint, ${vmCount.toLocaleString('en')} machines`;
  const note = `${timesMs.length} keys j and k mixed${lateCount === 0 ? '' : `, ${lateCount} without any paint`}`;
  return [
    {group, name: 'p50', value: percentile(timesMs, 0.5), unit: 'ms', note},
    {group, name: 'p95', value: percentile(timesMs, 0.95), unit: 'ms', target: p95TargetMs},
    {group, name: 'p99', value: percentile(timesMs, 0.99), unit: 'ms', target: p99TargetMs},
    {group, name: 'slowest', value: Math.max(...timesMs), unit: 'ms'},
  ];
}

/** As many down as up, so that no key is pressed at the end of the list, where it would change nothing. */
async function pressBlock(deck: Deck): Promise<void> {
  for (let index = 0; index < BLOCK_KEYS; index += 1) {
    await betweenTicks();
    await pressOne(deck, index < BLOCK_KEYS / 2 ? 'j' : 'k');
  }
}

async function pressOne(deck: Deck, key: string): Promise<void> {
  const {terminal} = deck;
  const paint = terminal.nextByte(KEY_LIMIT_MS);
  const writtenAt = performance.now();
  terminal.write(key);
  const paintedAt = await paint;
  if (paintedAt === undefined) {
    deck.lateCount += 1;
    return;
  }
  while (performance.now() - terminal.receivedAt() < GAP_MS) await pause(GAP_MS / 2);
  deck.timesMs.push(terminal.receivedAt() - writtenAt);
}

async function betweenTicks(): Promise<void> {
  const untilTickMs = 1000 - (Date.now() % 1000);
  if (untilTickMs < TICK_GUARD_MS) await pause(untilTickMs + TICK_GUARD_MS);
  else if (untilTickMs > 1000 - TICK_GUARD_MS) await pause(TICK_GUARD_MS);
}
