import {setTimeout as pause} from 'node:timers/promises';
import {startSimulator} from '../../src/simulator/http/server.ts';
import {usageOf} from '../bench/process-usage.ts';
import {operationRequests} from '../support/colleague.ts';
import {ARMED, choose, cursorOn, goToMachines} from '../support/deck.ts';
import {createHome, launchOnTerminal} from '../support/launch.ts';
import type {RealTerminal} from '../support/terminal.ts';
import type {Measured, Share} from './goal.ts';

const BYTES_PER_SECOND = 1024;
const BYTES_PER_MIB = 2 ** 20;
const MOST_GROWTH_MIB = 10;
const LONGEST_WAIT_MS = 1000;
/** Until costs and metrics are read, and the deck is at rest. */
const LOADING_MS = 20_000;
const KEY_INTERVAL_MS = 500;
const SIP_MS = 50;
const SECOND_MS = 1000;
const STOPPED_MS = 60 * SECOND_MS;

/** Goal 14: a terminal that reads very slowly, and one that reads nothing while a question is open. */
export async function measureSlowReader(share: Share): Promise<Measured> {
  const durationMs = (share === 'whole' ? 300 : 15) * SECOND_MS;
  const [slow, fast] = await Promise.all([
    onDeck(deck => useDeck(deck, {durationMs, read: sip})),
    onDeck(deck => useDeck(deck, {durationMs, read: () => pause(SIP_MS)})),
  ]);
  const stopped = await onDeck((deck, requests) => stopInQuestion(deck, requests));
  // A deck in use grows for a while even with a fast reader, as the other figure shows; the goal is about all growth.
  const isMet = slow.growthMib <= MOST_GROWTH_MIB && slow.waitMs <= LONGEST_WAIT_MS;
  return {
    measured: `1 KiB/s for ${durationMs / SECOND_MS} s: ${signed(slow.growthMib)} MiB, and ${signed(fast.growthMib)} where all is read at once; a key served ${Math.round(slow.waitMs)} ms after\n${stopped.measured}`,
    isMet: isMet && stopped.isMet,
    counts: {'seconds of a slow reader': durationMs / SECOND_MS, ...stopped.counts},
  };
}

async function useDeck(
  deck: RealTerminal,
  {durationMs, read}: {readonly durationMs: number; readonly read: (deck: RealTerminal) => Promise<void>},
): Promise<{readonly growthMib: number; readonly waitMs: number}> {
  await deck.sees(cursorOn('train-01'));
  await pause(LOADING_MS);
  const before = residentBytes(deck);
  const endsAt = performance.now() + durationMs;
  let pressedAt = 0;
  let isDown = true;
  while (performance.now() < endsAt) {
    if (performance.now() - pressedAt > KEY_INTERVAL_MS) {
      deck.write(isDown ? 'j' : 'k');
      isDown = !isDown;
      pressedAt = performance.now();
    }
    await read(deck);
  }
  const growthMib = (residentBytes(deck) - before) / BYTES_PER_MIB;
  deck.resumeReading();
  const resumedAt = performance.now();
  deck.write('?');
  await deck.sees('Everywhere');
  return {growthMib, waitMs: performance.now() - resumedAt};
}

/** Reads what there is, and then nothing for as long as that would have taken on a slow connection. */
async function sip(deck: RealTerminal): Promise<void> {
  const before = deck.receivedByteCount();
  deck.resumeReading();
  await pause(SIP_MS);
  deck.stopReading();
  const takenMs = ((deck.receivedByteCount() - before) / BYTES_PER_SECOND) * SECOND_MS;
  await pause(Math.max(SIP_MS, takenMs - SIP_MS));
}

async function stopInQuestion(deck: RealTerminal, requests: () => readonly string[]): Promise<Measured> {
  await choose(deck, 'sweep-04');
  await deck.press('p', 'x');
  await deck.sees(ARMED);
  deck.stopReading();
  await pause(STOPPED_MS);
  deck.write('y');
  await pause(SECOND_MS);
  deck.resumeReading();
  await pause(2 * SECOND_MS);
  const sent = requests();
  return {
    measured: `stopped for ${STOPPED_MS / SECOND_MS} s in a question: ${sent.length} sent`,
    isMet: sent.length === 0,
    counts: {'seconds without a reader': STOPPED_MS / SECOND_MS},
  };
}

async function onDeck<T>(measure: (deck: RealTerminal, requests: () => readonly string[]) => Promise<T>): Promise<T> {
  const simulator = await startSimulator({seed: 1});
  const home = createHome();
  const deck = launchOnTerminal({home, connection: simulator});
  try {
    await goToMachines(deck);
    return await measure(deck, () => operationRequests(simulator));
  } finally {
    await deck.close();
    home.remove();
    await simulator.close();
  }
}

function residentBytes({pid}: RealTerminal): number {
  return usageOf(pid)?.residentBytes ?? Number.NaN;
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(1)}`;
}
