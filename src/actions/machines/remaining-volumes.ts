import {attachmentState} from '../../domain/attachment-state.ts';
import {usableRate} from '../../domain/cost.ts';
import {type Rate, rational, scaleRate, sumRates} from '../../domain/money.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {usageFeed} from '../../state/billing.ts';
import {formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {unitPrice} from '../creation/cost.ts';
import {someNames} from '../question/question.ts';

export function attachedVolumes({volumes}: VirtualMachine): readonly VolumeAttachment[] {
  return volumes.filter(({status}) => attachmentState(status) !== 'gone');
}

/** The machine's own figures exclude its volumes, which outlive it and stay billed. */
export function remainingVolumeLines(machine: VirtualMachine, scene: AssessmentInput): readonly Line[] {
  const volumes = attachedVolumes(machine);
  const unread = unreadLines([machine]);
  if (volumes.length === 0) return unread;
  const what = volumes.length === 1 ? 'Its volume stays' : `Its ${volumes.length} volumes stay`;
  return [stayLine(what, volumes, scene), ...unread];
}

/** The same for many machines; each volume counts once, even if several share it. */
export function allRemainingVolumeLines(
  machines: readonly VirtualMachine[],
  scene: AssessmentInput,
  wording: 'long' | 'short',
): readonly Line[] {
  const attached = machines.flatMap(attachedVolumes);
  const volumes = [
    ...new Map(attached.map((volume, index) => [volume.volumeId ?? `unnumbered ${index}`, volume])).values(),
  ];
  if (volumes.length === 0) return unreadLines(machines);
  const what = volumes.length === 1 ? '1 volume stays' : `${volumes.length} volumes stay`;
  return [stayLine(what, volumes, scene, wording), ...unreadLines(machines)];
}

/** Volumes that could not be read stay as well. */
function unreadLines(machines: readonly VirtualMachine[]): readonly Line[] {
  const unread = machines.some(({hasUnreadVolumes}) => hasUnreadVolumes === true);
  return unread ? [[{text: 'Volumes that could not be read may stay too, and are billed.', tone: 'warning'}]] : [];
}

function stayLine(
  what: string,
  volumes: readonly VolumeAttachment[],
  scene: AssessmentInput,
  wording: 'long' | 'short' = 'long',
): Line {
  const rates = volumes.flatMap(volume => volumeRate(volume, scene) ?? []);
  const unpriced = volumes.length - rates.length;
  const amount = rates.length === 0 ? 'at an unknown price' : `at ${formatRate(sumRates(rates))}`;
  const without = unpriced === 0 || rates.length === 0 ? '' : ` without ${unpriced} of unknown size`;
  const names = wording === 'short' ? '' : namesOf(volumes);
  return [{text: `${what}, billed ${amount}${without}${names}`, tone: 'warning'}];
}

/** `: data and 1 without a name`; empty if none has one. */
function namesOf(volumes: readonly VolumeAttachment[]): string {
  const named = volumes.filter(({name}) => name !== '');
  if (named.length === 0) return '';
  const unnamedCount = volumes.length - named.length;
  return `: ${someNames(named)}${unnamedCount === 0 ? '' : ` and ${unnamedCount} without a name`}`;
}

/** As metered, or at the price of its size; undefined if neither is known. */
function volumeRate({volumeId, sizeGb}: VolumeAttachment, known: AssessmentInput): Rate | undefined {
  const record = lastValue(known.store.get(usageFeed))?.records.find(
    each => each.resourceType.toLowerCase() === 'volume' && each.resourceId === volumeId && each.isActive,
  );
  const metered = record === undefined ? undefined : usableRate(record);
  if (metered !== undefined) return metered;
  if (sizeGb === undefined) return undefined;
  return scaleRate(unitPrice(known, 'storagePerGb').rate, rational(BigInt(Math.round(sizeGb)), 1n));
}
