import {describe, expect, it} from 'vitest';
import {
  getVirtualMachine,
  hibernateVirtualMachine,
  listVirtualMachines,
  startVirtualMachine,
  virtualMachineEvents,
  virtualMachineMetrics,
} from '../../src/api/virtual-machines.ts';
import {MACHINE_STATUSES, type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {cpuMsOf} from '../support/cpu-time.ts';
import {readExample, wireExample} from './wire-example.ts';

const id = virtualMachineId(793001);

describe('listVirtualMachines', () => {
  it('reads machines with all their parts', () => {
    expect(readExample(listVirtualMachines)).toStrictEqual({
      records: [
        {
          id: 793001,
          name: 'trainer-1',
          status: 'ACTIVE',
          statusText: 'ACTIVE',
          powerState: 'RUNNING',
          vmState: 'active',
          environmentName: 'default-CANADA-1',
          regionName: 'CANADA-1',
          imageName: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
          osName: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
          keyPairName: 'laptop',
          flavor: {
            id: 110,
            name: 'n3-H100x1',
            cpuCount: 28,
            ramGb: 180,
            rootDiskGb: 100,
            ephemeralDiskGb: 750,
            gpuModel: 'H100-80G-PCIe',
            gpuCount: 1,
            hasNoHibernation: false,
          },
          fixedIp: '10.0.5.17',
          floatingIp: '203.0.113.9',
          floatingIpStatus: 'ATTACHED',
          volumes: [
            {
              volumeId: 38001,
              name: 'data',
              volumeType: 'Cloud-SSD',
              sizeGb: 500,
              status: 'ATTACHED',
              device: '/dev/vdb',
              isProtected: false,
            },
          ],
          rules: [
            {
              id: 9001,
              direction: 'ingress',
              protocol: 'tcp',
              etherType: 'IPv4',
              remoteIpPrefix: '0.0.0.0/0',
              portRangeMin: 22,
              portRangeMax: 22,
              status: 'SUCCESS',
              createdAt: Date.UTC(2026, 3, 1, 10, 4),
            },
          ],
          labels: ['team-a', 'nightly'],
          contractId: 12,
          isLocked: false,
          hasRandomizedPorts: true,
          isSnapshotting: false,
          createdAt: Date.UTC(2026, 3, 1, 10),
        },
        {
          id: 793002,
          name: 'fresh',
          status: 'CREATING',
          statusText: 'CREATING',
          environmentName: 'default-CANADA-1',
          imageName: 'Ubuntu Server 24.04 LTS (Noble Numbat)',
          keyPairName: 'laptop',
          flavor: {id: 7, name: 'n1-cpu-small', cpuCount: 4, ramGb: 4, rootDiskGb: 100, gpuCount: 0},
          floatingIpStatus: 'NO FLOATING IP',
          volumes: [],
          rules: [],
          labels: [],
          isLocked: false,
          isSnapshotting: false,
          createdAt: Date.UTC(2026, 4, 3, 11, 22, 33),
        },
      ],
      quarantined: [],
    });
  });

  it('reads other spellings, drops only malformed fields, and quarantines only records without a usable id', () => {
    expect(readExample(listVirtualMachines, 'virtual-machines.list.odd-spellings')).toStrictEqual({
      records: [
        {
          id: 5,
          name: 'restored',
          status: 'PRE_ACTIVE',
          statusText: 'pre-active',
          environmentName: 'old-environment',
          osName: 'Ubuntu 22.04',
          keyPairName: 'plain-key',
          flavor: {name: 'n3-L40x1', cpuCount: 28, ramGb: 58.5, rootDiskGb: 100, gpuModel: 'L40', gpuCount: 1},
          floatingIpStatus: 'NO_FLOATING_IP',
          volumes: [{volumeId: 38002, name: 'old', volumeType: 'Cloud-SSD', sizeGb: 250, status: 'DETACHED'}],
          hasUnreadVolumes: true,
          rules: [{direction: 'egress', protocol: 'any', status: 'pending'}],
          labels: [],
          hasUnreadLabels: true,
          hasUnreadCallback: true,
          clusterId: 1601,
          createdAt: Date.UTC(2026, 3, 30, 22),
        },
        {
          id: 6,
          name: '',
          status: 'UNKNOWN',
          statusText: 'DEFRAGMENTING',
          hasUnreadAddress: true,
          volumes: [],
          hasUnreadVolumes: true,
          rules: [],
          hasUnreadRules: true,
          labels: [],
          hasUnreadLabels: true,
          hasUnreadCallback: true,
          hasUnreadContract: true,
          isNodeUnknown: true,
        },
      ],
      quarantined: [{fields: ['id']}, {fields: ['id']}, {fields: ['id']}, {fields: ['the record itself']}],
    });
  });

  it.each([
    ['null', null, null, {hasUnreadVolumes: true}],
    ['nothing in the list', [], 0, {}],
    ['one that is gone, without its volume', [{status: 'DETACHED'}], 12, {contractId: 12}],
    ['a field left out', undefined, undefined, {hasUnreadVolumes: true, hasUnreadContract: true}],
    ['text', 'none', 'twelve', {hasUnreadVolumes: true, hasUnreadContract: true}],
    ['an object', {'0': {}}, {id: 12}, {hasUnreadVolumes: true, hasUnreadContract: true}],
    ['an attachment that is none', [7], -12, {hasUnreadVolumes: true, hasUnreadContract: true}],
    [
      'an attachment of no known volume',
      [{status: 'ATTACHED'}],
      1.5,
      {hasUnreadVolumes: true, hasUnreadContract: true},
    ],
  ])('tells volumes and a contract that are unreadable from none: %s', (_, volumes, contract, expected) => {
    const read = listVirtualMachines.record({id: 1, volume_attachments: volumes, contract_id: contract});
    const {hasUnreadVolumes, hasUnreadContract, contractId} = read.ok ? read.value : ({} as Partial<VirtualMachine>);
    expect(read.ok && {hasUnreadVolumes, hasUnreadContract, contractId}).toEqual(expected);
  });

  it.each([
    ['null', null, {}],
    ['empty text', '', {}],
    ['a URL', 'https://here.example/', {callbackUrl: 'https://here.example/'}],
    ['a field left out', undefined, {hasUnreadCallback: true}],
    ['an object', {url: 'https://here.example/'}, {hasUnreadCallback: true}],
  ])('tells a callback that is unreadable from none: %s', (_, callback, expected) => {
    const read = listVirtualMachines.record({id: 1, callback_url: callback});
    const {callbackUrl, hasUnreadCallback} = read.ok ? read.value : ({} as Partial<VirtualMachine>);
    expect(read.ok && {callbackUrl, hasUnreadCallback}).toEqual(expected);
  });

  it.each(MACHINE_STATUSES)('knows the state %s in any spelling', status => {
    const spellings = [status, status.toLowerCase(), status.replaceAll('_', '-'), status.replaceAll('_', ' ')];
    for (const spelling of spellings) {
      expect(listVirtualMachines.record({id: 1, status: spelling})).toMatchObject({
        value: {status, statusText: spelling},
      });
    }
  });

  it.each([
    [1601, {clusterId: 1601}],
    ['1601', {clusterId: 1601}],
    ['3f0c-11', {hasUnreadCluster: true}],
    [{id: 7}, {hasUnreadCluster: true}],
    [JSON.rawJSON('9007199254740993'), {hasUnreadCluster: true}],
    [null, {}],
    ['', {}],
    [undefined, {isNodeUnknown: true}],
  ])('takes a machine with the cluster %j for a node unless it has none', (cluster_id, expected) => {
    const read = listVirtualMachines.record({id: 1, cluster_id});
    if (!read.ok) throw new Error('not read');
    const {clusterId, hasUnreadCluster, isNodeUnknown} = read.value;
    expect({clusterId, hasUnreadCluster, isNodeUnknown}).toEqual(expected);
  });

  it.each([
    [{no_reboot: true}, true],
    [{no_reboot: false}, undefined],
    [{}, undefined],
  ])('reads of a flavor with %j whether it can be rebooted', (features, expected) => {
    const read = listVirtualMachines.record({id: 1, flavor: {name: 'n3-L40x1', features}});
    expect(read.ok && read.value.flavor?.hasNoReboot).toBe(expected);
  });

  it('makes the text of the service safe to show', () => {
    expect(listVirtualMachines.record({id: 1, name: 'a\u202eb\u001b]0;x\u0007', labels: ['l\n']})).toMatchObject({
      value: {name: 'a<U+202E>b␛]0;x␇', labels: ['l␊']},
    });
  });

  it('is not fooled by prototype keys', () => {
    const raw: unknown = JSON.parse(
      '{"id": 1, "__proto__": {"name": "polluted"}, "constructor": {"prototype": {"x": 1}}}',
    );
    expect(listVirtualMachines.record(raw)).toMatchObject({ok: true, value: {id: 1, name: ''}});
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('name');
  });

  it('parses ten thousand machines in well under two seconds', () => {
    const [machine] = listVirtualMachines.collect(JSON.parse(wireExample('virtual-machines.list'))) ?? [];
    const parsed: boolean[] = [];
    const takenMs = cpuMsOf(() => {
      for (let count = 0; count < 10_000; count += 1) parsed.push(listVirtualMachines.record(machine).ok);
    });
    expect(parsed).not.toContain(false);
    expect(takenMs).toBeLessThan(2000);
  });
});

describe('getVirtualMachine', () => {
  it('reads the one machine of a detail reply', () => {
    expect(readExample(getVirtualMachine)).toStrictEqual({
      records: [
        {
          id: 793003,
          name: 'node-1',
          status: 'HIBERNATED',
          statusText: 'HIBERNATED',
          powerState: 'SHUTDOWN',
          vmState: 'shelved_offloaded',
          environmentName: 'default-NORWAY-1',
          regionName: 'NORWAY-1',
          imageName: 'Ubuntu Server 22.04 LTS',
          osName: 'Ubuntu Server 22.04 LTS',
          keyPairName: 'laptop',
          flavor: {
            id: 95,
            name: 'n3-RTX-A4000x1',
            cpuCount: 6,
            ramGb: 24,
            rootDiskGb: 100,
            ephemeralDiskGb: 0,
            gpuModel: 'RTX-A4000',
            gpuCount: 1,
            hasNoHibernation: true,
          },
          fixedIp: '10.0.6.3',
          floatingIpStatus: 'NO FLOATING IP',
          volumes: [],
          rules: [],
          labels: ['x'],
          clusterId: 1602,
          callbackUrl: 'https://example.org/hook',
          isLocked: true,
          isSnapshotting: true,
          createdAt: Date.UTC(2026, 1, 28, 23, 59, 59),
        },
      ],
      quarantined: [],
    });
  });
});

describe('virtualMachineMetrics', () => {
  it('asks for one window or for everything', () => {
    expect(virtualMachineMetrics.path({id})).toBe('/core/virtual-machines/793001/metrics');
    expect(virtualMachineMetrics.query({id, duration: '6h'})).toEqual({duration: '6h'});
    expect(virtualMachineMetrics.query({id})).toEqual({});
  });
});

describe('virtualMachineEvents', () => {
  it('reads the history in its order, and quarantines an event without content', () => {
    expect(readExample(virtualMachineEvents)).toStrictEqual({
      records: [
        {
          occurredAt: Date.UTC(2026, 3, 1, 10),
          type: 'normal',
          reason: 'InstanceCreationRequest',
          message: 'Instance creation request accepted',
          userId: 3107,
        },
        {
          occurredAt: Date.UTC(2026, 3, 1, 10, 3, 30, 125),
          type: 'error',
          reason: 'InstanceStopFailed',
          message: 'line one␊line ␛[31mtwo',
        },
      ],
      quarantined: [{fields: ['reason', 'message']}],
    });
  });
});

describe('power operations', () => {
  it('have the verb and the id in their path, and say whether the public IP is kept', () => {
    expect(startVirtualMachine.path({id})).toBe('/core/virtual-machines/793001/start');
    expect(hibernateVirtualMachine.path({id, retainsIp: true})).toBe('/core/virtual-machines/793001/hibernate');
    expect(hibernateVirtualMachine.query({id, retainsIp: true})).toEqual({retain_ip: true});
    expect(hibernateVirtualMachine.query({id, retainsIp: false})).toEqual({retain_ip: false});
  });
});
