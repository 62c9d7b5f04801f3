import type {Fact, Question} from '../../src/actions/question/question.ts';
import {type Cluster, clusterId} from '../../src/domain/cluster.ts';
import {type Environment, environmentId} from '../../src/domain/environment.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import type {Flavor} from '../../src/domain/flavor.ts';
import {type Image, imageId} from '../../src/domain/image.ts';
import {type KeyPair, keyPairId} from '../../src/domain/key-pair.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {type Volume, volumeId} from '../../src/domain/volume.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {flavorsFeed, imagesFeed} from '../../src/state/catalogue.ts';
import {clusterVersionsFeed, masterFlavorsFeed} from '../../src/state/clusters.ts';
import {environmentsFeed} from '../../src/state/environments.ts';
import type {Feed, Listing} from '../../src/state/feed.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {textOf} from '../../src/ui/text.ts';
import {aScene} from '../app/a-scene.ts';
import {IDLE, NOW} from './a-known-scene.ts';

const READ_AT = monotonicMs(100_000);

export const NORWAY: Environment = {
  id: environmentId(11),
  name: safeText('prod-no'),
  regionName: safeText('NORWAY-1'),
};
export const CANADA: Environment = {
  id: environmentId(12),
  name: safeText('prod-ca'),
  regionName: safeText('CANADA-1'),
};

/** Published at $1.00 an hour for each GPU, at $0.65 for the whole machine, and not at all. */
export const L40X2 = aFlavor({id: 1, name: safeText('n3-L40x2'), gpuModel: safeText('L40'), gpuCount: 2});
const CPU_MEDIUM = aFlavor({id: 2, name: safeText('n1-cpu-medium'), gpuCount: 0});
const UNPRICED = aFlavor({id: 3, name: safeText('n9-odd'), gpuModel: safeText('ODD'), gpuCount: 1});

function aFlavor(rest: Partial<Flavor> & Pick<Flavor, 'id' | 'name'>): Flavor {
  return {regionName: safeText('NORWAY-1'), cpuCount: 8, ramGb: 64, isInStock: true, labels: [], ...rest};
}

export function anImage(id: number, name: string, rest: Partial<Image> = {}): Image {
  return {id: imageId(id), name: safeText(name), regionName: safeText('NORWAY-1'), labels: [], ...rest};
}

function aKeyPair(id: number, name: string, environment: Environment): KeyPair {
  return {id: keyPairId(id), name: safeText(name), environmentName: environment.name};
}

export function aVolume({id = 38_112, ...rest}: Partial<Omit<Volume, 'id'>> & {id?: number} = {}): Volume {
  return {
    id: volumeId(id),
    name: safeText(`disk-${id}`),
    status: 'AVAILABLE',
    statusText: safeText('available'),
    sizeGb: 100,
    environmentName: NORWAY.name,
    attachments: [],
    ...rest,
  };
}

export function aCluster({id = 77, ...rest}: Partial<Omit<Cluster, 'id'>> & {id?: number} = {}): Cluster {
  return {
    id: clusterId(id),
    name: safeText('k8s-inf'),
    status: 'ACTIVE',
    statusText: safeText(rest.status ?? 'ACTIVE'),
    nodeGroups: [],
    nodes: [],
    hasKubeConfig: false,
    ...rest,
  };
}

export function aFirewall({id = 5, ...rest}: Partial<Omit<Firewall, 'id'>> & {id?: number} = {}): Firewall {
  return {
    id: firewallId(id),
    name: safeText(`fw-${id}`),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    environmentName: NORWAY.name,
    rules: [],
    attachments: [],
    ...rest,
  };
}

/** A scene with two environments and what can be created in the first, with the store behind it. */
export function aCatalogue(rest: Partial<Scene> = {}): {readonly scene: Scene; readonly store: WritableStore} {
  const store = createStore();
  const known = {store};
  write(known, environmentsFeed, [NORWAY, CANADA]);
  write(known, flavorsFeed, [
    L40X2,
    CPU_MEDIUM,
    UNPRICED,
    aFlavor({id: 9, name: safeText('n3-H100x8'), regionName: CANADA_1}),
  ]);
  write(known, masterFlavorsFeed, [CPU_MEDIUM]);
  write(known, clusterVersionsFeed, [
    {version: safeText('1.9.0'), regionName: safeText('NORWAY-1')},
    {version: safeText('1.31.4'), regionName: safeText('NORWAY-1')},
    {version: safeText('1.32.0'), regionName: CANADA_1},
  ]);
  write(known, imagesFeed, [
    anImage(1, 'Ubuntu 24.04'),
    anImage(2, 'Ubuntu CUDA', {flavorRestriction: {flavorNames: [L40X2.name]}}),
    anImage(3, 'Far away', {regionName: CANADA_1}),
  ]);
  write(known, keyPairsFeed, [aKeyPair(1, 'ana', NORWAY), aKeyPair(2, 'bo', CANADA)]);
  return {scene: aScene({store, operations: IDLE, now: NOW, ...rest}), store};
}

const CANADA_1 = safeText('CANADA-1');

export function write<R>(
  {store}: {readonly store: WritableStore},
  feed: Feed<Listing<R>>,
  records: readonly R[],
): void {
  store.writeValue(feed, {records, quarantined: []}, READ_AT);
}

/** What a question says under a label, one line below the other. */
export function factText(question: Question | undefined, label: Fact['label']): string {
  const fact = question?.facts.find(candidate => candidate.label === label);
  return (fact?.lines ?? []).map(textOf).join('\n');
}
