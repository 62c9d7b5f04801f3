import {clusterVersions, masterFlavors as masterFlavorsEndpoint} from '../api/clusters.ts';
import {getEnvironment, listEnvironments} from '../api/environments.ts';
import {flavors as flavorsEndpoint} from '../api/flavors.ts';
import {getImage, images as imagesEndpoint} from '../api/images.ts';
import {listKeyPairs} from '../api/key-pairs.ts';
import {regions as regionsEndpoint} from '../api/regions.ts';
import {stocks} from '../api/stocks.ts';
import type {KubernetesVersion} from '../domain/cluster.ts';
import {type Environment, environmentId} from '../domain/environment.ts';
import type {Flavor} from '../domain/flavor.ts';
import {type Image, imageId} from '../domain/image.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import type {Region} from '../domain/region.ts';
import type {Stock, StockCount} from '../domain/stock.ts';
import {
  age,
  type Column,
  defineResource,
  number,
  type Reader,
  type Resource,
  rawOf,
  text,
  type Value,
  yesNo,
} from './resource.ts';

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
    shown: 'wide',
    value: flavor => number(flavor.ephemeralDiskGb),
  },
  {key: 'labels', title: 'LABELS', shown: 'wide', value: ({labels}) => text(labels.join(' '))},
];

export const flavors: Resource = defineResource<Flavor>({
  names: ['flavors', 'flavor'],
  summary: 'hardware that machines can have; --region for one region',
  narrowedBy: ['region'],
  columns: FLAVOR_COLUMNS,
  list: async ({client, signal, narrowing}) => rawOf(await client.read(flavorsEndpoint, regionOf(narrowing), {signal})),
  parse: flavorsEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

export const masterFlavors: Resource = defineResource<Flavor>({
  names: ['master-flavors', 'master-flavor'],
  summary: 'hardware that the masters of a cluster can have',
  columns: FLAVOR_COLUMNS,
  list: async ({client, signal}) => rawOf(await client.read(masterFlavorsEndpoint, {}, {signal})),
  parse: masterFlavorsEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

export const versions: Resource = defineResource<KubernetesVersion>({
  names: ['versions', 'version', 'k8s-versions'],
  summary: 'Kubernetes versions; --region for one region',
  narrowedBy: ['region'],
  columns: [
    {key: 'version', title: 'VERSION', value: ({version}) => text(version)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'image', title: 'IMAGE', value: ({imageName}) => text(imageName)},
    {key: 'id', title: 'ID', shown: 'wide', align: 'right', value: ({id}) => number(id)},
  ],
  list: async ({client, signal, narrowing}) => rawOf(await client.read(clusterVersions, regionOf(narrowing), {signal})),
  parse: clusterVersions.record,
  idOf: ({id}) => id,
  nameOf: ({version}) => version,
});

export const images: Resource = defineResource<Image>({
  names: ['images', 'image'],
  summary: 'what machines can start as; --region for one region',
  narrowedBy: ['region'],
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'type', title: 'TYPE', value: ({imageType}) => text(imageType)},
    {key: 'size', title: 'SIZE', align: 'right', value: imageSize},
    {key: 'public', title: 'PUBLIC', value: ({isPublic}) => yesNo(isPublic)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'version', title: 'VERSION', shown: 'wide', value: ({version}) => text(version)},
    {key: 'labels', title: 'LABELS', shown: 'wide', value: ({labels}) => text(labels.join(' '))},
  ],
  list: async ({client, signal, narrowing}) => rawOf(await client.read(imagesEndpoint, regionOf(narrowing), {signal})),
  one: async ({client, signal}, id) => rawOf(await client.read(getImage, {id: imageId(id)}, {signal})),
  parse: imagesEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

function imageSize({sizeBytes, displaySize}: Image): Value | undefined {
  if (sizeBytes === undefined) return text(displaySize);
  return {text: displaySize ?? String(sizeBytes), number: sizeBytes, plain: String(sizeBytes)};
}

export const environments: Resource = defineResource<Environment>({
  names: ['environments', 'environment', 'env', 'envs'],
  summary: 'environments',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'green', title: 'GREEN', shown: 'wide', value: ({greenStatus}) => text(greenStatus)},
    {key: 'sriov', title: 'SR-IOV', shown: 'wide', value: ({isNetworkOptimised}) => yesNo(isNetworkOptimised)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listEnvironments, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getEnvironment, {id: environmentId(id)}, {signal})),
  parse: listEnvironments.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

export const keyPairs: Resource = defineResource<KeyPair>({
  names: ['key-pairs', 'key-pair', 'keypairs', 'keypair', 'keys', 'key'],
  summary: 'SSH key pairs, their public halves',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'fingerprint', title: 'FINGERPRINT', value: ({fingerprint}) => text(fingerprint)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'public-key', title: 'PUBLIC KEY', shown: 'wide', value: ({publicKey}) => text(publicKey)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listKeyPairs, {}, {signal, onPage})),
  canStream: true,
  parse: listKeyPairs.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

export const regions: Resource = defineResource<Region>({
  names: ['regions', 'region'],
  summary: 'regions of the service',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'country', title: 'COUNTRY', value: ({country}) => text(country)},
    {key: 'green', title: 'GREEN', value: ({greenStatus}) => text(greenStatus)},
    {key: 'floating-ip', title: 'FLOATING IP', value: ({hasFloatingIp}) => yesNo(hasFloatingIp)},
    {key: 'volumes', title: 'VOLUMES', value: ({hasVolumes}) => yesNo(hasVolumes)},
    {key: 'description', title: 'DESCRIPTION', shown: 'wide', value: ({description}) => text(description)},
  ],
  list: async ({client, signal}) => rawOf(await client.read(regionsEndpoint, {}, {signal})),
  parse: regionsEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

export const stock: Resource = defineResource<Stock>({
  names: ['stock', 'stocks'],
  summary: 'GPUs that can be had now and are planned',
  columns: [
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'model', title: 'MODEL', value: ({model}) => text(model)},
    {key: 'available', title: 'AVAILABLE', align: 'right', value: ({available}) => stockCount(available)},
    {key: 'sizes', title: 'MACHINES BY GPUS', value: configurationsOf},
    {key: 'in-7-days', title: 'IN 7 D', align: 'right', value: ({plannedIn7Days}) => stockCount(plannedIn7Days)},
    {key: 'in-30-days', title: 'IN 30 D', align: 'right', value: ({plannedIn30Days}) => stockCount(plannedIn30Days)},
    {key: 'in-100-days', title: 'IN 100 D', align: 'right', value: each => stockCount(each.plannedIn100Days)},
    {key: 'type', title: 'TYPE', shown: 'wide', value: ({stockType}) => text(stockType)},
  ],
  list: async ({client, signal}) => rawOf(await client.read(stocks, {}, {signal})),
  parse: stocks.record,
  nameOf: ({model}) => model,
});

function stockCount(available: StockCount | undefined): Value | undefined {
  if (available === undefined) return undefined;
  return {text: `${available.count}${available.isAtLeast ? '+' : ''}`, number: available.count};
}

function configurationsOf({configurations}: Stock): Value | undefined {
  return text(configurations.map(({gpuCount, available}) => `${gpuCount}x:${stockCount(available)?.text}`).join(' '));
}

function regionOf({region}: Reader['narrowing']): {readonly region?: string} {
  return region === undefined ? {} : {region};
}
