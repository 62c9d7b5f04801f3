import {Box} from 'ink';
import {expect, it} from 'vitest';
import {PlanBox} from '../../src/app/write-boxes.tsx';
import {assert} from '../../src/domain/assert.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type PlanStep, startPlan} from '../../src/state/plan.ts';
import type {LinkFacts} from '../../src/state/triage.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {shownLines} from '../support/shown-lines.ts';
import {aScene} from './a-scene.ts';

const stop = (id: number): PlanStep => ({
  action: {kind: 'vm.stop', id: virtualMachineId(id)},
  subjectName: safeText(`gpu-${id}`),
});

/** Three machines are stopped: the first is sent, the second waits to be checked. */
function textAt(columns: number, link: LinkFacts): string {
  const operations = inMemoryOperations();
  const begun = startPlan(operations, [stop(1), stop(2), stop(3)], {mode: 'batch', tell: () => {}});
  assert(begun.status === 'begun', 'nothing holds the machines');
  operations.reach('accepted');
  const overlay = {kind: 'plan', title: say`stop 3`, plan: begun.plan} as const;
  const box = (
    <Box width={columns} height={24}>
      <PlanBox overlay={overlay} scene={aScene({link})} size={{columns, rows: 24}} />
    </Box>
  );
  const lines = shownLines(box, columns);
  return lines.join(' ').replaceAll(/[│\s]+/g, ' ');
}

it.each([80, 120])('says what waits for the request budget, and for how long (%i columns)', columns => {
  const link = {clockOffsetMs: 0, requestsLastMinute: 100, requestCeiling: 100, operationWaitMs: 22_100};
  expect(textAt(columns, link)).toContain(
    'waiting for the request budget, 100 of 100 a minute; 2 not sent, next in 23 s',
  );
});

it('says nothing of the budget while there is room in it', () => {
  const link = {clockOffsetMs: 0, requestsLastMinute: 60, requestCeiling: 100, operationWaitMs: 0};
  expect(textAt(80, link)).not.toContain('request budget');
});
