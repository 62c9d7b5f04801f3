import {expect, test} from 'vitest';
import {accessKeyCommand} from '../../src/cli/commands/access-key.ts';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {ruleCommand} from '../../src/cli/commands/rule.ts';
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

test.each([
  ['another name', {id: 38_002, name: 'other'}, 'it names other #38002 instead'],
  ['the id of one that existed before', {id: 38_001, name: 'data'}, 'it names #38001, which existed before'],
])('an answer to a creation with %s leaves the outcome unknown, and its id is not printed', async (_, volume, why) => {
  const {simulator} = await openService({
    '/core/environments': {environments: [{id: 1, name: 'x', region: 'R'}], count: 1},
    '/core/volumes': {volumes: [{id: 38_001, name: 'old', size: 5, status: 'available', attachments: []}], count: 1},
    'POST /core/volumes': {status: true, volume},
  });
  const ran = await run(volumeCommand, 'create data --environment x --size 10 --yes', {simulator});
  expect(ran.exitCode).toBe(7);
  expect(`${ran.stdout}${ran.stderr}`).toContain(`outcome unknown: an unreadable answer: ${why}; sent once;`);
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(', id ');
});

test('an answer with the id of a rule that existed before leaves the outcome unknown', async () => {
  const ports = {port_range_min: 22, port_range_max: 22};
  const old = {
    id: 871,
    direction: 'ingress',
    protocol: 'tcp',
    ethertype: 'IPv4',
    remote_ip_prefix: '10.0.0.0/8',
    ...ports,
  };
  const firewall = {id: 31, name: 'edge', status: 'SUCCESS', rules: [{...old, status: 'SUCCESS'}], attachments: []};
  const {simulator} = await openService({
    '/core/firewalls': {firewalls: [firewall], count: 1},
    '/core/firewalls/31': {firewall},
    '/core/virtual-machines': {instances: [], count: 0},
    'POST /core/firewalls/31/firewall-rules': {status: true, firewall_rule: {...old, status: 'pending'}},
  });
  const line = 'add --firewall 31 --cidr 192.0.2.0/24 --port 443 --yes';
  const ran = await run(ruleCommand, line, {simulator});
  expect(ran.exitCode).toBe(7);
  expect(`${ran.stdout}${ran.stderr}`).toContain('it names #871, which existed before; sent once;');
});
