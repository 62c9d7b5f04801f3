import {expect, test} from 'vitest';
import {contracts as resource} from '../../src/resources/contracts.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {A_FLAVOR, aContract, aUsageRecord} from '../panes/a-known-scene.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {cellOf, rowsOf} from './a-resource.ts';

test('the rate of a contract is that of the present states of its machines', () => {
  const contract = aContract(90);
  // Hibernated since usage was read: for a root disk alone nobody is billed $20.
  const hibernated = aVirtualMachine({id: 2, contractId: contract.id, status: 'HIBERNATED', flavor: A_FLAVOR});
  const scene = aReadScene([
    listed(contractsFeed, [contract]),
    read(machinesFeed, aListing([aVirtualMachine({id: 1, contractId: contract.id}), hibernated])),
    listed(usageFeed, [aUsageRecord(1, '1.25'), aUsageRecord(2, '20')]),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe('1.25+');
});

test.each([
  ['of all its machines', ['1.25', '0.50'], '1.75'],
  ['of one of two', ['1.25', undefined], '1.25+'],
  ['of none', [undefined, undefined], undefined],
])('the rate of a contract tells that it is known %s', (_, rates, expected) => {
  const contract = aContract(90);
  const scene = aReadScene([
    listed(contractsFeed, [contract]),
    read(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id, contractId: contract.id})))),
    listed(
      usageFeed,
      rates.map((rate, index) => aUsageRecord(index + 1, rate)),
    ),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe(expected);
});
