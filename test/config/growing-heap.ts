// Makes garbage as a busy deck does, before and after the growth of the heap is limited, in a process of its own.
// Started by heap.test.ts with fork.
import {setImmediate as nextTurn} from 'node:timers/promises';
import v8 from 'node:v8';
import {collectOnce, limitHeapGrowth} from '../../src/config/heap.ts';

/** The least and the most memory in use while garbage was made. */
export type HeapReport = {readonly leastBytes: number; readonly mostBytes: number};

const OBJECTS = 1_000_000;
const PASSING = 50_000;
const LOOK_EVERY = 1000;

const kept = Array.from({length: 200_000}, (_, at) => ({at, more: [at]}));
/** An object lives long enough to leave the young generation, and no longer. */
const passing: object[] = [];

await usedBytes(4 * OBJECTS);
limitHeapGrowth();
collectOnce();
const report = await usedBytes(OBJECTS);
process.send?.(report, () => process.exit(kept.length > 0 ? 0 : 1));

async function usedBytes(count: number): Promise<HeapReport> {
  let [leastBytes, mostBytes] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < count; at += 1) {
    passing[at % PASSING] = {at, more: [at, at]};
    if (at % LOOK_EVERY !== 0) continue;
    // V8 marks between turns of the event loop; garbage made without any outruns it by a varying amount.
    await nextTurn();
    const usedBytes = v8.getHeapStatistics().used_heap_size;
    [leastBytes, mostBytes] = [Math.min(leastBytes, usedBytes), Math.max(mostBytes, usedBytes)];
  }
  return {leastBytes, mostBytes};
}
