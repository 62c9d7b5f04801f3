import {inspect} from 'node:util';
import {describe, expect, it} from 'vitest';
import type {OperationEndpoint} from '../../src/api/endpoint.ts';
import {parseJson} from '../../src/api/json.ts';
import {console as machineConsole, machineLogs, requestConsole, requestLogs} from '../../src/api/machine-jobs.ts';
import {
  attachCallback,
  attachFloatingIp,
  attachVolumes,
  createVirtualMachines,
  deleteCallback,
  deleteVirtualMachine,
  detachFloatingIp,
  detachVolumes,
  machineNameAvailability,
  resizeVirtualMachine,
  setMachineFirewalls,
  setMachineLabels,
  updateCallback,
} from '../../src/api/virtual-machines.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {type MachineSpec, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {KEY, openClients, openServer} from './loopback.ts';
import {readExample, readResult, wireExample} from './wire-example.ts';

const id = virtualMachineId(793001);
const PATH = '/core/virtual-machines/793001';

function sent<Params>(endpoint: OperationEndpoint<Params>, params: Params) {
  return {method: endpoint.method, path: endpoint.path(params), body: endpoint.body(params)};
}

describe('createVirtualMachines', () => {
  const spec: MachineSpec = {
    name: safeText('trainer'),
    environmentName: safeText('default-CANADA-1'),
    flavorName: safeText('n3-A100x1'),
    keyPairName: safeText('laptop'),
    count: 2,
  };

  it('sends what was chosen with the field names of the service, and nothing else', () => {
    expect(createVirtualMachines.body({spec})).toStrictEqual({
      name: 'trainer',
      environment_name: 'default-CANADA-1',
      flavor_name: 'n3-A100x1',
      key_name: 'laptop',
      count: 2,
    });
  });

  it('sends the user script exactly as written, and keeps it secret everywhere else', () => {
    const script = '#!/bin/sh\n\techo "pässword"\u0000\n';
    const whole: MachineSpec = {
      ...spec,
      imageName: safeText('Ubuntu Server 22.04 LTS R535 CUDA 12.2'),
      volumeName: safeText('root'),
      createsBootableVolume: false,
      assignsFloatingIp: true,
      randomizesPorts: false,
      labels: [safeText('team-a')],
      userData: secret(script),
      callbackUrl: safeText('https://hooks.example.org/vm'),
      rules: [
        {
          direction: 'ingress',
          protocol: safeText('tcp'),
          etherType: 'IPv4',
          remoteIpPrefix: safeText('0.0.0.0/0'),
          portRangeMin: 22,
          portRangeMax: 22,
        },
      ],
    };
    expect(createVirtualMachines.body({spec: whole})).toStrictEqual({
      name: 'trainer',
      environment_name: 'default-CANADA-1',
      flavor_name: 'n3-A100x1',
      key_name: 'laptop',
      count: 2,
      image_name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
      volume_name: 'root',
      create_bootable_volume: false,
      assign_floating_ip: true,
      enable_port_randomization: false,
      labels: ['team-a'],
      user_data: script,
      callback_url: 'https://hooks.example.org/vm',
      security_rules: [
        {
          direction: 'ingress',
          protocol: 'tcp',
          ethertype: 'IPv4',
          remote_ip_prefix: '0.0.0.0/0',
          port_range_min: 22,
          port_range_max: 22,
        },
      ],
    });
    expect(JSON.stringify(whole)).not.toContain('pässword');
  });

  it('gives the ids of the machines created, and no name when there are several', () => {
    expect(readResult(createVirtualMachines)).toStrictEqual({kind: 'created', ids: [793101, 793102]});
    expect(createVirtualMachines.result({instances: [{id: 5, name: 'a'}, {id: 0}, 'x']})).toStrictEqual({
      kind: 'created',
      ids: [5],
    });
    expect(createVirtualMachines.result({status: true, message: 'ok'})).toBeUndefined();
  });
});

