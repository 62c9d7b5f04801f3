import {expect, test} from 'vitest';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';

const VOLUME = ['--environment', 'x', '--size', '10', '--yes'];

test.each([
  [
    '--description: it contains the character U+000A',
    volumeCommand,
    ['create', 'a', '--description', 'line1\nline2', ...VOLUME],
  ],
  [
    '--description: it is longer than 4096',
    volumeCommand,
    ['create', 'a', '--description', 'x'.repeat(5000), ...VOLUME],
  ],
  ['name: it contains the character U+0009', volumeCommand, ['create', 'a\tb', ...VOLUME]],
  ['new-name: it contains the character U+200B', environmentCommand, ['rename', 'a', 'b\u200b', '--yes']],
  ['--add: it contains the character U+00AD', vmCommand, ['label', 'a', '--add', 'ok', '--add', 'x\u00ady', '--yes']],
  ['vm: it contains the character U+202E', firewallCommand, ['attach', 'web', 'a', 'b\u202e', '--yes']],
])('refuses text that would not arrive as it was written: %s', async (told, command, words) => {
  const simulator = await openSimulator({scenario: 'empty'});
  const {exitCode, stdout, stderr} = await run(command, words, {simulator});
  expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
  expect(stderr).toContain(`skydeck: ${told}`);
  expect(simulator.requests()).toEqual([]);
});
