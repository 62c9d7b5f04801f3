import {describe, expect, it} from 'vitest';
import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import type {Action} from '../../../src/domain/action.ts';
import type {CloudResource} from '../../../src/domain/cloud-resource.ts';
import {clusterId} from '../../../src/domain/cluster.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {aVolume, factText} from '../../panes/a-catalogue.ts';
import {aKnownScene, aUsageRecord} from '../../panes/a-known-scene.ts';
import {aCluster} from '../some-things.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {textOf} from '../../../src/ui/text.ts';

const SCENE = aKnownScene({});
const MACHINES = [1, 2, 3].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`)}));

function ask<T extends CloudResource>(subjects: readonly T[], actionOn: (subject: T) => Action): Question {
  const question = questionFor(
    subjects.map(subject => candidate(actionOn(subject), subject, SCENE)),
    SCENE,
  );
  if (question === undefined) throw new Error('nothing is asked');
  return question;
}

describe('a question about many resources whose action assesses one', () => {
  it('says once what applies to each, and adds up the costs', () => {
    const question = ask(MACHINES, ({id}) => ({kind: 'vm.attach-ip', id}));
    expect(question.title).toBe('attach a public address to 3 machines');
    expect(question.answer).toMatchObject({expected: 'attach address 3'});
    expect(factText(question, 'What happens').split('\n')).toEqual([
      'gpu-1 #1 ACTIVE',
      'gpu-2 #2 ACTIVE',
      'gpu-3 #3 ACTIVE',
      'It gets a new public address, chosen by the service.',
    ]);
    // Three times $0.00672 an hour.
    expect(factText(question, 'What it costs').split('\n')).toEqual([
      'each adds $0.0067/h  at the published price',
      'all together: costs $0.0202/h more',
    ]);
  });

  it('says of a sum that it is the least, where the cost of one cluster is', () => {
    const node = (machineId?: number) => ({
      role: 'worker' as const,
      roleText: safeText('worker'),
      status: 'ACTIVE' as const,
      statusText: safeText('ACTIVE'),
      ...(machineId === undefined ? {} : {machineId: virtualMachineId(machineId)}),
    });
    const clusters = [
      aCluster({id: clusterId(41), name: safeText('whole'), nodes: [node(1)]}),
      aCluster({id: clusterId(42), name: safeText('part'), nodes: [node(2), node()]}),
    ];
    const machines = [1, 2, 3].map(id => aVirtualMachine({id, isNodeUnknown: true}));
    const usage = [1, 2, 3].map(id => aUsageRecord(id, '6'));
    const costs = (subjects: typeof clusters) => {
      const scene = aKnownScene({machines, usage, clusters});
      const question = questionFor(
        subjects.map(subject => candidate({kind: 'cluster.delete', id: subject.id}, subject, scene)),
        scene,
      );
      return question === undefined ? '' : factText(question, 'What it costs');
    };
    // $6 an hour each; the further node of the second may be any machine.
    expect(costs(clusters).split('\n')).toEqual([
      'whole: now $6.00/h  after $0.00/h  (saves $6.00/h)',
      'part: now at least $6.00/h  after $0.00/h  (saves at least $6.00/h)  without machines whose cost is unknown',
      'all together: saves at least $12.00/h  without parts whose cost is unknown',
    ]);
  });

  it('says after their number what all of them become', () => {
    const question = ask(MACHINES, ({id}) => ({kind: 'vm.resize', id, flavorName: safeText('n3-L40x2')}));
    expect(question.title).toBe('resize 3 machines to n3-L40x2');
  });

  it('names the resources that differ, and says how many have an unknown price', () => {
    const volumes = [
      aVolume({id: 1, sizeGb: 1000}),
      aVolume({id: 2, sizeGb: 3000}),
      {...aVolume({id: 3}), sizeGb: undefined},
    ] as const;
    const question = ask<CloudResource & {readonly id: number}>(volumes, ({id}) => ({kind: 'volume.delete', id}));
    expect(question.title).toBe('delete 3 volumes');
    expect(factText(question, 'What happens')).toContain('disk-2: The 3,000 GB on it are deleted permanently.');
    // 1,000 and 3,000 GB at $0.000096774 an hour.
    expect(factText(question, 'What it costs').split('\n')).toEqual([
      'disk-1: now $0.0968/h  after $0.00/h  (saves $0.0968/h)  at the published price',
      'disk-2: now $0.29/h  after $0.00/h  (saves $0.29/h)  at the published price',
      'disk-3: The savings are unknown.',
      'all together: saves $0.39/h  without 1 of unknown price',
    ]);
  });
});

describe('a question about many', () => {
  const calls = (facts: Question['facts']) => textOf(facts.find(({label}) => label === 'Calls')?.lines[0] ?? []);

  it('says in each of its forms where the batch stops', () => {
    const {facts, shorterFacts = []} = ask(MACHINES, ({id}) => ({kind: 'vm.stop', id}));
    expect(calls(facts)).toContain(
      '3, one after the other; it stops at the first whose outcome is unknown, if the service asks to wait (429) and if it refuses the key (401, 403)',
    );
    // Beside the labels a box of 80 columns has 62 cells.
    const short = calls(shorterFacts.at(-1) ?? []);
    expect(short).toBe('3, one by one; stops at an unknown outcome, 429, 401 or 403');
    expect(short.length + '40'.length).toBeLessThanOrEqual(62);
  });
});

describe('a question about many of which some are skipped', () => {
  const nodeOf = (clusterId: number) => `a node of cluster #${clusterId}: its power is managed by the cluster`;
  const skipped = new Map([
    ...Array.from({length: 12}, (_, index) => [10 + index, nodeOf(index < 8 ? 1612 : 1637)] as const),
    ...[30, 31].map(id => [id, 'already SHUTOFF'] as const),
    [40, 'must be ACTIVE or ERROR, but is HIBERNATED'] as const,
  ]);
  const machines = [...MACHINES, ...[...skipped.keys()].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`)}))];
  const question = questionFor(
    machines.map(subject => {
      const reason = skipped.get(subject.id);
      const action: Action = {kind: 'vm.stop', id: subject.id};
      return {action, subject, reason: reason === undefined ? undefined : safeText(reason)};
    }),
    SCENE,
  );
  const skippedLines = (facts: Question['facts'] = []) =>
    facts.flatMap(({lines}) => lines.map(textOf)).filter(line => line.includes('skipped'));

  it('says each reason once, that of the most first, with the names', () => {
    expect(skippedLines(question?.facts)).toEqual([
      `skipped: gpu-10, gpu-11, gpu-12, gpu-13 and 4 more: ${nodeOf(1612)}`,
      `skipped: gpu-18, gpu-19, gpu-20, gpu-21: ${nodeOf(1637)}`,
      'skipped: gpu-30, gpu-31: already SHUTOFF',
      'and 1 more is skipped',
    ]);
  });

  it('says in its shortest form, in the one line that 80 columns have, how many are skipped for the usual reasons', () => {
    const [line = '', ...others] = skippedLines(question?.shorterFacts?.at(-1));
    expect(line).toBe('15 skipped: 12 are nodes of a cluster; 3 for other reasons');
    expect(line.length).toBeLessThanOrEqual(62);
    expect(others).toEqual([]);
  });
});

it.each([
  ['already SHUTOFF', 1, '1 skipped: already SHUTOFF'],
  ['already SHUTOFF', 3, '3 skipped: already SHUTOFF'],
  ['a node of cluster #1612: its power is managed by the cluster', 1, '1 skipped: a node of a cluster'],
  ['a node of cluster #1612: its power is managed by the cluster', 2, '2 skipped: nodes of a cluster'],
  ['its flavor n1 cannot hibernate', 1, '1 skipped: its flavor n1 cannot hibernate'],
  ['its flavor n1 cannot hibernate', 2, '2 skipped: their flavor n1 cannot hibernate'],
  ['it has no public address', 2, '2 skipped: they have no public address'],
])('the shortest form counts once what is skipped for one reason: %s, %i', (reason, count, line) => {
  const skipped = Array.from({length: count}, (_, index) => aVirtualMachine({id: 30 + index}));
  const question = questionFor(
    [...MACHINES, ...skipped].map(subject => ({
      action: {kind: 'vm.stop', id: subject.id},
      subject,
      reason: skipped.includes(subject) ? safeText(reason) : undefined,
    })),
    SCENE,
  );
  const lines = question?.shorterFacts?.at(-1)?.flatMap(fact => fact.lines.map(textOf));
  expect(lines?.filter(text => text.includes('skipped'))).toEqual([line]);
});

describe('a question about machines that may be nodes', () => {
  const doubt = 'of a cluster is unknown: the clusters were not all read.';
  const [open, other] = [4, 5].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), isNodeUnknown: true}));
  if (open === undefined || other === undefined) throw new Error('no machines');

  it.each<[string, readonly VirtualMachine[], string]>([
    ['one', [open], `Whether it is a node ${doubt}`],
    ['one of several', [...MACHINES, open], `Whether gpu-4 is a node ${doubt}`],
    ['several', [...MACHINES, open, other], `Whether gpu-4, gpu-5 are nodes ${doubt}`],
  ])('says so of %s', (_, machines, words) => {
    for (const kind of ['vm.stop', 'vm.delete', 'vm.attach-ip'] as const) {
      expect(
        factText(
          ask(machines, ({id}) => ({kind, id})),
          'Warnings',
        ),
      ).toContain(words);
    }
  });

  it('says nothing of it where a node would not be refused either', () => {
    const question = ask([open], ({id}) => ({kind: 'vm.request-console', id}));
    expect(JSON.stringify(question.facts)).not.toContain('of a cluster');
  });
});
