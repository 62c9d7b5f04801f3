import type {ReadEndpoint} from '../api/endpoint.ts';
import {getEnvironment} from '../api/environments.ts';
import {getImage} from '../api/images.ts';
import {getBucket} from '../api/object-storage.ts';
import {getVirtualMachine} from '../api/virtual-machines.ts';
import {getVolume} from '../api/volumes.ts';
import type {EnvironmentId} from '../domain/environment.ts';
import type {ImageId} from '../domain/image.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import type {VolumeId} from '../domain/volume.ts';
import type {Feed} from './feeds.ts';

/** A record as the service sent it, for a person who wants to see the record itself. */
function recordFeed<Params, R>(key: string, endpoint: ReadEndpoint<Params, R>, params: Params): Feed<unknown> {
  return {
    key: `record:${key}`,
    intervalMs: MINUTE_MS,
    read: async (client, signal) => {
      const answer = await client.read(endpoint, params, {signal});
      return answer.ok ? {ok: true, value: answer.value.raw[0]} : answer;
    },
  };
}

export const machineRecordFeed = (id: VirtualMachineId) => recordFeed(`machine:${id}`, getVirtualMachine, {id});
export const volumeRecordFeed = (id: VolumeId) => recordFeed(`volume:${id}`, getVolume, {id});
export const imageRecordFeed = (id: ImageId) => recordFeed(`image:${id}`, getImage, {id});
export const environmentRecordFeed = (id: EnvironmentId) => recordFeed(`environment:${id}`, getEnvironment, {id});
export const bucketRecordFeed = (name: SafeText, regionName: SafeText) =>
  recordFeed(`bucket:${regionName}:${name}`, getBucket, {name, regionName});
