import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachineId} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume} from '../../domain/volume.ts';
import {type VolumeRow, volumes} from '../../resources/volumes.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatGigabytes} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {barListLines} from '../bar-list.ts';
import {collectionPane} from '../collection.tsx';
import {type Place, type Preview, resourcePart} from '../collection-part.tsx';
import {chartLines} from '../machine-charts.ts';
import type {Scene} from '../pane.ts';
import {relatedLines} from '../related-lines.ts';
import {TABS} from '../tabs.ts';
import {VOLUME_ACTIONS} from './actions.ts';

export const volumesPane = collectionPane({
  ...TABS.volumes,
  aliases: ['volume', 'disks', 'storage', 'vol'],
  parts: [
    resourcePart(volumes, {
      wants: [
        {feed: volumesFeed, priority: 1},
        {feed: usageFeed, priority: 2},
        {feed: machinesFeed, priority: 2},
        {feed: environmentsFeed, priority: 3},
        {feed: permissionsFeed, priority: 4},
      ],
      detailWants: ({volume}) => attachedIds(volume).map(id => ({feed: metricsFeed(id, '1h'), priority: 4})),
      preview: previewOf,
      actions: VOLUME_ACTIONS,
    }),
  ],
});

const MIN_CHART_ROWS = 12;

function attachedIds(volume: Volume): readonly VirtualMachineId[] {
  return presentAttachments(volume)
    .flatMap(({machineId}) => machineId ?? [])
    .slice(0, 1);
}

/** What belongs to the volume, how its machine does, and how large the volumes are beside each other. */
function previewOf({volume}: VolumeRow, scene: Scene, {columns, rows}: Place): Preview {
  const width = columns - 2;
  const all = lastValue(scene.store.get(volumesFeed))?.records ?? [];
  const amounts = all.map(({name, sizeGb}) => ({name, value: sizeGb, text: formatGigabytes(sizeGb)}));
  const lines: readonly Line[] = [
    ...relatedLines(scene, volumes.related?.(volume, scene.store) ?? [], width),
    [],
    [{text: ' size by volume', tone: 'title'}],
    ...barListLines(amounts, width, scene.theme),
  ];
  const left = rows - 2 - lines.length - 1;
  const [machineId] = attachedIds(volume);
  const machine = observedMachines(scene.store)?.find(({id}) => id === machineId);
  const charts =
    machine === undefined || left < MIN_CHART_ROWS
      ? []
      : [[], ...chartLines(scene, machine, '1h', {columns: width, rows: left})];
  return {title: `related to ${volume.name}`, lines: [...lines, ...charts]};
}
