import {describe, expect, it} from 'vitest';
import {recordOf} from '../../../src/actions/actions.ts';
import type {CloudResource} from '../../../src/domain/cloud-resource.ts';
import type {Observation} from '../../../src/domain/observation.ts';
import {staleReason} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {anOperation} from '../an-operation.ts';
import {EVERY_ACTION} from '../every-action.ts';
import {aFirewall, aMachine, disk, machine, otherWall, wall} from '../some-things.ts';

const text = safeText;
const PAST = {confirmedAt: epochMs(0), hasSeenTransition: false};

function look(subject: CloudResource, rest: Partial<Observation<CloudResource>> = {}): Observation<CloudResource> {
  return {startedAt: monotonicMs(1), records: [subject], isWhole: true, ...rest};
}

describe('an action that replaces a set', () => {
  const stale = (
    kind: 'vm.set-firewalls' | 'firewall.set-attachments' | 'vm.set-labels',
    seen: Observation<CloudResource>,
    replaced: string[],
  ) => staleReason(anOperation('op-1', {...EVERY_ACTION[kind].confirmed, replaced}, epochMs(0)), seen);
  const on = (...ids: readonly number[]) => ({
    attachments: ids.map(id => ({machineId: virtualMachineId(id), machineName: text('gpu'), status: text('SUCCESS')})),
  });

  it('is not sent when somebody has changed that set since it was shown', () => {
    const firewalls = [aFirewall(on(7)), aFirewall({id: otherWall}), aFirewall({...on(8)})];
    expect(stale('vm.set-firewalls', look(aMachine(), {firewalls}), ['30'])).toBeUndefined();
    expect(stale('vm.set-firewalls', look(aMachine(), {firewalls}), [])).toBe(
      '#30 was added meanwhile; check it again',
    );
    expect(stale('vm.set-firewalls', look(aMachine(), {firewalls}), ['30', '31'])).toBe(
      '#31 was removed meanwhile; check it again',
    );
    expect(stale('firewall.set-attachments', look(aFirewall(on(7))), ['7'])).toBeUndefined();
    expect(stale('firewall.set-attachments', look(aFirewall(on(7, 9))), ['7'])).toBe(
      '#9 was added meanwhile; check it again',
    );
    expect(stale('vm.set-labels', look(aMachine({labels: [text('dev')]})), ['dev'])).toBeUndefined();
    expect(stale('vm.set-labels', look(aMachine({labels: [text('dev'), text('x')]})), ['dev'])).toBe(
      'x was added meanwhile; check it again',
    );
  });

  it('has an attachment that is listed behind a past one of the same machine', () => {
    const past = {machineId: virtualMachineId(7), machineName: text('gpu'), status: text('DETACHED')};
    const twice = aFirewall({attachments: [past, ...on(7).attachments]});
    expect(stale('firewall.set-attachments', look(twice), ['7'])).toBeUndefined();
    expect(stale('vm.set-firewalls', look(aMachine(), {firewalls: [twice]}), ['30'])).toBeUndefined();
  });

  it('is not sent when the set was not read', () => {
    const {confirmed} = EVERY_ACTION['vm.set-firewalls'];
    expect(recordOf(confirmed.action).precondition(confirmed.action, look(aMachine()))).toBe(
      'its firewalls could not be read',
    );
  });

  it('is neither sent nor judged when the current set cannot be read completely', () => {
    const unreadWall = aFirewall({id: wall, ...on(), hasUnreadAttachments: true});
    const seen = {
      'vm.set-labels': look(aMachine({labels: [text('x')], hasUnreadLabels: true})),
      'firewall.set-attachments': look(unreadWall),
      'vm.set-firewalls': look(aMachine(), {firewalls: [unreadWall]}),
    };
    const words = {
      'vm.set-labels': 'its labels could not be read completely, so changing them could lose some',
      'firewall.set-attachments': 'its machines could not be read completely, so changing them could detach some',
      'vm.set-firewalls': `the machines of firewall ${unreadWall.name} #${wall} could not be read completely`,
    };
    for (const kind of ['vm.set-labels', 'firewall.set-attachments', 'vm.set-firewalls'] as const) {
      const {action} = EVERY_ACTION[kind].confirmed;
      expect(recordOf(action).precondition(action, seen[kind])).toBe(words[kind]);
      expect(recordOf(action).evidence(action, seen[kind], PAST)).toEqual({kind: 'nothing'});
    }
    const {action} = EVERY_ACTION['vm.set-firewalls'].confirmed;
    expect(recordOf(action).evidence(action, look(aMachine()), PAST)).toEqual({kind: 'nothing'});
  });

  it.each([
    'vm.set-callback',
    'vm.remove-callback',
  ] as const)('%s is neither sent nor judged while it is unread', kind => {
    const {action} = EVERY_ACTION[kind].confirmed;
    const unread = look(aMachine({hasUnreadCallback: true}));
    expect(recordOf(action).precondition(action, unread)).toBe('its callback could not be read');
    expect(recordOf(action).evidence(action, unread, PAST)).toEqual({kind: 'nothing'});
  });

  it('ignores an unreadable firewall of another environment', () => {
    const {action} = EVERY_ACTION['vm.set-firewalls'].confirmed;
    const far = aFirewall({id: wall, environmentName: text('far'), hasUnreadAttachments: true});
    const here = aMachine({environmentName: text('here')});
    expect(recordOf(action).precondition(action, look(here, {firewalls: [far]}))).toBeUndefined();
  });

  it('counts a firewall that is being detached as attached, and a detached one as not', () => {
    const standing = (status: string) => {
      const attachments = [{machineId: machine, machineName: text('gpu-7'), status: text(status)}];
      return recordOf(EVERY_ACTION['vm.set-firewalls'].confirmed.action).replaced?.(
        EVERY_ACTION['vm.set-firewalls'].confirmed.action,
        look(aMachine(), {firewalls: [aFirewall({id: wall, attachments})]}),
      );
    };
    expect([standing('DETACHING'), standing('DETACHED')]).toEqual([['30'], []]);
  });
});

