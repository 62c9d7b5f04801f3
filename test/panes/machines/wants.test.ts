import {expect, test} from 'vitest';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {MINUTE_MS} from '../../../src/domain/time.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aKnownScene} from '../a-known-scene.ts';

test.each([
  ['do not say which of them are nodes', {isNodeUnknown: true as const}, MINUTE_MS],
  ['say which of them are nodes', {}, 15 * MINUTE_MS],
])('reads the clusters as often as its keys need them, where the machines %s', (_, fields, expected) => {
  const scene = aKnownScene({machines: [aVirtualMachine(fields)]});
  const wanted = machinesPane.wants({scene, view: machinesPane.initialView});
  expect(wanted.find(({feed}) => feed.key === 'clusters')?.intervalMs).toBe(expected);
});
