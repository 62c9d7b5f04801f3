import {describe, expect, it} from 'vitest';
import {questionAnew} from '../../src/actions/question/question-for.ts';
import type {Action} from '../../src/domain/action.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {textOf} from '../../src/ui/text.ts';
import {aFirewall} from '../panes/a-catalogue.ts';
import {A_FLAVOR, aKnownScene, aRule, aUsageRecord, busyMetrics} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

const MACHINES = [7, 8].map(id =>
  aVirtualMachine({id, name: safeText(`train-0${id}`), flavor: {...A_FLAVOR, ephemeralDiskGb: 6500}}),
);
const OPEN = aRule({
  id: 2,
  protocol: safeText('tcp'),
  portRangeMin: 443,
  portRangeMax: 443,
  remoteIpPrefix: safeText('0.0.0.0/0'),
});
const SSH = aRule({id: 1, protocol: safeText('tcp'), portRangeMin: 22, portRangeMax: 22});

function aScene(): Scene {
  const [busy] = MACHINES;
  return aKnownScene(
    {
      machines: MACHINES,
      usage: [aUsageRecord(7, '14'), aUsageRecord(8, '2')],
      metrics: busy === undefined ? new Map() : new Map([[busy.id, busyMetrics(4)]]),
      firewalls: [
        aFirewall({id: 5, rules: [SSH], attachments: [{machineId: id, machineName: safeText('train-07')}]}),
        aFirewall({id: 6, name: safeText('web'), rules: [OPEN], attachments: []}),
      ],
    },
    {ownConnection: {clientAddress: safeText('203.0.113.9'), serverPort: 22}},
  );
}

const step = (action: Action, name: string) => ({action, subjectName: safeText(name)});
const id = virtualMachineId(7);

function text(asked: ReturnType<typeof questionAnew>, label: string): string {
  return (asked?.facts.find(fact => fact.label === label)?.lines ?? []).map(textOf).join('\n');
}

