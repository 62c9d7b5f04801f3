import {hourlyUsd} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {environments} from '../../resources/environments.ts';
import {flavors} from '../../resources/flavors.ts';
import {gpus} from '../../resources/gpus.ts';
import {images} from '../../resources/images.ts';
import {type KeyPairRow, keyPairs} from '../../resources/key-pairs.ts';
import {prices} from '../../resources/prices.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {priceBookFeed, regionsFeed, stocksFeed} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {barListLines} from '../bar-list.ts';
import {collectionPane} from '../list/collection.tsx';
import {type PartActions, type Preview, resourcePart} from '../list/part.tsx';
import {partActions} from '../action-keys.ts';
import {machineTableLines} from '../list/rows-table.ts';
import type {Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';

const flavorsPart = resourcePart(flavors, {
  wants: [
    {feed: stocksFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: usageFeed, priority: 3},
    {feed: priceBookFeed, priority: 3},
  ],
  nameOf: ({flavor}) => (flavor.regionName === undefined ? flavor.name : say`${flavor.name} in ${flavor.regionName}`),
  actions: {copy: ({flavor}) => flavor.name},
});

const imagesPart = resourcePart(images, {
  wants: [{feed: machinesFeed, priority: 3}],
  nameOf: image => image.name,
  actions: {copy: image => image.name},
});

export const KEY_PAIR_ACTIONS: PartActions<KeyPairRow> = {
  ...partActions<KeyPairRow>('key-pair', ({keyPair}) => keyPair),
  copy: ({keyPair}) => keyPair.publicKey ?? keyPair.name,
};

const keyPairsPart = resourcePart(keyPairs, {
  wants: [
    {feed: environmentsFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
  ],
  actions: KEY_PAIR_ACTIONS,
});

const environmentsPart = resourcePart(environments, {
  wants: [
    {feed: machinesFeed, priority: 2},
    {feed: volumesFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: keyPairsFeed, priority: 3},
    {feed: regionsFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
  ],
  detailWants: ({environment}) => [{feed: quotaFeed(environment.id), priority: 2}],
  actions: {
    ...partActions('environment', ({environment}) => environment),
    copy: ({environment}) => environment.name,
  },
});

const gpusPart = resourcePart(gpus, {
  wants: [
    {feed: stocksFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
  ],
  actions: {copy: ({gpu}) => gpu.name},
});

const pricesPart = resourcePart(prices, {
  wants: [{feed: machinesFeed, priority: 3}],
  idOf: price => String(price.id ?? `${price.name} ${price.startsAt ?? ''} ${price.endsAt ?? ''}`),
  preview: (_row, scene, {columns}) => ({title: 'price of a unit', lines: priceLines(scene, columns - 2)}),
  beside: ({name}, scene, place) => billedMachines(name, scene, place),
  actions: {copy: price => price.name},
});

function priceLines({store, theme}: Scene, width: number): readonly Line[] {
  const all = lastValue(store.get(priceBookFeed))?.records ?? [];
  const priced = all.flatMap(({name, rate}) => (rate === undefined ? [] : [{name, rate}]));
  return barListLines(
    priced.map(({name, rate}) => ({name, value: hourlyUsd(rate), text: formatRate(rate)})),
    width,
    theme,
  );
}

/** The machines whose flavor or GPUs have this price. */
function billedMachines(unit: SafeText, scene: Scene, {columns, rows}: Place): Preview {
  const machines = observedMachines(scene.store);
  if (machines === undefined) return {title: 'your machines', lines: [missingLine(scene, machinesFeed, 'machines')]};
  const billed = machines.filter(({flavor}) => flavor?.name === unit || flavor?.gpuModel === unit);
  if (billed.length === 0)
    return {title: 'your machines', lines: [[{text: ' no machine has this flavor or GPU', tone: 'dim'}]]};
  return {
    title: `your machines with ${unit} ${billed.length}`,
    lines: machineTableLines(scene, billed.slice(0, rows), columns - 2),
  };
}

/** What can be ordered, and what machines are made from. */
export const cataloguePane = collectionPane({
  ...TABS.catalogue,
  aliases: ['catalog', 'stock'],
  parts: [flavorsPart, imagesPart, keyPairsPart, environmentsPart, pricesPart, gpusPart],
});
