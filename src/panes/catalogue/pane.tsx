import {type SafeText, say} from '../../domain/safe-text.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {
  flavorsFeed,
  gpusFeed,
  imageRecordFeed,
  imagesFeed,
  priceBookFeed,
  regionsFeed,
  stocksFeed,
} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentRecordFeed, environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {collectionPane} from '../collection.tsx';
import {bindPart} from '../collection-part.tsx';
import type {Copied} from '../copy-menu.ts';
import {ENVIRONMENT_ACTIONS} from './environment-actions.ts';
import {ENVIRONMENT_COLUMNS, environmentLines, environmentRows} from './environment-rows.ts';
import {flavorLines} from './flavor-detail.ts';
import {FLAVOR_COLUMNS, flavorRows} from './flavor-rows.ts';
import {GPU_COLUMNS, gpuLines, gpuRows} from './gpu-rows.ts';
import {IMAGE_COLUMNS, imageLines, imageRows} from './image-rows.ts';
import {KEY_PAIR_ACTIONS} from './key-pair-actions.ts';
import {KEY_PAIR_COLUMNS, keyPairLines, keyPairRows} from './key-pair-rows.ts';
import {PRICE_COLUMNS, priceLines, priceRows} from './price-rows.ts';

function copied({id, name}: {readonly id: number; readonly name: SafeText}, resource: string, path: string): Copied {
  return {name, id: say`${id}`, resource, target: `${id}`, path};
}

const flavorsPart = bindPart({
  title: say`flavors`,
  feed: flavorsFeed,
  wants: [
    {feed: flavorsFeed, priority: 1},
    {feed: stocksFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: usageFeed, priority: 3},
  ],
  rows: flavorRows,
  idOf: ({flavor}) => String(flavor.id),
  nameOf: ({flavor}) => (flavor.regionName === undefined ? flavor.name : say`${flavor.name} in ${flavor.regionName}`),
  copiedAs: ({flavor}) => copied(flavor, 'flavor', '/core/flavors'),
  columns: FLAVOR_COLUMNS,
  detail: flavorLines,
  actions: {copy: ({flavor}) => flavor.name},
});

const imagesPart = bindPart({
  title: say`images`,
  feed: imagesFeed,
  wants: [{feed: imagesFeed, priority: 1}],
  rows: imageRows,
  idOf: ({image}) => String(image.id),
  nameOf: ({image}) => image.name,
  copiedAs: ({image}) => copied(image, 'image', `/core/images/${image.id}`),
  columns: IMAGE_COLUMNS,
  detail: imageLines,
  record: ({image}) => imageRecordFeed(image.id),
  actions: {copy: ({image}) => image.name},
});

const keyPairsPart = bindPart({
  title: say`key pairs`,
  feed: keyPairsFeed,
  wants: [
    {feed: keyPairsFeed, priority: 1},
    {feed: environmentsFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
  ],
  rows: keyPairRows,
  idOf: ({keyPair}) => String(keyPair.id),
  subjectOf: ({keyPair: {id}}) => ({type: 'key-pair', id}),
  nameOf: ({keyPair}) => say`${keyPair.name}  #${keyPair.id}`,
  copiedAs: ({keyPair}) => copied(keyPair, 'key-pair', '/core/keypairs'),
  columns: KEY_PAIR_COLUMNS,
  detail: keyPairLines,
  actions: KEY_PAIR_ACTIONS,
});

const environmentsPart = bindPart({
  title: say`environments`,
  feed: environmentsFeed,
  wants: [
    {feed: environmentsFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: volumesFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: keyPairsFeed, priority: 3},
    {feed: regionsFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
  ],
  detailWants: ({environment}) => [{feed: quotaFeed(environment.id), priority: 2}],
  rows: environmentRows,
  idOf: ({environment}) => String(environment.id),
  subjectOf: ({environment: {id}}) => ({type: 'environment', id}),
  nameOf: ({environment}) => say`${environment.name}  #${environment.id}`,
  copiedAs: ({environment}) => copied(environment, 'environment', `/core/environments/${environment.id}`),
  columns: ENVIRONMENT_COLUMNS,
  detail: environmentLines,
  record: ({environment}) => environmentRecordFeed(environment.id),
  actions: ENVIRONMENT_ACTIONS,
});

const gpusPart = bindPart({
  title: say`GPUs`,
  feed: gpusFeed,
  wants: [
    {feed: gpusFeed, priority: 1},
    {feed: stocksFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
  ],
  rows: gpuRows,
  idOf: ({gpu}) => gpu.name,
  nameOf: ({gpu}) => gpu.name,
  columns: GPU_COLUMNS,
  detail: gpuLines,
  actions: {copy: ({gpu}) => gpu.name},
});

const pricesPart = bindPart({
  title: say`prices`,
  feed: priceBookFeed,
  wants: [{feed: priceBookFeed, priority: 1}],
  rows: priceRows,
  idOf: ({price, index}) => String(price.id ?? `at ${index}`),
  nameOf: ({price}) => price.name,
  columns: PRICE_COLUMNS,
  detail: priceLines,
  actions: {copy: ({price}) => price.name},
});

/** What can be had, and what machines are made of. */
export const cataloguePane = collectionPane({
  id: 'catalogue',
  key: '8',
  title: say`Catalogue`,
  aliases: ['flavors', 'stock', 'images', 'key pairs', 'environments', 'prices', 'gpus'],
  parts: [flavorsPart, imagesPart, keyPairsPart, environmentsPart, pricesPart, gpusPart],
});
