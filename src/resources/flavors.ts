import {masterFlavors as masterFlavorsEndpoint} from '../api/clusters.ts';
import {flavors as flavorsEndpoint} from '../api/flavors.ts';
import type {Flavor} from '../domain/flavor.ts';
import {type Column, defineResource, number, rawOf, regionOf, text, undated, yesNo} from './resource.ts';

const FLAVOR_COLUMNS: readonly Column<Flavor>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
  {key: 'name', title: 'NAME', value: ({name}) => text(name)},
  {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
  {key: 'gpu', title: 'GPU', value: ({gpuModel}) => text(gpuModel)},
  {key: 'gpus', title: 'GPUS', align: 'right', value: ({gpuCount}) => number(gpuCount)},
  {key: 'cpus', title: 'CPUS', align: 'right', value: ({cpuCount}) => number(cpuCount)},
  {key: 'ram', title: 'RAM GB', align: 'right', value: ({ramGb}) => number(ramGb)},
  {key: 'disk', title: 'DISK GB', align: 'right', value: ({rootDiskGb}) => number(rootDiskGb)},
  {key: 'stock', title: 'IN STOCK', value: ({isInStock}) => yesNo(isInStock)},
  {
    key: 'ephemeral',
    title: 'EPHEMERAL GB',
    align: 'right',
    printed: 'wide',
    value: flavor => number(flavor.ephemeralDiskGb),
  },
  {key: 'labels', title: 'LABELS', printed: 'wide', value: ({labels}) => text(labels.join(' '))},
];

export const flavors = defineResource<Flavor, Flavor>({
  names: ['flavors', 'flavor'],
  summary: 'hardware that machines can have; --region for one region',
  narrowedBy: ['region'],
  columns: FLAVOR_COLUMNS,
  list: async ({client, signal, narrowing}) => rawOf(await client.read(flavorsEndpoint, regionOf(narrowing), {signal})),
  parse: flavorsEndpoint.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

export const masterFlavors = defineResource<Flavor, Flavor>({
  names: ['master-flavors', 'master-flavor'],
  summary: 'hardware that the masters of a cluster can have',
  columns: FLAVOR_COLUMNS,
  list: async ({client, signal}) => rawOf(await client.read(masterFlavorsEndpoint, {}, {signal})),
  parse: masterFlavorsEndpoint.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});
