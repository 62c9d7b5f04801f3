import {describe, expect, it} from 'vitest';
import {candidate, questionFor, reasonAgainstAll} from '../../../src/actions/question/question-for.ts';
import {hibernateMachine, type PowerAction, restoreMachine} from '../../../src/actions/machines/power.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import {openQuestion} from '../../../src/app/overlay/overlay.ts';
import {isWhollyRead, questionDialog, turnPage} from '../../../src/app/overlay/question-box.tsx';
import {isQuestionVisible} from '../../app/a-scene.ts';
import type {Action} from '../../../src/domain/action.ts';
import {rational} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../../src/domain/time.ts';
import {dialogLines} from '../../../src/ui/dialog.tsx';
import {textOf} from '../../../src/ui/text.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {sweepOf} from '../../support/tier.ts';

const [FIRST, SECOND, THIRD] = [1, 2, 3].map(id =>
  aVirtualMachine({
    id,
    name: safeText(`gpu-${id}`),
    floatingIp: safeText(`192.0.2.${id}`),
    // The third has an unknown flavor, so its price is unknown too.
    ...(id === 3 ? {} : {flavor: A_FLAVOR}),
  }),
) as [VirtualMachine, VirtualMachine, VirtualMachine];
const MACHINES = [FIRST, SECOND, THIRD];

function ask(
  actionOn: (machine: VirtualMachine) => Action,
  reasons: ReadonlyMap<number, string> = new Map(),
  rows = 40,
) {
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
    return {subject: machine, action: actionOn(machine), reason: reason === undefined ? undefined : safeText(reason)};
  });
  return {question: questionFor(items, scene), items};
}

const stop = ({id}: VirtualMachine): Action => ({kind: 'vm.stop', id});
const release = ({id}: VirtualMachine): Action => ({kind: 'vm.hibernate', id, retainsIp: false});

function fact(question: ReturnType<typeof ask>['question'], label: string): string {
  return (question?.facts.find(each => each.label === label)?.lines ?? []).map(textOf).join('\n');
}

