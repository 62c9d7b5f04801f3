import * as z from 'zod';
import {present} from '../api/fields.ts';
import {createVolume as createEndpoint, deleteVolume as deleteEndpoint} from '../api/volumes.ts';
import {imageId} from '../domain/image.ts';
import {redactedUrl} from '../domain/redacted-url.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {presentAttachments, type Volume, type VolumeSpec} from '../domain/volume.ts';
import {actionMaking, actionOn, deletion, machineCount, stateProgress} from './define.ts';
import {number, text, volume} from './parameters.ts';

const volumeSpec: z.ZodType<VolumeSpec> = z
  .object({
    name: text,
    environmentName: text,
    sizeGb: number,
    volumeType: text,
    description: text.optional(),
    imageId: number.transform(imageId).optional(),
    callbackUrl: text.optional(),
  })
  .transform(present);

export const createVolume = actionMaking({
  kind: 'volume.create',
  parameters: z.object({spec: volumeSpec}),
  endpoint: createEndpoint,
  withoutSecrets: action => {
    const {callbackUrl} = action.spec;
    return callbackUrl === undefined
      ? action
      : {...action, spec: {...action.spec, callbackUrl: redactedUrl(callbackUrl)}};
  },
  verb: say`create`,
  words: ({spec}) => say`create volume of ${spec.sizeGb} GB`,
  overdueAfterMs: 10 * MINUTE_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: volume =>
    stateProgress(volume, {going: ['CREATING', 'ATTACHING', 'DETACHING'], made: ['AVAILABLE', 'IN_USE']}),
});

const deleteVolume = actionOn({
  kind: 'volume.delete',
  parameters: z.object({id: volume}),
  endpoint: deleteEndpoint,
  ...deletion('volume', 5 * MINUTE_MS, (volume: Volume) => {
    const {length} = presentAttachments(volume);
    return length === 0 ? undefined : say`it is attached to ${machineCount(length)}`;
  }),
});

export const VOLUMES = [createVolume, deleteVolume] as const;
