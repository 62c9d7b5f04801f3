import type {Flavor} from '../../world/catalogue.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {flavorFeatures} from './features.ts';

const LISTED_SINCE = Date.UTC(2025, 2, 11, 9, 30);

/** A flavor as it is on offer, and whether one more machine of it could be had now. */
export function flavorBody(flavor: Flavor, isAvailable: boolean) {
  return {
    id: flavor.id,
    name: flavor.name,
    display_name: null,
    region_name: flavor.regionName,
    cpu: flavor.cpuCount,
    ram: flavor.ramGb,
    disk: flavor.diskGb,
    ephemeral: flavor.ephemeralGb,
    gpu: flavor.gpu,
    gpu_count: flavor.gpuCount,
    stock_available: isAvailable,
    created_at: zuluTimestamp(LISTED_SINCE),
    labels: flavor.labels,
    features: flavorFeatures(flavor),
  };
}

/** A flavor as it stands inside a machine or a cluster: the same for every machine of ten thousand, so made once. */
export function flavorPart(flavor: Flavor): FlavorPart {
  const known = PARTS.get(flavor);
  if (known !== undefined) return known;
  const part = partOf(flavor);
  PARTS.set(flavor, part);
  return part;
}

type FlavorPart = ReturnType<typeof partOf>;
const PARTS = new WeakMap<Flavor, FlavorPart>();

function partOf(flavor: Flavor) {
  return {
    id: flavor.id,
    name: flavor.name,
    cpu: flavor.cpuCount,
    ram: flavor.ramGb,
    disk: flavor.diskGb,
    ephemeral: flavor.ephemeralGb,
    gpu: flavor.gpu,
    gpu_count: flavor.gpuCount,
    labels: flavor.labels,
    features: flavorFeatures(flavor),
  };
}
