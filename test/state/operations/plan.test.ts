import {describe, expect, it} from 'vitest';
import {confirmationOf} from '../../../src/actions/actions.ts';
import {describeOperation} from '../../../src/domain/describe-operation.ts';
import type {Failure} from '../../../src/domain/failure.ts';
import {firewallId} from '../../../src/domain/firewall.ts';
import type {EndPhase, OpenPhase} from '../../../src/domain/operation.ts';
import {safeText, say} from '../../../src/domain/safe-text.ts';
import {MINUTE_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {type PlanMode, type PlanStep, planCounts, startPlan} from '../../../src/state/operations/plan.ts';
import {EVERY_ACTION} from '../../actions/every-action.ts';
import {aMachine} from '../../actions/some-things.ts';
import {inMemoryOperations} from '../in-memory-operations.ts';
import {stageAction} from '../open-session.ts';
import {createTinyCloud} from '../tiny-cloud.ts';

const id = firewallId(7);
const RULE = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('10.0.0.0/8'),
} as const;
const ADD: PlanStep = {
  action: {kind: 'firewall.add-rule', id, rule: RULE},
  subjectName: safeText('bastion'),
  ifNotDone: say`the old rule was not touched`,
};
const REMOVE: PlanStep = {
  action: {kind: 'firewall.remove-rule', id, ruleId: 9, rule: RULE},
  subjectName: safeText('bastion'),
  ifNotDone: say`both rules stand`,
};
const NOT_DONE: readonly EndPhase[] = ['REFUSED', 'NOT_SENT', 'STALE', 'CONTRADICTED', 'NO_EFFECT_SEEN'];
const OPEN: readonly OpenPhase[] = ['sent', 'accepted', 'in-progress', 'overdue', 'unknown'];

function begin(...steps: [PlanStep, ...PlanStep[]]) {
  const operations = inMemoryOperations();
  const told: string[] = [];
  const begun = startPlan(operations, steps, {mode: 'chain', tell: standing => told.push(standing)});
  return {operations, told, begun, actions: () => operations.begun.map(({action}) => action)};
}

it('keeps no secret of an answer, which is shown once, but the rest of it', () => {
  const {confirmed, result} = EVERY_ACTION['access-key.create'];
  const operations = inMemoryOperations();
  const begun = startPlan(operations, [confirmed], {mode: 'chain', tell: () => {}});
  if (begun.status !== 'begun') throw new Error('Expected a plan.');
  operations.reach('accepted', result);
  const [step] = begun.plan.progress().steps;
  if (result?.kind !== 'access-key' || step?.operation?.result?.kind !== 'access-key')
    throw new Error('Expected a key.');
  expect(result.secretKey.reveal()).not.toBe('');
  expect(step.operation.result.secretKey.reveal()).toBe('');
  expect(step.operation.result.accessKey).toBe(result.accessKey);
});