describe('operations on a machine', () => {
  const url = safeText('https://hooks.example.org/vm');
  const volumeIds = [volumeId(38001)];

  it.each([
    [sent(deleteVirtualMachine, {id}), 'DELETE', '', undefined],
    [
      sent(resizeVirtualMachine, {id, flavorName: safeText('n3-A100x2')}),
      'POST',
      '/resize',
      {flavor_name: 'n3-A100x2'},
    ],
    [sent(setMachineLabels, {id, labels: [safeText('a'), safeText('b')]}), 'PUT', '/label', {labels: ['a', 'b']}],
    [sent(setMachineLabels, {id, labels: []}), 'PUT', '/label', {labels: []}],
    [sent(attachFloatingIp, {id}), 'POST', '/attach-floatingip', undefined],
    [sent(detachFloatingIp, {id}), 'POST', '/detach-floatingip', undefined],
    [sent(attachCallback, {id, url}), 'POST', '/attach-callback', {url: 'https://hooks.example.org/vm'}],
    [sent(updateCallback, {id, url}), 'PUT', '/update-callback', {url: 'https://hooks.example.org/vm'}],
    [sent(deleteCallback, {id}), 'DELETE', '/delete-callback', undefined],
    [sent(attachVolumes, {id, volumeIds}), 'POST', '/attach-volumes', {volume_ids: [38001]}],
    [sent(detachVolumes, {id, volumeIds}), 'POST', '/detach-volumes', {volume_ids: [38001]}],
    [sent(setMachineFirewalls, {id, firewallIds: [firewallId(4)]}), 'POST', '/attach-firewalls', {firewalls: [4]}],
    [sent(requestConsole, {id}), 'GET', '/request-console', undefined],
    [sent(requestLogs, {id, lineCount: 200}), 'POST', '/logs', {length: 200}],
  ])('are sent as %o', (request, method, path, body) => {
    expect(request).toStrictEqual({method, path: `${PATH}${path}`, body});
  });

  it('detach an address by a path that does not end in the stop verb', () => {
    expect(detachFloatingIp.template).not.toMatch(/\/stop$/);
  });

  it('give the callback URL that is set', () => {
    expect(readResult(attachCallback)).toStrictEqual({kind: 'callback', url: 'https://hooks.example.org/vm'});
    expect(readResult(updateCallback)).toStrictEqual({kind: 'callback', url: 'https://hooks.example.org/other'});
    expect(attachCallback.result({status: true, message: 'ok'})).toBeUndefined();
  });
});

describe('the console', () => {
  it('is requested as a job whose id is in the URL of the reply', () => {
    expect(readResult(requestConsole)).toStrictEqual({
      kind: 'console-job',
      jobId: '3f1e77a4-9c0b-4c4e-8f65-0d6a2f1b7e11',
    });
    for (const url of ['', '/core/virtual-machines/7', '/x/console/', '/x/console/..', '/x/console/a?b', null]) {
      expect(requestConsole.isAccepted({status: true, message: 'ok', url})).toBe(false);
    }
  });

  it('is opened by a URL that is never printed', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('virtual-machines.console')));
    const read = await openClients(server.baseUrl).reads.read(machineConsole, {id, jobId: 'stop'});
    const [opened] = read.ok ? read.value.records : [];
    if (opened?.status !== 'ready') throw new Error('Expected a console.');
    expect(opened.url.reveal()).toBe('https://console.example.org/vnc_auto.html?token=c0ffee-0123456789');
    expect(inspect(read, {depth: 9}) + JSON.stringify(read)).not.toContain('c0ffee');
    expect(server.seen.map(({url}) => url)).toEqual([`/v1${PATH}/console/stop`]);
  });

  it('is opened by a URL without the key of the account, also if the service puts it there', async () => {
    const url = `https://console.example.org/?token=${KEY}`;
    const server = await openServer((_request, response) =>
      response.end(JSON.stringify({status: true, message: 'ok', vnc_url: {instance: 'a', vnc_url: url}})),
    );
    const read = await openClients(server.baseUrl).reads.read(machineConsole, {id, jobId: 'a'});
    const [opened] = read.ok ? read.value.records : [];
    if (opened?.status !== 'ready') throw new Error('Expected a console.');
    expect(opened.url.reveal()).toMatch(/^https:\/\/console\.example\.org\/\?token=/);
    expect(opened.url.reveal()).not.toContain(KEY);
  });

  it.each([
    ['false and nothing more', '{"status": false, "message": "not yet"}'],
    ['true and no URL', '{"status": true, "vnc_url": null}'],
    ['true and an empty URL', '{"status": true, "vnc_url": {"id": 1, "vnc_url": ""}}'],
  ])('is pending while the service says %s', async (_said, body) => {
    const server = await openServer((_request, response) => response.end(body));
    const read = await openClients(server.baseUrl).reads.read(machineConsole, {id, jobId: 'a'});
    expect(read).toMatchObject({ok: true, value: {records: [{status: 'pending'}]}});
  });

  it('is refused when the service gives a reason', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('error.success-status-false')));
    const read = await openClients(server.baseUrl).reads.read(machineConsole, {id, jobId: 'a'});
    expect(read).toMatchObject({ok: false, failure: {kind: 'refused'}});
  });
});

