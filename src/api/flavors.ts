import * as z from 'zod';
import type {Flavor} from '../domain/flavor.ts';
import {defineRead} from './endpoint.ts';
import {
  count,
  flag,
  gigabytes,
  isObject,
  labels,
  part,
  present,
  recordOf,
  requiredId,
  requiredText,
  shortText,
  under,
} from './fields.ts';
import {hasNoHibernation} from './resource-parts.ts';

const flavorRecord = z.object({
  id: requiredId,
  name: requiredText,
  region_name: shortText,
  cpu: count,
  ram: gigabytes,
  disk: gigabytes,
  ephemeral: gigabytes,
  gpu: shortText,
  gpu_count: count,
  stock_available: flag,
  features: part({no_hibernation: flag}),
  labels,
});

/** The flavors offered, in all regions or in one. */
export const flavors = defineRead<{readonly region?: string}, Flavor>({
  id: 'flavors.list',
  template: '/core/flavors',
  query: ({region}) => ({region}),
  collect: body => under(body, 'data')?.flatMap(flavorsOfGroup),
  record: recordOf(flavorRecord, toFlavor),
});

/** A flavor without region or GPU takes those of its group. A group without flavors is kept as an unreadable record. */
function flavorsOfGroup(group: unknown): readonly unknown[] {
  if (!isObject(group) || !Array.isArray(group.flavors)) return [group];
  const {region_name, gpu} = group;
  return group.flavors.map((flavor: unknown) =>
    isObject(flavor) ? {...flavor, region_name: flavor.region_name ?? region_name, gpu: flavor.gpu ?? gpu} : flavor,
  );
}

function toFlavor(parsed: z.output<typeof flavorRecord>): Flavor {
  return present({
    id: parsed.id,
    name: parsed.name,
    regionName: parsed.region_name,
    cpuCount: parsed.cpu,
    ramGb: parsed.ram,
    rootDiskGb: parsed.disk,
    ephemeralDiskGb: parsed.ephemeral,
    gpuModel: parsed.gpu,
    gpuCount: parsed.gpu_count,
    isInStock: parsed.stock_available,
    hasNoHibernation: hasNoHibernation(parsed),
    labels: parsed.labels ?? [],
  });
}
