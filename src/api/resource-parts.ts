import type * as z from 'zod';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {MachineFlavor} from '../domain/virtual-machine.ts';
import {
  count,
  field,
  flag,
  gigabytes,
  isObject,
  labels,
  part,
  present,
  readText,
  reference,
  shortText,
} from './fields.ts';

// Schemas for parts that several resources share.

export const flavorFields = {
  id: reference,
  name: shortText,
  cpu: count,
  ram: gigabytes,
  disk: gigabytes,
  ephemeral: gigabytes,
  gpu: shortText,
  gpu_count: count,
  features: part({no_hibernation: flag, no_reboot: flag}),
  labels,
};

/** The hardware of a machine or of a cluster's nodes. */
export const machineFlavor = part(flavorFields);

export function toMachineFlavor(parsed: NonNullable<z.output<typeof machineFlavor>>): MachineFlavor {
  return present({
    id: parsed.id,
    name: parsed.name ?? safeText(''),
    cpuCount: parsed.cpu,
    ramGb: parsed.ram,
    rootDiskGb: parsed.disk,
    ephemeralDiskGb: parsed.ephemeral,
    gpuModel: parsed.gpu,
    gpuCount: parsed.gpu_count,
    hasNoHibernation: hasNoHibernation(parsed),
    hasNoReboot: parsed.features?.no_reboot === true ? (true as const) : undefined,
  });
}

/** The feature flag is false for every flavor without GPUs, even if it can hibernate; the label is right for those. */
export function hasNoHibernation({
  features,
  labels,
}: {
  readonly features?: {readonly no_hibernation: boolean | undefined} | undefined;
  readonly labels?: readonly string[] | undefined;
}): boolean | undefined {
  return labels?.some(label => label.toLowerCase() === NO_HIBERNATION) ? true : features?.no_hibernation;
}

const NO_HIBERNATION = 'no-hibernation';

/** An environment as an object or as a name; only the object has its id and region. */
export const environment = field(readEnvironment);

/** The state a word stands for: the service writes one as `PRE_ACTIVE`, `PRE-ACTIVE` and in lower case. */
export function knownStatus<Status extends string>(
  statuses: readonly Status[],
  word: SafeText | undefined,
): Status | 'UNKNOWN' {
  const normalised = word?.toUpperCase().replaceAll(/[- ]/g, '_');
  return statuses.find(status => status === normalised) ?? 'UNKNOWN';
}

type EnvironmentPart = {readonly id?: number; readonly name?: SafeText; readonly region?: SafeText};

function readEnvironment(value: unknown): EnvironmentPart {
  return isObject(value)
    ? present({id: reference.parse(value.id), name: readText(value.name), region: readText(value.region)})
    : present({name: readText(value)});
}