describe('logs', () => {
  it('are requested with an id that is a number or a word', () => {
    expect(readResult(requestLogs)).toStrictEqual({kind: 'log-request', requestId: '88123'});
    expect(requestLogs.result({request_id: 'a-7'})).toStrictEqual({kind: 'log-request', requestId: 'a-7'});
    expect(requestLogs.isAccepted({status: true, message: 'ok'})).toBe(false);
    expect(machineLogs.query({id, requestId: '88123'})).toEqual({request_id: '88123'});
  });

  it.each([
    ['{"request_id": 9007199254740993}', '9007199254740993'],
    ['{"request_id": "007"}', '007'],
    ['{"request_id": "12e4"}', '12e4'],
    ['{"request_id": "+5"}', '+5'],
  ])('have an id that is sent back exactly as %s has it', (body, requestId) => {
    const parsed = atOnce(parseJson(body));
    expect(parsed.ok && requestLogs.result(parsed.value)).toEqual({kind: 'log-request', requestId});
  });

  it('are read line by line, without control characters', () => {
    expect(readExample(machineLogs).records).toStrictEqual([
      {status: 'ready', lines: ['[    0.000000] Linux version 5.15.0', '[    1.250000] ␛[32mOK␛[0m Started sshd']},
    ]);
    expect(machineLogs.record({logs: 'a\n\nb\n'})).toMatchObject({value: {lines: ['a', '', 'b']}});
    expect(machineLogs.record({logs: ['a', 'b\nc', 4]})).toMatchObject({value: {lines: ['a', 'b', 'c']}});
  });

  it('of 10,000 long lines are read, and of more the newest 10,000', async () => {
    const line = 'x'.repeat(200);
    const server = await openServer((request, response) => {
      const isLong = request.url?.endsWith('=2') === true;
      response.end(JSON.stringify({status: true, logs: `${isLong ? '\nfirst\n' : ''}${`${line}\n`.repeat(10_000)}`}));
    });
    const {reads} = openClients(server.baseUrl);
    for (const requestId of ['1', '2']) {
      const read = await reads.read(machineLogs, {id, requestId});
      const [log] = read.ok ? read.value.records : [];
      const lines = log?.status === 'ready' ? log.lines : [];
      expect([lines.length, lines[0]?.length, lines.at(-1)?.length]).toEqual([10_000, 200, 200]);
    }
    expect(machineLogs.record({logs: '\na'})).toMatchObject({value: {lines: ['', 'a']}});
    // The lines count, not the texts they come in.
    const texts = Array.from({length: 12_000}, (_, index) => `${2 * index}\r\n${2 * index + 1}\n`);
    const pairs = machineLogs.record({logs: texts});
    const newest = pairs.ok && pairs.value.status === 'ready' ? pairs.value.lines : [];
    expect([newest.length, newest[0], newest.at(-1)]).toEqual([10_000, '14000␍', '23999']);
  });

  it('are pending while a 200 says false', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('virtual-machines.logs.pending')));
    const read = await openClients(server.baseUrl).reads.read(machineLogs, {id, requestId: '1'});
    expect(read).toMatchObject({ok: true, value: {records: [{status: 'pending'}]}});
    expect(server.seen.map(({url}) => url)).toEqual([`/v1${PATH}/logs?request_id=1`]);
  });

  it('are refused when the service gives a reason', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('error.success-status-false')));
    const read = await openClients(server.baseUrl).reads.read(machineLogs, {id, requestId: '1'});
    expect(read).toMatchObject({ok: false, failure: {kind: 'refused'}});
  });
});

describe('machineNameAvailability', () => {
  it('asks for as many names as there will be machines', () => {
    const name = safeText('my trainer');
    expect(machineNameAvailability.path({name})).toBe('/core/virtual-machines/name-availability/my%20trainer');
    expect(machineNameAvailability.query({name, count: 3})).toEqual({count: 3});
    expect(readExample(machineNameAvailability).records).toStrictEqual([
      {name: 'trainer', isAvailable: true, message: 'The name is free'},
    ]);
  });
});
