import {setTimeout as pause} from 'node:timers/promises';
import {usageOf, waitedForCoreMs} from '../bench/process-usage.ts';
import {percentile} from '../bench/statistics.ts';
import {openMachines, openTimedDeck, type TimedTerminal} from '../bench/timed-terminal.ts';
import {startChild} from './child.ts';
import type {Focus, Measured, Share} from './goal.ts';
import type {HostileReport} from './hostile-cloud.ts';
import {type Monster, MONSTERS} from './monsters.ts';

const SIZE = {columns: 120, rows: 35};
/** Until costs and metrics are read and the deck is at rest. */
const LOADING_MS = 8000;
/** Two readings of the list are watched, unless they take longer than this. */
const MOST_WATCHED_MS = 25_000;
const LOOK_MS = 250;
/** A reading is finished and processed when no request came for this long, since pages are read every 2 s. */
const SETTLED_MS = 3000;
const KEY_PAUSE_MS = 150;
const KEY_LIMIT_MS = 5000;
const SAMPLE_MS = 25;
const REFRESH = '\u0012';
/** Marks the machine under the cursor, and clears all marks. */
const KEYS = [' ', 'M'] as const;
const BYTES_PER_MIB = 2 ** 20;
const MOST_GROWTH_MIB = 50;
const MOST_LAG_MS = 100;

const QUICK_COUNT = 2;

/** The hostile bodies that are measured, of those whose name contains a text. */
export function bodiesOf(share: Share, part = ''): readonly Monster[] {
  const all = share === 'quick' && part === '' ? MONSTERS.slice(0, QUICK_COUNT) : MONSTERS;
  return all.filter(({name}) => name.includes(part));
}

/** Each hostile answer to the list of machines, with a deck in use. */
export async function measureHostileBodies(share: Share, {part, tell}: Focus): Promise<Measured> {
  const bodies = bodiesOf(share, part);
  const lines: string[] = [];
  let isMet = bodies.length > 0;
  let measuredCount = 0;
  for (const [index, {name}] of bodies.entries()) {
    tell(`${index + 1} of ${bodies.length}: ${name}`);
    const measured = await measureMonster(name);
    lines.push(`${measured.isMet ? 'met   ' : 'MISSED'}  ${name}: ${measured.measured}`);
    isMet &&= measured.isMet;
    measuredCount += measured.counts?.['hostile bodies'] ?? 0;
  }
  return {measured: lines.join('\n'), isMet, counts: {'hostile bodies': measuredCount}};
}

async function measureMonster(name: string): Promise<Measured> {
  const cloud = startChild<HostileReport>('hostile-cloud.ts');
  const connection = await cloud.report();
  const deck = openTimedDeck(connection, SIZE);
  try {
    await openMachines(deck);
    await pause(LOADING_MS);
    const quietBytes = residentBytes(deck);
    await cloud.tell(name);
    const watch = new AbortController();
    const [peakBytes, lagsMs] = await Promise.all([
      peakOf(deck, watch.signal),
      pressUntil(deck, watch.signal),
      readTwice(deck, () => cloud.tell(name)).finally(() => watch.abort()),
    ]);
    const {listsAsked, pagesAsked, bytesTaken} = await cloud.tell('');
    const growthMib = (peakBytes - quietBytes) / BYTES_PER_MIB;
    const lagMs = percentile(lagsMs, 0.99);
    return {
      measured: `+${Math.round(growthMib)} MiB on ${Math.round(quietBytes / BYTES_PER_MIB)}, p99 ${Math.round(lagMs)} ms of ${lagsMs.length} keys (slowest ${Math.round(Math.max(...lagsMs))} ms); ${pagesAsked} pages, ${Math.round(bytesTaken / BYTES_PER_MIB)} MiB taken`,
      // A body that the deck never asked for proves nothing.
      isMet: listsAsked > 0 && bytesTaken > 0 && growthMib <= MOST_GROWTH_MIB && lagMs <= MOST_LAG_MS,
      counts: {'hostile bodies': listsAsked > 0 ? 1 : 0},
    };
  } finally {
    await deck.close();
    cloud.kill();
  }
}

function residentBytes({pid}: TimedTerminal): number {
  return usageOf(pid)?.residentBytes ?? Number.NaN;
}

/** Makes the deck read the list twice, with ctrl-r. */
async function readTwice(deck: TimedTerminal, look: () => Promise<HostileReport>): Promise<void> {
  const until = performance.now() + MOST_WATCHED_MS;
  let pagesAsked = 0;
  let busyAt = performance.now();
  deck.write(REFRESH);
  while (performance.now() < until) {
    await pause(LOOK_MS);
    const seen = await look();
    if (seen.isAnswering || seen.pagesAsked > pagesAsked) busyAt = performance.now();
    ({pagesAsked} = seen);
    if (performance.now() - busyAt < SETTLED_MS) continue;
    if (seen.listsAsked >= 2) return;
    deck.write(REFRESH);
    busyAt = performance.now();
  }
}

async function peakOf(deck: TimedTerminal, end: AbortSignal): Promise<number> {
  let peak = residentBytes(deck);
  while (!end.aborted) {
    await pause(SAMPLE_MS);
    peak = Math.max(peak, residentBytes(deck));
  }
  return peak;
}

/**
 * How long each key took to its first byte, minus the time other programs used the processor; a key without any byte
 * counts as the limit. Marking and clearing always changes the screen, while `k` changes nothing where a new list has
 * put the cursor on its first row: its first byte is then that of the next second.
 */
async function pressUntil(deck: TimedTerminal, end: AbortSignal): Promise<readonly number[]> {
  const lagsMs: number[] = [];
  while (!end.aborted) {
    const waitedMs = waitedForCoreMs(deck.pid) ?? 0;
    const painted = deck.nextByte(KEY_LIMIT_MS);
    const pressedAt = performance.now();
    deck.write(KEYS[lagsMs.length % KEYS.length] ?? '');
    const paintedAt = await painted;
    const othersMs = (waitedForCoreMs(deck.pid) ?? 0) - waitedMs;
    lagsMs.push(paintedAt === undefined ? KEY_LIMIT_MS : Math.max(0, paintedAt - pressedAt - othersMs));
    await pause(KEY_PAUSE_MS);
  }
  return lagsMs;
}
