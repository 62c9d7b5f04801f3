import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, it, onTestFinished} from 'vitest';
import {listVirtualMachines} from '../../src/api/virtual-machines.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {wireExample} from '../api/wire-example.ts';
import {slopeOf} from '../bench/statistics.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {openIdleDeck} from './idle-deck.ts';

const PATIENT = {timeout: 2 * HOUR_MS};
/** Until every answer to be repeated has been recorded, and everything is compiled. */
const LOADING_MS = sweepOf({sample: 2, deep: 40, whole: 120}) * MINUTE_MS;
const WATCHED_MS = sweepOf({sample: 2, deep: 60, whole: 24 * 60}) * MINUTE_MS;
/** At the end of each the whole heap is collected, in `npm test` together with what other tests of the worker left in it. */
const PARTS = sweepOf({sample: 3, deep: 20});
/**
 * The same machines in each part, since what is known about a machine that was viewed stays in memory. The repeated
 * answers for some show them in a hard reboot for ever, and these get no other: a hundred of all are sent.
 */
const TRIED_PER_PART = sweepOf({sample: 32, deep: 8});
/** In a few minutes not every answer to be repeated has been recorded, and three values bound nothing. */
const MOST_GROWTH_MIB = sweepOf({sample: 8, deep: 2});
const BYTES_PER_MIB = 2 ** 20;
const MACHINE_COUNT = 2000;
/** With this, ten thousand machines take 20 MiB, and 40 while they are read anew: a fifth of what such a deck may use. */
const MOST_MACHINE_BYTES = 2048;

it('uses no more memory and timers after a day than after an hour', PATIENT, async () => {
  const idle = openIdleDeck({vmCount: 200, repeatsAnswers: true});
  onTestFinished(idle.close);
  idle.press('2');
  await idle.pass(LOADING_MS);
  const machines = lastValue(idle.deck.scene().store.get(machinesFeed))?.records ?? [];
  const heapMib: number[] = [];
  const timers: number[] = [];
  for (let part = 0; part <= PARTS; part += 1) {
    heapMib.push(collectedHeapMib());
    timers.push(idle.cloud.time.pendingCount());
    if (part === PARTS) break;
    for (const machine of machines.slice(0, TRIED_PER_PART)) {
      const action = {kind: 'vm.hard-reboot', id: machine.id} as const;
      idle.operations.begin({action, subjectName: machine.name, status: machine.status});
    }
    await idle.pass(WATCHED_MS / PARTS);
  }
  const {slope, bound} = slopeOf(heapMib.slice(Math.ceil(heapMib.length / 5)));
  const [growthMib, boundMib] = [slope * PARTS, bound * PARTS];
  const sentCount = idle.cloud.sent.filter(({isOperation}) => isOperation).length;
  reportCounted('hours', WATCHED_MS / HOUR_MS);
  reportCounted('actions', sentCount);
  reportMeasured(
    `${WATCHED_MS / HOUR_MS} h: heap ${heapMib[0]?.toFixed(1)} MiB, ${growthMib.toFixed(2)} ± ${boundMib.toFixed(2)} MiB of growth (95 %), ${sentCount} actions, ${Math.max(...timers)} timers at most`,
  );
  expect(machines).toHaveLength(200);
  expect(Math.max(...timers)).toBeLessThanOrEqual(Math.max(...timers.slice(0, 3)) + 4);
  // What operations leave for undo and the journal's pane is bounded too, and stored once.
  expect(growthMib + sweepOf({sample: 0, deep: boundMib})).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});

it('stores a machine in at most two kilobytes', () => {
  const example = wireExample('virtual-machines.list');
  const before = collectedHeapMib();
  const machines = Array.from({length: MACHINE_COUNT}, () => {
    const [raw] = JSON.parse(example).instances;
    return listVirtualMachines.record(raw);
  });
  const bytes = ((collectedHeapMib() - before) * BYTES_PER_MIB) / machines.length;
  reportMeasured(`${Math.round(bytes)} bytes a machine`);
  expect(machines.every(({ok}) => ok)).toBe(true);
  expect(bytes).toBeLessThanOrEqual(MOST_MACHINE_BYTES);
});

function collectedHeapMib(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What finalizers release is freed by the next collection.
  for (let round = 0; round < 2; round += 1) collect();
  return process.memoryUsage().heapUsed / BYTES_PER_MIB;
}
