import {spawn} from 'node:child_process';
import {expect, onTestFinished, test} from 'vitest';
import {usageOf} from './process-usage.ts';

test.runIf(process.platform === 'linux')('reports the memory and the processor time of a running process', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'while (process.cpuUsage().user < 300_000); console.log("done"); setInterval(() => {}, 1000)',
  ]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await new Promise(resolve => child.stdout.once('data', resolve));
  const usage = usageOf(child.pid ?? 0);
  // The process is busy until it has used 300 ms of the processor. Node alone takes some tens of megabytes.
  expect(usage?.processorMs).toBeGreaterThanOrEqual(290);
  expect(usage?.processorMs).toBeLessThan(5000);
  expect(usage?.residentBytes).toBeGreaterThan(20 * 2 ** 20);
  expect(usage?.residentBytes).toBeLessThan(500 * 2 ** 20);
});

test.runIf(process.platform !== 'linux')('reports nothing on systems other than Linux', () => {
  expect(usageOf(process.pid)).toBeUndefined();
});
