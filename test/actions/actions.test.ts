import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {recordOf, wordsOf} from '../../src/actions/actions.ts';
import {type Action, subjectOf, typeOf} from '../../src/domain/action.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import {environmentId} from '../../src/domain/environment.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {
  afterCheck,
  afterObservation,
  afterReply,
  afterSending,
  isEnded,
  type Operation,
  staleReason,
} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {undoOf} from '../../src/domain/undo.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {anOperation} from './an-operation.ts';
import {type ActionCase, EVERY_ACTION, EVERY_CASE, type World} from './every-action.ts';
import {aMachine} from './some-things.ts';

const cut = {kind: 'cut', detail: safeText('why')} as const;
const SENT_AT = 1000;

/** What an action's readings show of a world: its subject alone or the list, and the firewalls if they matter. */
function look(action: Action, world: World, startedAt: number): Observation<CloudResource> {
  const subject = subjectOf(action);
  const all: readonly CloudResource[] = world[subject.type] ?? [];
  const records = 'id' in subject ? all.filter(each => 'id' in each && each.id === subject.id) : all;
  const {firewall} = world;
  return {
    startedAt: monotonicMs(startedAt),
    records,
    isWhole: true,
    ...(recordOf(action).alsoReads === 'firewalls' && firewall !== undefined ? {firewalls: firewall} : {}),
  };
}

function begun({confirmed, start}: ActionCase): Operation {
  const operation = anOperation('op-1', confirmed, epochMs(0));
  return afterSending(afterCheck(operation, look(confirmed.action, start, 1)), monotonicMs(SENT_AT));
}

function seeing(operation: Operation, ...worlds: readonly World[]): Operation {
  return worlds.reduce(
    (now, world, index) => afterObservation(now, look(operation.action, world, SENT_AT + 1 + index)),
    operation,
  );
}

/** What each key and each command without options makes of the subject of an action's case. */
const MADE = EVERY_CASE.flatMap(([kind, {confirmed, start}]) => {
  const {keys = [], command, among} = recordOf({kind});
  const [subject] = among(confirmed.action, start[typeOf(kind)] ?? []);
  if (subject === undefined) return [];
  return [
    ...keys.flatMap(key => (key.form === undefined ? [[`key of ${kind}`, key.actionOn(subject)] as const] : [])),
    ...(command && command.options === undefined
      ? [[`command of ${kind}`, command.actionOn(subject, {})] as const]
      : []),
  ];
});

describe('a record', () => {
  it.each(MADE)('makes a complete action by the %s', (_what, made) => {
    expect('kind' in made && recordOf(made).parse(made)).toEqual(made);
  });

  it('makes none without its form, nor of any parameters unless their type is known', () => {
    const labels = recordOf({kind: 'vm.set-labels'});
    expect(labels.keys?.map(key => 'actionOn' in key)).toEqual([false]);
    const takesNone: 'with' extends keyof typeof labels ? false : true = true;
    expect(takesNone).toBe(true);
  });
});

const isJob = ([, each]: (typeof EVERY_CASE)[number]) => each.endsWithReply === true;
const WATCHED = EVERY_CASE.filter(each => !isJob(each));
const CREATIONS = EVERY_CASE.filter(([, {confirmed}]) => 'spec' in confirmed.action);
const SEEN_ON_THEIR_WAY = WATCHED.flatMap(([kind, each]) =>
  each.through === undefined ? [] : [[kind, each, each.through] as const],
);

