import {Box} from 'ink';
import {expect, it} from 'vitest';
import {PlanBox} from '../../../src/app/overlay/write-boxes.tsx';
import type {TerminalSize} from '../../../src/app/deck.ts';
import {assert} from '../../../src/domain/assert.ts';
import type {OperationPhase} from '../../../src/domain/operation.ts';
import {type SafeText, safeText, say} from '../../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {type BreakerState, UP} from '../../../src/state/poller/circuit-breaker.ts';
import {type Plan, type PlanStep, type PlanStepProgress, startPlan} from '../../../src/state/operations/plan.ts';
import type {LinkFacts} from '../../../src/state/triage.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aScene} from '../a-scene.ts';

const stop = (id: number): PlanStep => ({
  action: {kind: 'vm.stop', id: virtualMachineId(id)},
  subjectName: safeText(`gpu-${id}`),
});

/** A batch of stops whose first ones reach these phases; the next waits to be checked. */
function stopMany(count: number, ...phases: readonly OperationPhase[]) {
  const operations = inMemoryOperations();
  const others = Array.from({length: count - 1}, (_, index) => stop(index + 2));
  const begun = startPlan(operations, [stop(1), ...others], {mode: 'batch', tell: () => {}});
  assert(begun.status === 'begun', 'nothing holds the machines');
  for (const phase of phases) operations.reach(phase);
  return begun.plan;
}

function linesOf(
  plan: Plan,
  {columns, rows}: TerminalSize,
  link?: LinkFacts,
  health: BreakerState = UP,
): readonly string[] {
  const overlay = {kind: 'plan', title: say`stop ${plan.progress().steps.length}`, plan} as const;
  const scene = aScene(link === undefined ? {health} : {link, health});
  const box = (
    <Box width={columns} height={rows}>
      <PlanBox overlay={overlay} scene={scene} size={{columns, rows}} />
    </Box>
  );
  return shownLines(box, columns);
}

function textOf(...given: Parameters<typeof linesOf>): string {
  return linesOf(...given)
    .join(' ')
    .replaceAll(/[│\s]+/g, ' ');
}

/** Three machines are stopped: the first is sent, the second waits to be checked. */
function textAt(columns: number, link: LinkFacts): string {
  return textOf(stopMany(3, 'accepted'), {columns, rows: 24}, link);
}

it.each([60, 80, 120])('says how many wait for the request budget, and for how long (%i columns)', columns => {
  const link = {clockOffsetMs: 0, requestsLastMinute: 100, requestCeiling: 100, operationWaitMs: 22_100};
  expect(textAt(columns, link)).toContain('waiting for the request budget, 100 of 100 a minute; 2 wait, next in 23 s');
});

it('does not mention the budget while there is room in it', () => {
  const link = {clockOffsetMs: 0, requestsLastMinute: 60, requestCeiling: 100, operationWaitMs: 0};
  expect(textAt(80, link)).not.toContain('request budget');
});

const FULL = {clockOffsetMs: 0, requestsLastMinute: 91, requestCeiling: 100, operationWaitMs: 22_100};

it('counts as waiting only what may still be sent, and offers to cancel only that', () => {
  const lastOne = stopMany(10, ...Array.from({length: 9}, () => 'STALE' as const));
  const text = textOf(lastOne, {columns: 80, rows: 24}, FULL);
  expect(text).toContain('waiting for the request budget, 91 of 100 a minute; 1 waits, next in 23 s');
  // The last one is being checked, and can be withdrawn.
  expect(text).toContain('cancel what is not sent');
  expect(textOf(stopMany(3, 'STALE'), {columns: 80, rows: 24}, FULL)).toContain('cancel what is not sent');
});

