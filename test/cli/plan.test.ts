import {expect, test} from 'vitest';
import {vmCommand} from '../../src/cli/vm.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

test('makes one act of a machine that is named by its name and by its id', async () => {
  const machine = {id: 7, name: 'web', status: 'ACTIVE'};
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, count: 1, instances: [machine]},
    '/core/virtual-machines/7': {status: true, instance: machine},
  });
  const given = await run(vmCommand, 'stop web 7 --dry-run', {simulator});
  expect(given).toMatchObject({exitCode: 0, stdout: 'GET /core/virtual-machines/7/stop\n'});
});
