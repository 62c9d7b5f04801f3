import {firewallsCare, isAttached} from '../../actions/access-lines.ts';
import {actionQuestion} from '../../actions/action-question.ts';
import {confirmationOf} from '../../actions/actions.ts';
import {recordsOf} from '../../actions/creation-choices.ts';
import type {Form} from '../../actions/form.ts';
import {attachedVolumes} from '../../actions/machines/remaining-volumes.ts';
import {type Question, typedAnswer} from '../../actions/question.ts';
import {diffLines, setForm} from '../../actions/set-form.ts';
import type {Firewall} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume, volumeId} from '../../domain/volume.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {takenIn} from '../../ui/form-field.ts';
import {formatGigabytes} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

/** Several at once; only those that hang on nothing and are of the same environment. */
export function attachVolumesForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name} = machine;
  const free = freeVolumesFor(machine, scene);
  const words = free.map(volumeWord);
  return {
    title: say`attach volumes to ${name}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space takes'}],
    wants: () => [{feed: volumesFeed, priority: 1}],
    check: values => {
      const chosen = free.filter(volume => takenIn(values.volumes).includes(volumeWord(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'take one with space'}, notes: [], question: undefined};
      const count = chosen.length + attachedVolumes(machine).length;
      if (count > MAX_VOLUMES) {
        return {
          mistakes: {volumes: `${count} volumes, at most ${MAX_VOLUMES} on a machine`},
          notes: [],
          question: undefined,
        };
      }
      const added = diffLines([], chosen.map(volumeWord));
      const question = actionQuestion({
        title: say`attach volumes to ${name}  #${id}`,
        steps: [
          {
            action: {kind: 'vm.attach-volumes', id, volumeIds: chosen.map(each => each.id)},
            subjectName: name,
            status: machine.status,
          },
        ],
        happens: [...added, [{text: 'The machine sees them as new disks; they are mounted in the machine itself.'}]],
        undo: say`detach them again (i V)`,
        answer: {kind: 'key'},
      });
      return {mistakes: {}, notes: added, question};
    },
  };
}

/** Of the service, for each machine. */
const MAX_VOLUMES = 10;

export function freeVolumesFor({environmentName}: VirtualMachine, scene: Scene): readonly Volume[] {
  return recordsOf(scene, volumesFeed).filter(
    volume =>
      environmentName !== undefined &&
      volume.environmentName === environmentName &&
      volume.status === 'AVAILABLE' &&
      presentAttachments(volume).length === 0,
  );
}

function volumeWord({id, name, sizeGb}: Volume): string {
  return `${name} #${id} ${formatGigabytes(sizeGb)}`;
}

/** Volumes that are attached and not protected, in one call. */
export function detachVolumesForm(machine: VirtualMachine): Form {
  const {id, name} = machine;
  const attached = detachableVolumes(machine);
  const words = attached.map(attachedWord);
  return {
    title: say`detach volumes from ${name}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space takes'}],
    check: values => {
      const chosen = attached.filter(volume => takenIn(values.volumes).includes(attachedWord(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'take one with space'}, notes: [], question: undefined};
      const removed = diffLines(chosen.map(attachedWord), []);
      return {mistakes: {}, notes: removed, question: detachQuestion(machine, chosen, removed)};
    },
  };
}

function detachQuestion(
  machine: VirtualMachine,
  chosen: readonly DetachableVolume[],
  removed: readonly Line[],
): Question {
  const {id, name, status} = machine;
  const isRunning = status === 'ACTIVE';
  return actionQuestion({
    title: say`detach volumes from ${name}  #${id}`,
    steps: [
      {
        action: {kind: 'vm.detach-volumes', id, volumeIds: chosen.map(each => volumeId(each.volumeId))},
        subjectName: name,
        status,
      },
    ],
    happens: [...removed, [{text: 'What is on them stays, and they stay billed.'}]],
    care: isRunning ? [[{text: UNMOUNT_FIRST, tone: 'warning'}]] : [],
    undo: say`attach them again (i v)`,
    answer: isRunning ? typedAnswer(name, id) : {kind: 'key'},
  });
}

const UNMOUNT_FIRST = 'The machine is running: unmount them in it first, or what is being written is lost.';

type DetachableVolume = VolumeAttachment & {readonly volumeId: number};

export function detachableVolumes(machine: VirtualMachine): readonly DetachableVolume[] {
  return attachedVolumes(machine).flatMap(volume =>
    volume.volumeId === undefined ? [] : [{...volume, volumeId: volume.volumeId}],
  );
}

function attachedWord({volumeId: id, name, sizeGb}: DetachableVolume): string {
  return `${name} #${id} ${formatGigabytes(sizeGb)}`;
}

/** The whole set of the machine's firewalls, since the service takes the whole set: those not in it are detached. */
export function firewallsForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name} = machine;
  const firewalls = firewallsFor(machine, scene);
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return setForm<Firewall>({
    title: say`firewalls of ${name}  #${id}`,
    label: 'firewalls',
    options: firewalls,
    standing,
    wordOf: firewall => `${firewall.name} #${firewall.id}`,
    wants: [{feed: firewallsFeed, priority: 1}],
    question: (wanted, diff) => {
      const firewallIds = wanted.map(each => each.id);
      const {lines, cutsOff} = firewallsCare(machine, firewallIds, scene);
      return actionQuestion({
        title: say`set firewalls of ${name}  #${id}`,
        steps: [confirmationOf({kind: 'vm.set-firewalls', id, firewallIds}, {thing: machine, firewalls})],
        happens: diff,
        care: [
          ...lines,
          ...(wanted.length === 0 ? [[{text: 'No firewall is left on it.', tone: 'warning'} as const]] : []),
        ],
        undo: say`choose the former ones again (i f)`,
        answer: cutsOff ? typedAnswer(name, id) : {kind: 'key'},
      });
    },
  });
}

export function firewallsFor(machine: VirtualMachine, scene: Scene): readonly Firewall[] {
  return recordsOf(scene, firewallsFeed).filter(
    firewall =>
      isAttached(firewall, machine.id) ||
      (firewall.environmentName !== undefined && firewall.environmentName === machine.environmentName),
  );
}
