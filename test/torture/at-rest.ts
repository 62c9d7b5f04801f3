import {setTimeout as pause} from 'node:timers/promises';
import {openCloud} from '../bench/cloud.ts';
import {usageOf} from '../bench/process-usage.ts';
import {openMachines, openTimedDeck, openTimedTerminal} from '../bench/timed-terminal.ts';
import {PROGRAM_FLAGS} from '../support/launch.ts';
import type {Measured, Share} from './goal.ts';

const SIZE = {columns: 120, rows: 35};
const SECOND_MS = 1000;
const LOADING_MS = 20 * SECOND_MS;
const BYTES_PER_MIB = 2 ** 20;
const MOST_PROCESSOR_PERCENT = 0.5;
const MOST_BYTES_PER_SECOND = 100;
const MOST_MEMORY_MIB = 120;

/** The lower limit: Node itself, with a request now and then whose answer is not used. */
const BARE_PROGRAM = `setInterval(async () => {
  const answer = await fetch(process.argv[1], {headers: {api_key: process.argv[2]}});
  await answer.arrayBuffer();
}, 5000);`;

type Rest = {
  readonly processorPercent: number;
  readonly barePercent: number;
  readonly bytesPerSecond: number;
  readonly memoryMib: number;
  readonly watchedMs: number;
};

/** Goal 22: what an idle deck uses, on the account with forty machines. */
export async function measureIdleCost(share: Share): Promise<Measured> {
  const {processorPercent, barePercent, bytesPerSecond, watchedMs} = await watchedDeck(undefined, share);
  return {
    measured: `40 machines: ${processorPercent.toFixed(2)} % of a core, ${Math.round(bytesPerSecond)} B/s; a bare process with one fetch every 5 s beside it: ${barePercent.toFixed(2)} %`,
    isMet: processorPercent <= MOST_PROCESSOR_PERCENT && bytesPerSecond <= MOST_BYTES_PER_SECOND,
    counts: {'seconds at rest': watchedMs / SECOND_MS},
  };
}

/** Goal 21, the part that needs a real process. */
export async function measureMemory(share: Share): Promise<Measured> {
  const {memoryMib} = await watchedDeck(200, share);
  return {
    measured: `200 machines: ${Math.round(memoryMib)} MiB resident`,
    isMet: memoryMib <= MOST_MEMORY_MIB,
    counts: {decks: 1},
  };
}

async function watchedDeck(vmCount: number | undefined, share: Share): Promise<Rest> {
  const watchedMs = (share === 'whole' ? 60 : 15) * SECOND_MS;
  const cloud = await openCloud(vmCount);
  const {url, apiKey} = cloud.connection;
  const deck = openTimedDeck(cloud.connection, SIZE);
  const bare = openTimedTerminal({
    ...SIZE,
    command: process.execPath,
    arguments: [...PROGRAM_FLAGS, '--eval', BARE_PROGRAM, `${url}/core/virtual-machines`, apiKey],
    env: {},
  });
  try {
    await openMachines(deck);
    await pause(LOADING_MS);
    const before = {deck: usageOf(deck.pid), bare: usageOf(bare.pid), bytes: deck.receivedBytes()};
    await pause(watchedMs);
    const after = {deck: usageOf(deck.pid), bare: usageOf(bare.pid), bytes: deck.receivedBytes()};
    const percentOf = (program: 'deck' | 'bare') =>
      (((after[program]?.processorMs ?? Number.NaN) - (before[program]?.processorMs ?? Number.NaN)) / watchedMs) * 100;
    return {
      processorPercent: percentOf('deck'),
      barePercent: percentOf('bare'),
      bytesPerSecond: ((after.bytes - before.bytes) / watchedMs) * SECOND_MS,
      memoryMib: (after.deck?.residentBytes ?? Number.NaN) / BYTES_PER_MIB,
      watchedMs,
    };
  } finally {
    await deck.close();
    await bare.close();
    cloud.close();
  }
}