describe('every action', () => {
  it.each(EVERY_CASE)('%s is not stale when it has something to change', (_kind, {confirmed, start}) => {
    expect(staleReason(anOperation('op-1', confirmed, epochMs(0)), look(confirmed.action, start, 1))).toBeUndefined();
  });

  it.each(
    WATCHED,
  )('%s with an unknown outcome is reported as without effect after three readings that show none', (_kind, each) => {
    const unknown = afterReply(begun(each), cut);
    expect(seeing(unknown, each.start, each.start).phase).toBe('unknown');
    expect(seeing(unknown, each.start, each.start, each.start).phase).toBe('NO_EFFECT_SEEN');
  });

  it.each(WATCHED)('%s is confirmed when two readings show its target, not after one', (_kind, each) => {
    for (const failure of [undefined, cut]) {
      const answered = afterReply(begun(each), failure, each.result);
      const {endsWhereItBegan, through, end} = each;
      const onItsWay = endsWhereItBegan === true && through !== undefined ? seeing(answered, through) : answered;
      expect(seeing(onItsWay, end).phase).not.toBe('CONFIRMED');
      expect(seeing(onItsWay, end, end).phase).toBe('CONFIRMED');
    }
  });

  it.each(WATCHED)('%s concludes nothing from an incomplete list', (_kind, each) => {
    const {action} = each.confirmed;
    const torn = {...look(action, {}, SENT_AT + 5), isWhole: false};
    expect(recordOf(action).evidence(action, torn, afterReply(begun(each), cut)).kind).toBe('nothing');
  });

  it.each(EVERY_CASE.filter(isJob))('%s is confirmed by its answer, and keeps the result in it', (_kind, each) => {
    expect(afterReply(begun(each), undefined, each.result)).toMatchObject({phase: 'CONFIRMED', result: each.result});
  });

  it.each(EVERY_CASE)('%s can be undone by its opposite, or says why not', (_kind, each) => {
    const {through, end, result} = each;
    const answered = afterReply(begun(each), undefined, result);
    const undo = undoOf(seeing(answered, ...(through === undefined ? [] : [through]), end, end));
    if (each.undo instanceof RegExp) {
      expect(undo).toMatchObject({kind: 'impossible', reason: expect.stringMatching(each.undo)});
      return;
    }
    if (undo.kind === 'impossible') throw new Error(`Expected a way back, not: ${undo.reason}`);
    expect(undo.confirmed.action.kind).toBe(each.undo);
    // The opposite can begin in the world that the action has left.
    const opposite = anOperation('op-2', undo.confirmed, epochMs(0));
    expect(staleReason(opposite, look(undo.confirmed.action, end, 1))).toBeUndefined();
  });

  it.each(
    WATCHED.filter(([kind, each]) => each.endsWhereItBegan !== true && kind !== 'access-key.create'),
  )('%s is not sent when it is already done', (_kind, {confirmed, end}) => {
    const {status: _shown, replaced: _also, ...asked} = confirmed;
    const world = look(confirmed.action, end, 1);
    const [subject] = world.records;
    const subjectName = subject !== undefined && 'name' in subject ? subject.name : confirmed.subjectName;
    expect(staleReason(anOperation('op-1', {...asked, subjectName}, epochMs(0)), world)).toBeDefined();
  });

  it('refuses text with a placeholder for a character that cannot be sent', () => {
    const odd = safeText('data\u200b');
    const told = 'data<U+200B> contains a placeholder for a character that cannot be sent';
    const reasonFor = (action: Action) =>
      staleReason(anOperation('op-1', {action, subjectName: odd}, epochMs(0)), look(action, {}, 1));
    expect(reasonFor({kind: 'environment.rename', id: environmentId(7), name: odd})).toBe(told);
    expect(reasonFor({kind: 'bucket.delete', name: odd, regionName: safeText('R')})).toBe(told);
    expect(reasonFor({kind: 'vm.set-labels', id: virtualMachineId(7), labels: [safeText('ok'), odd]})).toBe(told);
    const spec = {name: safeText('a'), environmentName: odd, sizeGb: 1, volumeType: safeText('t')};
    expect(reasonFor({kind: 'volume.create', spec})).toBe(told);
    // A rule is removed by its id, whatever it contains.
    const removal = {kind: 'vm.remove-rule', id: virtualMachineId(7), ruleId: 3, rule: {protocol: odd}} as const;
    expect(reasonFor(removal)).toBe('the machine no longer exists');
  });
});

describe('whatever is seen, in whatever order', () => {
  const steps = fc.array(
    fc.record({
      world: fc.constantFrom('start' as const, 'through' as const, 'end' as const),
      afterMs: fc.integer({min: 0, max: 3 * MINUTE_MS}),
    }),
    {maxLength: 25},
  );

  it.each(
    WATCHED,
  )('%s is confirmed only when the last two readings show its target, and does not change after it has ended', (_kind, each) => {
    const {action} = each.confirmed;
    fc.assert(
      fc.property(steps, fc.boolean(), (seen, isAnswered) => {
        let operation = afterReply(begun(each), isAnswered ? undefined : cut, isAnswered ? each.result : undefined);
        let startedAt = SENT_AT;
        const shown: string[] = [];
        for (const {world, afterMs} of seen) {
          const previous = operation;
          startedAt += afterMs + 1;
          shown.push(each[world] === undefined ? 'start' : world);
          operation = afterObservation(previous, look(action, each[world] ?? each.start, startedAt));
          if (isEnded(previous.phase)) expect(operation).toBe(previous);
          else if (operation.phase === 'CONFIRMED') {
            const isTarget = (name: string) => name === 'end' || (each.endsWhereItBegan === true && name === 'start');
            expect(shown.slice(-2).filter(isTarget)).toHaveLength(2);
            if (each.endsWhereItBegan === true) expect(shown).toContain('through');
          }
        }
      }),
      {numRuns: 60},
    );
  });
});