describe('startPlan with a chain', () => {
  it.each(OPEN)('does not begin the second action while the first is %s', phase => {
    const {operations, told, actions} = begin(ADD, REMOVE);
    operations.reach(phase);
    expect(actions()).toEqual([ADD.action]);
    expect(told).toEqual([]);
  });

  it('begins the second action once the first is confirmed, and reports nothing when both are', () => {
    const {operations, told, actions} = begin(ADD, REMOVE);
    operations.reach('accepted');
    operations.reach('CONFIRMED');
    expect(actions()).toEqual([ADD.action, REMOVE.action]);
    operations.reach('CONFIRMED');
    expect(actions()).toEqual([ADD.action, REMOVE.action]);
    expect(told).toEqual([]);
    expect(operations.listenerCount()).toBe(0);
  });

  it.each(NOT_DONE)('ends and reports how things stand when the first action is %s', phase => {
    const {operations, told, actions} = begin(ADD, REMOVE);
    operations.reach(phase);
    expect(actions()).toEqual([ADD.action]);
    expect(told).toEqual(['the old rule was not touched']);
    expect(operations.listenerCount()).toBe(0);
  });

  it.each(NOT_DONE)('ends and reports how things stand when the second action is %s', phase => {
    const {operations, told, actions} = begin(ADD, REMOVE);
    operations.reach('CONFIRMED');
    operations.reach(phase);
    expect(actions()).toEqual([ADD.action, REMOVE.action]);
    expect(told).toEqual(['both rules stand']);
    expect(operations.listenerCount()).toBe(0);
  });

  it('reports how things stand when another operation takes the object between the two actions', () => {
    const operations = inMemoryOperations();
    const told: string[] = [];
    const between: PlanStep = {action: {kind: 'firewall.add-rule', id, rule: RULE}, subjectName: safeText('another')};
    // An earlier listener is notified of the end first.
    operations.subscribe(({phase}) => {
      if (phase === 'CONFIRMED') operations.begin(between);
    });
    startPlan(operations, [ADD, REMOVE], {mode: 'chain', tell: standing => told.push(standing)});
    operations.reach('CONFIRMED');
    expect(operations.begun).toEqual([ADD, between]);
    const why = describeOperation(operations.all()[0] ?? expect.fail()).text;
    expect(told).toEqual([`both rules stand (${why})`]);
    expect(operations.unsent).toEqual([`bastion: ${why}`]);
  });

  it('does not begin while the object is locked, and says by which operation', () => {
    const operations = inMemoryOperations();
    const first = operations.begin(ADD);
    const begun = startPlan(operations, [REMOVE], {mode: 'chain', tell: () => {}});
    expect(first.status).toBe('begun');
    expect(begun).toMatchObject({status: 'locked', by: {action: ADD.action}});
    expect(operations.begun).toEqual([ADD]);
    expect(operations.listenerCount()).toBe(0);
    expect(operations.unsent).toEqual([`bastion: ${describeOperation(operations.all()[0] ?? expect.fail()).text}`]);
  });

  it('writes down all of it when its first object is locked', () => {
    const operations = inMemoryOperations();
    operations.begin(ADD);
    startPlan(operations, [ADD, REMOVE], {mode: 'chain', tell: () => {}});
    const why = describeOperation(operations.all()[0] ?? expect.fail()).text;
    expect(operations.unsent).toEqual([`bastion: ${why}`, `bastion: ${why}`]);
  });

  it('writes down nothing of a job that is under way already, as a key asks for it without a question', () => {
    const operations = inMemoryOperations();
    const {confirmed} = EVERY_ACTION['vm.request-logs'];
    operations.begin(confirmed);
    startPlan(operations, [confirmed], {mode: 'chain', tell: () => {}});
    expect(operations.begun).toHaveLength(1);
    expect(operations.unsent).toEqual([]);
  });

  it('does not mistake the confirmation of another operation for its own', () => {
    const {operations, actions} = begin(ADD, REMOVE);
    operations.begin({action: {kind: 'vm.stop', id: virtualMachineId(3)}, subjectName: safeText('gpu-3')});
    operations.reach('CONFIRMED');
    expect(actions()).not.toContainEqual(REMOVE.action);
  });

  it('reports nothing when a single action without an ifNotDone message fails', () => {
    const {operations, told} = begin({action: ADD.action, subjectName: ADD.subjectName});
    operations.reach('REFUSED');
    expect(told).toEqual([]);
  });
});

function stopOf(machine: number): PlanStep {
  return {action: {kind: 'vm.stop', id: virtualMachineId(machine)}, subjectName: safeText(`gpu-${machine}`)};
}

function startBatch(mode: PlanMode = 'batch') {
  const operations = inMemoryOperations();
  const told: string[] = [];
  const start = startPlan(operations, [stopOf(1), stopOf(2), stopOf(3)], {mode, tell: words => told.push(words)});
  if (start.status === 'locked') throw new Error('Expected the plan to begin.');
  const {plan} = start;
  return {
    operations,
    told,
    plan,
    begun: () => operations.begun.map(({subjectName}) => subjectName),
    counts: () => planCounts(plan.progress()),
    status: () => plan.progress().status,
  };
}

