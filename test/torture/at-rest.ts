import {setTimeout as pause} from 'node:timers/promises';
import {openCloud} from '../bench/cloud.ts';
import {usageOf} from '../bench/process-usage.ts';
import {openMachines, openTimedDeck} from '../bench/timed-terminal.ts';
import type {Measured, Share} from './goal.ts';

const SIZE = {columns: 120, rows: 35};
const SECOND_MS = 1000;
const LOADING_MS = 20 * SECOND_MS;
const BYTES_PER_MIB = 2 ** 20;
const MOST_PROCESSOR_PERCENT = 0.5;
const MOST_BYTES_PER_SECOND = 100;
const MOST_MEMORY_MIB = 120;

type Rest = {readonly processorPercent: number; readonly bytesPerSecond: number; readonly memoryMib: number};

/** Goal 22: what a deck takes that nobody touches, on the account of forty machines. */
export async function measureIdleCost(share: Share): Promise<Measured> {
  const {processorPercent, bytesPerSecond} = await watchedDeck(undefined, share);
  return {
    measured: `40 machines: ${processorPercent.toFixed(2)} % of a core, ${Math.round(bytesPerSecond)} B/s`,
    isMet: processorPercent <= MOST_PROCESSOR_PERCENT && bytesPerSecond <= MOST_BYTES_PER_SECOND,
  };
}

/** Goal 21, the part of it that only a real process has. */
export async function measureMemory(share: Share): Promise<Measured> {
  const {memoryMib} = await watchedDeck(200, share);
  return {measured: `200 machines: ${Math.round(memoryMib)} MiB resident`, isMet: memoryMib <= MOST_MEMORY_MIB};
}

async function watchedDeck(vmCount: number | undefined, share: Share): Promise<Rest> {
  const watchedMs = (share === 'whole' ? 60 : 15) * SECOND_MS;
  const cloud = await openCloud(vmCount);
  const deck = openTimedDeck(cloud.connection, SIZE);
  try {
    await openMachines(deck);
    await pause(LOADING_MS);
    const before = {usage: usageOf(deck.pid), bytes: deck.receivedBytes()};
    await pause(watchedMs);
    const after = {usage: usageOf(deck.pid), bytes: deck.receivedBytes()};
    const processorMs = (after.usage?.processorMs ?? Number.NaN) - (before.usage?.processorMs ?? Number.NaN);
    return {
      processorPercent: (processorMs / watchedMs) * 100,
      bytesPerSecond: ((after.bytes - before.bytes) / watchedMs) * SECOND_MS,
      memoryMib: (after.usage?.residentBytes ?? Number.NaN) / BYTES_PER_MIB,
    };
  } finally {
    await deck.close();
    cloud.close();
  }
}
