import {expect, test} from 'vitest';
import {wasteDetail, wasteRows} from '../../src/resources/waste.ts';
import {textOf} from '../../src/ui/text.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

// $20/h, less 100 GB of root disk at $0.000096774 an hour each.
test.each([
  ['of a machine', {}, 'start and hibernate, saves $19.99/h'],
  ['that a contract may not give', {contractId: 12}, 'start and hibernate, saves up to $19.99/h'],
])('tells the savings %s', (_, fields, fix) => {
  const machines = [aVirtualMachine({id: 1, status: 'SHUTOFF', flavor: A_FLAVOR, ...fields})];
  const [row] = wasteRows(aKnownScene({machines, volumes: [], usage: [aUsageRecord(1, '20')]})) ?? [];
  const lines = row === undefined ? [] : wasteDetail(row, 100).map(textOf);
  expect(lines.map(line => line.trim().split(/ {2,}/))).toContainEqual(['fix', fix]);
});