describe('a question about many machines', () => {
  it('warns of names with hidden or look-alike characters', () => {
    const scene = aKnownScene({machines: MACHINES});
    const names = ['gpu-1', 'g\u0440u-2', 'gpu<U+200B>-3'];
    const items = MACHINES.map((machine, index) => ({
      subject: {...machine, name: safeText(names[index] ?? '')},
      action: stop(machine),
      reason: undefined,
    }));
    expect(fact(questionFor(items, scene), 'Warnings')).toContain(
      '"g\u0440u-2", "gpu<U+200B>-3": the name has hidden or look-alike characters; compare the ids.',
    );
  });

  it('names each machine but not its request, and asks for the verb and the count', () => {
    const {question} = ask(stop);
    expect(question?.title).toBe('stop 3 machines');
    expect(question?.answer).toEqual({kind: 'text', what: 'words', expected: 'stop 3'});
    expect(question?.purpose).toEqual({kind: 'begin', mode: 'batch'});
    expect(fact(question, 'What happens').split('\n')).toEqual([
      'gpu-1 #1 ACTIVE',
      'gpu-2 #2 ACTIVE',
      'gpu-3 #3 ACTIVE',
      'They become SHUTOFF; disks and addresses stay.',
    ]);
  });

  it('says in each of its forms what happens to disks and addresses', () => {
    const said = (actionOn: (machine: VirtualMachine) => Action) => {
      const {facts = [], shorterFacts = []} = ask(actionOn).question ?? {};
      const happens = [facts, ...shorterFacts].flatMap(form =>
        form.flatMap(({kind, lines}) => (kind === 'happens' ? [textOf(lines.at(-1) ?? [])] : [])),
      );
      return [...new Set(happens)];
    };
    expect(said(({id}) => ({kind: 'vm.hibernate', id, retainsIp: true}))).toEqual([
      'They release their hardware; root disks and addresses stay.',
    ]);
    expect(said(release)).toEqual(['They release their hardware; root disks stay.']);
    expect(said(({id}) => ({kind: 'vm.hard-reboot', id}))).toEqual([
      'Their power is cut; what was not written to disk is lost.',
    ]);
    // Two disks of 100 GB, and one of unknown size.
    expect(said(({id}) => ({kind: 'vm.delete', id}))).toEqual([
      'Deleted permanently with their root disks: at least 200 GB.',
    ]);
  });

  it('says how much is on the root disks that are deleted, if all are known', () => {
    const happens = (flavor: VirtualMachine['flavor']) => {
      const machines = [1, 2].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), ...(flavor && {flavor})}));
      const items = machines.map(subject => ({
        subject,
        action: {kind: 'vm.delete', id: subject.id} as const,
        reason: undefined,
      }));
      return fact(questionFor(items, aKnownScene({machines})), 'What happens')
        .split('\n')
        .at(-1);
    };
    expect(happens(A_FLAVOR)).toBe('Deleted permanently with their root disks: 200 GB.');
    expect(happens(undefined)).toBe('Deleted permanently with their root disks.');
  });

  it('carries the status in which each machine was shown', () => {
    expect(ask(stop).question?.steps).toEqual(
      [1, 2, 3].map(id => ({
        action: {kind: 'vm.stop', id},
        subjectName: `gpu-${id}`,
        status: 'ACTIVE',
        facts:
          id === 3
            ? {isUnderContract: false, cost: {words: 'unknown', rates: expect.any(Array)}}
            : {
                flavorName: A_FLAVOR.name,
                isUnderContract: false,
                cost: {
                  words: `$${id === 1 ? '1.00' : '2.50'}/h afterwards, no change in cost`,
                  rates: expect.any(Array),
                },
              },
      })),
    );
  });

  it('adds up the known costs, and says how many are missing', () => {
    // Stopped machines are billed in full: 1 + 2.5 dollars an hour before and after, the third is not metered.
    expect(fact(ask(stop).question, 'What it costs')).toBe(
      [
        'SHUTOFF is billed like ACTIVE: stopping saves nothing.',
        'now $3.50/h  after $3.50/h  (no change in cost)  without 1 machine of unknown price',
      ].join('\n'),
    );
  });

  it('says at most and at least where addresses could not be read, and what each adds', () => {
    const machines = [1, 2].map(id =>
      aVirtualMachine({id, name: safeText(`gpu-${id}`), flavor: A_FLAVOR, hasUnreadAddress: true}),
    );
    const scene = aKnownScene({machines, usage: [aUsageRecord(1, '1'), aUsageRecord(2, '2.5')]});
    const costs = (actionOn: (id: number) => Action) =>
      fact(
        questionFor(
          machines.map(subject => ({subject, action: actionOn(subject.id), reason: undefined})),
          scene,
        ),
        'What it costs',
      );
    // Each keeps 100 GB at $0.000096774 and, if there is one, an address at $0.00672043: twice $0.0163978 at most.
    expect(costs(id => ({kind: 'vm.hibernate', id, retainsIp: true})).split('\n')).toEqual([
      'now $3.50/h  after at most $0.0328/h  (saves at least $3.47/h)',
      'The public address of 2 could not be read: each that exists is billed at $0.0067/h.',
    ]);
    expect(costs(id => ({kind: 'vm.hibernate', id, retainsIp: false}))).toBe(
      'now $3.50/h  after $0.0194/h  (saves $3.48/h)',
    );
    expect(costs(id => ({kind: 'vm.stop', id}))).not.toContain('could not be read');
  });

  it('says what addresses that could not be read add where the effect on cost is unknown', () => {
    const machines = [1, 2].map(id =>
      aVirtualMachine({id, name: safeText(`gpu-${id}`), flavor: A_FLAVOR, hasUnreadAddress: true}),
    );
    const items = machines.map(subject => ({
      subject,
      action: {kind: 'vm.hibernate', id: subject.id, retainsIp: true} as const,
      reason: undefined,
    }));
    // Neither is metered.
    expect(fact(questionFor(items, aKnownScene({machines})), 'What it costs').split('\n')).toEqual([
      'Its effect on cost is unknown.',
      'The public address of 2 could not be read: each that exists is billed at $0.0067/h.',
    ]);
  });

  it.each<[string, readonly (number | undefined)[], string]>([
    [
      'several sources',
      [118, undefined, undefined],
      'The full rate of 2 machines is their published price, of 1 its contract price: they are not metered yet.',
    ],
    [
      'one source',
      [undefined, undefined],
      'The full rate of 2 machines is their published price: it is not metered yet.',
    ],
  ])('says where the prices come from that are not metered: %s', (_, contractIds, words) => {
    const terms = {kind: 'percent', percent: rational(30n, 1n)} as const;
    const discounts = [{resourceName: A_FLAVOR.name, terms, statusText: safeText('active')}];
    const asleep = contractIds.map((contractId, index) =>
      aVirtualMachine({
        id: index + 1,
        name: safeText(`gpu-${index + 1}`),
        status: 'HIBERNATED',
        statusText: safeText('HIBERNATED'),
        flavor: A_FLAVOR,
        ...(contractId === undefined ? {} : {contractId}),
      }),
    );
    const scene = aKnownScene({machines: asleep, usage: [], contracts: [aContract(20, {discounts})]});
    const asked = questionFor(
      asleep.map(subject => ({action: {kind: 'vm.restore', id: subject.id}, subject, reason: undefined})),
      scene,
    );
    expect(fact(asked, 'What it costs')).toContain(words);
  });

  it('says of one unmetered price among several machines that it is its own', () => {
    const asleep = {status: 'HIBERNATED', statusText: safeText('HIBERNATED'), flavor: A_FLAVOR} as const;
    const odd = {...asleep, flavor: {name: safeText('odd')}};
    const machines = [asleep, odd].map((fields, index) =>
      aVirtualMachine({id: index + 1, name: safeText(`gpu-${index + 1}`), ...fields}),
    );
    const asked = questionFor(
      machines.map(subject => ({action: {kind: 'vm.restore', id: subject.id}, subject, reason: undefined})),
      aKnownScene({machines, usage: []}),
    );
    const words = 'The full rate of 1 machine is its published price: it is not metered yet.';
    expect(fact(asked, 'What it costs')).toContain(words);
  });

  it('prices those restored together by what their contract covers of them', () => {
    const terms = {kind: 'percent', percent: rational(30n, 1n)} as const;
    const discounts = [{resourceName: A_FLAVOR.name, resourceCount: 1, terms, statusText: safeText('active')}];
    const hibernated = {
      status: 'HIBERNATED',
      statusText: safeText('HIBERNATED'),
      flavor: A_FLAVOR,
      contractId: 118,
    } as const;
    const [first, ...others] = MACHINES.map(({id, name}) => aVirtualMachine({id, name, ...hibernated}));
    if (first === undefined) throw new Error('no machine');
    const asleep = [first, ...others] as const;
    const scene = aKnownScene({machines: asleep, usage: [], contracts: [aContract(20, {discounts})]});
    const restore = ({id}: VirtualMachine) => ({kind: 'vm.restore', id}) as const;
    const asked = questionFor(
      asleep.map(subject => ({action: restore(subject), subject, reason: undefined})),
      scene,
    );
    // One at 70% of a dollar and two at a dollar.
    expect(fact(asked, 'What it costs')).toContain('after $2.70/h');
    expect(restoreMachine.keys?.[0]?.consequence?.(asleep, scene)).toContain('to $2.70/h');
  });

  it('promises no savings of a hibernation that the service usually refuses', () => {
    const [first, , third] = MACHINES.map(({id, name}) => aVirtualMachine({id, name, flavor: A_FLAVOR}));
    const second = aVirtualMachine({id: 2, name: safeText('cpu-2'), flavor: {...A_FLAVOR, gpuCount: 0}});
    if (first === undefined || third === undefined) throw new Error('no machine');
    const machines = [first, second, third] as const;
    const usage = [aUsageRecord(1, '1'), aUsageRecord(2, '2.5'), aUsageRecord(3, '4')];
    const scene = aKnownScene({machines, usage});
    const words = hibernateMachine.keys?.[0]?.consequence;
    // A disk of 100 GB stays billed, at the published price of a GB.
    const disk = 100 * 0.000096774;
    const saved = (usd: number) => `saves $${(usd - disk).toFixed(2)}/h`;
    expect(words?.([first], scene)).toBe(saved(1));
    expect(words?.([second], scene)).toBe('usually refused without a GPU');
    expect(words?.(machines, scene)).toBe(`${saved(5 - disk)}; 1 usually refused without a GPU`);
    const asked = (subjects: readonly VirtualMachine[]) =>
      fact(
        questionFor(
          subjects.map(subject => ({
            action: hibernateMachine.with({id: subject.id, retainsIp: true}),
            subject,
            reason: undefined,
          })),
          scene,
        ),
        'What it costs',
      ).split('\n')[0];
    const counted = `(${saved(5 - disk)})  not counting 1 usually refused without a GPU`;
    expect(asked(machines)).toMatch(/^now \$5\.00\/h {2}after \$/);
    expect(asked(machines)).toContain(counted);
    expect(asked([second])).toMatch(/^now \$2\.50\/h {2}after \S+ {2}\(usually refused without a GPU\)$/);
    expect(asked([second, {...second, id: virtualMachineId(4)}])).toContain('(usually refused without a GPU)');
  });

  it('names the machines that are working, what is lost permanently and which machine is skipped', () => {
    const {question} = ask(release, new Map([[3, 'must be ACTIVE, but is SHUTOFF']]));
    const care = fact(question, 'Warnings');
    expect(care).toContain('gpu-2 is WORKING right now.');
    expect(care).toContain('The addresses of gpu-1, gpu-2 are released permanently.');
    expect(fact(question, 'Right now')).toContain('skipped: gpu-3: must be ACTIVE, but is SHUTOFF');
    expect(question?.answer).toMatchObject({expected: 'hibernate, drop IP 2'});
  });

  it('does not exist when nothing can be sent, and says why: for all, or if the reasons differ for one by name', () => {
    const reasons = new Map([1, 2, 3].map(id => [id, 'already SHUTOFF'] as const));
    const {question, items} = ask(stop, reasons);
    expect(question).toBeUndefined();
    expect(reasonAgainstAll(items)).toBe('already SHUTOFF');
    expect(reasonAgainstAll(ask(stop, new Map([[1, 'already SHUTOFF']])).items)).toBeUndefined();
    const mixed = ask(stop, new Map([...reasons, [1, 'must be ACTIVE, but is HIBERNATED']]));
    expect(reasonAgainstAll(mixed.items)).toBe('none of 3; gpu-1: must be ACTIVE, but is HIBERNATED');
  });
});

