import * as z from 'zod';
import {
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
} from '../api/virtual-machines.ts';
import {type Action, type Evidence, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../domain/action.ts';
import type {History, Observation} from '../domain/observation.ts';
import {rebootEvidence, withCause} from '../domain/event-evidence.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {isTransitional, TRANSITION_LIMITS_MS, type VirtualMachine} from '../domain/virtual-machine.ts';
import {actionOn, isElsewhere, needs} from './define.ts';
import {assessManyMachines} from './machines/assess-many.ts';
import {assessPower, powerConsequence} from './machines/assess-power.ts';
import {machineReads} from './machines/machine-reads.ts';
import {WAYS, type Way} from './machines/power-ways.ts';
import {flag, machine} from './parameters.ts';

const POWER_ASSESSING = {reads: machineReads, assess: assessPower, assessMany: assessManyMachines};

const startMachine = actionOn({
  kind: 'vm.start',
  parameters: z.object({id: machine}),
  endpoint: startVirtualMachine,
  verb: say`start`,
  keys: [
    {
      menu: 'power',
      key: 's',
      title: say`start`,
      help: 'Starts a machine that is shut off.',
      consequence: (machine, known) => powerConsequence({kind: 'vm.start', id: machine.id}, machine, known),
    },
  ],
  command: {
    words: ['vm', 'start'],
    summary: 'starts machines that are shut off',
  },
  ...POWER_ASSESSING,
  ...along('vm.start'),
  undo: ({id}): Inverse => ({
    action: stopMachine.with({id}),
    words: say`shuts it down again; it is still billed in full`,
    status: 'ACTIVE',
  }),
});

export const stopMachine = actionOn({
  kind: 'vm.stop',
  parameters: z.object({id: machine}),
  endpoint: stopVirtualMachine,
  verb: say`stop`,
  keys: [
    {
      menu: 'power',
      key: 'x',
      title: say`stop`,
      help: 'Shuts the machine down. It stays billed in full.',
      consequence: (machine, known) => powerConsequence({kind: 'vm.stop', id: machine.id}, machine, known),
    },
  ],
  command: {
    words: ['vm', 'stop'],
    summary: 'shuts machines down; they are still billed in full',
  },
  ...POWER_ASSESSING,
  ...along('vm.stop'),
  undo: ({id}): Inverse => ({action: startMachine.with({id}), words: say`starts it again`, status: 'SHUTOFF'}),
});

const hardRebootMachine = actionOn({
  kind: 'vm.hard-reboot',
  parameters: z.object({id: machine}),
  endpoint: hardRebootVirtualMachine,
  verb: say`hard reboot`,
  keys: [
    {
      menu: 'power',
      key: 'r',
      title: say`hard reboot`,
      help: 'Cuts the power and boots again.',
      consequence: (machine, known) => powerConsequence({kind: 'vm.hard-reboot', id: machine.id}, machine, known),
    },
  ],
  command: {
    words: ['vm', 'hard-reboot'],
    summary: 'cuts the power and boots again',
  },
  ...POWER_ASSESSING,
  ...along('vm.hard-reboot'),
  // It ends where it began, so it is never there already.
  precondition: (_action, machine) =>
    cannotSwitch(machine) ?? needs(WAYS['vm.hard-reboot'].from, machine) ?? beingSnapshotted(machine),
  alsoReads: 'events',
  evidence: (_action, machine, history, seen) =>
    rebootEvidence(stateEvidence(WAYS['vm.hard-reboot'], machine, history), history, seen),
  undo: () => say`a reboot cannot be undone`,
});

const hibernateMachine = actionOn({
  kind: 'vm.hibernate',
  parameters: z.object({id: machine, retainsIp: flag}),
  endpoint: hibernateVirtualMachine,
  verb: say`hibernate`,
  keys: [
    {
      menu: 'power',
      key: 'h',
      title: say`hibernate`,
      help: 'Releases the hardware and keeps the address.',
      consequence: (machine, known) =>
        powerConsequence({kind: 'vm.hibernate', id: machine.id, retainsIp: true}, machine, known),
      parametersFor: ({id}) => ({id, retainsIp: true}),
    },
    {
      name: 'release',
      menu: 'power',
      key: 'H',
      title: say`hibernate, drop IP`,
      help: 'Releases the hardware and the public address.',
      consequence: (machine, known) =>
        powerConsequence({kind: 'vm.hibernate', id: machine.id, retainsIp: false}, machine, known),
      // Who wants to release the address as well means the other key where there is none.
      reason: ({floatingIp}) => (floatingIp === undefined ? say`no public address` : undefined),
      parametersFor: ({id}) => ({id, retainsIp: false}),
    },
  ],
  command: {
    words: ['vm', 'hibernate'],
    summary: 'releases the hardware and keeps the public address',
    options: [
      {flags: '--release-ip', summary: 'releases the public address too, permanently'},
      {flags: '--retain-ip', summary: 'keeps the public address (the default)'},
    ],
    parametersFor: ({id}, {releaseIp, retainIp}: {readonly releaseIp?: boolean; readonly retainIp?: boolean}) =>
      releaseIp === true && retainIp === true
        ? {mistake: say`--release-ip and --retain-ip exclude each other`}
        : {id, retainsIp: releaseIp !== true},
  },
  ...POWER_ASSESSING,
  ...along('vm.hibernate'),
  precondition: (action, machine) =>
    along('vm.hibernate').precondition(action, machine) ??
    (machine.flavor?.hasNoHibernation === true ? say`its flavor ${machine.flavor.name} cannot hibernate` : undefined),
  // What it failed for stands in the history alone.
  alsoReads: 'events',
  undo: ({id, retainsIp}, was): Inverse => ({
    action: restoreMachine.with({id}),
    words: restoreWords(retainsIp, was.floatingIp),
    status: 'HIBERNATED',
  }),
  commandWords: ({id, retainsIp}) => ['vm', 'hibernate', `${id}`, retainsIp ? '--retain-ip' : '--release-ip'],
});

const restoreMachine = actionOn({
  kind: 'vm.restore',
  parameters: z.object({id: machine}),
  endpoint: restoreVirtualMachine,
  verb: say`restore`,
  keys: [
    {
      menu: 'power',
      key: 'u',
      title: say`restore`,
      help: 'Restores a hibernated machine, if its hardware is in stock.',
      consequence: (machine, known) => powerConsequence({kind: 'vm.restore', id: machine.id}, machine, known),
    },
  ],
  command: {
    words: ['vm', 'restore'],
    summary: 'restores hibernated machines',
  },
  ...POWER_ASSESSING,
  ...along('vm.restore'),
  alsoReads: 'events',
  undo: ({id}): Inverse => ({
    action: hibernateMachine.with({id, retainsIp: true}),
    words: say`hibernates it again and keeps its address; what it does in memory and on its ephemeral disk is lost`,
    status: 'ACTIVE',
  }),
});

export const MACHINE_POWER = [startMachine, stopMachine, hibernateMachine, hardRebootMachine, restoreMachine] as const;

/** What follows for the record from the states of its way. */
function along(kind: keyof typeof WAYS) {
  const way: Way = WAYS[kind];
  return {
    overdueAfterMs: TRANSITION_LIMITS_MS[way.through],
    needsStatus: true,
    precondition: (_action: Action, machine: VirtualMachine): SafeText | undefined =>
      cannotSwitch(machine) ??
      (machine.status === way.target ? say`already ${machine.statusText}` : needs(way.from, machine)) ??
      beingSnapshotted(machine),
    evidence: (
      _action: Action,
      machine: VirtualMachine,
      history: History<VirtualMachine>,
      seen: Observation<VirtualMachine>,
    ): Evidence => withCause(stateEvidence(way, machine, history), history, seen),
  } as const;
}

/** Why no power action at all is worth sending. */
function cannotSwitch({clusterId, status, statusText}: VirtualMachine): SafeText | undefined {
  if (clusterId !== undefined) return say`a node of cluster #${clusterId}: its power is managed by the cluster`;
  return status === 'UNKNOWN' ? say`skydeck does not know its state ${statusText}` : undefined;
}

function beingSnapshotted({isSnapshotting}: VirtualMachine): SafeText | undefined {
  return isSnapshotting === true ? say`a snapshot is being taken` : undefined;
}

function stateEvidence(way: Way, machine: VirtualMachine, history: History<VirtualMachine>): Evidence {
  const {status} = machine;
  if (status === way.through) return TRANSITION;
  if (status === way.target) return TARGET;
  if (status === 'UNKNOWN' || isTransitional(status)) return NOTHING;
  return history.hasSeenTransition || status !== history.initialStatus ? isElsewhere(machine) : UNCHANGED;
}

function restoreWords(retainsIp: boolean, address: SafeText | undefined): SafeText {
  const hardware = say`restores it if its hardware is in stock; its ephemeral disk will be empty`;
  return retainsIp || address === undefined
    ? hardware
    : say`${hardware}; the address ${address} is lost and a new one is assigned`;
}
