import {expect, it} from 'vitest';
import {type SecurityRule, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {unreadRules} from '../../src/domain/firewall.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {firewalls} from '../../src/resources/firewalls.ts';
import {aFirewall} from '../panes/a-catalogue.ts';
import {aKnownScene, aRule} from '../panes/a-known-scene.ts';
import {machines} from '../../src/resources/machines.ts';
import {openRules, reachText} from '../../src/resources/rules.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const DELETING = safeText('DELETING');

it('counts as open a rule until it is gone, also one that failed, and shows both with their state', () => {
  const web = {portRangeMin: 443, portRangeMax: 443};
  const rules = [
    aRule({status: DELETING}),
    aRule({id: 2, portRangeMin: 8888, portRangeMax: 8888, status: safeText('FAILED')}),
    aRule({id: 3, ...web, status: safeText('SUCCESS')}),
  ];
  const scene = aKnownScene({firewalls: [aFirewall({rules})]});
  const [row] = rowsOf(firewalls, scene) ?? [];
  const cells = ['rules', 'open', 'exposed'].map(key => cellOf(firewalls, row, key)?.number);
  // The removal of the second may be what failed.
  expect(cells).toEqual([3, 3, 2]);
  const detail = detailOf(firewalls, row, scene);
  expect(detail).toContain('3 rules to the world, 2 of them exposed');
  expect(detail).toContain('ingress tcp/22 0.0.0.0/0 (DELETING)');
  expect(detail).toContain('ingress tcp/8888 0.0.0.0/0 (FAILED)');
});

it.each([
  ['the source', {remoteIpPrefix: undefined}, true],
  ['the source, spelt as none,', {remoteIpPrefix: safeText('anywhere')}, true],
  ['the direction', {direction: undefined}, true],
  ['the source of an outbound rule', {direction: safeText('egress'), remoteIpPrefix: undefined}, false],
  ['the direction of a narrow rule', {direction: undefined, remoteIpPrefix: safeText('10.0.0.0/8')}, false],
])('does not know how many are open where %s could not be read', (_, fields, isUnknown) => {
  const all: Record<string, unknown> = {...aRule(), ...fields};
  const rule = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as SecurityRule;
  const [row] = rowsOf(firewalls, aKnownScene({firewalls: [aFirewall({rules: [rule]})]})) ?? [];
  const counts = ['rules', 'open', 'exposed'].map(key => cellOf(firewalls, row, key)?.number);
  expect(counts).toEqual(isUnknown ? [1, undefined, undefined] : [1, 0, 0]);
  expect(unreadRules([aFirewall({rules: [rule]})], say`firewall`)).toHaveLength(isUnknown ? 1 : 0);
});

it('does not know how many rules are open or exposed where not all could be read', () => {
  const unread = (rules: readonly SecurityRule[]) => {
    const scene = aKnownScene({firewalls: [aFirewall({rules, hasUnreadRules: true})]});
    const [row] = rowsOf(firewalls, scene) ?? [];
    const cells = ['rules', 'open', 'exposed'].map(key => cellOf(firewalls, row, key));
    return {cells, detail: detailOf(firewalls, row, scene)};
  };
  const none = unread([]);
  expect(none.cells).toEqual([undefined, undefined, undefined]);
  expect(none.detail).toMatch(/^open +unknown: not all rules could be read$/m);
  expect(none.detail).toMatch(/^rules +could not be read$/m);
  // Those that could be read are open, whatever the others are.
  const some = unread([aRule()]);
  expect(some.cells).toEqual([undefined, {text: '1+', number: 1, plain: '1'}, {text: '1+', number: 1, plain: '1'}]);
  expect(some.detail).toMatch(/^open +at least 1 rule to the world, 1 of them exposed$/m);
  expect(some.detail).toMatch(/^rules +ingress tcp\/22 0\.0\.0\.0\/0\n +others could not be read$/m);
});

it('comes first if it is open to machines, exposed before open and the most machines first, and not if unattached', () => {
  const web = aRule({portRangeMin: 443, portRangeMax: 443});
  const on = (...ids: readonly number[]) =>
    ids.map(id => ({machineId: virtualMachineId(id), machineName: safeText(`web-${id}`), status: safeText('SUCCESS')}));
  const scene = aKnownScene({
    firewalls: [
      aFirewall({id: 1, rules: [aRule()]}),
      aFirewall({id: 2, attachments: on(1, 2, 3)}),
      aFirewall({id: 3, rules: [web], attachments: on(1, 2)}),
      aFirewall({id: 4, rules: [aRule()], attachments: on(1)}),
      aFirewall({id: 5, rules: [aRule(), web], attachments: on(1, 2)}),
      aFirewall({id: 6, rules: [aRule()], hasUnreadAttachments: true}),
    ],
  });
  // What the sixth is attached to is unknown, so it may be open to some; the first is open to nothing.
  expect(rowsOf(firewalls, scene)?.map(({firewall: {id}}) => id)).toEqual([5, 4, 6, 3, 1, 2]);
});

it('counts and names the machines it is attached to, without those it was detached from', () => {
  const [one, two] = [1, 2].map(id => aVirtualMachine({id, name: safeText(`web-${id}`)}));
  if (one === undefined || two === undefined) throw new Error('no machines');
  const attachments = [
    {machineId: virtualMachineId(1), machineName: one.name, status: safeText('SUCCESS')},
    {machineId: virtualMachineId(2), machineName: two.name, status: safeText('DETACHED')},
  ];
  const firewall = aFirewall({rules: [aRule()], attachments});
  const scene = aKnownScene({firewalls: [firewall], machines: [one, two]});
  const [row] = rowsOf(firewalls, scene) ?? [];
  expect(cellOf(firewalls, row, 'machines')?.number).toBe(1);
  expect(detailOf(firewalls, row, scene)).toMatch(/machines +web-1$/m);
  expect(openRules(scene).rules.map(reachText)).toEqual(['1 machine']);
  const [attached] = firewalls.related?.(firewall, scene.store) ?? [];
  expect(attached?.objects?.map(({name}) => name)).toEqual(['web-1']);
  const firewallsOf = (machine: typeof one) =>
    machines
      .related?.(machine, scene.store)
      .find(({kind}) => kind === 'firewall')
      ?.objects?.map(({id}) => id);
  expect([firewallsOf(one), firewallsOf(two)]).toEqual([[5], []]);
});
