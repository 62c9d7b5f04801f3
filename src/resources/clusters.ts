import {getCluster, listClusters} from '../api/clusters.ts';
import {type Cluster, clusterId, nodeCounts, wantedWorkerCount} from '../domain/cluster.ts';
import {age, type Dated, dated, defineResource, number, rawOf, text, type Value} from './resource.ts';

export const clusters = defineResource<Cluster, Dated<Cluster>>({
  names: ['clusters', 'cluster', 'k8s'],
  summary: 'Kubernetes clusters',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'version', title: 'K8S', value: ({kubernetesVersion}) => text(kubernetesVersion)},
    {key: 'workers', title: 'WORKERS', value: workersOf},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'reason', title: 'REASON', printed: 'wide', value: ({statusReason}) => text(statusReason)},
    {key: 'address', title: 'API ADDRESS', printed: 'wide', value: ({apiAddress}) => text(apiAddress)},
    {key: 'key', title: 'KEY PAIR', printed: 'wide', value: ({keyPairName}) => text(keyPairName)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listClusters, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.readRaw(getCluster, {id: clusterId(id)}, {signal})),
  parse: listClusters.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function workersOf(cluster: Cluster): Value {
  const {active, total} = nodeCounts(cluster).worker;
  return {text: `${active}/${wantedWorkerCount(cluster) ?? total}`, number: active};
}
