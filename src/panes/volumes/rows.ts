import {accrue, hourlyUsd, minutesOf} from '../../domain/money.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {isUnattached} from '../../domain/volume.ts';
import {type VolumeRow, volumeRow} from '../../resources/volumes.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {Scene} from '../pane.ts';

/** The volumes, those attached to nothing first: they are paid for and serve nobody. Undefined until they were read. */
export function volumeRows(scene: Pick<Scene, 'store' | 'now' | 'preferences'>): readonly VolumeRow[] | undefined {
  const volumes = lastValue(scene.store.get(volumesFeed))?.records;
  return volumes
    ?.map(volume => volumeRow(volume, scene))
    .sort((left, right) => weight(right) - weight(left) || right.volume.id - left.volume.id);
}

function weight({volume, rate}: VolumeRow): number {
  return (isUnattached(volume) ? 1e9 : 0) + (rate === undefined ? 0 : hourlyUsd(rate));
}

/** What a volume that serves nobody has cost since it was made, at its present rate: an upper bound if it once served. */
export function costSince({rate, volume, now}: VolumeRow): ReturnType<typeof accrue> | undefined {
  if (rate === undefined || volume.createdAt === undefined) return undefined;
  return accrue(rate, minutesOf(Math.max(0, now - volume.createdAt)));
}