describe('a question about a mixed fleet', () => {
  const volume = (volumeId: number, sizeGb: number) => ({
    volumeId,
    name: safeText(`data-${volumeId}`),
    sizeGb,
    status: safeText('ATTACHED'),
  });
  const fleet = [
    aVirtualMachine({id: 1, name: safeText('a'), flavor: A_FLAVOR, volumes: [volume(1, 3000)], contractId: 118}),
    aVirtualMachine({id: 2, name: safeText('b'), flavor: A_FLAVOR, volumes: [volume(2, 5000), volume(3, 1000)]}),
    aVirtualMachine({
      id: 3,
      name: safeText('c'),
      flavor: {...A_FLAVOR, name: safeText('n3-L40x2'), gpuCount: 2},
      volumes: [volume(3, 1000)],
    }),
  ];
  const offer = (id: number, name: string, isInStock: boolean) => ({id, name: safeText(name), labels: [], isInStock});
  const scene = aKnownScene({
    usage: [aUsageRecord(1, '1'), aUsageRecord(2, '1'), aUsageRecord(3, '2')],
    contracts: [aContract(5)],
    flavors: [offer(1, 'n3-L40x1', true), offer(2, 'n3-L40x2', false)],
    metrics: new Map(fleet.slice(0, 2).map(({id}, index) => [id, busyMetrics(index === 0 ? 4 : 0.01)])),
  });
  const about = (actionOn: (machine: VirtualMachine) => Action, machines = fleet) =>
    questionFor(
      machines.map(machine => ({subject: machine, action: actionOn(machine), reason: undefined})),
      scene,
    );
  const hibernate = ({id}: VirtualMachine): PowerAction => ({kind: 'vm.hibernate', id, retainsIp: true});
  const remove = ({id}: VirtualMachine): Action => ({kind: 'vm.delete', id});

  it('names the volumes that stay and what they are billed, a shared volume once', () => {
    // 3,000 + 5,000 + 1,000 GB at $0.000096774 are $0.870966 an hour.
    expect(fact(about(remove), 'What it costs').split('\n')).toEqual([
      'now $4.00/h  after $0.00/h  (saves up to $4.00/h)  less if a contract is charged anyway',
      '3 volumes stay, billed at $0.87/h: data-1, data-2, data-3',
    ]);
  });

  it('warns of a contract, which may reduce the saving', () => {
    // Three root disks of 100 GB at $0.000096774 are $0.0290322 an hour.
    const question = about(hibernate);
    expect(fact(question, 'What it costs')).toContain('now $4.00/h  after $0.0290/h  (saves up to $3.97/h)');
    expect(fact(question, 'Warnings')).toContain('Contract #118 (a) ends in 5 days, then DELETES what it covers.');
    const uncovered = about(hibernate, fleet.slice(1));
    expect(fact(uncovered, 'What it costs')).toContain('(saves $2.98/h)');
    expect(fact(uncovered, 'Warnings')).not.toContain('ontract');
  });

  it('reports the stock of all flavors that are released', () => {
    const care = fact(about(hibernate), 'Warnings');
    expect(care).toContain('Out of stock, restoring may not work: n3-L40x2');
    expect(fact(about(hibernate), 'Right now')).toContain('In stock now, which can change: n3-L40x1');
    for (const label of ['Warnings', 'Right now']) expect(fact(about(remove), label)).not.toContain('stock');
  });

  it('says which machines are working, and how many are quiet or unknown', () => {
    for (const question of [about(hibernate), about(remove)]) {
      const care = fact(question, 'Warnings');
      expect(care).toContain('a is WORKING right now.');
      expect(care).toContain('Whether 1 of 3 is working right now is unknown: no recent metrics.');
      expect(fact(question, 'Right now')).toContain('1 of 3 is quiet; GPU load is not reported by this API.');
    }
  });

  it('says it once when it applies to all machines', () => {
    const nodes = [8, 9].map(id => aVirtualMachine({id, flavor: A_FLAVOR}));
    const care = (cores?: number, minutesAgo = 0) => {
      const metrics = new Map(cores === undefined ? [] : nodes.map(({id}) => [id, busyMetrics(cores)] as const));
      const items = nodes.map(subject => ({subject, action: remove(subject), reason: undefined}));
      const question = questionFor(items, aKnownScene({metrics}, {now: epochMs(NOW + minutesAgo * MINUTE_MS)}));
      return ['Warnings', 'Right now'].map(label => fact(question, label)).join('\n');
    };
    expect(care()).toContain('Whether they are working right now is unknown: no recent metrics.');
    expect(care(0.01)).toContain('All are quiet; GPU load is not reported by this API.');
    expect(care(0.01, 7)).toContain('All are quiet as of 7m ago; GPU load is not reported by this API.');
    expect(care(4, 7)).toContain('WORKING as of 7m ago.');
    expect(care(4, 4)).toContain('WORKING right now.');
  });

  it.each<[string, (machine: VirtualMachine) => Action, string]>([
    ['start', ({id}) => ({kind: 'vm.start', id}), 'stop them again (p x)'],
    ['stop', stop, 'start them again (p s)'],
    ['hard reboot', ({id}) => ({kind: 'vm.hard-reboot', id}), 'none'],
    ['hibernate', hibernate, 'restore them (p u), while their flavors are in stock'],
    ['restore', ({id}) => ({kind: 'vm.restore', id}), 'hibernate them again (p h)'],
    ['delete', remove, 'none: there is no copy of them'],
  ])('says how %s is undone', (_verb, actionOn, undo) => {
    expect(fact(about(actionOn), 'Undo')).toBe(undo);
  });

  it('says that released addresses and ephemeral disks do not come back', () => {
    expect(fact(ask(release).question, 'Undo')).toContain('they get new addresses');
    expect(fact(ask(hibernate).question, 'Undo')).not.toContain('ephemeral');
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 6500};
    const machines = fleet.map((machine, index) => (index === 0 ? {...machine, flavor} : machine));
    expect(fact(about(hibernate, machines), 'Undo')).toMatch(/; ephemeral disks stay lost$/);
  });

  it('says before a restore which ephemeral disks will be empty', () => {
    const {ephemeralDiskGb: _, ...unknown} = A_FLAVOR;
    const flavors = [{...A_FLAVOR, ephemeralDiskGb: 6500}, {...A_FLAVOR, ephemeralDiskGb: 500}, unknown];
    const asleep = fleet.map((machine, index) => ({...machine, flavor: flavors[index] ?? A_FLAVOR}));
    const care = fact(
      about(({id}) => ({kind: 'vm.restore', id}), asleep),
      'Warnings',
    );
    // 6.5 TB and 500 GB, and one of unknown size.
    expect(care).toContain('At least 7,000 GB of ephemeral disk will be empty.');
  });

  it('offers to hibernate instead of stopping, on a key of its own', () => {
    const choices = about(stop)?.alternatives ?? [];
    expect(choices.map(({key, title}) => [key, title])).toEqual([
      ['tab', 'hibernate 3 instead: $0.0290/h, saves up to $3.97/h'],
    ]);
    expect(choices[0]?.question.answer).toMatchObject({expected: 'hibernate 3'});
    expect(choices[0]?.question.steps.map(({action}) => action)).toEqual(fleet.map(hibernate));
    expect(about(hibernate)?.alternatives).toEqual([]);
    const failed = fleet.map(machine => ({...machine, status: 'ERROR', statusText: safeText('ERROR')}) as const);
    expect(about(stop, [...failed.slice(1), ...fleet.slice(0, 1)])?.alternatives[0]?.title).toMatch(
      /^hibernate 1 of 3 instead/,
    );
    expect(about(stop, failed)?.alternatives).toEqual([]);
  });

  it('says which of those to be stopped are left out of the hibernation, and why', () => {
    const [first, second, third] = fleet as [VirtualMachine, VirtualMachine, VirtualMachine];
    const noGpu = {...second, flavor: {...A_FLAVOR, gpuCount: 0}};
    const never = {...third, flavor: {...A_FLAVOR, name: safeText('n1'), hasNoHibernation: true as const}};
    const other = {...first, id: virtualMachineId(90), name: safeText('z')};
    const [choice] = about(stop, [first, noGpu, never, other])?.alternatives ?? [];
    expect(choice?.title).toMatch(/^hibernate 2 of 4 instead/);
    expect(fact(choice?.question, 'Right now').split('\n')).toEqual(
      expect.arrayContaining([
        `skipped: ${second.name}: without a GPU, the service usually refuses to hibernate it`,
        `skipped: ${third.name}: its flavor n1 cannot hibernate`,
      ]),
    );
    expect(choice?.question.shorterFacts?.at(-1)?.flatMap(({lines}) => lines.map(textOf))).toContain(
      '2 skipped: 1 without a GPU; 1 whose flavor n1 cannot hibernate',
    );
    // The only one left is asked about in words for one, with the same remark.
    const [ofOne] = about(stop, [first, noGpu])?.alternatives ?? [];
    expect(ofOne?.title).toMatch(/^hibernate 1 of 2 instead/);
    expect(fact(ofOne?.question, 'Right now')).toContain(`skipped: ${second.name}: without a GPU`);
  });

  it('warns that stopping failed machines costs more', () => {
    const failed = fleet.map(
      machine => ({...machine, id: virtualMachineId(machine.id + 10), status: 'ERROR'}) as const,
    );
    const costs = fact(about(stop, failed), 'What it costs');
    expect(costs).toContain('Stopping costs more for machines that are not billed in full now: a, b, c');
    expect(costs).not.toMatch(/saves nothing|no change in cost/);
  });
});

