import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {expect, it, onTestFinished} from 'vitest';
import {PROGRAM_FLAGS} from '../support/launch.ts';
import type {HeapReport} from './growing-heap.ts';

it('limits the growth of a heap that has already grown', async () => {
  const child = fork(fileURLToPath(new URL('growing-heap.ts', import.meta.url)), {execArgv: [...PROGRAM_FLAGS]});
  onTestFinished(() => void child.kill('SIGKILL'));
  const [report]: HeapReport[] = await once(child, 'message');
  // 24 runs with the collection: 1.5 to 2.0 times. Without it, 22 of 24 reached 3.6 to 6.
  expect(report?.mostBytes).toBeLessThan(2.6 * Number(report?.leastBytes));
});