describe('an action on an existing resource', () => {
  const ON_ONE = EVERY_CASE.filter(each => !CREATIONS.includes(each));

  it.each(ON_ONE)('%s is not sent when the resource is gone', (_kind, {confirmed}) => {
    const operation = anOperation('op-1', confirmed, epochMs(0));
    expect(staleReason(operation, look(confirmed.action, {}, 1))).toMatch(/^the .* no longer exists$/);
  });

  it.each(
    ON_ONE.filter(([kind]) => kind !== 'bucket.delete'),
  )('%s is not sent when the resource has another name', (_kind, {confirmed, start}) => {
    const renamed = anOperation('op-1', {...confirmed, subjectName: safeText('another')}, epochMs(0));
    expect(staleReason(renamed, look(confirmed.action, start, 1))).toBe(`the name is now ${confirmed.subjectName}`);
  });
});

describe('a creation', () => {
  it.each(CREATIONS.filter(([kind]) => kind !== 'access-key.create'))('%s is not sent when the name is taken', (_kind, {
    confirmed,
    end,
  }) => {
    const operation = anOperation('op-1', confirmed, epochMs(0));
    expect(staleReason(operation, look(confirmed.action, end, 1))).toMatch(
      new RegExp(` ${confirmed.subjectName} already exists, #\\d+$`),
    );
  });

  it.each(CREATIONS)('%s does not count a resource that existed before as its own', (_kind, each) => {
    const {confirmed, end} = each;
    const before = afterCheck(anOperation('op-1', confirmed, epochMs(0)), look(confirmed.action, end, 1));
    const unknown = afterReply(afterSending(before, monotonicMs(SENT_AT)), cut);
    expect(seeing(unknown, end, end, end).phase).toBe('NO_EFFECT_SEEN');
  });
});

describe('an action seen in transition', () => {
  it.each(SEEN_ON_THEIR_WAY)('%s is reported as in progress', (_kind, each, through) => {
    for (const failure of [undefined, cut]) {
      const onItsWay = seeing(afterReply(begun(each), failure), through);
      expect(onItsWay).toMatchObject({phase: 'in-progress', hasSeenTransition: true});
    }
  });

  it.each(SEEN_ON_THEIR_WAY)('%s becomes overdue, but not within two minutes', (_kind, each, through) => {
    const answered = afterReply(begun(each), undefined);
    const at = (minutes: number) =>
      afterObservation(answered, look(each.confirmed.action, through, SENT_AT + minutes * MINUTE_MS)).phase;
    expect([at(1.9), at(61)]).toEqual(['in-progress', 'overdue']);
  });

  it.each(
    SEEN_ON_THEIR_WAY.filter(([, {endsWhereItBegan}]) => endsWhereItBegan !== true),
  )('%s is contradicted when the resource falls back to its earlier state', (_kind, each, through) => {
    const fallen = seeing(afterReply(begun(each), undefined), through, each.start, each.start);
    expect(fallen.phase).toBe('CONTRADICTED');
  });
});

describe('an unmet precondition', () => {
  const {action} = EVERY_ACTION['vm.delete'].confirmed;

  it.each([
    ['it is CREATING; it cannot be deleted until it is created', [aMachine({status: 'CREATING'})]],
    ['a node of cluster #5: it is deleted with its cluster', [aMachine({clusterId: 5})]],
    ['a node of an unknown cluster: it is deleted with its cluster', [aMachine({hasUnreadCluster: true})]],
    ['the machine no longer exists', []],
  ])('is explained: %s', (words, machines) => {
    expect(recordOf(action).precondition(action, look(action, {vm: machines}, 1))).toBe(words);
  });
});

describe('the words of an action', () => {
  const at = (kind: string, parameters: object, subjectName: string) => {
    const action = recordOf({kind: kind as Action['kind']}).parse(parameters);
    if (action === undefined) throw new Error(`${kind} cannot be made of this`);
    return wordsOf({action, subjectName: safeText(subjectName)});
  };

  it.each([
    ['vm.resize', {id: 7, flavorName: 'n3-L40x2'}, 'web', 'resize web #7 to n3-L40x2'],
    ['key-pair.rename', {id: 3, name: 'new'}, 'old', 'rename old #3 to new'],
    ['environment.create', {spec: {name: 'e2', regionName: 'NORWAY-1'}}, 'e2', 'create environment e2 in NORWAY-1'],
    [
      'volume.create',
      {spec: {name: 'data', environmentName: 'e2', sizeGb: 10, volumeType: 'Cloud-SSD'}},
      'data',
      'create volume data of 10 GB',
    ],
  ])('%s have what is new after the name of its subject', (kind, parameters, name, words) => {
    expect(at(kind, parameters, name)).toBe(words);
  });
});