describe('the space that a question about many machines needs', () => {
  const SMALL = {columns: 80, rows: 24};
  const STATES = ['ACTIVE', 'SHUTOFF', 'HIBERNATED', 'ERROR'] as const;

  /** Machines that can lose everything a machine can lose, with long or short names. */
  const aFleet = (count: number, hasLongNames: boolean, status?: (typeof STATES)[number]) =>
    Array.from({length: count}, (_, index) => {
      const state = status ?? STATES[index % STATES.length] ?? 'ACTIVE';
      return aVirtualMachine({
        id: 793_000 + index,
        name: safeText(
          hasLongNames
            ? `nightly-regression-suite-runner-for-driver-r57-${String(index).padStart(3, '0')}`
            : `gpu-${index}`,
        ),
        status: state,
        statusText: safeText(state),
        flavor: {
          ...A_FLAVOR,
          name: safeText(`n3-RTX-A6000x8-number-${index}`),
          ephemeralDiskGb: 6500,
          gpuCount: index % 3,
        },
        contractId: 100 + (index % 5),
        volumes: [
          {volumeId: index, name: safeText(`checkpoints-${index}`), sizeGb: 3000, status: safeText('ATTACHED')},
        ],
        ...(index % 2 === 0 ? {floatingIp: safeText(`192.0.2.${index % 250}`)} : {}),
      });
    });

  const sceneOf = (fleet: readonly VirtualMachine[]) =>
    aKnownScene(
      {
        machines: fleet,
        usage: fleet.slice(1).map(({id}) => aUsageRecord(id, '25.60')),
        contracts: [aContract(5, {id: 100})],
        flavors: fleet.slice(0, 3).map(({id, flavor}, index) => ({
          id,
          name: flavor?.name ?? safeText(''),
          labels: [],
          isInStock: index === 0,
        })),
        metrics: new Map(fleet.slice(0, 9).map(({id}, index) => [id, busyMetrics(index % 2 === 0 ? 4 : 0.01)])),
      },
      {size: {columns: 80, rows: 20}},
    );

  const ACTS: Readonly<Record<string, (machine: VirtualMachine) => Action>> = {
    start: ({id}) => ({kind: 'vm.start', id}),
    stop,
    'hard reboot': ({id}) => ({kind: 'vm.hard-reboot', id}),
    hibernate: ({id}) => ({kind: 'vm.hibernate', id, retainsIp: true}),
    'hibernate, drop IP': release,
    restore: ({id}) => ({kind: 'vm.restore', id}),
    delete: ({id}) => ({kind: 'vm.delete', id}),
  };

  // The longest lists of names are cut in the same way for every action: the sample has them for one.
  const countsOf = (verb: string) =>
    [3, 5, 22, 400].filter(count => count < 400 || sweepOf({sample: verb === 'delete', deep: true}));

  const about = (verb: string, fleet: readonly VirtualMachine[], scene = sceneOf(fleet)): Question | undefined => {
    const actionOn = ACTS[verb] ?? stop;
    return questionFor(
      fleet.map(machine => candidate(actionOn(machine), machine, scene)),
      scene,
    );
  };

  it.each(
    Object.keys(ACTS).flatMap(verb => countsOf(verb).map(count => [verb, count] as const)),
  )('fits 80×24: %s of %i', (verb, count) => {
    for (const hasLongNames of [false, true]) {
      for (const status of [undefined, ...STATES]) {
        const fleet = aFleet(count, hasLongNames, status);
        const question = about(verb, fleet);
        if (question === undefined) continue;
        const isVisible = isQuestionVisible(question, SMALL, sceneOf(fleet));
        expect(isVisible, `${hasLongNames} ${status}`).toBe(true);
      }
    }
  });

  const shown = (question: Question | undefined, size: typeof SMALL) =>
    question === undefined ? [] : dialogLines(questionDialog(question, size, sceneOf([]))).map(textOf);

  it('is read page by page, with every name and id, when the terminal is too small', () => {
    const size = {columns: 60, rows: 16};
    const fleet = aFleet(6, false, 'ACTIVE');
    const question = about('delete', fleet);
    if (question === undefined) throw new Error('no question');
    const scene = sceneOf(fleet);
    let open = openQuestion(question, monotonicMs(0));
    const read: string[] = [];
    for (let page = 0; page < 50; page += 1) {
      read.push(...dialogLines(questionDialog(question, size, scene, {...open, isDryRun: false})).map(textOf));
      if (isWhollyRead(open, size, scene)) break;
      open = {...open, reading: turnPage(open, 'down', size, scene) ?? open.reading};
    }
    expect(isWhollyRead(open, size, scene)).toBe(true);
    for (const {name, id} of fleet) expect(read.join('\n')).toContain(`${name} #${id}`);
  });

  it('is filled with names before the rest are counted', () => {
    const plain = Array.from({length: 5}, (_, index) =>
      aVirtualMachine({id: index + 1, name: safeText(`gpu-${index}`)}),
    );
    const few = shown(about('stop', plain), SMALL);
    expect(few.filter(line => /gpu-\d #\d ACTIVE/.test(line))).toHaveLength(5);
    expect(few.join('\n')).not.toContain('more; D');
    const many = shown(about('delete', aFleet(22, false)), SMALL);
    expect(many).toHaveLength(24);
    expect(many.join('\n')).toMatch(/and 1\d more; down lists all/);
    const tall = shown(about('delete', aFleet(22, false)), {columns: 120, rows: 60});
    expect(tall.filter(line => /#\d+ [A-Z]+ /.test(line))).toHaveLength(22);
  });
});