describe('a batch', () => {
  it.each([
    'accepted',
    'in-progress',
    'overdue',
    'CONFIRMED',
    'REFUSED',
    'STALE',
    'CONTRADICTED',
  ] as const)('continues with the next action once the one before is %s', phase => {
    const {operations, begun} = startBatch();
    operations.reach('sent');
    expect(begun()).toEqual(['gpu-1']);
    operations.reach(phase);
    expect(begun()).toEqual(['gpu-1', 'gpu-2']);
  });

  it.each(['unknown', 'NOT_SENT', 'NO_EFFECT_SEEN'] as const)('stops at the first action that is %s', phase => {
    const {operations, begun, status, told, counts} = startBatch();
    operations.reach('accepted');
    operations.reach(phase);
    expect(begun()).toEqual(['gpu-1', 'gpu-2']);
    expect(status()).toBe('stopped');
    expect(told).toEqual([`stopped at stop gpu-2 #2; ${phase === 'NOT_SENT' ? 2 : 1} of 3 not sent`]);
    expect(operations.unsent).toEqual(['gpu-3: stopped at stop gpu-2 #2']);
    expect(counts().left).toBe(phase === 'NOT_SENT' ? 2 : 1);
  });

  it.each<readonly [why: string, count: number, failure: Failure]>([
    ['with 429, after which all are refused', 3, {kind: 'rate-limited', retryAfterMs: 1000}],
    ['for its key, which is the same for all', 2, {kind: 'not-authorised', httpStatus: 401, message: safeText('no')}],
    ['for a missing permission', 2, {kind: 'not-authorised', httpStatus: 403, message: safeText('no')}],
  ])('stops at the first action that was refused %s', (_why, resumableCount, failure) => {
    const {operations, begun, status, told, counts, plan} = startBatch();
    operations.reach('REFUSED', undefined, {failure});
    expect([begun(), status()]).toEqual([['gpu-1'], 'stopped']);
    expect(told).toEqual(['stopped at stop gpu-1 #1; 2 of 3 not sent']);
    expect(counts()).toEqual({done: 0, underWay: 0, failed: 1, left: 2});
    expect(plan.left()).toHaveLength(resumableCount);
  });

  it('sends what was refused with 429 when it is resumed, also the last of all', () => {
    const {operations, begun, status, plan} = startBatch();
    const refuse = () => operations.reach('REFUSED', undefined, {failure: {kind: 'rate-limited'}});
    refuse();
    expect(plan.resume(plan.left())).toBe(true);
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    refuse();
    expect([begun(), status()]).toEqual([['gpu-1', 'gpu-1', 'gpu-2', 'gpu-3'], 'ended']);
    expect(plan.resume(plan.left())).toBe(true);
    operations.reach('CONFIRMED');
    expect(begun()).toEqual(['gpu-1', 'gpu-1', 'gpu-2', 'gpu-3', 'gpu-3']);
    expect(plan.resume(plan.left())).toBe(false);
  });

  it('counts what is done, under way, failed and left, and ends when everything has ended', () => {
    const {operations, counts, status, plan} = startBatch();
    expect(counts()).toEqual({done: 0, underWay: 1, failed: 0, left: 2});
    operations.reach('CONFIRMED');
    operations.reach('REFUSED');
    expect(counts()).toEqual({done: 1, underWay: 1, failed: 1, left: 0});
    expect(status()).toBe('running');
    operations.reach('accepted');
    expect(status()).toBe('running');
    operations.reach('CONFIRMED');
    expect(counts()).toEqual({done: 2, underWay: 0, failed: 1, left: 0});
    expect(status()).toBe('ended');
    expect(plan.resume(plan.left())).toBe(false);
    expect(operations.listenerCount()).toBe(0);
  });

  it('begins nothing more once it is cancelled, and continues with the rest when it is resumed', () => {
    const {operations, plan, begun, status, counts} = startBatch();
    operations.reach('sent');
    plan.cancel();
    operations.reach('accepted');
    operations.reach('CONFIRMED');
    expect([begun(), status(), operations.listenerCount()]).toEqual([['gpu-1'], 'cancelled', 0]);
    expect(operations.unsent).toEqual(['gpu-2: cancelled', 'gpu-3: cancelled']);
    expect(plan.resume(plan.left())).toBe(true);
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    expect([begun(), status()]).toEqual([['gpu-1', 'gpu-2', 'gpu-3'], 'ended']);
    expect(counts().done).toBe(3);
  });

  it('holds the next action back while the request budget has no room, and drops it when cancelled', () => {
    const waiting = startBatch();
    waiting.operations.fillBudget();
    waiting.operations.reach('CONFIRMED');
    expect([waiting.begun(), waiting.status()]).toEqual([['gpu-1'], 'running']);
    waiting.operations.emptyBudget();
    expect(waiting.begun()).toEqual(['gpu-1', 'gpu-2']);

    const cancelled = startBatch();
    cancelled.operations.fillBudget();
    cancelled.operations.reach('CONFIRMED');
    cancelled.plan.cancel();
    cancelled.operations.emptyBudget();
    expect([cancelled.begun(), cancelled.status()]).toEqual([['gpu-1'], 'cancelled']);
    expect(cancelled.operations.listenerCount()).toBe(0);
  });

  it('is resumed only with actions that were not sent', () => {
    const {operations, plan, begun} = startBatch();
    operations.reach('REFUSED');
    operations.reach('STALE');
    operations.reach('NOT_SENT');
    expect(plan.resume(plan.left())).toBe(true);
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    expect(begun()).toEqual(['gpu-1', 'gpu-2', 'gpu-3', 'gpu-2', 'gpu-3']);
    expect(plan.resume(plan.left())).toBe(false);
  });

  it('is not resumed while the answer to an action is awaited', () => {
    const {operations, plan, begun} = startBatch();
    operations.reach('sent');
    plan.cancel();
    expect([plan.left(), plan.resume([stopOf(2)])]).toEqual([[], false]);
    operations.reach('unknown');
    expect(plan.left()).toEqual([]);
    operations.reach('CONFIRMED');
    expect(plan.resume(plan.left())).toBe(true);
    expect(begun()).toEqual(['gpu-1', 'gpu-2']);
  });

  it('is not resumed while the outcome of an action is unknown', () => {
    const {operations, plan, begun} = startBatch();
    operations.reach('unknown');
    expect(plan.resume(plan.left())).toBe(false);
    // A change that one reading shows proves nothing yet.
    operations.reach('in-progress', undefined, {detail: safeText('no answer')});
    expect(plan.resume(plan.left())).toBe(false);
    expect(plan.progress().reason).toContain('outcome unknown: no answer; a change was seen since');
    operations.reach('CONFIRMED');
    expect(plan.resume(plan.left())).toBe(true);
    expect(begun()).toEqual(['gpu-1', 'gpu-2']);
  });

  it('says of the first that is begun after each answer, and of no other, that it was just answered', () => {
    const operations = inMemoryOperations();
    const answered: unknown[] = [];
    const told: typeof operations = {
      ...operations,
      begin: (confirmed, asked) => {
        answered.push(asked?.isJustAnswered);
        return operations.begin(confirmed, asked);
      },
    };
    const start = startPlan(told, [stopOf(1), stopOf(2), stopOf(3)], {mode: 'batch', tell: () => {}});
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    operations.reach('CONFIRMED');
    start.plan.cancel();
    operations.reach('CONFIRMED');
    expect(start.plan.resume(start.plan.left())).toBe(true);
    expect(answered).toEqual([true, false, true]);
  });

  it('skips a locked object, keeps the reason, writes it down and tells it at the end', () => {
    const operations = inMemoryOperations();
    const told: string[] = [];
    operations.begin(stopOf(1));
    operations.reach('in-progress');
    const steps = [stopOf(1), stopOf(2)] as const;
    const start = startPlan(operations, steps, {mode: 'batch', tell: words => told.push(words)});
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    const [held, next] = start.plan.progress().steps;
    expect(held).toMatchObject({reason: expect.stringContaining('stop gpu-1 #1')});
    expect(next?.operation?.subjectName).toBe('gpu-2');
    expect(planCounts(start.plan.progress())).toEqual({done: 0, underWay: 1, failed: 0, left: 1});
    expect(operations.unsent).toEqual(['gpu-1: stop gpu-1 #1: under way']);
    expect(told).toEqual([]);
    operations.reach('CONFIRMED');
    expect(told).toEqual(['1 of 2 not sent: gpu-1: stop gpu-1 #1: under way']);
  });

  it('tells that a single object was locked', () => {
    const operations = inMemoryOperations();
    const told: string[] = [];
    operations.begin(stopOf(1));
    operations.reach('in-progress');
    startPlan(operations, [stopOf(1)], {mode: 'batch', tell: words => told.push(words)});
    expect(told).toEqual(['1 of 1 not sent: gpu-1: stop gpu-1 #1: under way']);
  });

  it('notifies subscribers of changes until they unsubscribe', () => {
    const {operations, plan} = startBatch();
    let changeCount = 0;
    const stop = plan.subscribe(() => {
      changeCount += 1;
    });
    operations.reach('accepted');
    const seen = changeCount;
    expect(seen).toBeGreaterThan(0);
    stop();
    operations.reach('CONFIRMED');
    expect(changeCount).toBe(seen);
  });
});