describe('a volume', () => {
  const {action} = EVERY_ACTION['vm.attach-volumes'].confirmed;
  const volumes = (...statuses: readonly string[]): Partial<VirtualMachine> => ({
    volumes: statuses.map(status => ({volumeId: disk, name: text('data'), status: text(status)})),
  });

  it('attached, detached and attached again counts as attached, wherever that is in the list', () => {
    for (const statuses of [
      ['DETACHED', 'ATTACHED'],
      ['ATTACHED', 'DETACHED'],
    ]) {
      expect(recordOf(action).precondition(action, look(aMachine(volumes(...statuses))))).toBe(
        'one of the volumes is already attached to it',
      );
    }
    expect(recordOf(action).precondition(action, look(aMachine(volumes('DETACHED', 'DETACHED'))))).toBeUndefined();
  });
});

describe('a volume to be detached', () => {
  const {action} = EVERY_ACTION['vm.detach-volumes'].confirmed;
  const isJudged = (rest: Partial<VirtualMachine>) => recordOf(action).evidence(action, look(aMachine(rest)), PAST);
  const attached = {volumeId: disk, name: text('data'), status: text('ATTACHED')};

  it('is not taken for detached, or for attached to nothing, while the volumes of the machine cannot be read', () => {
    const detached = {...attached, status: text('DETACHED')};
    expect(isJudged({})).toEqual({kind: 'target'});
    expect(isJudged({volumes: [detached]})).toEqual({kind: 'target'});
    expect(isJudged({hasUnreadVolumes: true})).toEqual({kind: 'nothing'});
    expect(isJudged({hasUnreadVolumes: true, volumes: [detached]})).toEqual({kind: 'nothing'});
    expect(isJudged({hasUnreadVolumes: true, volumes: [attached]})).toEqual({kind: 'unchanged'});
    expect(recordOf(action).precondition(action, look(aMachine({hasUnreadVolumes: true})))).toBe(
      'its volumes could not be read completely',
    );
  });
});

describe('an address', () => {
  const attach = EVERY_ACTION['vm.attach-ip'].confirmed.action;
  const detach = EVERY_ACTION['vm.detach-ip'].confirmed.action;
  const withAddress = {floatingIp: text('185.0.2.1'), floatingIpStatus: text('ATTACHED')};

  it.each<[string, Partial<VirtualMachine>, string | undefined, string | undefined]>([
    ['ACTIVE without one', {}, undefined, 'it has no public address'],
    ['SHUTOFF without one', {status: 'SHUTOFF'}, undefined, 'it has no public address'],
    ['ACTIVE with one', withAddress, 'it already has the address 185.0.2.1', undefined],
    [
      'HIBERNATED without one',
      {status: 'HIBERNATED'},
      'must be ACTIVE or SHUTOFF, but is HIBERNATED',
      'it has no public address',
    ],
  ])('is checked before it is attached to and detached from a machine that is %s', (_name, given, toAttach, toDetach) => {
    expect(recordOf(attach).precondition(attach, look(aMachine(given)))).toBe(toAttach);
    expect(recordOf(detach).precondition(detach, look(aMachine(given)))).toBe(toDetach);
  });

  it('that could not be attached is reported with the status of the service', () => {
    const failed = look(aMachine({floatingIpStatus: text('ERROR')}));
    expect(recordOf(attach).evidence(attach, failed, PAST)).toEqual({
      kind: 'elsewhere',
      detail: 'the address is ERROR',
    });
  });

  it('that cannot be read is neither there nor gone', () => {
    const unread = look(aMachine({hasUnreadAddress: true}));
    for (const action of [attach, detach]) {
      expect(recordOf(action).precondition(action, unread)).toBe('its public address could not be read');
      expect(recordOf(action).evidence(action, unread, PAST)).toEqual({kind: 'nothing'});
      expect(recordOf(action).evidence(action, unread, {...PAST, hasSeenTransition: true})).toEqual({kind: 'nothing'});
    }
    const underWay = look(aMachine({hasUnreadAddress: true, floatingIpStatus: text('DETACHING')}));
    expect(recordOf(detach).evidence(detach, underWay, PAST)).toEqual({kind: 'transition'});
  });
});
