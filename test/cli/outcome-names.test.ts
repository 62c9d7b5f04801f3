import {expect, test} from 'vitest';
import {accessKeyCommand} from '../../src/cli/commands/access-key.ts';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {ONLY_ASSESSMENT, run} from './a-command.ts';
import {openService} from './a-service.ts';

const MACHINE = 'create web --environment x --flavor f --key-pair k --image i --count 2';

test.each([
  ['the id of a volume', volumeCommand, 'create data --environment x --size 10', '38002\n'],
  ['the id of each machine', vmCommand, MACHINE, '7\n8\n'],
  ['the name of a machine that existed before', vmCommand, 'label 7 --add x', 'web-01\n'],
  ['the id of a machine whose name looks like an option', vmCommand, 'label 8 --add x', '8\n'],
  ['the id of a machine whose name cannot be printed as it is', vmCommand, 'label 9 --add x', '9\n'],
  ['the id of an access key', accessKeyCommand, 'create --region R', '5\n'],
])('-o name gives %s and nothing else', async (_, command, line, stdout) => {
  const scheduled = {status: true, message: 'scheduled'};
  const {simulator} = await openService({
    '/core/virtual-machines/7': {instance: {id: 7, name: 'web-01', status: 'ACTIVE', labels: [], cluster_id: null}},
    '/core/virtual-machines/8': {instance: {id: 8, name: '--yes', status: 'ACTIVE', labels: [], cluster_id: null}},
    '/core/virtual-machines/9': {
      instance: {id: 9, name: 'web\u001b-01', status: 'ACTIVE', labels: [], cluster_id: null},
    },
    'PUT /core/virtual-machines/8/label': scheduled,
    'PUT /core/virtual-machines/9/label': scheduled,
    '/core/virtual-machines': {instances: [], count: 0},
    '/core/volumes': {volumes: [], count: 0},
    '/core/environments': {environments: [{id: 1, name: 'x', region: 'R'}], count: 1},
    '/object-storage/access-keys': {access_keys: [], count: 0},
    'POST /core/volumes': {...scheduled, volume: {id: 38_002, name: 'data'}},
    'POST /core/virtual-machines': {...scheduled, instances: [{id: 7}, {id: 8}]},
    'PUT /core/virtual-machines/7/label': scheduled,
    'POST /object-storage/access-keys': {id: 5, access_key: 'A', secret_key: 'S'},
  });
  const ran = await run(command, `${line} --yes -o name`, {simulator});
  expect(ran).toMatchObject({exitCode: 0, stdout, stderr: ONLY_ASSESSMENT});
});

test('-o name says that the outcome is unknown when the answer to a creation has no object in it', async () => {
  const {simulator} = await openService({
    '/core/environments': {environments: [{id: 1, name: 'x', region: 'R'}], count: 1},
    'POST /core/environments': {status: true, message: 'scheduled'},
  });
  const ran = await run(environmentCommand, 'create far --region R --yes -o name', {simulator});
  expect(ran.exitCode).toBe(7);
  expect(ran.stderr).toContain(
    'create environment far in R: outcome unknown: an unreadable answer: JSON that does not match the API',
  );
});
