import {describe, expect, it} from 'vitest';
import type {Act} from '../../../src/domain/act.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {batchQuestion, batchReason} from '../../../src/panes/machines/batch-question.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord, busyMetrics} from '../a-known-scene.ts';

const [FIRST, SECOND, THIRD] = [1, 2, 3].map(id =>
  aVirtualMachine({
    id,
    name: safeText(`gpu-${id}`),
    floatingIp: safeText(`192.0.2.${id}`),
    // The third is of a flavor that nobody knows, so nothing is known of its price either.
    ...(id === 3 ? {} : {flavor: A_FLAVOR}),
  }),
) as [VirtualMachine, VirtualMachine, VirtualMachine];
const MACHINES = [FIRST, SECOND, THIRD];

function ask(actOn: (machine: VirtualMachine) => Act, reasons: ReadonlyMap<number, string> = new Map(), rows = 40) {
  const scene = aKnownScene(
    {
      machines: MACHINES,
      usage: [aUsageRecord(1, '1'), aUsageRecord(2, '2.5')],
      metrics: new Map([[SECOND.id, busyMetrics(4)]]),
    },
    {size: {columns: 120, rows}},
  );
  const items = MACHINES.map(machine => {
    const reason = reasons.get(machine.id);
    return {machine, act: actOn(machine), reason: reason === undefined ? undefined : safeText(reason)};
  });
  return {question: batchQuestion(safeText('stop'), items, scene), items};
}

const stop = ({id}: VirtualMachine): Act => ({kind: 'vm.stop', id});
const release = ({id}: VirtualMachine): Act => ({kind: 'vm.hibernate', id, retainsIp: false});

function fact(question: ReturnType<typeof ask>['question'], label: string): string {
  return (question?.facts.find(candidate => candidate.label === label)?.lines ?? []).map(textOf).join('\n');
}

describe('the question about many', () => {
  it('marks the names that look like others', () => {
    const scene = aKnownScene({machines: MACHINES});
    const names = ['gpu-1', 'g\u0440u-2', 'gpu<U+200B>-3'];
    const items = MACHINES.map((machine, index) => ({
      machine: {...machine, name: safeText(names[index] ?? '')},
      act: stop(machine),
      reason: undefined,
    }));
    expect(fact(batchQuestion(safeText('stop'), items, scene), 'Needs care')).toContain(
      'g\u0440u-2, gpu<U+200B>-3: hidden characters or alphabets that look alike are in the name; compare the ids.',
    );
  });

  it('lists every call and takes the verb and the count for an answer', () => {
    const {question} = ask(stop);
    expect(question?.title).toBe('stop 3 machines');
    expect(question?.answer).toEqual({kind: 'text', what: 'words', expected: 'stop 3'});
    expect(question?.mode).toBe('batch');
    expect(fact(question, 'What happens').split('\n')).toEqual([
      'gpu-1 #1 ACTIVE  GET …/1/stop',
      'gpu-2 #2 ACTIVE  GET …/2/stop',
      'gpu-3 #3 ACTIVE  GET …/3/stop',
    ]);
  });

  it('sends each in the state in which it was shown', () => {
    expect(ask(stop).question?.steps).toEqual(
      [1, 2, 3].map(id => ({act: {kind: 'vm.stop', id}, subjectName: `gpu-${id}`, status: 'ACTIVE'})),
    );
  });

  it('adds up what is known, and says what is missing in it', () => {
    // Stopped machines are billed in full: 1 + 2.5 dollars an hour before and after, the third is not metered.
    expect(fact(ask(stop).question, 'What it costs')).toBe(
      'now $3.50/h  after $3.50/h  (saves nothing)  without 1 machine of unknown price',
    );
  });

  it('names who is at work, what is lost for ever and whom it passes over', () => {
    const {question} = ask(release, new Map([[3, 'needs ACTIVE, is SHUTOFF']]));
    const care = fact(question, 'Needs care');
    expect(care).toContain('gpu-2 is WORKING right now.');
    expect(care).toContain('The addresses of gpu-1, gpu-2 are given away for ever.');
    expect(care).toContain('passed over: gpu-3: needs ACTIVE, is SHUTOFF');
    expect(question?.answer).toMatchObject({expected: 'stop 2'});
  });

  it('counts the calls that have no room, so that the answer stays in sight', () => {
    expect(fact(ask(stop, new Map(), 18).question, 'What happens').split('\n')).toEqual([
      'gpu-1 #1 ACTIVE  GET …/1/stop',
      'and 2 more; D, then this act, lists every call',
    ]);
  });

  it('is none where nothing could be sent, and the first reason stands for all', () => {
    const reasons = new Map([1, 2, 3].map(id => [id, 'already SHUTOFF'] as const));
    const {question, items} = ask(stop, reasons);
    expect(question).toBeUndefined();
    expect(batchReason(items)).toBe('already SHUTOFF');
    expect(batchReason(ask(stop, new Map([[1, 'already SHUTOFF']])).items)).toBeUndefined();
  });
});
