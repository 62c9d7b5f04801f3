import * as z from 'zod';
import {
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
} from '../../api/virtual-machines.ts';
import {type Action, type Evidence, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../../domain/action.ts';
import type {CostChange} from '../../domain/cost.ts';
import {rebootEvidence, withCause} from '../../domain/event-evidence.ts';
import type {History, Observation} from '../../domain/observation.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {
  clusterWords,
  isTransitional,
  type MachineFlavor,
  mayHaveAddress,
  TRANSITION_LIMITS_MS,
  type VirtualMachine,
} from '../../domain/virtual-machine.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import type {Wording} from '../question/assessment.ts';
import {actionOn, isElsewhere, needs} from '../define.ts';
import {KEYS} from '../keys.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {addressFact} from './address.ts';
import {assessManyMachines} from './assess-many.ts';
import {assessPower, offeredFlavor, powerConsequence, savedNext} from './assess-power.ts';
import {type MachineCandidate, machineReads} from './subject.ts';
import {dependsOnStock, diskFact, type PowerTransition, powerCostChange, type Switching} from './power-transition.ts';
import {flag, machine} from '../parameters.ts';

const HIBERNATION: PowerTransition = {
  from: ['ACTIVE'],
  through: 'HIBERNATING',
  target: 'HIBERNATED',
  isInterrupting: true,
  refusal: ({flavor}) => hibernationRefusal(flavor),
  happens: ({floatingIp, hasUnreadAddress}, keepsAddress) => {
    if (hasUnreadAddress === true) {
      return keepsAddress
        ? 'It becomes HIBERNATED and releases its hardware. Root disk and addresses stay; its public one could not be read.'
        : 'It becomes HIBERNATED; its public address, which could not be read, is released permanently if it has one.';
    }
    if (floatingIp === undefined) {
      return 'It becomes HIBERNATED and releases its hardware. Root disk and private address stay.';
    }
    return keepsAddress
      ? `It becomes HIBERNATED and releases its hardware. Root disk and public address ${floatingIp} stay.`
      : `It becomes HIBERNATED; its address ${floatingIp} is released permanently.`;
  },
  happensToMany: keepsAddress => `They release their hardware; root disks ${keepsAddress ? 'and addresses ' : ''}stay.`,
  undo: ({address, disk}) => {
    const [one, many] = address
      ? [', while its flavor is in stock; it gets a new address', ', while in stock; they get new addresses']
      : [', while its flavor is in stock', ', while their flavors are in stock'];
    const [ofOne, ofMany] = disk ? ['; its ephemeral disk stays lost', '; ephemeral disks stay lost'] : ['', ''];
    return {
      one: {words: 'restore it', caveat: `${one}${ofOne}`},
      many: {words: 'restore them', caveat: `${many}${ofMany}`},
    };
  },
};

const START: PowerTransition = {
  from: ['SHUTOFF'],
  through: 'STARTING',
  target: 'ACTIVE',
  isInterrupting: false,
  happens: () => 'It boots and becomes ACTIVE. Disks and addresses are unchanged.',
  happensToMany: () => 'They boot and become ACTIVE; disks and addresses are unchanged.',
  undo: () => ({one: {words: 'stop it again'}, many: {words: 'stop them again'}}),
  next: HIBERNATION,
};

export const startMachine = actionOn({
  kind: 'vm.start',
  comparesNames: true,
  ...switching(START),
  followUp: hibernationNext,
  parameters: z.object({id: machine}),
  endpoint: startVirtualMachine,
  verb: say`start`,
  change: 'started',
  keys: [
    {
      menu: 'power',
      key: 's',
      title: say`start`,
      help: 'Starts a machine that is shut off.',
      consequence: (machines, known) => powerConsequence(START, {}, machines, known),
    },
  ],
  command: {
    words: ['vm', 'start'],
    summary: 'start machines that are shut off',
  },
  undo: ({id}): Inverse => ({
    action: stopMachine.with({id}),
    words: say`shuts it down again; it is still billed in full`,
    status: 'ACTIVE',
  }),
});

const STOP: PowerTransition = {
  from: ['ACTIVE', 'ERROR'],
  through: 'STOPPING',
  target: 'SHUTOFF',
  isInterrupting: true,
  happens: () => 'It shuts down and becomes SHUTOFF. Disks and addresses stay.',
  happensToMany: () => 'They become SHUTOFF; disks and addresses stay.',
  undo: () => ({one: {words: 'start it again'}, many: {words: 'start them again'}}),
  cheaper: {transition: HIBERNATION, action: id => hibernateMachine.with({id, retainsIp: true})},
};

export const stopMachine = actionOn({
  kind: 'vm.stop',
  comparesNames: true,
  ...switching(STOP),
  parameters: z.object({id: machine}),
  endpoint: stopVirtualMachine,
  verb: say`stop`,
  change: 'stopped',
  keys: [
    {
      menu: 'power',
      key: 'x',
      title: say`stop`,
      help: 'Shuts the machine down. It stays billed in full.',
      consequence: (machines, known) => powerConsequence(STOP, {}, machines, known),
    },
  ],
  command: {
    words: ['vm', 'stop'],
    summary: 'shut machines down; they are still billed in full',
  },
  undo: ({id}): Inverse => ({action: startMachine.with({id}), words: say`starts it again`, status: 'SHUTOFF'}),
});

