import {InvalidArgumentError} from 'commander';
import {listClusters} from '../api/clusters.ts';
import type {Cluster, ClusterSpec, NodeGroupSpec} from '../domain/cluster.ts';
import {safeText, say} from '../domain/safe-text.ts';
import {clusters} from '../resources/clusters.ts';
import type {Reader} from '../resources/resource.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {type FoundRecord, findRecord, mistaken, planEach, planned} from './plan.ts';
import {repeated} from './option-values.ts';

type CreateFlags = {
  readonly environment: string;
  readonly keyPair: string;
  readonly kubernetesVersion: string;
  readonly masterFlavor: string;
  readonly masters?: number;
  readonly mode?: string;
  readonly group: readonly string[];
};

const create: OperationCommand<CreateFlags> = {
  name: 'create',
  summary: 'makes a Kubernetes cluster, which takes 5 to 20 minutes',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'where; it fixes the region')
      .requiredOption('--key-pair <name>', 'a key pair of the same environment')
      .requiredOption('--kubernetes-version <version>', 'one of skydeck get versions')
      .requiredOption('--master-flavor <name>', 'one of skydeck get master-flavors')
      .option('--masters <number>', 'how many masters', wholeNumber)
      .option('--mode <mode>', 'full, with bastion and load balancer, or standard')
      .option(
        '--group <words>',
        "workers: 'name=pool flavor=n3-L40x1 count=2 min=1 max=5'; may be repeated",
        repeated,
        [],
      ),
  plan: ({words, flags}) => {
    const {mode} = flags;
    if (mode !== undefined && mode !== 'full' && mode !== 'standard') {
      return Promise.resolve(mistaken(say`--mode must be full or standard`));
    }
    const nodeGroups = flags.group.map(nodeGroupOf);
    const wrong = flags.group.find((_, index) => nodeGroups[index] === undefined);
    if (wrong !== undefined || nodeGroups.length === 0) {
      return Promise.resolve(
        mistaken(say`--group needs name=… flavor=… count=…${safeText(wrong === undefined ? '' : `, not "${wrong}"`)}`),
      );
    }
    const name = safeText(words[0] ?? '');
    const spec: ClusterSpec = {
      name,
      environmentName: safeText(flags.environment),
      keyPairName: safeText(flags.keyPair),
      kubernetesVersion: safeText(flags.kubernetesVersion),
      masterFlavorName: safeText(flags.masterFlavor),
      nodeGroups: nodeGroups.flatMap(group => group ?? []),
      ...(flags.masters === undefined ? {} : {masterCount: flags.masters}),
      ...(mode === undefined ? {} : {deploymentMode: mode}),
    };
    const warnings = [say`Its workers cost money from the moment they run.`];
    return Promise.resolve(
      planned({action: {kind: 'cluster.create', spec}, subjectName: name, weight: 'undoable', warnings}),
    );
  },
};

/** A group of workers from its words; undefined where one of the three that are needed is missing. */
function nodeGroupOf(text: string): NodeGroupSpec | undefined {
  const words = new Map(
    text.split(/[\s,]+/).map(word => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)]),
  );
  const [name, flavor] = [words.get('name'), words.get('flavor')];
  const [count, min, max] = ['count', 'min', 'max'].map(key => countOf(words.get(key)));
  if (name === undefined || flavor === undefined || count === undefined) return undefined;
  return {
    name: safeText(name),
    flavorName: safeText(flavor),
    count,
    ...(min === undefined ? {} : {minCount: min}),
    ...(max === undefined ? {} : {maxCount: max}),
  };
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

function wholeNumber(text: string): number {
  const count = countOf(text);
  if (count !== undefined) return count;
  throw new InvalidArgumentError('It must be a whole number.');
}

function findCluster(reader: Reader, wanted: string): Promise<FoundRecord<Cluster>> {
  return findRecord(reader, clusters, listClusters.record, wanted);
}

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes clusters with all their nodes, for ever',
  arguments: '<cluster...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findCluster(reader, word),
      ({id, name, status, nodes}) => ({
        action: {kind: 'cluster.delete', id},
        subjectName: name,
        status,
        weight: 'irreversible',
        warnings: [say`Its ${nodes.length} nodes and everything on them are lost.`],
      }),
    ),
};

const reconcile: OperationCommand = {
  name: 'reconcile',
  summary: 'lets the service mend a cluster in trouble; not to be repeated needlessly',
  arguments: '<cluster...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findCluster(reader, word),
      ({id, name, status}) => ({
        action: {kind: 'cluster.reconcile', id},
        subjectName: name,
        status,
        weight: 'undoable',
      }),
    ),
};

/** `skydeck cluster`. Single nodes and groups are reached by `skydeck api`. */
export const clusterCommand = operationGroup('cluster', 'what can be done to clusters', [
  operationCommand(create),
  operationCommand(remove),
  operationCommand(reconcile),
]);
