import {getVolume, listVolumes} from '../api/volumes.ts';
import {accrue, hourlyUsd, minutesOf, type Rate} from '../domain/money.ts';
import {gigabytesText} from '../domain/number-text.ts';
import {say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {
  hasUnknownAttachments,
  isUnattached,
  presentAttachments,
  VOLUME_STATUSES,
  type Volume,
  type VolumeStatus,
  volumeId,
} from '../domain/volume.ts';
import {presentVolumeRates, usageFeed} from '../state/billing.ts';
import {machinesFeed} from '../state/machines.ts';
import {volumeFeed, volumeRecordFeed, volumesFeed} from '../state/volumes.ts';
import {formatCounted, formatGigabytes, formatRate, formatUsd} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {environmentOf, machinesWhere} from './related.ts';
import {AGE, age, type Column, rate, text, yesNo, RUNNING_COST} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

export type VolumeRow = {
  readonly volume: Volume;
  /** Its metered hourly rate; undefined if the service gives no usable one. */
  readonly rate: Rate | undefined;
  readonly machineNames: readonly string[];
  readonly now: EpochMs;
};

const STATE_TONES: Readonly<Record<VolumeStatus, Tone>> = {
  CREATING: 'notice',
  AVAILABLE: 'text',
  ATTACHING: 'notice',
  IN_USE: 'good',
  DETACHING: 'notice',
  DELETING: 'notice',
  DELETED: 'dim',
  ERROR: 'danger',
  UNKNOWN: 'notice',
};

function volumeStateTone(volume: Volume): Tone {
  return isUnattached(volume) ? 'warning' : STATE_TONES[volume.status];
}

const COLUMNS: readonly Column<VolumeRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({volume}) => ({text: String(volume.id), number: volume.id})},
  {
    key: 'name',
    title: 'NAME',
    value: ({volume}) => text(volume.name),
    list: {minWidth: 12, maxWidth: 51, flex: 3, tone: 'strong'},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({volume}) => text(volume.statusText),
    list: {minWidth: 10, tone: ({volume}) => volumeStateTone(volume)},
  },
  {
    key: 'size',
    title: 'SIZE',
    align: 'right',
    unit: 'gigabytes',
    value: ({volume: {sizeGb}}) =>
      sizeGb === undefined ? undefined : {text: formatGigabytes(sizeGb), number: sizeGb, plain: String(sizeGb)},
    list: {minWidth: 8},
  },
  {
    ...RUNNING_COST,
    reads: usageFeed,
    value: row => rate(row.rate),
    list: {minWidth: 7, tone: 'money'},
  },
  {
    key: 'machines',
    title: 'ATTACHED TO',
    reads: machinesFeed,
    value: ({machineNames}) => text(machineNames.join(' ')),
    list: {
      minWidth: 12,
      maxWidth: 51,
      flex: 2,
      draw: ({machineNames}) => [
        machineNames.length === 0 ? {text: 'nothing', tone: 'warning'} : {text: machineNames.join(' ')},
      ],
    },
  },
  {
    key: 'type',
    title: 'TYPE',
    value: ({volume}) => text(volume.volumeType),
    list: {minWidth: 9, priority: 2, tone: 'dim'},
  },
  {
    key: 'bootable',
    title: 'BOOT',
    printed: 'wide',
    value: ({volume}) => yesNo(volume.isBootable),
    list: {minWidth: 4, priority: 3, tone: 'dim'},
  },
  {
    key: 'environment',
    title: 'ENVIRONMENT',
    value: ({volume}) => text(volume.environmentName),
    list: {minWidth: 12, maxWidth: 30, flex: 1, priority: 2, tone: 'dim'},
  },
  {
    ...AGE,
    value: ({volume, now}) => age(volume.createdAt, now),
    list: {minWidth: 5, priority: 1, tone: 'dim'},
  },
  {key: 'region', title: 'REGION', printed: 'wide', value: ({volume}) => text(volume.regionName)},
  {key: 'description', title: 'DESCRIPTION', printed: 'wide', value: ({volume}) => text(volume.description)},
];