describe('a chain that is cancelled', () => {
  const cancelled = (phase: OpenPhase | EndPhase) => {
    const started = begin(ADD, REMOVE);
    if (started.begun.status === 'locked') throw new Error('Expected the chain to begin.');
    started.operations.reach(phase);
    return {...started, standing: started.begun.plan.cancel()};
  };

  it('says how things stand when the second action was being checked', () => {
    const {operations, told, standing} = cancelled('CONFIRMED');
    expect(operations.all().map(({phase}) => phase)).toEqual(['NOT_SENT', 'CONFIRMED']);
    expect([standing, told]).toEqual(['both rules stand', []]);
  });

  it('says it once the first action is confirmed after that', () => {
    const {operations, told, standing, actions} = cancelled('accepted');
    expect([standing, told]).toEqual([undefined, []]);
    operations.reach('CONFIRMED');
    expect([actions(), told]).toEqual([[ADD.action], ['both rules stand']]);
    expect(operations.listenerCount()).toBe(0);
  });

  it.each(NOT_DONE)('says nothing when the first action is %s, which tells its own end', phase => {
    const {operations, told} = cancelled('accepted');
    operations.reach(phase);
    expect(told).toEqual([]);
  });

  it('says nothing when nothing of it was sent', () => {
    const {told, standing} = cancelled('preflight');
    expect([standing, told]).toEqual([undefined, []]);
  });
});

