import {expect, test} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';

test('get firewalls counts the same open and exposed rules as get rules lists', async () => {
  const simulator = await openSimulator();
  const rowsOf = async (line: string) => {
    const {stdout} = await run(getCommand, `${line} -o csv`, {simulator});
    return stdout
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(row => row.split(','));
  };
  const counted = await rowsOf('firewalls --columns id,open,exposed');
  expect(counted).toHaveLength(8);
  for (const [id, open, exposed] of counted) {
    const listed = await rowsOf(`rules --firewall ${id} --columns open,exposed`);
    const count = (index: number) => `${listed.filter(row => row[index] === 'yes').length}`;
    expect([open, exposed], id).toEqual([count(0), count(1)]);
  }
  // The ports of a web server are open, and exposed to nobody they are not meant for.
  const web = await run(getCommand, 'firewalls web --columns open,exposed -o csv', {simulator});
  expect(web.stdout.trimEnd().split('\r\n').at(-1)).toBe('3,0');
});

test('get firewalls separates the rules of a firewall', async () => {
  const simulator = await openSimulator();
  const {stdout} = await run(getCommand, 'firewalls edge --columns rule', {simulator});
  expect(stdout).toContain('ingress tcp/22 0.0.0.0/0, ');
});
