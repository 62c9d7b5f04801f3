import {expect, it, onTestFinished} from 'vitest';
import {PROGRAM_FLAGS} from '../support/launch.ts';
import {reportMeasured} from '../support/measured.ts';
import {startChild} from './child.ts';
import type {HostileReport} from './hostile-cloud.ts';
import {MONSTERS} from './monsters.ts';
import type {ReadingReport} from './reading.ts';

const BYTES_PER_MIB = 2 ** 20;
const MOST_GROWTH_MIB = 50;
const READINGS = 2;

it('uses little more memory for endless pages of 30 MB than for pages of a few machines', async () => {
  const cloud = startChild<HostileReport>('hostile-cloud.ts');
  onTestFinished(cloud.kill);
  const {url, apiKey} = await cloud.report();
  const reading = startChild<ReadingReport>('reading.ts', {arguments: [url, apiKey], flags: PROGRAM_FLAGS});
  onTestFinished(reading.kill);
  const before = await reading.report();
  await cloud.tell(MONSTERS[0]?.name ?? '');
  let after = before;
  for (let count = 0; count < READINGS; count += 1) after = await reading.tell('read');
  const growthMib = (after.peakBytes - before.peakBytes) / BYTES_PER_MIB;
  reportMeasured(`+${Math.round(growthMib)} MiB for ${READINGS} readings`);
  // A thousand records of each page are kept, up to 128 MiB in total.
  expect(after.recordCount).toBeGreaterThan(4000);
  expect(growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});