describe('a chain', () => {
  it('can be resumed when it stopped before sending, but not otherwise', () => {
    const stopped = startBatch('chain');
    stopped.operations.reach('CONFIRMED');
    stopped.operations.reach('STALE');
    expect([stopped.status(), stopped.plan.resume(stopped.plan.left())]).toEqual(['stopped', true]);
    expect(stopped.begun()).toEqual(['gpu-1', 'gpu-2', 'gpu-2']);
    const refused = startBatch('chain');
    refused.operations.reach('REFUSED');
    expect([refused.status(), refused.plan.resume(refused.plan.left())]).toEqual(['stopped', false]);
  });
});

describe('a batch in a cloud', () => {
  it('is sent completely when it needs more requests than a minute allows, with room left to watch it', async () => {
    const many = Array.from({length: 60}, (_, index) =>
      aMachine({id: virtualMachineId(index + 1), name: safeText(`gpu-${index + 1}`)}),
    );
    const [start, ...rest] = many.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
    if (start === undefined) throw new Error('Expected machines.');
    const cloud = createTinyCloud({start: {vm: many}, keepsJournal: false});
    const {operations, budget} = cloud.open();
    const begun = startPlan(operations, [start, ...rest], {mode: 'batch', tell: () => {}});
    if (begun.status === 'locked') throw new Error('Expected the batch to begin.');
    let mostUsed = 0;
    for (let seconds = 0; seconds < 180 && cloud.fired.length < 60; seconds += 1) {
      await cloud.time.advance(1000);
      mostUsed = Math.max(mostUsed, budget.usedLastMinute());
    }
    expect(cloud.fired).toHaveLength(60);
    expect(begun.plan.progress().status).not.toBe('stopped');
    // Some of the hundred requests are left to watch them. Each action counts its own request too.
    expect(mostUsed).toBeLessThanOrEqual(95);
  });

  const MACHINES = [1, 2, 3].map(each => aMachine({id: virtualMachineId(each), name: safeText(`gpu-${each}`)}));
  const [first, ...others] = MACHINES.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
  if (first === undefined) throw new Error('Expected machines.');
  const cut: Failure = {kind: 'cut', detail: safeText('why')};

  it('leaves out a machine that cannot be checked, and says which and why', async () => {
    const failure: Failure = {kind: 'service-error', httpStatus: 500, message: safeText('oops')};
    const cloud = createTinyCloud({
      start: {vm: MACHINES},
      failureOf: ({endpointId, subjectId}) =>
        endpointId === 'virtual-machines.get' && subjectId === 2 ? failure : undefined,
    });
    const told: string[] = [];
    const start = startPlan(cloud.open().operations, [first, ...others], {
      mode: 'batch',
      tell: standing => told.push(standing),
    });
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    await cloud.time.advance(10_000);
    expect(start.plan.progress().steps.map(({operation}) => operation?.phase)).toEqual([
      'accepted',
      'NOT_SENT',
      'accepted',
    ]);
    expect(cloud.fired).toHaveLength(2);
    cloud.become({vm: MACHINES.map(each => ({...each, status: 'SHUTOFF', statusText: safeText('SHUTOFF')}))});
    await cloud.time.advance(30_000);
    expect(start.plan.progress().status).toBe('ended');
    expect(told).toEqual([
      '1 of 3 not sent: stop gpu-2 #2: the check before sending failed, the service failed (500): oops',
    ]);
    expect(start.plan.left()).toHaveLength(1);
  });

  it.each<readonly [why: string, count: number, failure: Failure]>([
    ['no connection can be made', 1, {kind: 'not-sent', detail: safeText('refused')}],
    ['the key is refused', 1, {kind: 'not-authorised', httpStatus: 403, message: safeText('no')}],
    ['three in a row cannot be checked', 3, {kind: 'odd-answer', detail: safeText('HTML')}],
  ])('stops when %s', async (_why, count, failure) => {
    const vm = [1, 2, 3, 4].map(each => aMachine({id: virtualMachineId(each), name: safeText(`gpu-${each}`)}));
    const cloud = createTinyCloud({start: {vm}, failureOf: () => failure});
    const [one, ...more] = vm.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
    if (one === undefined) throw new Error('Expected machines.');
    const start = startPlan(cloud.open().operations, [one, ...more], {mode: 'batch', tell: () => {}});
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    await cloud.time.advance(30_000);
    const begun = start.plan.progress().steps.flatMap(({operation}) => operation ?? []);
    expect([start.plan.progress().status, begun.length, cloud.fired]).toEqual(['stopped', count, []]);
  });

  it('sends one action after the other, and nothing after the first with an unknown outcome', async () => {
    const cloud = createTinyCloud({start: {vm: MACHINES}, handle: ({count}) => (count === 2 ? {failure: cut} : {})});
    const start = startPlan(cloud.open().operations, [first, ...others], {mode: 'batch', tell: () => {}});
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    await cloud.time.advance(1);
    expect(cloud.fired).toHaveLength(2);
    expect(planCounts(start.plan.progress())).toEqual({done: 0, underWay: 2, failed: 0, left: 1});
    expect(start.plan.progress()).toMatchObject({
      status: 'stopped',
      reason: expect.stringContaining('outcome unknown'),
    });
    cloud.become({vm: MACHINES.map(each => ({...each, status: 'SHUTOFF', statusText: safeText('SHUTOFF')}))});
    await cloud.time.advance(15_000);
    expect(planCounts(start.plan.progress())).toEqual({done: 2, underWay: 0, failed: 0, left: 1});
    expect(start.plan.progress().reason).toBe('the outcome of stop gpu-2 #2 was unknown; now confirmed');
    expect(start.plan.resume(start.plan.left())).toBe(true);
    await cloud.time.advance(1);
    // Somebody has stopped the third machine meanwhile: that is reported, and nothing is sent.
    expect(start.plan.progress().steps[2]?.operation?.phase).toBe('STALE');
    expect(cloud.fired).toHaveLength(2);
  });
});

