import {EventEmitter} from 'node:events';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test, vi} from 'vitest';
import {runProgram} from '../../src/terminal/run-program.ts';
import {openHome} from '../support/program.ts';

const never = () => () => {};

test.each([
  ['its exit code', ['sh', '-c', 'exit 9'], {kind: 'ended', exitCode: 9}],
  ['the signal that ended it', ['sh', '-c', 'kill -TERM $$'], {kind: 'ended', exitCode: 143}],
  [
    'an error for a command line, as there is no shell',
    ['exit 9'],
    {kind: 'not-started', reason: 'spawn exit 9 ENOENT'},
  ],
])('gives %s', async (_title, words, end) => {
  expect(await runProgram({signals: new EventEmitter(), after: never}, words, {PATH: process.env.PATH})).toEqual(end);
});

test('passes on a signal that would end us, but leaves ctrl-c to the program', async () => {
  const signals = new EventEmitter();
  const running = runProgram({signals, after: never}, ['sleep', '60'], {PATH: process.env.PATH});
  signals.emit('SIGINT', 'SIGINT');
  signals.emit('SIGTERM', 'SIGTERM');
  expect(await running).toEqual({kind: 'ended', exitCode: 143});
  expect(signals.eventNames()).toEqual([]);
});

test('kills a program that ignores a signal, three seconds after the signal', async () => {
  const marker = join(openHome().path, 'is-deaf');
  const signals = new EventEmitter();
  const pauses: {delayMs: number; end: () => void}[] = [];
  const after = (delayMs: number, end: () => void) => {
    pauses.push({delayMs, end});
    return () => {};
  };
  const words = ['sh', '-c', `trap '' TERM HUP; : > '${marker}'; exec sleep 60`];
  const running = runProgram({signals, after}, words, {PATH: process.env.PATH});
  await vi.waitFor(() => expect(existsSync(marker)).toBe(true));
  signals.emit('SIGTERM', 'SIGTERM');
  signals.emit('SIGHUP', 'SIGHUP');
  expect(pauses).toMatchObject([{delayMs: 3000}]);
  pauses[0]?.end();
  expect(await running).toEqual({kind: 'ended', exitCode: 137});
});
