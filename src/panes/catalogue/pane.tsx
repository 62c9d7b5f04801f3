import {type SafeText, say} from '../../domain/safe-text.ts';
import {environments} from '../../resources/environments.ts';
import {flavors} from '../../resources/flavors.ts';
import {gpus} from '../../resources/gpus.ts';
import {images} from '../../resources/images.ts';
import {type KeyPairRow, keyPairs} from '../../resources/key-pairs.ts';
import {prices} from '../../resources/prices.ts';
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
import {type PartActions, resourcePart} from '../collection-part.tsx';
import type {Copied} from '../copy-menu.ts';
import {partActions} from '../record-commands.ts';

function copied({id, name}: {readonly id: number; readonly name: SafeText}, resource: string, path: string): Copied {
  return {name, id: say`${id}`, resource, target: `${id}`, path};
}

const flavorsPart = resourcePart(flavors, {
  wants: [
    {feed: flavorsFeed, priority: 1},
    {feed: stocksFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: usageFeed, priority: 3},
  ],
  idOf: ({flavor}) => String(flavor.id),
  nameOf: ({flavor}) => (flavor.regionName === undefined ? flavor.name : say`${flavor.name} in ${flavor.regionName}`),
  copiedAs: ({flavor}) => copied(flavor, 'flavor', '/core/flavors'),
  actions: {copy: ({flavor}) => flavor.name},
});

const imagesPart = resourcePart(images, {
  wants: [{feed: imagesFeed, priority: 1}],
  idOf: image => String(image.id),
  nameOf: image => image.name,
  copiedAs: image => copied(image, 'image', `/core/images/${image.id}`),
  record: image => imageRecordFeed(image.id),
  actions: {copy: image => image.name},
});

export const KEY_PAIR_ACTIONS: PartActions<KeyPairRow> = {
  ...partActions<KeyPairRow>('key-pair', ({keyPair}) => keyPair),
  copy: ({keyPair}) => keyPair.publicKey ?? keyPair.name,
};

const keyPairsPart = resourcePart(keyPairs, {
  title: say`key pairs`,
  wants: [
    {feed: keyPairsFeed, priority: 1},
    {feed: environmentsFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
  ],
  idOf: ({keyPair}) => String(keyPair.id),
  subjectOf: ({keyPair: {id}}) => ({type: 'key-pair', id}),
  nameOf: ({keyPair}) => say`${keyPair.name}  #${keyPair.id}`,
  copiedAs: ({keyPair}) => copied(keyPair, 'key-pair', '/core/keypairs'),
  related: ({keyPair}, {store}) => keyPairs.related?.(keyPair, store) ?? [],
  actions: KEY_PAIR_ACTIONS,
});

const environmentsPart = resourcePart(environments, {
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
  idOf: ({environment}) => String(environment.id),
  subjectOf: ({environment: {id}}) => ({type: 'environment', id}),
  nameOf: ({environment}) => say`${environment.name}  #${environment.id}`,
  copiedAs: ({environment}) => copied(environment, 'environment', `/core/environments/${environment.id}`),
  record: ({environment}) => environmentRecordFeed(environment.id),
  related: ({environment}, {store}) => environments.related?.(environment, store) ?? [],
  actions: {
    ...partActions('environment', ({environment}) => environment),
    copy: ({environment}) => environment.name,
  },
});

const gpusPart = resourcePart(gpus, {
  title: say`GPUs`,
  wants: [
    {feed: gpusFeed, priority: 1},
    {feed: stocksFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
  ],
  idOf: ({gpu}) => gpu.name,
  nameOf: ({gpu}) => gpu.name,
  actions: {copy: ({gpu}) => gpu.name},
});

const pricesPart = resourcePart(prices, {
  wants: [{feed: priceBookFeed, priority: 1}],
  idOf: price => String(price.id ?? `${price.name} ${price.startsAt ?? ''} ${price.endsAt ?? ''}`),
  nameOf: price => price.name,
  actions: {copy: price => price.name},
});

/** What can be had, and what machines are made of. */
export const cataloguePane = collectionPane({
  id: 'catalogue',
  key: '8',
  title: say`Catalogue`,
  aliases: ['flavors', 'stock', 'images', 'key pairs', 'environments', 'prices', 'gpus'],
  parts: [flavorsPart, imagesPart, keyPairsPart, environmentsPart, pricesPart, gpusPart],
});