describe('a plan over a sleep of the computer', () => {
  const [one, two, three] = [1, 2, 3].map(number =>
    confirmationOf(
      {kind: 'vm.stop', id: virtualMachineId(number)},
      {subject: aMachine({id: virtualMachineId(number)})},
    ),
  );
  const begun = (mode: PlanMode) => {
    if (one === undefined || two === undefined || three === undefined) throw new Error('Expected three actions.');
    const operations = inMemoryOperations();
    const told: string[] = [];
    const steps: [PlanStep, ...PlanStep[]] =
      mode === 'chain'
        ? [
            {...one, ifNotDone: say`it still runs`},
            {...two, ifNotDone: say`it was not started`},
          ]
        : [one, two, three];
    const start = startPlan(operations, steps, {mode, tell: words => told.push(words)});
    if (start.status === 'locked') throw new Error('Expected the plan to begin.');
    return {operations, told, plan: start.plan};
  };
  const why = 'the computer slept for 6 min since it was confirmed, or its clock was set forward';

  it('begins nothing more of a batch, and the rest can be resumed once it was confirmed again', () => {
    const {operations, told, plan} = begun('batch');
    operations.fillBudget();
    operations.reach('accepted');
    operations.sleep(6 * MINUTE_MS);
    operations.emptyBudget();
    expect(operations.begun).toHaveLength(1);
    expect(plan.progress()).toMatchObject({status: 'stopped', reason: why});
    expect(told).toEqual([`2 of 3 not sent: ${why}`]);
    operations.reach('CONFIRMED');
    expect(planCounts(plan.progress())).toEqual({done: 1, underWay: 0, failed: 0, left: 2});
    expect(plan.resume(plan.left())).toBe(true);
    operations.reach('accepted');
    operations.reach('accepted');
    expect([operations.begun.length, plan.progress().reason]).toEqual([3, undefined]);
  });

  it('begins nothing more of a chain, and says what that leaves undone', () => {
    const {operations, told, plan} = begun('chain');
    operations.sleep(6 * MINUTE_MS);
    operations.reach('accepted');
    expect(plan.progress().status).toBe('running');
    operations.reach('CONFIRMED');
    expect([operations.begun.length, plan.progress().status]).toEqual([1, 'stopped']);
    expect(told).toEqual([`it was not started (${why})`]);
  });

  it('goes on after a sleep of five minutes', () => {
    const {operations, told} = begun('batch');
    operations.sleep(5 * MINUTE_MS);
    operations.reach('accepted');
    expect([operations.begun.length, told]).toEqual([2, []]);
  });
});

