import {candidate, questionAbout, reasonAgainst, reasonAgainstAll} from '../../actions/ask.ts';
import type {Candidate} from '../../actions/assessment.ts';
import {unreadFirewall} from '../../actions/machine-attachments.ts';
import {machineReason} from '../../actions/machines/machine-reason.ts';
import {attachedVolumes} from '../../actions/machines/remaining-volumes.ts';
import {deleteMachine} from '../../actions/machines.ts';
import type {Action} from '../../domain/action.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type MachineStatus, unreadLabelsReason, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {formatCounted} from '../../ui/format.ts';
import {asking} from '../asking.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {
  attachVolumesForm,
  detachableVolumes,
  detachVolumesForm,
  firewallsFor,
  firewallsForm,
  freeVolumesFor,
} from './attachment-forms.ts';
import {callbackForm, labelsForm} from './edit-forms.ts';
import {chosenMachines, nothingChosenReason} from './mark-commands.ts';
import {resizeForm} from './resize-form.ts';
import {machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;
type MachinesCommand = Command<Context, PaneOutcome<MachinesView>>;

type MachineCommand = {
  readonly name: string;
  readonly key: string;
  readonly title: SafeText;
  readonly help: string;
  readonly consequence?: (machine: VirtualMachine, scene: Scene) => string;
  readonly reason: (machine: VirtualMachine, scene: Scene) => SafeText | undefined;
  readonly run: (machine: VirtualMachine, scene: Scene) => PaneOutcome<MachinesView>;
};

/** Lines of a log that are asked for: about ten screens. */
const LOG_LINE_COUNT = 500;
const RUNNING: readonly MachineStatus[] = ['ACTIVE'];
const CONSOLE_STATES: readonly MachineStatus[] = ['ACTIVE', 'PRE_ACTIVE'];

const RESIZE_ONE = onMachine({
  name: 'resize',
  key: 'z',
  title: say`resize`,
  help: 'Another flavor; most accounts have it switched off.',
  consequence: ({flavor}) => `now ${flavor?.name ?? 'unknown'}; may be switched off`,
  reason: (machine, scene) => machineReason(scene, {kind: 'vm.resize', id: machine.id, flavorName: say``}, machine),
  run: (machine, scene) => ({kind: 'form', form: resizeForm(machine, scene)}),
});

/** Stands beside actions on all marked machines, and says that it is none of them. */
export const RESIZE_COMMAND: MachinesCommand = {
  ...RESIZE_ONE,
  consequence: context => {
    const machine = machineUnderCursor(context);
    return machine === undefined || chosenMachines(context).length < 2
      ? RESIZE_ONE.consequence?.(context)
      : say`${machine.name} alone, under the cursor`;
  },
};

/** What the edit menu holds: everything that changes a machine but its power and its rules. */
export const EDIT_COMMANDS: readonly MachinesCommand[] = [
  onMachine({
    name: 'labels',
    key: 'l',
    title: say`labels`,
    help: 'Sets all labels of the machine, in one line.',
    consequence: ({labels}) => (labels.length === 0 ? 'none now' : labels.join(', ')),
    reason: (machine, scene) =>
      anyState(machine, scene, {kind: 'vm.set-labels', id: machine.id, labels: []}) ?? unreadLabelsReason(machine),
    run: (machine, scene) => ({kind: 'form', form: labelsForm(machine, scene)}),
  }),
  onMachine({
    name: 'callback',
    key: 'b',
    title: say`callback`,
    help: "Sets the address that is called with the machine's events.",
    consequence: ({callbackUrl}) => callbackUrl ?? 'none now',
    reason: (machine, scene) =>
      anyState(machine, scene, {
        kind: 'vm.set-callback',
        id: machine.id,
        url: say``,
        isUpdate: machine.callbackUrl !== undefined,
      }),
    run: (machine, scene) => ({kind: 'form', form: callbackForm(machine, scene)}),
  }),
  onMachine({
    name: 'remove-callback',
    key: 'B',
    title: say`remove callback`,
    help: "Nobody is called with the machine's events any more.",
    reason: (machine, scene) =>
      anyState(machine, scene, {kind: 'vm.remove-callback', id: machine.id}) ??
      (machine.callbackUrl === undefined ? say`it has no callback` : undefined),
    run: (machine, scene) => askAbout({kind: 'vm.remove-callback', id: machine.id}, machine, scene),
  }),
  onMachine({
    name: 'attach-ip',
    key: 'i',
    title: say`attach address`,
    help: 'Takes a new public address for the machine.',
    consequence: () => 'a new public address, billed by the hour',
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.attach-ip', id: machine.id}, machine) ??
      (machine.floatingIp === undefined ? undefined : say`it has ${machine.floatingIp} already`),
    run: (machine, scene) => askAbout({kind: 'vm.attach-ip', id: machine.id}, machine, scene),
  }),
  onMachine({
    name: 'detach-ip',
    key: 'I',
    title: say`detach address`,
    help: 'Gives the public address away, for ever.',
    consequence: ({floatingIp}) => `${floatingIp ?? 'it'} is lost for ever`,
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.detach-ip', id: machine.id}, machine) ??
      (machine.floatingIp === undefined ? say`it has no public address` : undefined),
    run: (machine, scene) => askAbout({kind: 'vm.detach-ip', id: machine.id}, machine, scene),
  }),
  onMachine({
    name: 'attach-volumes',
    key: 'v',
    title: say`attach volumes`,
    help: 'Attaches volumes of its environment that hang on nothing.',
    consequence: (machine, scene) => `${formatCounted(freeVolumesFor(machine, scene).length, 'volume')} free`,
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.attach-volumes', id: machine.id, volumeIds: []}, machine) ??
      (freeVolumesFor(machine, scene).length === 0 ? say`no volume of its environment is free` : undefined),
    run: (machine, scene) => ({kind: 'form', form: attachVolumesForm(machine, scene)}),
  }),
  onMachine({
    name: 'detach-volumes',
    key: 'V',
    title: say`detach volumes`,
    help: 'Detaches volumes; what is on them stays.',
    consequence: machine =>
      attachedVolumes(machine)
        .map(({name}) => name)
        .join(', '),
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.detach-volumes', id: machine.id, volumeIds: []}, machine) ??
      (detachableVolumes(machine).length === 0 ? say`no volumes are attached` : undefined),
    run: (machine, scene) => ({kind: 'form', form: detachVolumesForm(machine, scene)}),
  }),
  onMachine({
    name: 'firewalls',
    key: 'f',
    title: say`firewalls`,
    help: 'Chooses the firewalls of the machine, as a whole set.',
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.set-firewalls', id: machine.id, firewallIds: []}, machine) ??
      firewallsReason(machine, scene),
    run: (machine, scene) => ({kind: 'form', form: firewallsForm(machine, scene)}),
  }),
  onMachine({
    name: 'console',
    key: 'c',
    title: say`console`,
    help: "Asks for the address of the machine's screen; it changes nothing.",
    consequence: () => 'shown here once it is ready',
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.request-console', id: machine.id}, machine, CONSOLE_STATES),
    run: ({id, name}) => ({kind: 'send', step: {action: {kind: 'vm.request-console', id}, subjectName: name}}),
  }),
  onMachine({
    name: 'logs',
    key: 'g',
    title: say`log`,
    help: 'Asks for the last lines of the log; it changes nothing.',
    consequence: () => `the last ${LOG_LINE_COUNT} lines, once they are ready`,
    reason: (machine, scene) =>
      machineReason(scene, {kind: 'vm.request-logs', id: machine.id, lineCount: LOG_LINE_COUNT}, machine, RUNNING),
    run: ({id, name}) => ({
      kind: 'send',
      step: {action: {kind: 'vm.request-logs', id, lineCount: LOG_LINE_COUNT}, subjectName: name},
    }),
  }),
];

/** Of the marked machines all are deleted, else the one under the cursor. */
export const DELETE_COMMAND: MachinesCommand = {
  ...onMachine({
    name: 'delete',
    key: 'X',
    title: say`delete`,
    help: 'Deletes the machine for ever, after its full name was typed; of marked ones all.',
    consequence: () => 'for ever; its volumes stay',
    reason: (machine, scene) => reasonAgainst(deleteMachine.with({id: machine.id}), machine, scene),
    run: () => ({kind: 'done'}),
  }),
  disabledReason: context => reasonAgainstAll(deletions(context)) ?? nothingChosenReason(context),
  run: context => asking(deletions(context), context.scene),
};

function deletions(context: Context): readonly Candidate[] {
  return chosenMachines(context).map(machine =>
    candidate(deleteMachine.with({id: machine.id}), machine, context.scene),
  );
}

/** The question about one machine. */
function askAbout(action: Action, machine: VirtualMachine, scene: Scene): PaneOutcome<MachinesView> {
  const question = questionAbout(action, machine, scene);
  return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
}

function anyState(machine: VirtualMachine, scene: Scene, action: Action): SafeText | undefined {
  return machineReason(scene, action, machine, 'any');
}

/** The whole set goes out, so it has to be known whole. */
function firewallsReason(machine: VirtualMachine, scene: Scene): SafeText | undefined {
  const listing = lastValue(scene.store.get(firewallsFeed));
  if (listing === undefined) return say`its firewalls are not read yet`;
  if (listing.isIncomplete !== undefined) return say`the list of firewalls did not come whole`;
  if (listing.quarantined.length > 0) return say`not all firewalls could be read`;
  const unread = unreadFirewall(machine, listing.records);
  if (unread !== undefined) return unread;
  return firewallsFor(machine, scene).length === 0 ? say`its environment has no firewalls` : undefined;
}

function onMachine({name, key, title, help, consequence, reason, run}: MachineCommand): MachinesCommand {
  return {
    id: `machines.edit.${name}`,
    title,
    help,
    keys: [key],
    group: 'Actions',
    effect: 'operation',
    consequence: context => {
      const machine = machineUnderCursor(context);
      const told = machine === undefined ? undefined : consequence?.(machine, context.scene);
      return told === undefined ? undefined : safeText(told);
    },
    disabledReason: context => {
      const machine = machineUnderCursor(context);
      return machine === undefined ? say`there is no machine under the cursor` : reason(machine, context.scene);
    },
    run: context => {
      const machine = machineUnderCursor(context);
      return machine === undefined ? {kind: 'done'} : run(machine, context.scene);
    },
  };
}