const HARD_REBOOT: PowerTransition = {
  from: ['ACTIVE', 'ERROR'],
  through: 'REBOOTING',
  target: 'ACTIVE',
  isInterrupting: true,
  // It ends in the state it began in, so only its own event proves it.
  isReboot: true,
  refusal: ({flavor}) => (flavor?.hasNoReboot === true ? say`its flavor ${flavor.name} cannot be rebooted` : undefined),
  happens: () => 'The power is cut and it boots again; what was not written to disk is lost.',
  happensToMany: () => 'Their power is cut; what was not written to disk is lost.',
  undo: () => ({one: 'none', many: 'none'}),
};

const hardRebootMachine = actionOn({
  kind: 'vm.hard-reboot',
  comparesNames: true,
  ...switching(HARD_REBOOT),
  parameters: z.object({id: machine}),
  endpoint: hardRebootVirtualMachine,
  verb: say`hard reboot`,
  change: 'rebooted',
  keys: [
    {
      menu: 'power',
      key: 'r',
      title: say`hard reboot`,
      help: 'Cuts the power and boots again.',
      consequence: (machines, known) => powerConsequence(HARD_REBOOT, {}, machines, known),
    },
  ],
  command: {
    words: ['vm', 'hard-reboot'],
    summary: 'cut the power and boot again',
  },
  alsoReads: 'events',
  undo: () => say`a reboot cannot be undone`,
});

const HIBERNATE_KEY = say`h`;

export const hibernateMachine = actionOn({
  kind: 'vm.hibernate',
  comparesNames: true,
  ...switching(HIBERNATION),
  parameters: z.object({id: machine, retainsIp: flag}),
  endpoint: hibernateVirtualMachine,
  // If the machine's own record does not say so, the list of flavors does.
  refusal: (subject, known) => hibernationRefusal(offeredFlavor(subject, known)),
  verb: say`hibernate`,
  change: 'hibernated',
  keys: [
    {
      menu: 'power',
      key: HIBERNATE_KEY,
      title: say`hibernate`,
      help: 'Releases the hardware and keeps the address.',
      consequence: (machines, known) => powerConsequence(HIBERNATION, {retainsIp: true}, machines, known),
      parametersFor: ({id}) => ({id, retainsIp: true}),
    },
    {
      name: 'release',
      menu: 'power',
      key: 'H',
      title: say`hibernate, drop IP`,
      help: 'Releases the hardware and the public address.',
      consequence: (machines, known) => powerConsequence(HIBERNATION, {retainsIp: false}, machines, known),
      // A person who wants to release the address too needs the other key if there is no address.
      reason: machine => (mayHaveAddress(machine) ? undefined : say`no public address`),
      parametersFor: ({id}) => ({id, retainsIp: false}),
    },
  ],
  command: {
    words: ['vm', 'hibernate'],
    summary: 'release the hardware and keep the public address',
    options: [
      {flags: '--release-ip', summary: 'release the public address too, permanently'},
      {flags: '--retain-ip', summary: 'keep the public address (the default)'},
    ],
    parametersFor: ({id}, {releaseIp, retainIp}: {readonly releaseIp?: boolean; readonly retainIp?: boolean}) =>
      releaseIp === true && retainIp === true
        ? {mistake: say`--release-ip and --retain-ip exclude each other`}
        : {id, retainsIp: releaseIp !== true},
  },
  // Why it failed is only in the history.
  alsoReads: 'cause',
  namedFacts: (_action, machine) =>
    new Map([...addressFact(machine), ...diskFact('ephemeral', machine.flavor?.ephemeralDiskGb)]),
  undo: ({id, retainsIp}, was): Inverse => ({
    action: restoreMachine.with({id}),
    words: restoreWords(retainsIp, was),
    status: 'HIBERNATED',
  }),
  commandWords: ({id, retainsIp}) => ['vm', 'hibernate', `${id}`, retainsIp ? '--retain-ip' : '--release-ip'],
});

const RESTORATION: PowerTransition = {
  from: ['HIBERNATED'],
  through: 'RESTORING',
  target: 'ACTIVE',
  isInterrupting: false,
  happens: () => 'It becomes ACTIVE again if its hardware is in stock.',
  happensToMany: () => 'They become ACTIVE again if their hardware is in stock.',
  undo: () => ({
    one: {words: 'hibernate it again'},
    many: {words: 'hibernate them again'},
  }),
};

