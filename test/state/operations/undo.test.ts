import fc from 'fast-check';
import {describe, expect, it, onTestFinished} from 'vitest';
import {confirmationOf} from '../../../src/actions/actions.ts';
import type {Failure} from '../../../src/domain/failure.ts';
import {type Firewall, firewallId} from '../../../src/domain/firewall.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type RuleSpec, ruleWords, sameRule} from '../../../src/domain/security-rule.ts';
import {MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {type SecurityRule, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {startSimulator} from '../../../src/simulator/http/server.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {type PlanStep, startPlan} from '../../../src/state/operations/plan.ts';
import {createUndoStacks, type UndoStacks} from '../../../src/state/operations/undo.ts';
import {EVERY_ACTION} from '../../actions/every-action.ts';
import {aFirewall, aMachine} from '../../actions/some-things.ts';
import {createVirtualClock} from '../../support/clock.ts';
import {openSession} from '../open-session.ts';
import {createTinyCloud, type TinyCloud, type Visitor} from '../tiny-cloud.ts';

const id = firewallId(30);
const subjectName = safeText('edge');
const cut: Failure = {kind: 'cut', detail: safeText('why')};
const refused: Failure = {kind: 'refused', httpStatus: 400, reason: safeText('bad_request'), message: safeText('no')};

/** What can go wrong with one call: it is refused, lost on the way there, or its answer is lost on the way back. */
type Trouble = 'none' | 'refused' | 'lost' | 'unanswered';

function rule(port: number): RuleSpec {
  return {
    direction: 'ingress',
    protocol: safeText('tcp'),
    etherType: 'IPv4',
    remoteIpPrefix: safeText('10.0.0.0/8'),
    portRangeMin: port,
    portRangeMax: port,
  };
}

function asRead(spec: RuleSpec, ruleId: number): SecurityRule {
  const {direction, etherType, ...rest} = spec;
  const words = {direction: safeText(direction), etherType: safeText(etherType)};
  return {...rest, ...words, id: ruleId, status: safeText('SUCCESS')};
}

/** A firewall whose rules can be changed, with the trouble of each call in order. */
function aRuleCloud(ports: readonly number[], troubles: readonly Trouble[] = []) {
  let nextId = 100;
  const withId = (spec: RuleSpec) => {
    nextId += 1;
    return asRead(spec, nextId);
  };
  const cloud: TinyCloud = createTinyCloud({
    keepsJournal: false,
    start: {firewall: [aFirewall({rules: ports.map(port => withId(rule(port)))})]},
    handle: ({params, count}) => {
      const trouble = troubles[count - 1] ?? 'none';
      if (trouble === 'refused') return {failure: refused};
      const failure = trouble === 'none' ? undefined : cut;
      return {failure, ...(trouble === 'lost' ? {} : {becomes: {firewall: [changed(firewall(), params, withId)]}})};
    },
  });
  const firewall = (): Firewall => {
    const [only] = cloud.world().firewall ?? [];
    if (only === undefined) throw new Error('Expected the firewall.');
    return only;
  };
  const visitor = cloud.open();
  return {
    cloud,
    firewall,
    visitor,
    ports: () =>
      firewall()
        .rules.map(({portRangeMin}) => portRangeMin ?? 0)
        .sort(),
  };
}

function changed(firewall: Firewall, params: unknown, withId: (spec: RuleSpec) => SecurityRule): Firewall {
  const asked = params as {readonly rule: RuleSpec; readonly ruleId?: number};
  const rules =
    asked.ruleId === undefined
      ? [...firewall.rules, withId(asked.rule)]
      : firewall.rules.filter(each => each.id !== asked.ruleId);
  return {...firewall, rules};
}

function add(port: number): PlanStep {
  return {action: {kind: 'firewall.add-rule', id, rule: rule(port)}, subjectName};
}

function remove(found: SecurityRule): PlanStep {
  return {action: {kind: 'firewall.remove-rule', id, ruleId: found.id ?? 0, rule: found}, subjectName};
}

async function settled(cloud: TinyCloud, {operations}: Visitor): Promise<void> {
  for (let count = 0; count < 100; count += 1) {
    await cloud.time.advance(3 * SECOND_MS);
    if (operations.all().every(({phase}) => phase === phase.toUpperCase())) return;
  }
}

/** What is offered now, confirmed as it is. */
function asOffered(stacks: UndoStacks, way: 'undo' | 'redo', tell: (words: string) => void = () => {}) {
  const offer = way === 'undo' ? stacks.toUndo() : stacks.toRedo();
  return offer?.kind === 'possible' ? stacks[way](offer, tell) : undefined;
}

function opened(ports: readonly number[], troubles: readonly Trouble[] = []) {
  const made = aRuleCloud(ports, troubles);
  const {cloud, visitor} = made;
  const stacks = createUndoStacks(visitor.operations);
  const told: string[] = [];
  const tell = (words: string) => told.push(words);
  const act = async (...steps: [PlanStep, ...PlanStep[]]) => {
    const start = startPlan(visitor.operations, steps, {mode: 'chain', tell});
    if (start.status === 'begun') stacks.remember(start.plan);
    await settled(cloud, visitor);
  };
  const undo = async () => {
    const start = asOffered(stacks, 'undo', tell);
    await settled(cloud, visitor);
    return start?.status;
  };
  const redo = async () => {
    const start = asOffered(stacks, 'redo', tell);
    await settled(cloud, visitor);
    return start?.status;
  };
  return {...made, stacks, told, act, undo, redo};
}

describe('createUndoStacks', () => {
  it('offers nothing when nothing was done', async () => {
    const {stacks, undo, redo} = opened([22]);
    expect([stacks.toUndo(), stacks.toRedo()]).toEqual([undefined, undefined]);
    expect([await undo(), await redo()]).toEqual([undefined, undefined]);
  });

  it('undoes an action, says beforehand what that will do, and redoes it', async () => {
    const {act, undo, redo, stacks, ports} = opened([22]);
    await act(add(443));
    expect(ports()).toEqual([22, 443]);
    expect(stacks.toUndo()).toMatchObject({
      kind: 'possible',
      words: [`removes ${ruleWords(rule(443))}`],
      remaining: [],
    });
    expect(await undo()).toBe('begun');
    expect([ports(), stacks.toUndo()]).toEqual([[22], undefined]);
    expect(stacks.toRedo()).toMatchObject({words: [`adds ${ruleWords(rule(443))}`]});
    expect(await redo()).toBe('begun');
    expect([ports(), stacks.toRedo()]).toEqual([[22, 443], undefined]);
    await undo();
    expect(ports()).toEqual([22]);
  });

  it('undoes a batch as a batch: no action waits for the end of another', async () => {
    const inStatus = (status: 'ACTIVE' | 'SHUTOFF') => ({
      vm: [1, 2].map(each => aMachine({id: virtualMachineId(each), status, statusText: safeText(status)})),
    });
    const cloud = createTinyCloud({keepsJournal: false, start: inStatus('ACTIVE'), handle: () => ({})});
    const visitor = cloud.open();
    const stacks = createUndoStacks(visitor.operations);
    const [first, second] = inStatus('ACTIVE').vm.map(subject =>
      confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}),
    );
    if (first === undefined || second === undefined) throw new Error('Expected two machines.');
    const start = startPlan(visitor.operations, [first, second], {mode: 'batch', tell: () => {}});
    if (start.status === 'locked') throw new Error('Expected the batch to begin.');
    stacks.remember(start.plan);
    await cloud.time.advance(1);
    cloud.become(inStatus('SHUTOFF'));
    await settled(cloud, visitor);
    expect(asOffered(stacks, 'undo')).toMatchObject({status: 'begun', plan: {mode: 'batch'}});
    await cloud.time.advance(1);
    expect(cloud.fired.slice(2)).toEqual(['virtual-machines.start', 'virtual-machines.start']);
  });

  it('undoes an edit in reverse order: the old rule is added before the new one is removed', async () => {
    const {act, undo, firewall, ports, cloud} = opened([22]);
    const [old] = firewall().rules;
    if (old === undefined) throw new Error('Expected a rule.');
    await act(add(2222), remove(old));
    expect(ports()).toEqual([2222]);
    await undo();
    expect(ports()).toEqual([22]);
    expect(cloud.fired.slice(2)).toEqual(['firewalls.add-rule', 'firewalls.remove-rule']);
  });

  it('finds a rule that was removed and put back under its new id', async () => {
    const {act, undo, firewall, ports} = opened([22]);
    await act(add(443));
    const added = firewall().rules.find(({portRangeMin}) => portRangeMin === 443);
    if (added === undefined) throw new Error('Expected the rule.');
    await act(remove(added));
    await undo();
    expect(ports()).toEqual([22, 443]);
    await undo();
    expect(ports()).toEqual([22]);
  });

  it('offers no undo while one is under way', async () => {
    const {act, stacks, visitor, cloud} = opened([22]);
    await act(add(443));
    const offer = stacks.toUndo();
    if (offer?.kind !== 'possible') throw new Error('Expected a way back.');
    expect(stacks.undo(offer, () => {})).toMatchObject({status: 'begun'});
    expect(stacks.toUndo()).toMatchObject({kind: 'impossible', reason: 'the last one is still under way'});
    expect(stacks.undo(offer, () => {})).toBeUndefined();
    await settled(cloud, visitor);
    expect(stacks.toUndo()).toBeUndefined();
  });

  it('forgets what could be redone as soon as something new is done', async () => {
    const {act, undo, stacks} = opened([22]);
    await act(add(443));
    await undo();
    await act(add(80));
    expect(stacks.toRedo()).toBeUndefined();
    expect(stacks.toUndo()).toMatchObject({words: [`removes ${ruleWords(rule(80))}`]});
  });

  it('keeps what could not be undone for the next attempt', async () => {
    const {act, undo, ports, stacks, told} = opened([22], ['none', 'refused']);
    await act(add(443));
    await undo();
    expect([ports(), stacks.toRedo()]).toEqual([[22, 443], undefined]);
    expect(told).toEqual(['not all of it is undone (refused (400): no)']);
    await undo();
    expect([ports(), stacks.toUndo()]).toEqual([[22], undefined]);
  });

  it('skips an action that was refused', async () => {
    const {act, undo, ports} = opened([22], ['none', 'refused']);
    await act(add(443));
    await act(add(80));
    expect(ports()).toEqual([22, 443]);
    await undo();
    expect(ports()).toEqual([22]);
  });

  it('says why a deletion cannot be undone, and can drop it', async () => {
    const {confirmed, start, end} = EVERY_ACTION['vm.delete'];
    const cloud = createTinyCloud({start, handle: () => ({becomes: end})});
    const visitor = cloud.open();
    const stacks = createUndoStacks(visitor.operations);
    const begun = startPlan(visitor.operations, [confirmed], {mode: 'chain', tell: () => {}});
    if (begun.status === 'begun') stacks.remember(begun.plan);
    await cloud.time.advance(MINUTE_MS);
    expect(stacks.toUndo()).toMatchObject({
      kind: 'impossible',
      reason: expect.stringContaining('a deletion cannot be undone'),
    });
    stacks.dropUndo();
    expect(stacks.toUndo()).toBeUndefined();
  });
});

