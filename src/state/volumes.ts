import {getVolume, listVolumes, volumeTypes} from '../api/volumes.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {HOUR_MS, SECOND_MS} from '../domain/time.ts';
import type {Volume, VolumeId} from '../domain/volume.ts';
import {type Feed, type Listing, listFeed, oneFeed, recordFeed} from './feed.ts';

export const volumesFeed: Feed<Listing<Volume>> = {
  ...listFeed('volumes', 20 * SECOND_MS, listVolumes, {}),
  isPaced: true,
};

export function volumeFeed(id: VolumeId): Feed<Volume> {
  return oneFeed(['volume', id], 2.5 * SECOND_MS, getVolume, {id});
}

export const volumeRecordFeed = (id: VolumeId) => recordFeed(['volume', id], getVolume, {id});

export const volumeTypesFeed: Feed<Listing<SafeText>> = listFeed('volume-types', HOUR_MS, volumeTypes, {});
