import {describe, expect, test} from 'vitest';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const MACHINE = {id: 7, name: 'web-01', status: 'ACTIVE', labels: ['keep'], cluster_id: null};
const FIREWALL = {
  id: 3,
  name: 'web',
  status: 'SUCCESS',
  rules: [],
  attachments: [{id: 1, status: 'SUCCESS', vm: {id: 9}}],
};

async function sentBy(command: typeof vmCommand, line: string, records: {machine?: object; firewall?: object}) {
  const {simulator, asked} = await openService({
    '/core/virtual-machines/7': {status: true, instance: {...MACHINE, ...records.machine}},
    '/core/firewalls/3': {status: true, firewall: {...FIREWALL, ...records.firewall}},
    'PUT /core/virtual-machines/7/label': {status: true, message: 'done'},
    'POST /core/firewalls/3/update-attachments': {status: true, message: 'done'},
  });
  const ran = await run(command, `${line} --yes`, {simulator});
  const sent = asked.filter(({method}) => method !== 'GET').map(({body}): unknown => JSON.parse(body));
  return {...ran, sent};
}

describe('an action that replaces a whole set', () => {
  test.each([
    ['without labels', undefined],
    ['with labels that are null', null],
    ['with a label of another shape', [{key: 'a'}, 'keep']],
    ['with an empty label', ['', 'keep']],
    ['with a label that cannot be shown as it is', ['a\tb', 'keep']],
    ['with a hidden character in a label', [{label: 'x\u00ady'}]],
    ['with a label that is too long', ['x'.repeat(5000)]],
  ])('is not sent for a machine %s', async (_, labels) => {
    const {exitCode, stderr, sent} = await sentBy(vmCommand, 'label 7 --add new', {machine: {labels}});
    expect({exitCode, sent}).toEqual({exitCode: 6, sent: []});
    expect(stderr).toContain('web-01 #7: its labels could not be read completely');
  });

  test.each([
    ['without attachments', undefined],
    ['with attachments that are null', null],
    ['with an attachment that is not an object', [{vm: {id: 9}}, 11]],
    ['with an attachment without a machine', [{vm: {id: 9}}, {status: 'SUCCESS'}]],
  ])('is not sent for a firewall %s', async (_, attachments) => {
    const {exitCode, stderr, sent} = await sentBy(firewallCommand, 'attach 3 7', {firewall: {attachments}});
    expect({exitCode, sent}).toEqual({exitCode: 6, sent: []});
    expect(stderr).toContain('web #3: its machines could not be read completely');
  });

  test('sends what exists and what is added, without what was detached', async () => {
    const labels = ['keep', {id: 4, label: 'b'}];
    expect((await sentBy(vmCommand, 'label 7 --add new', {machine: {labels}})).sent).toEqual([
      {labels: ['keep', 'b', 'new']},
    ]);
    const attachments = [{vm: {id: 9}}, {vm: {id: 10}, status: 'DETACHED'}, {status: 'DETACHED'}];
    expect((await sentBy(firewallCommand, 'attach 3 7', {firewall: {attachments}})).sent).toEqual([{vms: [9, 7]}]);
  });
});

test('sends one action for a machine that is given by its name and by its id', async () => {
  const machine = {id: 7, name: 'web', status: 'ACTIVE'};
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, count: 1, instances: [machine]},
    '/core/virtual-machines/7': {status: true, instance: machine},
  });
  const given = await run(vmCommand, 'stop web 7 --dry-run', {simulator});
  expect(given).toMatchObject({exitCode: 0, stdout: 'GET /core/virtual-machines/7/stop\n'});
});