describe('over the wire', () => {
  it.each([
    '',
    'kind=reset,when=after,times=1,match=POST /core/firewalls/*/firewall-rules',
  ])('a rule is added once, seen in place and undone (%s)', async fault => {
    const time = createVirtualClock();
    const wallClock = time.clock.wallNow;
    const simulator = await startSimulator({scenario: 'calm', rateLimitPerMinute: 'off', wallClock});
    onTestFinished(simulator.close);
    const {session, operations, pass} = openSession({baseUrl: simulator.url, apiKey: simulator.apiKey, time});
    const firewalls = async () => {
      const reading = await session.poller.readNow(firewallsFeed);
      if (!reading.ok) throw new Error('Expected the firewalls.');
      return reading.value.value.records;
    };
    const [subject] = await firewalls();
    if (subject === undefined) throw new Error('Expected a firewall.');
    const holds = async () => (await firewalls())[0]?.rules.filter(each => sameRule(each, rule(4711))).length;
    const stacks = createUndoStacks(operations);
    simulator.setFaults(fault === '' ? [] : [fault]);
    const step = confirmationOf({kind: 'firewall.add-rule', id: subject.id, rule: rule(4711)}, {subject});
    const start = startPlan(operations, [step], {mode: 'chain', tell: () => {}});
    if (start.status === 'locked') throw new Error('Expected the plan to begin.');
    stacks.remember(start.plan);
    await pass(MINUTE_MS, () => start.plan.progress().status === 'ended');
    expect([start.plan.progress().status, await holds()]).toEqual(['ended', 1]);
    const undo = asOffered(stacks, 'undo');
    if (undo?.status !== 'begun') throw new Error('Expected a way back.');
    await pass(MINUTE_MS, () => undo.plan.progress().status === 'ended');
    expect([undo.plan.progress().status, await holds(), stacks.toUndo()]).toEqual(['ended', 0, undefined]);
    const asked = simulator.requests().filter(({path}) => path.includes('/firewall-rules'));
    expect(asked).toHaveLength(2);
  });
});

