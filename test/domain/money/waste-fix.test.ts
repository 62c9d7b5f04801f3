import {expect, test} from 'vitest';
import {actionOfFix} from '../../../src/actions/actions.ts';
import {clusterId} from '../../../src/domain/cluster.ts';
import {PRICES} from '../../../src/domain/money/prices.ts';
import type {Waste} from '../../../src/domain/money/waste.ts';
import {wasteFix} from '../../../src/domain/money/waste-fix.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {perHour} from './a-usage-record.ts';

const waste = (kind: Waste['kind']): Waste => ({
  kind,
  resourceType: kind === 'unattached-volume' ? 'volume' : 'vm',
  resourceId: 1,
  name: safeText('train-01'),
  confidence: 'high',
  since: undefined,
  rate: perHour('20'),
  soFar: undefined,
  evidence: safeText(''),
});

function machine(fields: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    id: virtualMachineId(1),
    name: safeText('train-01'),
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    flavor: {name: safeText('n3-H100x8'), gpuModel: safeText('H100-80G-PCIe'), gpuCount: 8, rootDiskGb: 100},
    volumes: [],
    rules: [],
    labels: [],
    ...fields,
  };
}

// After hibernation the 100 GB of root disk are still billed at 0.000096774 dollars an hour each.
const AFTER_ROOT_DISK = '19.9903226';

test.each<[string, Waste['kind'], VirtualMachine | undefined, string, string | undefined]>([
  ['an idle machine', 'idle', machine(), 'hibernate', AFTER_ROOT_DISK],
  [
    'a stopped machine, which cannot be hibernated directly',
    'stopped-but-billed',
    machine({status: 'SHUTOFF'}),
    'start and hibernate',
    AFTER_ROOT_DISK,
  ],
  [
    'a machine whose flavor cannot be hibernated',
    'idle',
    machine({flavor: {name: safeText('n3-H100x8'), rootDiskGb: 100, hasNoHibernation: true}}),
    'delete',
    '20',
  ],
  [
    'a machine without a GPU, whose flag says nothing',
    'stopped-but-billed',
    machine({
      status: 'SHUTOFF',
      flavor: {name: safeText('n1-cpu-small'), rootDiskGb: 100, gpuCount: 0, hasNoHibernation: false},
    }),
    'delete',
    '20',
  ],
  [
    'a node, whose power its cluster manages',
    'idle',
    machine({clusterId: clusterId(31)}),
    'make its node group smaller',
    '20',
  ],
  ['a node of an unknown cluster', 'idle', machine({hasUnreadCluster: true}), 'make its node group smaller', '20'],
  ['a machine that is not in the list', 'idle', undefined, 'hibernate', undefined],
  ['a volume', 'unattached-volume', undefined, 'delete', '20'],
  ['a ghost, which is billed but in no list', 'ghost', undefined, 'ask the provider', '20'],
  ['a machine that is not metered', 'unmetered', undefined, 'ask the provider', undefined],
])('says how to stop the waste of %s, and what that saves', (_, kind, subject, action, savings) => {
  expect(wasteFix(waste(kind), subject, PRICES)).toMatchObject({action, savings: savings && perHour(savings)});
});

test.each<[Waste['kind'], VirtualMachine | undefined, string | undefined]>([
  ['idle', machine(), 'vm.hibernate'],
  ['idle', machine({flavor: {name: safeText('n3-H100x8'), hasNoHibernation: true}}), 'vm.delete'],
  ['idle', machine({clusterId: clusterId(31)}), undefined],
  ['stopped-but-billed', machine({status: 'SHUTOFF'}), 'vm.start'],
  ['unattached-volume', undefined, 'volume.delete'],
  ['kept-address', machine({status: 'HIBERNATED'}), undefined],
  ['ghost', undefined, undefined],
])('offers a first action against %s that can be put to a person, if there is one', (kind, subject, expected) => {
  const {first} = wasteFix(waste(kind), subject, PRICES);
  expect(first?.kind).toBe(expected);
  expect(first && actionOfFix(first)?.kind).toBe(expected);
});

test.each<[Waste['kind'], Partial<VirtualMachine>]>([
  ['idle', {}],
  ['stopped-but-billed', {status: 'SHUTOFF'}],
  ['idle', {flavor: {name: safeText('n3-H100x8'), hasNoHibernation: true}}],
])('knows that a contract may not give the savings against %s', (kind, fields) => {
  const isUncertain = (rest: Partial<VirtualMachine>) =>
    wasteFix(waste(kind), machine({...fields, ...rest}), PRICES).savingIsUncertain;
  expect([isUncertain({}), isUncertain({contractId: 7})]).toEqual([false, true]);
});

test('warns that a machine under a contract may be charged anyway', () => {
  expect(wasteFix(waste('idle'), machine({contractId: 7}), PRICES).risk).toMatch(/^its contract may be charged anyway/);
});