export const volumes = defineResource<Volume, VolumeRow>({
  names: ['volumes', 'volume', 'vol', 'vols'],
  type: 'volume',
  summary: 'volumes',
  ...recordSource({parse: listVolumes.record, feed: volumesFeed, one: id => volumeFeed(volumeId(id))}),
  shownIn: {paneId: 'volumes'},
  states: VOLUME_STATUSES,
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listVolumes, {}, {signal, onPage})),
  canStream: true,
  one: readById(getVolume, volumeId),
  row: volumeRow,
  orderWords: say`unattached first`,
  order: (left, right) => weight(right) - weight(left) || right.volume.id - left.volume.id,
  detail: volumeLines,
  related: (volume, store) => [
    machinesWhere(store, ({id}) => presentAttachments(volume).some(({machineId}) => machineId === id)),
    ...environmentOf(store, volume),
  ],
  recordIn: ({volume}) => volume,
  rawFeed: ({id}) => volumeRecordFeed(id),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  compared: {
    state: ({status, statusText}) => ({status, word: statusText}),
    values: [
      {what: say`name`, of: ({name}) => name},
      {what: say`size`, of: ({sizeGb}) => (sizeGb === undefined ? undefined : gigabytesText(sizeGb))},
    ],
    sets: [
      {
        joined: say`attached to machine`,
        left: say`detached from machine`,
        areMachines: true,
        of: volume =>
          hasUnknownAttachments(volume)
            ? undefined
            : presentAttachments(volume).flatMap(({machineId}) => (machineId === undefined ? [] : say`#${machineId}`)),
      },
    ],
  },
});

function volumeRow({store, now}: RowInput): (volume: Volume) => VolumeRow {
  const rates = presentVolumeRates(store);
  const machines = lastValue(store.get(machinesFeed))?.records ?? [];
  const names = new Map(machines.map(({id, name}) => [id, name]));
  return volume => ({
    volume,
    rate: rates.get(volume.id),
    machineNames: [
      ...presentAttachments(volume).map(({machineId}) =>
        machineId === undefined ? 'unknown' : (names.get(machineId) ?? `#${machineId}`),
      ),
      ...(hasUnknownAttachments(volume) ? ['unknown'] : []),
    ],
    now,
  });
}

/** Unattached volumes first: they are billed and unused. */
function weight({volume, rate: metered}: VolumeRow): number {
  return (isUnattached(volume) ? 1e9 : 0) + (metered === undefined ? 0 : hourlyUsd(metered));
}

/** Every field of the volume, and what keeping it costs. */
function volumeLines(row: VolumeRow, _known: RowInput, width: number): readonly Line[] {
  const {volume, now} = row;
  const present = presentAttachments(volume);
  return [
    field('id', String(volume.id)),
    field('state', volume.statusText, volumeStateTone(volume)),
    field('size', formatGigabytes(volume.sizeGb)),
    field('costs', row.rate === undefined ? undefined : formatRate(row.rate), 'money'),
    ...(isUnattached(volume) ? unusedLines(row, width) : []),
    ...row.machineNames.flatMap((name, index) => {
      const {device, status, isProtected} = present[index] ?? {};
      const words = [name, device, status, isProtected === true ? 'protected' : undefined];
      return wrappedField(index === 0 ? 'attached to' : '', words.filter(word => word !== undefined).join('  '), width);
    }),
    field('type', volume.volumeType),
    field('bootable', volume.isBootable === undefined ? undefined : volume.isBootable ? 'yes' : 'no'),
    field('image', volume.osImageName ?? (volume.imageId === undefined ? 'none' : `#${volume.imageId}`)),
    field('environment', volume.environmentName),
    field('region', volume.regionName),
    ...wrappedField('description', volume.description || 'none', width),
    ...wrappedField('callback', volume.callbackUrl ?? 'none', width),
    field('created', momentText(volume.createdAt, now)),
    field('changed', momentText(volume.updatedAt, now)),
    field('detached', detachedText(volume.attachments.length - present.length)),
  ];
}

function unusedLines(row: VolumeRow, width: number): readonly Line[] {
  if (row.rate === undefined) return wrappedField('', 'unattached; its cost is unknown', width, 'warning');
  const spent = costSince(row);
  const sum = spent === undefined ? '' : `, at most ${formatUsd(spent)} since it was created`;
  return wrappedField('', `unattached and still billed${sum}`, width, 'warning');
}

/**
 * What an unattached volume has cost since its creation at the current rate: an upper bound if it was ever attached.
 */
function costSince({rate, volume, now}: VolumeRow): ReturnType<typeof accrue> | undefined {
  if (rate === undefined || volume.createdAt === undefined) return undefined;
  return accrue(rate, minutesOf(Math.max(0, now - volume.createdAt)));
}

/** How often it was attached to a machine that it is no longer attached to. */
function detachedText(count: number): string {
  if (count === 0) return 'never';
  return count === 1 ? 'once' : formatCounted(count, 'time');
}