describe('actions that are asked about again', () => {
  it('have the costs, the warnings and the required answer of their first question', () => {
    const asked = questionAnew([step({kind: 'vm.hibernate', id, retainsIp: true}, 'train-07')], aScene());
    expect(text(asked, 'What it costs')).toMatch(/now \$14\.00\/h/);
    expect(text(asked, 'Warnings')).toMatch(/WORKING/);
    expect(text(asked, 'Warnings')).toMatch(/6,500 GB/);
    expect(asked?.answer).toEqual({kind: 'text', what: 'name', expected: 'train-07'});
  });

  it('are confirmed by verb and count when there are many', () => {
    const steps = MACHINES.map(machine => step({kind: 'vm.stop', id: machine.id}, machine.name));
    const asked = questionAnew(steps, aScene());
    expect(asked?.answer).toEqual({kind: 'text', what: 'words', expected: 'stop 2'});
    expect(text(asked, 'What it costs')).toMatch(/now \$16\.00\/h/);
  });

  it('are confirmed as they are shown now, and keep what was said of them before', () => {
    const steps = MACHINES.map(machine => ({
      ...step({kind: 'vm.stop', id: machine.id}, 'its former name'),
      status: 'SHUTOFF',
      ifNotDone: safeText('not all of it is undone'),
    }));
    expect(questionAnew(steps, aScene())?.steps).toMatchObject([
      {subjectName: 'train-07', status: 'ACTIVE', facts: {cost: {words: '$14.00/h afterwards, no change in cost'}}},
      {subjectName: 'train-08', status: 'ACTIVE', facts: {cost: {words: '$2.00/h afterwards, no change in cost'}}},
    ]);
    expect(questionAnew(steps, aScene())?.steps).toMatchObject(
      steps.map(({action, ifNotDone}) => ({action, ifNotDone})),
    );
  });

  it('are not asked about when none can be done now', () => {
    const steps = [step({kind: 'vm.start', id}, 'train-07')];
    expect(
      questionAnew([...steps, step({kind: 'vm.start', id: virtualMachineId(8)}, 'train-08')], aScene()),
    ).toBeUndefined();
  });

  it('warn of a rule that opens to the internet, and of the end of our own session', () => {
    const owner = firewallId(5);
    const open = {
      kind: 'firewall.add-rule',
      id: owner,
      rule: {...SPEC, remoteIpPrefix: safeText('0.0.0.0/0')},
    } as const;
    expect(text(questionAnew([step(open, 'fw-5')], aScene()), 'Warnings')).toMatch(/whole internet/);
    const close = {kind: 'firewall.remove-rule', id: owner, ruleId: 1, rule: SSH} as const;
    const asked = questionAnew([step(close, 'fw-5')], aScene());
    expect(text(asked, 'Warnings')).toMatch(/Your own SSH session/);
    expect(asked?.answer).toEqual({kind: 'text', what: 'name', expected: 'fw-5'});
  });

  it('name the rules that open to the internet, in one line', () => {
    const add = (port: number, remoteIpPrefix: string) => {
      const rule = {...SPEC, portRangeMin: port, portRangeMax: port, remoteIpPrefix: safeText(remoteIpPrefix)};
      return step({kind: 'firewall.add-rule', id: firewallId(5), rule}, 'fw-5');
    };
    const steps = [add(8080, '0.0.0.0/0'), add(8081, '198.51.100.0/24'), add(8082, '0.0.0.0/0')];
    const lines = text(questionAnew(steps, aScene()), 'Warnings').split('\n');
    expect(lines.filter(line => line.includes('internet'))).toEqual([
      'It opens ingress tcp/8080 0.0.0.0/0, ingress tcp/8082 0.0.0.0/0 to the whole internet.',
    ]);
  });

  it('name the machines that could be taken for theirs, and then require the id', () => {
    const named = (...names: readonly string[]) =>
      aKnownScene({machines: names.map((name, index) => aVirtualMachine({id: 7 + index, name: safeText(name)}))}, {});
    const stop = (at: number) => step({kind: 'vm.stop', id: virtualMachineId(at)}, 'train-01');
    const asked = questionAnew([stop(7)], named('train-01', 'train-0l', 'tr\u0430in-01', 'train-02'));
    expect(text(asked, 'Warnings')).toContain('Its name looks like train-0l #8, "tr\u0430in-01" #9: compare the id.');
    expect(asked?.answer).toEqual({kind: 'text', what: 'words', expected: 'id 7'});
    const many = questionAnew([stop(7)], named(...Array.from({length: 5}, () => 'train-01')));
    expect(text(many, 'Warnings')).toContain(
      'Its name looks like train-01 #8, train-01 #9 and 2 more: compare the id.',
    );
    expect(text(questionAnew([stop(7)], named('train-01', 'train-02')), 'Warnings')).not.toContain('looks like');
    const both = questionAnew([stop(7), stop(10)], named('train-01', 'train-0l', 'gpu', 'train-02'));
    expect(text(both, 'Warnings')).toContain('Names here look like train-0l #8: compare the ids.');
    const all = questionAnew([stop(7), stop(8)], named('train-01', 'train-0l'));
    expect(text(all, 'Warnings')).not.toContain('looks like');
  });

  it('warn when a firewall is detached or attached again', () => {
    const off = {kind: 'vm.set-firewalls', id, firewallIds: []} as const;
    const asked = questionAnew([step(off, 'train-07')], aScene());
    expect(text(asked, 'Warnings')).toMatch(/Your own SSH session.*no remaining rule on train-07 allows it/);
    expect(asked?.answer).toEqual({kind: 'text', what: 'name', expected: 'train-07'});
    const on = {kind: 'firewall.set-attachments', id: firewallId(6), machineIds: [id, virtualMachineId(8)]} as const;
    expect(text(questionAnew([step(on, 'web')], aScene()), 'Warnings')).toMatch(/web becomes open to the internet/);
  });

  it('are not asked about when there are none, or when their subject is gone', () => {
    expect(questionAnew([], aScene())).toBeUndefined();
    const gone = {kind: 'vm.stop', id: virtualMachineId(99)} as const;
    expect(questionAnew([step(gone, 'train-99')], aScene())).toBeUndefined();
  });
});

const SPEC = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('10.0.0.0/8'),
  portRangeMin: 22,
  portRangeMax: 22,
} as const;
