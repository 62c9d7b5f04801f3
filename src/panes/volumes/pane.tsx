import {lastValue} from '../../domain/snapshot.ts';
import {canTakeVolume, isUnattached, presentAttachments, type Volume} from '../../domain/volume.ts';
import {type VolumeRow, volumes} from '../../resources/volumes.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {missingLine} from '../../resources/detail.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatGigabytes} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {barListLines} from '../bar-list.ts';
import {type PartActions, type PartCommand, type Preview, resourcePart} from '../list/part.tsx';
import {collectionPane} from '../list/collection.tsx';
import {machineTableLines} from '../list/rows-table.ts';
import type {Scene} from '../pane.ts';
import {relatedPreview} from '../related-lines.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {KEYS} from '../../actions/keys.ts';
import {attachmentForm, attachmentReason, detachments} from '../../actions/forms/volume-attachment.ts';
import {say} from '../../domain/safe-text.ts';
import {askAbout, partActions} from '../action-keys.ts';

const VOLUME_PART = partActions<VolumeRow>('volume', ({volume}) => volume);

/** Attaching a volume is an action on a machine, which is chosen here. */
const ATTACHING: PartCommand<VolumeRow> = {
  key: KEYS.edit,
  title: say`attach, detach`,
  help: 'Attaches the volume to a machine, chosen by form, or detaches it.',
  reason: ({volume}, scene) => attachmentReason(volume, scene),
  run: ({volume}, scene) =>
    presentAttachments(volume).length > 0
      ? askAbout(detachments(volume, scene), scene)
      : {kind: 'form', form: attachmentForm(volume, scene)},
};

export const VOLUME_ACTIONS: PartActions<VolumeRow> = {
  ...VOLUME_PART,
  commands: [ATTACHING, ...VOLUME_PART.commands],
};

export const volumesPane = collectionPane({
  ...TABS.volumes,
  aliases: ['volume', 'disks', 'storage', 'vol'],
  parts: [
    resourcePart(volumes, {
      wants: [
        {feed: usageFeed, priority: 2},
        {feed: machinesFeed, priority: 2},
        {feed: environmentsFeed, priority: 3},
        {feed: permissionsFeed, priority: 4},
      ],
      preview: previewOf,
      actions: VOLUME_ACTIONS,
    }),
  ],
});

/** What belongs to the volume, the metrics of its machine, and the sizes of the volumes as bars. */
function previewOf({volume}: VolumeRow, scene: Scene, place: Place): Preview {
  const width = place.columns - 2;
  const all = lastValue(scene.store.get(volumesFeed))?.records ?? [];
  const amounts = all.map(({name, sizeGb}) => ({name, value: sizeGb, text: formatGigabytes(sizeGb)}));
  const more: readonly Line[] = [
    [],
    [{text: ' size by volume', tone: 'title'}],
    ...barListLines(amounts, width, scene.theme),
    ...candidateLines(volume, scene, width),
  ];
  const lines = relatedPreview(scene, volumes.related?.(volume, scene.store) ?? [], place, more);
  return {title: `related to ${volume.name}`, lines};
}

/** The machines that an unattached volume could be attached to. */
function candidateLines(volume: Volume, scene: Scene, width: number): readonly Line[] {
  if (!isUnattached(volume)) return [];
  const machines = observedMachines(scene.store)?.filter(machine => canTakeVolume(machine, volume));
  const title: Line = [{text: ' machines it can be attached to', tone: 'title'}];
  if (machines === undefined) return [[], title, missingLine(scene, machinesFeed, 'machines')];
  if (machines.length === 0) return [[], title, [{text: ' none: they must be in its environment', tone: 'dim'}]];
  return [[], title, ...machineTableLines(scene, machines, width)];
}