describe('a plan in a session', () => {
  const ifNotDone = say`it was not started again`;

  it('starts a machine only once it has been seen stopped', async () => {
    const staged = await stageAction('vm.stop');
    const told: string[] = [];
    const start: PlanStep = {
      ...staged.confirmed,
      action: {kind: 'vm.start', id: idOf(staged)},
      status: 'SHUTOFF',
      ifNotDone,
    };
    startPlan(staged.operations, [staged.confirmed, start], {mode: 'chain', tell: standing => told.push(standing)});
    await staged.pass(120_000, () => staged.operations.all().filter(({phase}) => phase === 'CONFIRMED').length === 2);
    expect(staged.executions().map(({verb}) => verb)).toEqual(['stop', 'start']);
    expect(await staged.truth()).toBe('ACTIVE');
    expect(told).toEqual([]);
  });

  it('sends nothing more when no effect of the first action is seen', async () => {
    const staged = await stageAction('vm.stop', {faults: ['kind=reset,when=before,times=1']});
    const told: string[] = [];
    const start: PlanStep = {...staged.confirmed, action: {kind: 'vm.start', id: idOf(staged)}, status: 'SHUTOFF'};
    const first: PlanStep = {...staged.confirmed, ifNotDone};
    startPlan(staged.operations, [first, start], {mode: 'chain', tell: standing => told.push(standing)});
    await staged.pass(120_000, staged.hasEnded);
    expect(staged.operation()).toMatchObject({action: {kind: 'vm.stop'}, phase: 'NO_EFFECT_SEEN'});
    expect(staged.executions()).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^it was not started again \(the connection was cut.*\)$/);
  });
});

function idOf({confirmed}: Awaited<ReturnType<typeof stageAction>>) {
  return virtualMachineId(confirmed.action.id);
}
