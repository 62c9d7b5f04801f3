// Reads the list of machines of a cloud, as the program does, in a process that does nothing else. Started by
// reading-memory.test.ts.
import {createClient} from '../../src/api/client.ts';
import {listVirtualMachines} from '../../src/api/virtual-machines.ts';
import {limitHeapGrowth} from '../../src/config/heap.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';

/** After a reading: the most memory that the process has used so far, and the number of records read. */
export type ReadingReport = {readonly peakBytes: number; readonly recordCount: number};

/** By then the code has been compiled. */
const FIRST_READINGS = 5;
const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const client = createClient({
  baseUrl,
  key: secret(apiKey),
  admit: () => Promise.resolve(),
  clock: {
    wallNow: () => epochMs(Date.now()),
    monotonicNow: () => monotonicMs(performance.now()),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  },
});

limitHeapGrowth();
for (let reading = 1; reading < FIRST_READINGS; reading += 1) await read();
process.on('message', report);
process.on('disconnect', () => process.exit(0));
await report();

async function report(): Promise<void> {
  const recordCount = await read();
  const told: ReadingReport = {peakBytes: process.resourceUsage().maxRSS * 1024, recordCount};
  process.send?.(told);
}

async function read(): Promise<number> {
  const answer = await client.read(listVirtualMachines, {});
  return answer.ok ? answer.value.records.length : 0;
}
