import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {machines} from '../../src/resources/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {rowsOf} from './a-resource.ts';

// An L40 is a dollar an hour.
it.each<[string, MachineStatus, string | undefined, string, string | undefined]>([
  ['running', 'ACTIVE', '1', '1.00', '1.00'],
  ['stopped', 'SHUTOFF', '1', '1.00', '1.00'],
  ['hibernated', 'HIBERNATED', '0.01', '0.0100', '0.0100'],
  // A moment later it costs a dollar again.
  ['in transition, not billed for a moment', 'STOPPING', '0', '–', undefined],
  ['running, but metered while it started', 'ACTIVE', '0', '–', undefined],
  ['failed, which is free for as long as it lasts', 'ERROR', '0', 'free', 'free'],
  ['failed, and billed all the same', 'ERROR', '1', '1.00', '1.00'],
  ['not metered', 'ACTIVE', undefined, '–', undefined],
])('the cost of a machine is the same in the list and in what is filtered and printed: %s', (_, status, perHour, shown, printed) => {
  const machine = aVirtualMachine({id: 1, status, statusText: safeText(status), flavor: A_FLAVOR});
  const scene = aKnownScene({machines: [machine], usage: [aUsageRecord(1, perHour)]});
  const [row] = rowsOf(machines, scene) ?? [];
  const column = machines.columns.find(({key}) => key === 'cost');
  if (row === undefined || column?.list?.draw === undefined) throw new Error('no cell');
  const cell = column.list.draw(row, 7, scene.theme);
  expect(textOf(cell)).toBe(shown);
  expect(cell[0]?.tone).toBe(shown === 'free' ? 'dim' : 'money');
  expect(column.value(row)?.text).toBe(printed);
});