export const restoreMachine = actionOn({
  kind: 'vm.restore',
  comparesNames: true,
  ...switching(RESTORATION),
  parameters: z.object({id: machine}),
  endpoint: restoreVirtualMachine,
  verb: say`restore`,
  change: 'restored',
  keys: [
    {
      menu: 'power',
      key: 'u',
      title: say`restore`,
      help: 'Restores a hibernated machine, if its hardware is in stock.',
      consequence: (machines, known) => powerConsequence(RESTORATION, {}, machines, known),
    },
  ],
  command: {
    words: ['vm', 'restore'],
    summary: 'restore hibernated machines',
  },
  alsoReads: 'cause',
  undo: ({id}): Inverse => ({
    action: hibernateMachine.with({id, retainsIp: true}),
    words: say`hibernates it again and keeps its address; what is in its memory and on its ephemeral disk is lost`,
    status: 'ACTIVE',
  }),
});

export const MACHINE_POWER = [startMachine, stopMachine, hibernateMachine, hardRebootMachine, restoreMachine] as const;

export type PowerAction = ReturnType<(typeof MACHINE_POWER)[number]['with']>;

/** The fields of a record that follow from its transition. */
function switching(transition: PowerTransition) {
  return {
    reads: (candidates: readonly MachineCandidate[]) => [
      ...machineReads(candidates),
      ...(dependsOnStock(transition) ? [stocksFeed] : []),
    ],
    assess: (action: Switching, machine: VirtualMachine, known: AssessmentInput) =>
      assessPower(action, transition, machine, known),
    costChange: (action: Switching, machine: VirtualMachine, known: AssessmentInput): CostChange =>
      powerCostChange(action, transition, machine, known),
    assessMany: (sent: readonly MachineCandidate[], known: AssessmentInput, wording: Wording) =>
      assessManyMachines({sent, transition}, known, wording),
    overdueAfterMs: TRANSITION_LIMITS_MS[transition.through],
    needsStatus: true,
    targetStatus: transition.target,
    precondition: (_action: Action, machine: VirtualMachine): SafeText | undefined =>
      cannotSwitch(machine) ??
      (machine.status === transition.target && transition.isReboot !== true
        ? say`already ${machine.statusText}`
        : needs(transition.from, machine)) ??
      beingSnapshotted(machine) ??
      transition.refusal?.(machine),
    evidence: (
      _action: Action,
      machine: VirtualMachine,
      history: History<VirtualMachine>,
      seen: Observation<VirtualMachine>,
    ): Evidence => {
      const evidence = stateEvidence(transition, machine, history);
      return transition.isReboot === true
        ? rebootEvidence(evidence, history, seen)
        : withNewAddress(withCause(evidence, history, seen), machine, history);
    },
  } as const;
}

/** A machine that lost its public address with its hardware gets another one, which nobody knows before. */
function withNewAddress(evidence: Evidence, machine: VirtualMachine, {before}: History<VirtualMachine>): Evidence {
  const was = before?.records.find(({id}) => id === machine.id);
  const {floatingIp} = machine;
  if (evidence.kind !== 'target' || was === undefined || was.hasUnreadAddress === true) return evidence;
  if (floatingIp === undefined || floatingIp === was.floatingIp) return evidence;
  return {...evidence, remark: say`its public address is now ${floatingIp}`};
}

/** Why no power action is worth sending. */
function cannotSwitch(machine: VirtualMachine): SafeText | undefined {
  const {status, statusText} = machine;
  const cluster = clusterWords(machine);
  if (cluster !== undefined) return say`a node of ${cluster}: its power is managed by the cluster`;
  if (status !== 'UNKNOWN') return undefined;
  return statusText === '' ? say`its state is unknown` : say`skydeck does not know its state ${statusText}`;
}

/** For a machine that was started to save money. */
function hibernationNext(machine: VirtualMachine, known: AssessmentInput): SafeText | undefined {
  const saved = savedNext([machine], START, known);
  return (
    saved && say`${KEYS.power} ${HIBERNATE_KEY} on ${nameInWords(machine.name)} in Machines hibernates it, ${saved}`
  );
}

function hibernationRefusal(flavor: MachineFlavor | undefined): SafeText | undefined {
  return flavor?.hasNoHibernation === true ? say`its flavor ${flavor.name} cannot hibernate` : undefined;
}

function beingSnapshotted({isSnapshotting}: VirtualMachine): SafeText | undefined {
  return isSnapshotting === true ? say`a snapshot is being taken` : undefined;
}

function stateEvidence(
  transition: PowerTransition,
  machine: VirtualMachine,
  history: History<VirtualMachine>,
): Evidence {
  const {status} = machine;
  if (status === transition.through) return TRANSITION;
  if (status === transition.target) return TARGET;
  if (status === 'UNKNOWN' || isTransitional(status)) return NOTHING;
  return history.hasSeenTransition || status !== history.initialStatus ? isElsewhere(machine) : UNCHANGED;
}

function restoreWords(retainsIp: boolean, was: VirtualMachine): SafeText {
  const hardware = say`restores it if its hardware is in stock`;
  if (retainsIp || !mayHaveAddress(was)) return hardware;
  const address = was.floatingIp ?? say`it may have had`;
  return say`${hardware}; the address ${address} is lost and a new one is assigned`;
}
