import * as z from 'zod';
import {attachVolumes, detachVolumes} from '../../api/virtual-machines.ts';
import {type Evidence, type Inverse, NOTHING} from '../../domain/action.ts';
import {
  type AttachmentState,
  attachmentState,
  goalsOf,
  type Membership,
  membershipEvidence,
} from '../../domain/attachment-state.ts';
import {listedWords, numberedWords} from '../../domain/listed-words.ts';
import {gigabytesText} from '../../domain/number-text.ts';
import {joinSafe, nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import type {VirtualMachine, VirtualMachineId, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {isUnattached, unknownAttachmentsReason, type Volume, type VolumeId, volumeId} from '../../domain/volume.ts';
import type {Store} from '../../state/store.ts';
import {volumeFeed, volumesFeed} from '../../state/volumes.ts';
import {takenIn} from '../../ui/form-field.ts';
import {formatCounted, formatGigabytes} from '../../ui/format.ts';
import type {Ask, Form} from '../forms/form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {recordsOf} from '../creation/choices.ts';
import {actionOn} from '../define.ts';
import {repeatedAmong} from '../question/missing-names.ts';
import {machine, volume} from '../parameters.ts';
import {typedAnswer} from '../question/question.ts';
import {diffLines} from '../forms/set-form.ts';
import {attachedVolumes} from './remaining-volumes.ts';
import {ATTACHING_OVERDUE_AFTER_MS, nodeReason, stateReason, unreadyReason} from './subject.ts';

export const attachVolumesTo = actionOn({
  kind: 'vm.attach-volumes',
  comparesNames: true,
  parameters: z.object({id: machine, volumeIds: z.array(volume).readonly()}),
  endpoint: attachVolumes,
  keys: [
    {
      menu: 'edit',
      key: 'v',
      title: say`attach volumes`,
      help: 'Attaches unattached volumes of its environment.',
      consequence: ([machine], known) => `${formatCounted(freeVolumesFor(machine, known).length, 'volume')} free`,
      reason: (machine, known) =>
        unreadyReason(machine) ??
        (freeVolumesFor(machine, known).length === 0 ? say`no volume of its environment is free` : undefined),
      form: attachVolumesForm,
    },
  ],
  reads: () => [volumesFeed],
  refusal: (machine, known, {volumeIds}) => {
    const volumes = recordsOf(known, volumesFeed).filter(
      ({id}) => volumeIds.includes(id) && volumeState(machine, id) === 'gone',
    );
    const taken = volumes.find(volume => !isUnattached(volume));
    if (taken !== undefined) {
      const named = say`${nameInWords(taken.name)} #${taken.id}`;
      const unknown = taken.status === 'AVAILABLE' ? unknownAttachmentsReason(taken) : undefined;
      return unknown === undefined ? say`${named} is ${taken.statusText}, not available` : say`${named}: ${unknown}`;
    }
    const far = volumes.find(
      ({environmentName = machine.environmentName}) => environmentName !== machine.environmentName,
    );
    return far && say`${nameInWords(far.name)} #${far.id} is in another environment than the machine`;
  },
  assess: assessAttachVolumes,
  rereads: ({volumeIds}) => volumeIds.map(volumeFeed),
  shownIn: [volumesFeed],
  namedOthers: ({volumeIds}, _machine, {store}) =>
    factsOfVolumes(
      volumeIds,
      volumeIds.flatMap(id => seenVolume(id, store) ?? []),
    ),
  verb: say`attach volumes`,
  words: ({volumeIds}, named) => say`attach ${numberedWords(say`volume`, volumeIds, named)} to`,
  change: 'volume attached',
  overdueAfterMs: ATTACHING_OVERDUE_AFTER_MS,
  precondition: ({volumeIds}, machine) =>
    volumeIds.some(id => volumeState(machine, id) !== 'gone')
      ? say`one of the volumes is already attached to it`
      : (tooManyVolumes(machine, volumeIds.length) ?? unreadyReason(machine)),
  evidence: ({volumeIds}, machine, history) =>
    volumesEvidence(machine, goalsOf<number>(volumeIds), {...history, before: () => 'gone'}),
  undo: ({id, volumeIds}, _was, is): Inverse => ({
    action: detachVolumesFrom.with({id, volumeIds}),
    words: say`detaches ${namedVolumes(is, volumeIds)}${unmountWords(is, volumeIds.length)}`,
    namedFacts: volumeFacts(is, volumeIds),
  }),
  commandWords: () => undefined,
});

export const detachVolumesFrom = actionOn({
  kind: 'vm.detach-volumes',
  comparesNames: true,
  parameters: z.object({id: machine, volumeIds: z.array(volume).readonly()}),
  endpoint: detachVolumes,
  keys: [
    {
      menu: 'edit',
      key: 'V',
      title: say`detach volumes`,
      help: 'Detaches volumes; their contents stay.',
      consequence: ([machine]) =>
        attachedVolumes(machine)
          .map(({name}) => name)
          .join(', '),
      reason: machine =>
        unreadyReason(machine) ??
        (detachableVolumes(machine).length > 0
          ? undefined
          : (unreadVolumesReason(machine) ?? nothingToDetach(machine))),
      form: detachVolumesForm,
    },
  ],
  assess: assessDetachVolumes,
  shownIn: [volumesFeed],
  verb: say`detach volumes`,
  words: ({volumeIds}, named) => say`detach ${numberedWords(say`volume`, volumeIds, named)} from`,
  change: 'volume detached',
  namedFacts: ({volumeIds}, machine) => volumeFacts(machine, volumeIds),
  overdueAfterMs: ATTACHING_OVERDUE_AFTER_MS,
  precondition: ({volumeIds}, machine) =>
    nodeReason(machine) ??
    (volumeIds.some(id => volumeState(machine, id) === 'gone')
      ? (unreadVolumesReason(machine) ?? say`one of the volumes is not attached to it`)
      : (protectedReason(machine, volumeIds) ?? stateReason(machine))),
  evidence: ({volumeIds}, machine, history) =>
    volumesEvidence(machine, goalsOf<number>([], volumeIds), {...history, before: () => 'attached'}),
  undo: ({id, volumeIds}, was): Inverse => ({
    action: attachVolumesTo.with({id, volumeIds}),
    words: say`attaches ${namedVolumes(was, volumeIds)} again; the device name may differ`,
  }),
  commandWords: () => undefined,
});

export const MACHINE_VOLUMES = [attachVolumesTo, detachVolumesFrom] as const;

type VolumesGoals = Membership<number>['goals'];
type VolumesHistory = Pick<Membership<number>, 'before' | 'hasSeenTransition'>;

/** A volume that is not found says nothing while some could not be read: it may be among those. */
function volumesEvidence(machine: VirtualMachine, goals: VolumesGoals, history: VolumesHistory): Evidence {
  const now = (id: number) => volumeState(machine, id);
  const {before, hasSeenTransition} = history;
  const isUnread = machine.hasUnreadVolumes === true && [...goals.keys()].some(id => now(id) === 'gone');
  return isUnread ? NOTHING : membershipEvidence({goals, now, before, hasSeenTransition});
}

function unreadVolumesReason({hasUnreadVolumes}: VirtualMachine): SafeText | undefined {
  return hasUnreadVolumes === true ? say`its volumes could not be read completely` : undefined;
}

function volumeState({volumes}: VirtualMachine, id: number): AttachmentState {
  const states = volumes
    .filter(({volumeId}) => volumeId === id)
    .map(({status}: VolumeAttachment) => attachmentState(status));
  // A volume attached several times over its life is in the list more than once.
  return states.find(state => state !== 'gone') ?? 'gone';
}

/** A volume as last read, alone or in the list. */
function seenVolume(id: VolumeId, store: Store): Pick<VolumeAttachment, 'volumeId' | 'name' | 'sizeGb'> | undefined {
  const alone = store.get(volumeFeed(id));
  const list = store.get(volumesFeed);
  const listed = lastValue(list)?.records.find(volume => volume.id === id);
  const isNewer = alone.status === 'fresh' && alone.readAt > (readAt(list) ?? 0);
  const volume = isNewer ? alone.value : listed;
  return volume && {volumeId: id, name: volume.name, ...(volume.sizeGb === undefined ? {} : {sizeGb: volume.sizeGb})};
}

/** The names and sizes of these volumes, as far as they are attached to it. */
export function volumeFacts(machine: VirtualMachine, ids: readonly number[]): NamedFacts {
  return factsOfVolumes(ids, attachedVolumes(machine));
}

function factsOfVolumes(
  ids: readonly number[],
  volumes: readonly Pick<VolumeAttachment, 'volumeId' | 'name' | 'sizeGb'>[],
): NamedFacts {
  return new Map(
    ids.flatMap(id => {
      const found = volumes.filter(({volumeId}) => volumeId === id);
      const names = found.map(({name}) => nameInWords(name));
      const sizes = found.flatMap(({sizeGb}) => (sizeGb === undefined ? [] : [gigabytesText(sizeGb)]));
      return [
        [say`volume #${id}`, oneOf(names)],
        [say`the size of volume #${id}`, oneOf(sizes)],
      ];
    }),
  );
}

/** All different words for one thing, in case it is listed twice. */
function oneOf(words: readonly SafeText[]): SafeText | undefined {
  return words.length === 0 ? undefined : joinSafe([...new Set(words)], ' and ');
}

/** Nothing is mounted where nothing runs. */
function unmountWords({status}: VirtualMachine, count: number): SafeText {
  if (status !== 'ACTIVE') return say``;
  return say`; unmount ${count === 1 ? say`it` : say`them`} in the machine first`;
}

/** With their names, as far as they are attached to it. */
function namedVolumes(machine: VirtualMachine, ids: readonly number[]): SafeText {
  const attached = attachedVolumes(machine);
  const words = ids.map(id => {
    const volume = attached.find(({volumeId}) => volumeId === id);
    return volume === undefined ? say`#${id}` : say`${nameInWords(volume.name)} #${id}`;
  });
  return listedWords(say`volume`, words);
}

/** Why this many more volumes are refused; undefined if there is room. */
function tooManyVolumes(machine: VirtualMachine, moreCount: number): SafeText | undefined {
  const count = attachedVolumes(machine).length + moreCount;
  return count > MAX_VOLUMES ? say`${count} volumes, at most ${MAX_VOLUMES} on a machine` : undefined;
}

/** The service's documented limit per machine. */
const MAX_VOLUMES = 10;

/** Several volumes in one call. Their data and their price do not change. */
function assessAttachVolumes(
  {volumeIds}: {readonly volumeIds: readonly number[]},
  {id, name}: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const volumes = lastValue(known.store.get(volumesFeed))?.records ?? [];
  const words = volumeIds.map(each =>
    volumeWord(
      each,
      volumes.find(volume => volume.id === each),
    ),
  );
  return {
    title: say`attach volumes to ${nameInWords(name)}  #${id}`,
    happens: [
      ...diffLines([], words),
      [{text: 'They appear as new disks in the machine and have to be mounted there.'}],
    ],
    undo: {words: 'detach them again'},
    answer: {kind: 'key'},
  };
}

function assessDetachVolumes(
  {volumeIds}: {readonly volumeIds: readonly number[]},
  {id, name, status, volumes}: VirtualMachine,
): Assessment {
  const words = volumeIds.map(each =>
    volumeWord(
      each,
      volumes.find(({volumeId}) => volumeId === each),
    ),
  );
  const isRunning = status === 'ACTIVE';
  return {
    title: say`detach volumes from ${nameInWords(name)}  #${id}`,
    happens: [...diffLines(words, []), [{text: 'Their contents stay, and they are still billed.'}]],
    warnings: isRunning ? [[{text: UNMOUNT_FIRST, tone: 'warning'}]] : [],
    undo: {words: 'attach them again'},
    answer: isRunning ? typedAnswer(name, id) : {kind: 'key'},
  };
}

const UNMOUNT_FIRST = 'The machine is running: unmount them first, or data being written is lost.';

/** A volume as named in forms and questions; by id if nothing else is known. */
function volumeWord(
  id: number,
  volume: {readonly name: SafeText; readonly sizeGb?: number | undefined} | undefined,
): string {
  return volume === undefined
    ? `volume #${id}`
    : `${nameInWords(volume.name)} #${id} ${formatGigabytes(volume.sizeGb)}`;
}

type VolumesParameters = {readonly id: VirtualMachineId; readonly volumeIds: readonly VolumeId[]};

/** Several at once; only unattached ones of the same environment. */
function attachVolumesForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<VolumesParameters>): Form {
  const {id, name} = machine;
  const free = freeVolumesFor(machine, known);
  const words = free.map(wordOf);
  return {
    title: say`attach volumes to ${nameInWords(name)}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space selects'}],
    wants: () => [{feed: volumesFeed, priority: 1}],
    check: values => {
      const chosen = free.filter(volume => takenIn(values.volumes).includes(wordOf(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'select one with space'}, notes: [], question: undefined};
      const ids = chosen.map(each => each.id);
      const mistake =
        tooManyVolumes(machine, chosen.length) ?? repeatedAmong(known, volumesFeed, {what: say`volume`, ids});
      if (mistake !== undefined) return {mistakes: {volumes: mistake}, notes: [], question: undefined};
      const question = ask({id, volumeIds: ids});
      return {mistakes: {}, notes: diffLines([], chosen.map(wordOf)), question};
    },
  };
}

function freeVolumesFor({environmentName}: VirtualMachine, known: AssessmentInput): readonly Volume[] {
  return recordsOf(known, volumesFeed).filter(
    volume => environmentName !== undefined && volume.environmentName === environmentName && isUnattached(volume),
  );
}

function wordOf(volume: Volume): string {
  return volumeWord(volume.id, volume);
}

/** Volumes that are attached and not protected, in one call. */
function detachVolumesForm(machine: VirtualMachine, _known: AssessmentInput, ask: Ask<VolumesParameters>): Form {
  const {id, name} = machine;
  const attached = detachableVolumes(machine);
  const words = attached.map(attachedWord);
  return {
    title: say`detach volumes from ${nameInWords(name)}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space selects'}],
    check: values => {
      const chosen = attached.filter(volume => takenIn(values.volumes).includes(attachedWord(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'select one with space'}, notes: [], question: undefined};
      const question = ask({id, volumeIds: chosen.map(each => volumeId(each.volumeId))});
      return {mistakes: {}, notes: diffLines(chosen.map(attachedWord), []), question};
    },
  };
}

type DetachableVolume = VolumeAttachment & {readonly volumeId: number};

function detachableVolumes(machine: VirtualMachine): readonly DetachableVolume[] {
  return attachedVolumes(machine).flatMap(volume =>
    volume.volumeId === undefined || volume.isProtected === true ? [] : [{...volume, volumeId: volume.volumeId}],
  );
}

function nothingToDetach(machine: VirtualMachine): SafeText {
  const isProtected = attachedVolumes(machine).some(volume => volume.isProtected === true);
  return isProtected ? say`the attachments of its volumes are protected` : say`no volumes are attached`;
}

/** The service refuses the whole request if one of the attachments is protected. */
function protectedReason(machine: VirtualMachine, ids: readonly number[]): SafeText | undefined {
  const held = attachedVolumes(machine).find(
    ({volumeId, isProtected}) => isProtected === true && ids.some(id => id === volumeId),
  );
  return held && say`the attachment of ${nameInWords(held.name)} #${held.volumeId ?? 0} is protected`;
}

function attachedWord(volume: DetachableVolume): string {
  return volumeWord(volume.volumeId, volume);
}
