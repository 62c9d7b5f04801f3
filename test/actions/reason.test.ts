import {describe, expect, it} from 'vitest';
import {unmetPrecondition} from '../../src/actions/actions.ts';
import {reasonAgainst} from '../../src/actions/question/question-for.ts';
import type {PowerAction} from '../../src/actions/machines/power.ts';
import type {Permission} from '../../src/domain/permission.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {MACHINE_STATUSES, type MachineStatus, type VirtualMachine} from '../../src/domain/virtual-machine.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {permissionsFeed} from '../../src/state/account.ts';
import {A_FLAVOR, aKnownScene} from '../panes/a-known-scene.ts';
import {aReadScene, listed} from '../panes/a-read-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';

type Fields = Partial<Omit<VirtualMachine, 'id'>>;
const ACTIVE = aMachine({});
const {id} = ACTIVE;
const START: PowerAction = {kind: 'vm.start', id};
const STOP: PowerAction = {kind: 'vm.stop', id};
const REBOOT: PowerAction = {kind: 'vm.hard-reboot', id};
const HIBERNATE: PowerAction = {kind: 'vm.hibernate', id, retainsIp: true};
const RELEASE: PowerAction = {kind: 'vm.hibernate', id, retainsIp: false};
const RESTORE: PowerAction = {kind: 'vm.restore', id};
const FAR = {floatingIp: safeText('192.0.2.7')};

function aMachine(fields: Fields): VirtualMachine {
  return aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, ...fields});
}

function reason(action: PowerAction, machine: VirtualMachine, rest: Partial<Scene> = {}): string | undefined {
  return reasonAgainst(action, machine, aKnownScene({machines: [machine]}, rest));
}

describe('reasonAgainst', () => {
  it.each<[PowerAction, readonly MachineStatus[]]>([
    [START, ['SHUTOFF']],
    [STOP, ['ACTIVE', 'ERROR']],
    [REBOOT, ['ACTIVE', 'ERROR']],
    [HIBERNATE, ['ACTIVE']],
    [RELEASE, ['ACTIVE']],
    [RESTORE, ['HIBERNATED']],
  ])('allows $kind exactly in the states in which the service accepts it', (action, allowed) => {
    const free = [...MACHINE_STATUSES, 'UNKNOWN' as const].filter(
      status => reason(action, aMachine({status, ...FAR})) === undefined,
    );
    expect(free).toEqual(allowed);
  });

  it.each<[string, PowerAction, Fields, RegExp]>([
    ['a machine that already has the target state', START, {status: 'ACTIVE'}, /^already ACTIVE$/],
    ['a wrong state', RESTORE, {status: 'SHUTOFF'}, /^must be HIBERNATED, but is SHUTOFF$/],
    [
      'a state that skydeck does not know',
      STOP,
      {status: 'UNKNOWN', statusText: safeText('ODD')},
      /know its state ODD/,
    ],
    ['a state that cannot be read', STOP, {status: 'UNKNOWN', statusText: safeText('')}, /^its state is unknown$/],
    ['a node of a cluster', STOP, {clusterId: 31}, /node of cluster #31/],
    [
      'a node of a cluster whose id is not readable',
      STOP,
      {hasUnreadCluster: true},
      /^a node of an unknown cluster: its/,
    ],
    [
      'a flavor that cannot be rebooted',
      REBOOT,
      {flavor: {...A_FLAVOR, hasNoReboot: true}},
      /n3-L40x1 cannot be rebooted/,
    ],
    ['a snapshot under way', STOP, {isSnapshotting: true}, /snapshot/],
    ['a flavor without hibernation', HIBERNATE, {flavor: {...A_FLAVOR, hasNoHibernation: true}}, /n3-L40x1 cannot/],
  ])('names %s', (_, action, fields, expected) => {
    expect(reason(action, aMachine(fields))).toMatch(expected);
  });

  it('says of another action too that the state it needs cannot be read', () => {
    const log = {kind: 'vm.request-logs', id, lineCount: 100} as const;
    const machine = aMachine({status: 'UNKNOWN', statusText: safeText('')});
    expect(unmetPrecondition(log, {subject: machine})).toBe('must be ACTIVE, but its state is unknown');
  });

  it('considers whether a flavor can hibernate only for a hibernation', () => {
    expect(reason(HIBERNATE, ACTIVE)).toBeUndefined();
    expect(reason(STOP, aMachine({flavor: {...A_FLAVOR, hasNoHibernation: true}}))).toBeUndefined();
  });

  it('says that a read-only session has no operations, whatever else is wrong', () => {
    expect(reason(START, aMachine({clusterId: 31}), {operations: undefined})).toMatch(/^read-only session/);
  });

  it('names the operation that locks the machine', () => {
    const operations = inMemoryOperations();
    operations.begin({action: STOP, subjectName: safeText('train-02')});
    expect(reason(HIBERNATE, ACTIVE, {operations})).toMatch(/^stop train-02 #7/);
    const other = aVirtualMachine({id: 8, flavor: A_FLAVOR});
    expect(reason({...HIBERNATE, id: other.id}, other, {operations})).toBeUndefined();
    operations.reach('CONFIRMED');
    expect(reason(HIBERNATE, ACTIVE, {operations})).toBeUndefined();
  });

  it.each<[string, Scene['health'], RegExp]>([
    [
      'down',
      {
        status: 'down',
        failure: {kind: 'timed-out', afterMs: 15_000},
        since: monotonicMs(40_000),
        retryAt: monotonicMs(110_000),
        attemptCount: 3,
        goodAnswerCount: 0,
      },
      // It is 60 seconds later in the scene.
      /^link down 1m/,
    ],
    [
      'rate-limiting',
      // The header counts the seconds; those of a message would stand still beside them.
      {status: 'rate-limited', since: monotonicMs(0), retryAt: monotonicMs(697_000)},
      /^rate-limited \(429\): nothing can be sent$/,
    ],
    [
      'not accepting the key',
      {
        status: 'not-authorised',
        failure: {kind: 'not-authorised', httpStatus: 401, message: safeText('no')},
        since: monotonicMs(0),
      },
      /key or its role is not accepted/,
    ],
  ])('says that the service is %s before it looks at the machine', (_, health, expected) => {
    expect(reason(STOP, ACTIVE, {health})).toMatch(expected);
    expect(reason(START, aMachine({clusterId: 31}), {health})).toMatch(expected);
  });

  it('says what the role of the key does not allow, once that is known', () => {
    const scene = aKnownScene({machines: [ACTIVE]});
    const endpoint = safeText('/core/virtual-machines/{vm_id}/stop');
    const stops: Permission = {resource: safeText('machines'), method: safeText('GET'), endpoint};
    const known = aReadScene([listed(permissionsFeed, [stops])]);
    expect(reasonAgainst(REBOOT, ACTIVE, scene)).toBeUndefined();
    expect(reasonAgainst(REBOOT, ACTIVE, known)).toBe(
      'the role of this key does not allow GET /core/virtual-machines/7/hard-reboot',
    );
    expect(reasonAgainst(STOP, ACTIVE, known)).toBeUndefined();
  });
});
