import type {ActionOf, PowerAction, PowerActionKind} from '../action.ts';
import {type SafeText, say} from '../safe-text.ts';
import type {Past} from '../sighting.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import {isTransitional, type MachineStatus, type VirtualMachine} from '../virtual-machine.ts';
import {type ActionRules, type Evidence, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {isElsewhere, needs, type OneThingRule, onOneThing} from './one-thing.ts';
import {rebootEvidence} from './reboot.ts';

/** What a power action needs, passes through and ends in (facts.md C1). */
type Way = {
  readonly from: readonly MachineStatus[];
  readonly through: MachineStatus;
  readonly target: MachineStatus;
  readonly overdueAfterMs: DurationMs;
};

const WAYS: Readonly<Record<PowerActionKind, Way>> = {
  'vm.start': {from: ['SHUTOFF'], through: 'STARTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.stop': {from: ['ACTIVE', 'ERROR'], through: 'STOPPING', target: 'SHUTOFF', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hard-reboot': {from: ['ACTIVE', 'ERROR'], through: 'REBOOTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hibernate': {from: ['ACTIVE'], through: 'HIBERNATING', target: 'HIBERNATED', overdueAfterMs: 45 * MINUTE_MS},
  'vm.restore': {from: ['HIBERNATED'], through: 'RESTORING', target: 'ACTIVE', overdueAfterMs: 30 * MINUTE_MS},
};

export const POWER_RULES: Pick<ActionRules, PowerActionKind> = {
  'vm.start': onOneThing(
    power('vm.start', say`start`, ({id}) => ({
      action: {kind: 'vm.stop', id},
      words: say`shuts it down again; it stays billed in full`,
      status: 'ACTIVE',
    })),
  ),
  'vm.stop': onOneThing(
    power('vm.stop', say`stop`, ({id}) => ({
      action: {kind: 'vm.start', id},
      words: say`starts it again`,
      status: 'SHUTOFF',
    })),
  ),
  'vm.hard-reboot': onOneThing({
    ...power('vm.hard-reboot', say`hard reboot`, () => say`a reboot cannot be taken back`),
    alsoReads: 'events',
    evidence: (action, machine, past, seen) => rebootEvidence(stateEvidence(action, machine, past), past, seen),
  }),
  'vm.hibernate': onOneThing(
    power('vm.hibernate', say`hibernate`, (action, was) => ({
      action: {kind: 'vm.restore', id: action.id},
      words: restoreWords(action.retainsIp, was.floatingIp),
      status: 'HIBERNATED',
    })),
  ),
  'vm.restore': onOneThing(
    power('vm.restore', say`restore`, ({id}) => ({
      action: {kind: 'vm.hibernate', id, retainsIp: true},
      words: say`hibernates it again and keeps its address; what it does in memory and on its ephemeral disk is lost`,
      status: 'ACTIVE',
    })),
  ),
};

/** Why the service would refuse a power action on a machine in this state; undefined where it would take it. */
export function wrongStateReason(
  kind: PowerActionKind,
  machine: {readonly status: string; readonly statusText: SafeText},
): SafeText | undefined {
  const {from, target} = WAYS[kind];
  const isThere = machine.status === target && kind !== 'vm.hard-reboot';
  return isThere ? say`already ${machine.statusText}` : needs(from, machine);
}

function power<Kind extends PowerActionKind>(
  kind: Kind,
  verb: SafeText,
  undo: OneThingRule<ActionOf<Kind>, VirtualMachine>['undo'],
): OneThingRule<ActionOf<Kind>, VirtualMachine> {
  return {
    verb,
    overdueAfterMs: WAYS[kind].overdueAfterMs,
    obstacle: (_act, machine) => wrongStateReason(kind, machine),
    evidence: stateEvidence,
    undo,
  };
}

function stateEvidence({kind}: PowerAction, machine: VirtualMachine, past: Past<VirtualMachine>): Evidence {
  const {status} = machine;
  if (status === WAYS[kind].through) return TRANSITION;
  if (status === WAYS[kind].target) return TARGET;
  if (status === 'UNKNOWN' || isTransitional(status)) return NOTHING;
  return past.hasSeenTransition || status !== past.initialStatus ? isElsewhere(machine) : UNCHANGED;
}

function restoreWords(retainsIp: boolean, address: SafeText | undefined): SafeText {
  const hardware = say`restores it, if its hardware is free; its ephemeral disk is empty then`;
  return retainsIp || address === undefined
    ? hardware
    : say`${hardware}; the address ${address} is lost and another is given`;
}
