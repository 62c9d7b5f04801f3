import * as z from 'zod';
import {present} from '../api/fields.ts';
import {createVolume as createEndpoint, deleteVolume as deleteEndpoint} from '../api/volumes.ts';
import {imageId} from '../domain/image.ts';
import {countedWords} from '../domain/listed-words.ts';
import {redactedUrl} from '../domain/redacted-url.ts';
import type {Rate} from '../domain/money.ts';
import {gigabytesText} from '../domain/number-text.ts';
import {nameInWords, say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {presentAttachments, unknownAttachmentsReason, type Volume, type VolumeSpec} from '../domain/volume.ts';
import {presentVolumeRates, usageFeed} from '../state/billing.ts';
import {priceBookFeed} from '../state/catalogue.ts';
import {environmentsFeed} from '../state/environments.ts';
import type {Known} from '../state/known.ts';
import {formatGigabytes} from '../ui/format.ts';
import {missingInPlace} from './question/missing-names.ts';
import {addedCost, endedCost, endingCostLine, times, unitPrice} from './creation/cost.ts';
import {ingredientFacts, ingredientFeeds} from './creation/facts.ts';
import {actionMaking, actionOn, deletion, stateProgress} from './define.ts';
import {number, text, volume} from './parameters.ts';
import {descriptionLines, typedAnswer} from './question/question.ts';
import {newVolumeForm, volumeCost} from './forms/volume-form.ts';

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
  creation: {
    isInEnvironment: true,
    form: newVolumeForm,
  },
  parameters: z.object({spec: volumeSpec}),
  endpoint: createEndpoint,
  withoutSecrets: action => {
    const {callbackUrl} = action.spec;
    return callbackUrl === undefined
      ? action
      : {...action, spec: {...action.spec, callbackUrl: redactedUrl(callbackUrl)}};
  },
  verb: say`create`,
  words: () => say`create volume`,
  wordsAfter: ({spec}) => say`of ${gigabytesText(spec.sizeGb)}`,
  overdueAfterMs: 10 * MINUTE_MS,
  isMade: ({spec}, {name, environmentName = spec.environmentName}) =>
    name === spec.name && environmentName === spec.environmentName,
  progress: volume =>
    stateProgress(volume, {going: ['CREATING', 'ATTACHING', 'DETACHING'], made: ['AVAILABLE', 'IN_USE']}),
  reads: () => [environmentsFeed, priceBookFeed],
  missing: ({spec}, known) => missingInPlace(known, spec),
  costChange: ({spec}, known) => addedCost(times(unitPrice(known, 'storagePerGb').rate, spec.sizeGb)),
  namedOthers: ({spec: {environmentName}}, known) => ingredientFacts(known, {environmentName}),
  quotes: ({spec: {environmentName}}) => [...ingredientFeeds({environmentName}), priceBookFeed],
  assess: ({spec}, known) => ({
    happens: [
      [{text: `A ${spec.volumeType} in ${spec.environmentName}, unattached.`}],
      ...(spec.imageId === undefined ? [] : [[{text: `It is created from image #${spec.imageId} and is bootable.`}]]),
      ...descriptionLines(spec),
      ...(spec.callbackUrl === undefined ? [] : [[{text: `The service sends its events to ${spec.callbackUrl}`}]]),
    ],
    costs: [volumeCost(spec.sizeGb, known)],
    undo: {words: 'delete it again', by: 'volume.delete'},
    answer: {kind: 'key'},
  }),
});

const deleteVolume = actionOn({
  kind: 'volume.delete',
  keys: [{key: 'X', title: say`delete`, help: 'Deletes the volume and its contents; asks for its full name.'}],
  parameters: z.object({id: volume}),
  endpoint: deleteEndpoint,
  command: {words: ['volume', 'delete'], summary: 'delete volumes and their contents, permanently'},
  ...deletion('volume', 5 * MINUTE_MS, (volume: Volume) => {
    const {length} = presentAttachments(volume);
    return length === 0
      ? unknownAttachmentsReason(volume)
      : say`it is attached to ${countedWords(length, say`machine`)}; detach it first`;
  }),
  reads: () => [usageFeed],
  costChange: (_action, volume, known) => endedCost(endedRate(volume, known)[0]),
  assess: (_action, volume, known) => ({
    title: say`delete volume ${nameInWords(volume.name)}  #${volume.id}`,
    happens: [[{text: `The ${formatGigabytes(volume.sizeGb)} on it are deleted permanently.`, tone: 'danger'}]],
    costs: [endingCostLine(...endedRate(volume, known))],
    undo: 'none: there is no copy',
    answer: typedAnswer(volume.name, volume.id),
  }),
});

/** Its metered rate, or the price of its storage if there is none, with the source of that. */
function endedRate(volume: Volume, known: Known): readonly [rate: Rate | undefined, source?: string] {
  const rate = presentVolumeRates(known.store).get(volume.id);
  if (rate !== undefined || volume.sizeGb === undefined) return [rate];
  const storage = unitPrice(known, 'storagePerGb');
  return [times(storage.rate, volume.sizeGb), storage.source];
}

export const VOLUMES = [createVolume, deleteVolume] as const;
