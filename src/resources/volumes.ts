import {getVolume, listVolumes} from '../api/volumes.ts';
import {usableRate} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {isUnattached, presentAttachments, type Volume, type VolumeStatus, volumeId} from '../domain/volume.ts';
import {usageFeed} from '../state/billing.ts';
import {machinesFeed} from '../state/machines.ts';
import type {Store} from '../state/store.ts';
import {formatGigabytes} from '../ui/format.ts';
import type {Tone} from '../ui/theme.ts';
import {age, type Column, defineResource, type Known, rate, rawOf, text, yesNo} from './resource.ts';

export type VolumeRow = {
  readonly volume: Volume;
  /** What is metered for it now; undefined where the service says nothing usable. */
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

export function volumeStateTone(volume: Volume): Tone {
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
    value: ({volume: {sizeGb}}) =>
      sizeGb === undefined ? undefined : {text: formatGigabytes(sizeGb), number: sizeGb, plain: String(sizeGb)},
    list: {minWidth: 7},
  },
  {
    key: 'cost',
    title: '$/h',
    align: 'right',
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
    key: 'age',
    title: 'AGE',
    align: 'right',
    value: ({volume, now}) => age(volume.createdAt, now),
    list: {minWidth: 5, priority: 1, tone: 'dim'},
  },
  {key: 'region', title: 'REGION', printed: 'wide', value: ({volume}) => text(volume.regionName)},
  {key: 'description', title: 'DESCRIPTION', printed: 'wide', value: ({volume}) => text(volume.description)},
];

export const volumes = defineResource<Volume, VolumeRow>({
  names: ['volumes', 'volume', 'vol', 'vols'],
  summary: 'volumes',
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.read(listVolumes, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getVolume, {id: volumeId(id)}, {signal})),
  parse: listVolumes.record,
  row: volumeRow,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

export function volumeRow(volume: Volume, {store, now}: Known): VolumeRow {
  return {volume, rate: volumeRates(store).get(volume.id), machineNames: machineNames(volume, store), now};
}

function machineNames(volume: Volume, store: Store): readonly string[] {
  const machines = lastValue(store.get(machinesFeed))?.records;
  return presentAttachments(volume).map(({machineId}) => {
    if (machineId === undefined) return 'unknown';
    return machines?.find(({id}) => id === machineId)?.name ?? `#${machineId}`;
  });
}

/** What the service meters now for each volume, made once for each reading. */
function volumeRates(store: Store): ReadonlyMap<number, Rate> {
  const usage = lastValue(store.get(usageFeed));
  if (usage === undefined) return new Map();
  const known = ratesByReading.get(usage);
  if (known !== undefined) return known;
  const rates = new Map(
    usage.records.flatMap((record): [number, Rate][] => {
      const isVolume = record.resourceType.toLowerCase() === 'volume' && record.isActive;
      const metered = isVolume ? usableRate(record) : undefined;
      return metered === undefined ? [] : [[record.resourceId, metered]];
    }),
  );
  ratesByReading.set(usage, rates);
  return rates;
}

const ratesByReading = new WeakMap<object, ReadonlyMap<number, Rate>>();
