import {clusterVersions} from '../api/clusters.ts';
import type {KubernetesVersion} from '../domain/cluster.ts';
import {number, text} from './column.ts';
import {rawOf, regionOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const versions = defineResource<KubernetesVersion, KubernetesVersion>({
  names: ['versions', 'version', 'k8s-versions'],
  summary: 'Kubernetes versions; --region for one region',
  narrowedBy: ['region'],
  columns: [
    {key: 'version', title: 'VERSION', value: ({version}) => text(version)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'image', title: 'IMAGE', value: ({imageName}) => text(imageName)},
    {key: 'id', title: 'ID', printed: 'wide', align: 'right', value: ({id}) => number(id)},
  ],
  list: async ({client, signal, narrowing}) =>
    rawOf(await client.readRaw(clusterVersions, regionOf(narrowing), {signal})),
  parse: clusterVersions.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({version}) => version,
});
