import {usableRate} from '../../domain/cost.ts';
import {accrue, hourlyUsd, minutesOf, type Rate} from '../../domain/money.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume, type VolumeStatus} from '../../domain/volume.ts';
import {usageFeed} from '../../state/billing.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatDuration, formatGigabytes, formatRateFigure} from '../../ui/format.ts';
import type {Tone} from '../../ui/theme.ts';
import type {CollectionColumn} from '../collection-part.ts';
import type {Scene} from '../pane.ts';

export type VolumeRow = {
  readonly volume: Volume;
  /** What is metered for it now; undefined where the service says nothing usable. */
  readonly rate: Rate | undefined;
  readonly machineNames: readonly string[];
  readonly now: EpochMs;
};

/** The volumes, those attached to nothing first: they are paid for and serve nobody. Undefined until they were read. */
export function volumeRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly VolumeRow[] | undefined {
  const volumes = lastValue(store.get(volumesFeed))?.records;
  if (volumes === undefined) return undefined;
  const machines = new Map((lastValue(store.get(machinesFeed))?.records ?? []).map(machine => [machine.id, machine]));
  const rates = volumeRates({store});
  return volumes
    .map(volume => ({volume, rate: rates.get(volume.id), machineNames: machineNames(volume, machines), now}))
    .sort((left, right) => weight(right) - weight(left) || right.volume.id - left.volume.id);
}

function weight({volume, rate}: VolumeRow): number {
  return (isUnattached(volume) ? 1e9 : 0) + (rate === undefined ? 0 : hourlyUsd(rate));
}

export function isUnattached(volume: Volume): boolean {
  return volume.status === 'AVAILABLE' && presentAttachments(volume).length === 0;
}

function machineNames(volume: Volume, machines: ReadonlyMap<VirtualMachineId, VirtualMachine>): readonly string[] {
  return presentAttachments(volume).map(({machineId}) => {
    if (machineId === undefined) return 'unknown';
    return machines.get(machineId)?.name ?? `#${machineId}`;
  });
}

function volumeRates({store}: Pick<Scene, 'store'>): ReadonlyMap<number, Rate> {
  const records = lastValue(store.get(usageFeed))?.records ?? [];
  return new Map(
    records.flatMap((record): [number, Rate][] => {
      const isVolume = record.resourceType.toLowerCase() === 'volume' && record.isActive;
      const rate = isVolume ? usableRate(record) : undefined;
      return rate === undefined ? [] : [[record.resourceId, rate]];
    }),
  );
}

/** What a volume that serves nobody has cost since it was made, at its present rate: an upper bound if it once served. */
export function costSince({rate, volume, now}: VolumeRow): ReturnType<typeof accrue> | undefined {
  if (rate === undefined || volume.createdAt === undefined) return undefined;
  return accrue(rate, minutesOf(Math.max(0, now - volume.createdAt)));
}

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

export function stateTone(volume: Volume): Tone {
  return isUnattached(volume) ? 'warning' : STATE_TONES[volume.status];
}

export const VOLUME_COLUMNS: readonly CollectionColumn<VolumeRow>[] = [
  {
    key: 'name',
    title: 'NAME',
    minWidth: 12,
    maxWidth: 51,
    flex: 3,
    cell: ({volume}) => [{text: volume.name, tone: 'strong'}],
    value: ({volume}) => ({text: volume.name}),
  },
  {
    key: 'state',
    title: 'STATE',
    minWidth: 10,
    cell: ({volume}) => [{text: volume.statusText, tone: stateTone(volume)}],
    value: ({volume}) => ({text: volume.statusText}),
  },
  {
    key: 'size',
    title: 'SIZE',
    minWidth: 7,
    align: 'right',
    cell: ({volume}) => [{text: formatGigabytes(volume.sizeGb)}],
    value: ({volume: {sizeGb}}) => (sizeGb === undefined ? undefined : {text: String(sizeGb), number: sizeGb}),
  },
  {
    key: 'cost',
    title: '$/h',
    minWidth: 7,
    align: 'right',
    cell: ({rate}) => [{text: formatRateFigure(rate), tone: rate === undefined ? 'dim' : 'money'}],
    value: ({rate}) => (rate === undefined ? undefined : {text: formatRateFigure(rate), number: hourlyUsd(rate)}),
  },
  {
    key: 'machine',
    title: 'ATTACHED TO',
    minWidth: 12,
    maxWidth: 51,
    flex: 2,
    cell: ({machineNames}) => [
      machineNames.length === 0 ? {text: 'nothing', tone: 'warning'} : {text: machineNames.join(' ')},
    ],
    value: ({machineNames}) => ({text: machineNames.join(' ')}),
  },
  {
    key: 'type',
    title: 'TYPE',
    minWidth: 9,
    priority: 2,
    cell: ({volume}) => [{text: volume.volumeType ?? '–', tone: 'dim'}],
    value: ({volume}) => (volume.volumeType === undefined ? undefined : {text: volume.volumeType}),
  },
  {
    key: 'bootable',
    title: 'BOOT',
    minWidth: 4,
    priority: 3,
    cell: ({volume}) => [{text: volume.isBootable === undefined ? '–' : volume.isBootable ? 'yes' : 'no', tone: 'dim'}],
    value: ({volume}) => (volume.isBootable === undefined ? undefined : {text: volume.isBootable ? 'yes' : 'no'}),
  },
  {
    key: 'environment',
    title: 'ENVIRONMENT',
    minWidth: 12,
    maxWidth: 30,
    flex: 1,
    priority: 2,
    cell: ({volume}) => [{text: volume.environmentName ?? '–', tone: 'dim'}],
    value: ({volume}) => (volume.environmentName === undefined ? undefined : {text: volume.environmentName}),
  },
  {
    key: 'age',
    title: 'AGE',
    minWidth: 5,
    align: 'right',
    priority: 1,
    cell: ({volume, now}) => [
      {text: volume.createdAt === undefined ? '–' : formatDuration(now - volume.createdAt), tone: 'dim'},
    ],
    value: ({volume: {createdAt}, now}) =>
      createdAt === undefined
        ? undefined
        : {text: formatDuration(now - createdAt), number: Math.max(0, now - createdAt)},
  },
];
