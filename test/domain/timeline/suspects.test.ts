import {expect, test} from 'vitest';
import {type Firewall, firewallId} from '../../../src/domain/firewall.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS} from '../../../src/domain/time.ts';
import {operationEntry, type TimelineEntry} from '../../../src/domain/timeline/entry.ts';
import {stepOfEntry} from '../../../src/domain/timeline/timeline.ts';
import {groupsOf, suspectsFor, suspectWords} from '../../../src/domain/timeline/suspects.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {anEntry, dollarsPerHour, TWO_TEN, vm} from './an-entry.ts';

const ago = (minutes: number) => epochMs(TWO_TEN - minutes * MINUTE_MS);

const EDGE: Firewall = {
  id: firewallId(5),
  name: safeText('edge'),
  status: 'SUCCESS',
  statusText: safeText('SUCCESS'),
  rules: [],
  attachments: [{machineId: virtualMachineId(3), machineName: safeText('train-03')}],
};

const groups = groupsOf({
  machines: [
    aVirtualMachine({id: 3, name: safeText('train-03')}),
    aVirtualMachine({id: 8, name: safeText('web')}),
    aVirtualMachine({id: 9, name: safeText('api'), clusterId: 31}),
    aVirtualMachine({id: 10, name: safeText('db'), clusterId: 31}),
  ],
  firewalls: [EDGE],
});

const FAILURE = anEntry({what: safeText('ACTIVE → ERROR'), isTrouble: true});
const FIREWALL = {type: 'firewall', id: 5, name: safeText('edge')} as const;

function found(step: TimelineEntry, entries: readonly TimelineEntry[]): readonly string[] {
  return suspectsFor(step, [step, ...entries], {groups, burn: dollarsPerHour('100')}).map(
    suspect => `${suspect.touches}: ${suspectWords(suspect)}`,
  );
}

test('changes of the object come before changes of its group, and the latest first', () => {
  const entries = [
    anEntry({at: ago(50), what: safeText('reboot')}),
    anEntry({at: ago(40), what: safeText('stop')}),
    anEntry({at: ago(1), what: safeText('rule removed: tcp/22'), subjects: [FIREWALL]}),
    anEntry({at: ago(2), what: safeText('resize'), subjects: [vm(4)]}),
  ];
  expect(found(FAILURE, entries)).toEqual([
    'same object: stop · train-03',
    'same object: reboot · train-03',
    'same group: rule removed: tcp/22 · edge',
    'same group: resize · train-04',
  ]);
});

test.each([
  ['61 minutes earlier', {at: ago(61)}],
  ['later by more than clocks differ', {at: ago(-3)}],
  ['about a machine that shares no group', {at: ago(5), subjects: [vm(8, 'web')] as const}],
  ['a finding, which is about the same trouble', {at: ago(5), source: 'finding' as const}],
])('an entry is not a suspect when it is %s', (_, rest) => {
  expect(found(FAILURE, [anEntry(rest)])).toEqual([]);
});

test('machines of one cluster are one group, but machines with the same name without a number are not', () => {
  const step = {...FAILURE, subjects: [vm(9, 'api')] as const};
  expect(found(step, [anEntry({at: ago(5), what: safeText('stop'), subjects: [vm(10, 'db')]})])).toEqual([
    'same group: stop · db',
  ]);
  const web = {...FAILURE, subjects: [vm(8, 'web')] as const};
  expect(found(web, [anEntry({at: ago(5), subjects: [vm(99, 'web')]})])).toEqual([]);
});

test('a step of the whole account has as suspects what changed the burn rate noticeably', () => {
  const account = anEntry({
    source: 'finding',
    subjects: [{type: 'account', name: safeText('account')}],
    isTrouble: true,
  });
  const entries = [
    anEntry({at: ago(10), subjects: [vm(8, 'web')], what: safeText('created'), rateChange: dollarsPerHour('25')}),
    anEntry({at: ago(9), subjects: [vm(8, 'web')], what: safeText('cheap'), rateChange: dollarsPerHour('0.10')}),
  ];
  expect(found(account, entries)).toEqual(['changes the burn rate: created · web']);
});

test('the same change by the same user to machines with numbered names is listed once, with a count', () => {
  const who = {kind: 'user', id: 12} as const;
  const entries = [4, 5, 6].map(id => anEntry({at: ago(id), subjects: [vm(id)], what: safeText('asked for'), who}));
  expect(found(FAILURE, entries)).toEqual(['same group: asked for · train-04 (and 2 similar)']);
});

test('the completion of what a step requested is not a suspect of it', () => {
  const step = anEntry({changes: ['created'], rateChange: dollarsPerHour('25')});
  expect(found(step, [anEntry({at: ago(-1), changes: ['created']})])).toEqual([]);
});

test('a step without a time has no suspects', () => {
  const {at: _at, ...step} = FAILURE;
  expect(found(step, [anEntry({at: ago(1)})])).toEqual([]);
});

test('an operation that did not happen says so, is no step in health, and no suspect', () => {
  const of = (phase: 'CONFIRMED' | 'REFUSED' | 'STALE', detail?: string) =>
    operationEntry({
      id: phase,
      change: 'stopped',
      subject: vm(3),
      words: safeText('stop train-03 #3'),
      phase,
      detail: detail === undefined ? undefined : safeText(detail),
      confirmedAt: ago(5),
    });
  const refused = of('REFUSED', 'refused (409): busy');
  const unsent = of('STALE', 'it is DELETING now');
  expect([of('CONFIRMED'), refused, unsent].map(({what}) => what)).toEqual([
    'stop train-03 #3',
    'stop train-03 #3: refused (409): busy',
    'stop train-03 #3: not sent: it is DELETING now',
  ]);
  expect(unsent.notes).toEqual(['not sent: it is DELETING now']);
  expect([refused, unsent].map(entry => stepOfEntry(entry, undefined))).toEqual([undefined, undefined]);
  expect(found(FAILURE, [refused, unsent])).toEqual([]);
  expect(found(FAILURE, [of('CONFIRMED')])).toHaveLength(1);
});