it.each([
  [60, 16],
  [80, 24],
])('shows the complete reason of a stop, and how many actions are not shown (%i columns, %i rows)', (columns, rows) => {
  const detail = say`the check before sending failed, the connection was refused by api.example.com`;
  const {steps} = stopMany(40, 'accepted', 'NOT_SENT').progress();
  const reason = say`stop gpu-2 #2: not sent: ${detail}`;
  const plan: Plan = {...idle, progress: () => ({status: 'stopped', reason, steps})};
  expect(textOf(plan, {columns, rows})).toContain(`stopped: ${reason}`);
  const lines = linesOf(plan, {columns, rows});
  const shown = lines.filter(line => / gpu-\d+ #\d+ /.test(line) && !line.includes('stopped:')).length;
  expect(shown).toBeGreaterThan(1);
  expect(lines.join(' ')).toContain(`and ${40 - shown} more`);
  expect(lines.join(' ')).toContain('[esc] close');
});

it.each([
  60, 80, 120,
])('says of the rest of a stopped batch that it was not sent, and why r is missing while the link is down (%i columns)', columns => {
  const {steps} = stopMany(3, 'accepted', 'NOT_SENT').progress();
  const reason = say`stop gpu-2 #2: not sent: connection refused`;
  const left = [stop(3)];
  const plan: Plan = {...idle, progress: () => ({status: 'stopped', reason, steps}), left: () => left};
  const failure = {kind: 'not-sent', detail: say`connection refused`} as const;
  const {monotonicNow} = aScene({});
  const moments = {since: monotonicNow, retryAt: monotonicNow};
  const down: BreakerState = {status: 'down', failure, ...moments, attemptCount: 1, goodAnswerCount: 0};
  const text = textOf(plan, {columns, rows: 24}, undefined, down);
  expect(text).toMatch(/gpu-3 #3 not sent (?!yet)/);
  expect(text).not.toContain('not sent yet');
  expect(text).toMatch(/link down \d+s: nothing can be sent; r continues with the rest once it can/);
  expect(text).not.toContain('[r]');
  expect(textOf(plan, {columns, rows: 24})).not.toContain('link down');
  expect(textOf({...plan, left: () => []}, {columns, rows: 24}, undefined, down)).not.toContain('link down');
  expect(textOf(stopMany(3, 'accepted'), {columns, rows: 24})).toContain('gpu-3 #3 not sent yet');
});

it('gives the room that short names do not need to the reasons', () => {
  const detail = say`the check before sending failed, the service failed (500)`;
  const {steps} = stopMany(3, 'accepted', 'NOT_SENT').progress();
  const told = steps.map(each => (each.operation?.phase === 'NOT_SENT' ? withDetail(each, detail) : each));
  const plan: Plan = {...idle, progress: () => ({status: 'running', steps: told})};
  expect(textOf(plan, {columns: 80, rows: 24})).toContain(
    'gpu-2 #2 not sent: the check before sending failed, the service',
  );
});

it('also counts the actions above the visible ones, and none when all are visible', () => {
  const ended = stopMany(40, ...Array.from({length: 40}, () => 'CONFIRMED' as const));
  const lines = linesOf(ended, {columns: 80, rows: 24});
  const shown = lines.filter(line => / gpu-\d+ #\d+ /.test(line)).length;
  expect(lines.join(' ')).toContain(`and ${40 - shown} more`);
  expect(textOf(stopMany(3), {columns: 80, rows: 24})).not.toContain('more');
});

function withDetail(each: PlanStepProgress, detail: SafeText): PlanStepProgress {
  return each.operation === undefined ? each : {...each, operation: {...each.operation, detail}};
}

/** A plan that does nothing; the test gives its progress. */
const idle: Omit<Plan, 'progress'> = {
  mode: 'batch',
  subscribe: () => () => {},
  cancel: () => {},
  left: () => [],
  resume: () => false,
};

it('withdraws the one being checked when the rest is cancelled, also if it is the last', () => {
  for (const phases of [['accepted'], ['accepted', 'accepted']] as const) {
    const plan = stopMany(3, ...phases);
    expect(textOf(plan, {columns: 80, rows: 24})).toContain('cancel what is not sent');
    plan.cancel();
    const ends = plan.progress().steps.map(({operation}) => operation?.phase ?? 'not begun');
    expect(ends).toEqual([...phases, 'NOT_SENT', ...(phases.length === 1 ? ['not begun'] : [])]);
    expect(plan.progress().status).toBe('cancelled');
  }
});

it('counts what is unknown apart from what is under way', () => {
  const text = textOf(stopMany(3, 'accepted', 'unknown'), {columns: 80, rows: 24});
  expect(text).toContain('0 of 3 confirmed, 1 under way, 1 outcome unknown, 1 not sent');
});

it.each([
  [80, 24],
  [120, 35],
])('shows the whole reason of what failed while rows are free (%i columns, %i rows)', (columns, rows) => {
  const detail = say`the service refused it (409): another operation is in progress on host node-17.example.com, try again later`;
  const {steps} = stopMany(3, 'accepted', 'CONTRADICTED').progress();
  const told = steps.map(each => (each.operation?.phase === 'CONTRADICTED' ? withDetail(each, detail) : each));
  const plan: Plan = {...idle, progress: () => ({status: 'running', steps: told})};
  expect(textOf(plan, {columns, rows})).toContain(`gpu-2 #2 failed: ${detail} ◌ gpu-3 #3`);
  // Of many that failed each keeps its line.
  const many = Array.from({length: 40}, () => told[1]).flatMap(each => each ?? []);
  const full = linesOf({...idle, progress: () => ({status: 'running', steps: many})}, {columns, rows});
  expect(full.find(line => line.includes('gpu-2 #2'))).toMatch(/failed: .*…/);
  expect(full.length).toBeLessThanOrEqual(rows);
});

const LONG = say`the service refused it (409): another operation is in progress on host node-17.example.com, try again later`;

/** A batch of which each one with the given place has failed for a long reason. */
function planWithFailed(steps: readonly PlanStepProgress[], ...failed: readonly number[]): Plan {
  const told = steps.map((each, index) => {
    if (!failed.includes(index) || each.operation === undefined) return each;
    return withDetail({...each, operation: {...each.operation, phase: 'CONTRADICTED'}}, LONG);
  });
  return {...idle, progress: () => ({status: 'running', steps: told})};
}

it.each([
  ['waits to be sent', stopMany(40, 'accepted', 'CONTRADICTED'), [1]],
  ['is under way', stopMany(40, ...Array.from({length: 40}, () => 'accepted' as const)), [1]],
  ['was confirmed', stopMany(40, ...Array.from({length: 40}, () => 'CONFIRMED' as const)), [1, 30]],
] as const)('shows the whole reason of what failed in place of what %s', (_name, begun, failed) => {
  const plan = planWithFailed(begun.progress().steps, ...failed);
  for (const [columns, rows] of [
    [60, 18],
    [80, 24],
  ] as const) {
    const lines = linesOf(plan, {columns, rows});
    const text = textOf(plan, {columns, rows});
    for (const index of failed) expect(text).toContain(`gpu-${index + 1} #${index + 1} failed: ${LONG}`);
    const shown = lines.filter(line => / gpu-\d+ #\d+ /.test(line)).length;
    expect(shown).toBeGreaterThan(failed.length);
    expect(text).toContain(`and ${40 - shown} more`);
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(text).toContain('[esc] close');
  }
});

it('shows what is under way, and the newest that failed, however many failed before', () => {
  const phases = Array.from({length: 31}, () => 'accepted' as const);
  const failed = Array.from({length: 30}, (_, index) => index);
  const text = textOf(planWithFailed(stopMany(40, ...phases).progress().steps, ...failed), {columns: 80, rows: 24});
  expect(text).toContain('gpu-32 #32 checking');
  expect(text).toContain('gpu-30 #30 failed: the service refused it (409)');
});

it('says of all that a cancelled batch did not send that it was not sent, in the same words', () => {
  const plan = stopMany(3, 'accepted');
  plan.cancel();
  expect(textOf(plan, {columns: 80, rows: 24})).toMatch(/gpu-2 #2 not sent gpu-3 #3 not sent \[/);
});

it('says that operations are still watched only while some of a cancelled batch are under way', () => {
  const told = (...phases: readonly OperationPhase[]) => {
    const plan = stopMany(4, ...phases);
    plan.cancel();
    const {steps, status} = plan.progress();
    const ended = steps.map(each =>
      each.operation?.phase === 'accepted'
        ? {...each, operation: {...each.operation, phase: 'CONFIRMED' as const}}
        : each,
    );
    return [steps, ended].map(all =>
      textOf({...idle, progress: () => ({status, steps: all})}, {columns: 80, rows: 24}),
    );
  };
  const [underWay, ended] = told('accepted', 'accepted');
  expect(underWay).toContain('cancelled; operations already sent are still watched');
  expect(ended).toContain('2 of 4 confirmed, 2 not sent');
  expect(ended).toMatch(/cancelled (?!;)/);
  expect(ended).not.toContain('watched');
});

it('says once that the service refused', () => {
  const {steps} = stopMany(3, 'accepted', 'REFUSED').progress();
  const told = steps.map(each =>
    each.operation?.phase === 'REFUSED' ? withDetail(each, say`refused (409): it is busy`) : each,
  );
  const plan: Plan = {...idle, progress: () => ({status: 'running', steps: told})};
  expect(textOf(plan, {columns: 80, rows: 24})).toContain('✖ gpu-2 #2 refused (409): it is busy ◌ gpu-3');
});

it('names what became of each that did not end well, in one line at 80 columns', () => {
  const plan = stopMany(6, 'in-progress', 'accepted', 'REFUSED');
  plan.cancel();
  const [line] = linesOf(plan, {columns: 80, rows: 24}).filter(text => text.includes(' confirmed, '));
  expect(line).toContain('  0 of 6 confirmed, 2 under way, 1 refused, 3 not sent ');
});

it.each([
  ['CONTRADICTED', '1 failed, 1 not sent'],
  ['NO_EFFECT_SEEN', '1 no effect seen, 1 not sent'],
] as const)('counts one that is %s by its own words', (phase, words) => {
  const plan = stopMany(3, 'REFUSED', phase);
  plan.cancel();
  expect(textOf(plan, {columns: 120, rows: 24})).toContain(` 0 of 3 confirmed, 1 refused, ${words} `);
});
