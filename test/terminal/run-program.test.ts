import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import {runProgram} from '../../src/terminal/run-program.ts';

test.each([
  ['its exit code', ['sh', '-c', 'exit 9'], {kind: 'ended', exitCode: 9}],
  ['the signal that ended it', ['sh', '-c', 'kill -TERM $$'], {kind: 'ended', exitCode: 143}],
  ['no shell, so no line', ['exit 9'], {kind: 'not-started', reason: 'spawn exit 9 ENOENT'}],
])('gives %s', async (_title, words, end) => {
  expect(await runProgram(new EventEmitter(), words, {PATH: process.env.PATH})).toEqual(end);
});

test('passes on a signal that would end us, and lets ctrl-c be the program’s own', async () => {
  const signals = new EventEmitter();
  const running = runProgram(signals, ['sleep', '60'], {PATH: process.env.PATH});
  signals.emit('SIGINT', 'SIGINT');
  signals.emit('SIGTERM', 'SIGTERM');
  expect(await running).toEqual({kind: 'ended', exitCode: 143});
  expect(signals.eventNames()).toEqual([]);
});