describe('any sequence of rule edits and undos', () => {
  const edit = fc.oneof(
    fc.record({what: fc.constant('add' as const), port: fc.integer({min: 1, max: 9})}),
    fc.record({what: fc.constant('remove' as const), port: fc.integer({min: 0, max: 9})}),
    fc.record({what: fc.constant('change' as const), port: fc.integer({min: 1, max: 9})}),
    fc.record({what: fc.constantFrom('undo' as const, 'redo' as const), port: fc.constant(0)}),
  );
  const trouble = fc.constantFrom<Trouble>('none', 'none', 'none', 'refused', 'lost', 'unanswered');

  it('ends with the original rules once everything is undone, whichever call fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({min: 1, max: 9}), {maxLength: 3}),
        fc.array(edit, {maxLength: 7}),
        fc.array(trouble, {maxLength: 20}),
        async (start, edits, troubles) => {
          const {act, undo, redo, stacks, firewall, ports} = opened(start, troubles);
          const before = ports();
          for (const {what, port} of edits) {
            const {rules} = firewall();
            const target = rules[port % Math.max(1, rules.length)];
            if (what === 'undo') await undo();
            else if (what === 'redo') await redo();
            else if (what === 'add') await act(add(port));
            else if (target !== undefined && what === 'remove') await act(remove(target));
            else if (target !== undefined) await act(add(port), remove(target));
          }
          for (let count = 0; count < 60 && stacks.toUndo() !== undefined; count += 1) await undo();
          expect(stacks.toUndo()).toBeUndefined();
          expect(ports()).toEqual(before);
        },
      ),
      {numRuns: 60},
    );
  }, 60_000);
});
