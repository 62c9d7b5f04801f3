import {describe, expect, it} from 'vitest';
import {firewallId} from '../../src/domain/firewall.ts';
import type {EndPhase, OpenPhase} from '../../src/domain/operation.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {beginPlan, type PlanStep} from '../../src/state/plan.ts';
import {inMemoryOperations} from './in-memory-operations.ts';
import {stageAct} from './open-session.ts';

const id = firewallId(7);
const RULE = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('10.0.0.0/8'),
} as const;
const ADD: PlanStep = {
  act: {kind: 'firewall.add-rule', id, rule: RULE},
  subjectName: safeText('bastion'),
  ifNotDone: say`the old rule was not touched`,
};
const REMOVE: PlanStep = {
  act: {kind: 'firewall.remove-rule', id, ruleId: 9, rule: RULE},
  subjectName: safeText('bastion'),
  ifNotDone: say`both rules stand`,
};
const NOT_DONE: readonly EndPhase[] = ['REFUSED', 'NOT_SENT', 'STALE', 'CONTRADICTED', 'NO_EFFECT_SEEN'];
const OPEN: readonly OpenPhase[] = ['sent', 'accepted', 'in-progress', 'overdue', 'unknown'];

function begin(...steps: [PlanStep, ...PlanStep[]]) {
  const operations = inMemoryOperations();
  const told: string[] = [];
  const begun = beginPlan(operations, steps, standing => told.push(standing));
  return {operations, told, begun, acts: () => operations.begun.map(({act}) => act)};
}

describe('beginPlan', () => {
  it.each(OPEN)('waits with the second act while the first is %s', phase => {
    const {operations, told, acts} = begin(ADD, REMOVE);
    operations.reach(phase);
    expect(acts()).toEqual([ADD.act]);
    expect(told).toEqual([]);
  });

  it('begins the second act once the first is confirmed, and tells nothing when both are', () => {
    const {operations, told, acts} = begin(ADD, REMOVE);
    operations.reach('accepted');
    operations.reach('CONFIRMED');
    expect(acts()).toEqual([ADD.act, REMOVE.act]);
    operations.reach('CONFIRMED');
    expect(acts()).toEqual([ADD.act, REMOVE.act]);
    expect(told).toEqual([]);
    expect(operations.listenerCount()).toBe(0);
  });

  it.each(NOT_DONE)('ends with how things stand when the first act is %s', phase => {
    const {operations, told, acts} = begin(ADD, REMOVE);
    operations.reach(phase);
    expect(acts()).toEqual([ADD.act]);
    expect(told).toEqual(['the old rule was not touched']);
    expect(operations.listenerCount()).toBe(0);
  });

  it.each(NOT_DONE)('ends with how things stand when the second act is %s', phase => {
    const {operations, told, acts} = begin(ADD, REMOVE);
    operations.reach('CONFIRMED');
    operations.reach(phase);
    expect(acts()).toEqual([ADD.act, REMOVE.act]);
    expect(told).toEqual(['both rules stand']);
    expect(operations.listenerCount()).toBe(0);
  });

  it('tells how things stand when another operation takes the object between the two acts', () => {
    const operations = inMemoryOperations();
    const told: string[] = [];
    const between: PlanStep = {act: {kind: 'firewall.add-rule', id, rule: RULE}, subjectName: safeText('another')};
    // Whoever listened earlier hears of the end earlier.
    operations.subscribe(({phase}) => {
      if (phase === 'CONFIRMED') operations.begin(between);
    });
    beginPlan(operations, [ADD, REMOVE], standing => told.push(standing));
    operations.reach('CONFIRMED');
    expect(operations.begun).toEqual([ADD, between]);
    expect(told).toEqual(['both rules stand']);
  });

  it('does not begin where the object is held, and says by whom', () => {
    const operations = inMemoryOperations();
    const first = operations.begin(ADD);
    const begun = beginPlan(operations, [REMOVE], () => {});
    expect(first.status).toBe('begun');
    expect(begun).toMatchObject({status: 'locked', by: {act: ADD.act}});
    expect(operations.begun).toEqual([ADD]);
    expect(operations.listenerCount()).toBe(0);
  });

  it('does not take another operation that is confirmed for its own', () => {
    const {operations, acts} = begin(ADD, REMOVE);
    operations.begin({act: {kind: 'vm.stop', id: virtualMachineId(3)}, subjectName: safeText('gpu-3')});
    operations.reach('CONFIRMED');
    expect(acts()).not.toContainEqual(REMOVE.act);
  });

  it('tells nothing where a single act without a word for it fails', () => {
    const {operations, told} = begin({act: ADD.act, subjectName: ADD.subjectName});
    operations.reach('REFUSED');
    expect(told).toEqual([]);
  });
});

describe('a plan in a session', () => {
  const ifNotDone = say`it was not started again`;

  it('starts a machine only once it was seen to have stopped', async () => {
    const staged = await stageAct('vm.stop');
    const told: string[] = [];
    const start: PlanStep = {
      ...staged.confirmed,
      act: {kind: 'vm.start', id: idOf(staged)},
      status: 'SHUTOFF',
      ifNotDone,
    };
    beginPlan(staged.operations, [staged.confirmed, start], standing => told.push(standing));
    await staged.pass(120_000, () => staged.operations.all().filter(({phase}) => phase === 'CONFIRMED').length === 2);
    expect(staged.executions().map(({verb}) => verb)).toEqual(['stop', 'start']);
    expect(await staged.truth()).toBe('ACTIVE');
    expect(told).toEqual([]);
  });

  it('sends nothing more when no effect of the first act is seen', async () => {
    const staged = await stageAct('vm.stop', {faults: ['kind=reset,when=before,times=1']});
    const told: string[] = [];
    const start: PlanStep = {...staged.confirmed, act: {kind: 'vm.start', id: idOf(staged)}, status: 'SHUTOFF'};
    const first: PlanStep = {...staged.confirmed, ifNotDone};
    beginPlan(staged.operations, [first, start], standing => told.push(standing));
    await staged.pass(120_000, staged.hasEnded);
    expect(staged.operation()).toMatchObject({act: {kind: 'vm.stop'}, phase: 'NO_EFFECT_SEEN'});
    expect(staged.executions()).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^it was not started again \(the connection was cut.*\)$/);
  });
});

function idOf({confirmed}: Awaited<ReturnType<typeof stageAct>>) {
  return virtualMachineId(confirmed.act.id);
}
