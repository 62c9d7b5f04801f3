import {createCluster} from '../../actions/clusters.ts';
import type {ClusterSpec, NodeGroupSpec} from '../../domain/cluster.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {repeatable, wholeNumber} from '../option-values.ts';
import {mistaken, planned, plannedOn} from '../operations/plan.ts';

type CreateFlags = {
  readonly environment: string;
  readonly keyPair: string;
  readonly kubernetesVersion: string;
  readonly masterFlavor: string;
  readonly masters?: number;
  readonly mode?: string;
  readonly image?: string;
  readonly nodeFlavor?: string;
  readonly nodeCount?: number;
  readonly group: readonly string[];
};

/** Far beyond the service's limits, which its answer names. */
const MAX_COUNT = 999;

const create: OperationCommand<CreateFlags> = {
  name: 'create',
  summary: 'create a Kubernetes cluster, which takes 5 to 20 minutes',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'the environment, which determines the region')
      .requiredOption('--key-pair <name>', 'a key pair of the same environment')
      .requiredOption('--kubernetes-version <version>', 'one of skydeck get versions')
      .requiredOption('--master-flavor <name>', 'one of skydeck get master-flavors; masters are free')
      .option('--masters <number>', 'how many masters, 2 or 3', wholeNumber(1, MAX_COUNT))
      .option('--mode <mode>', 'full, with bastion and load balancer, or standard')
      .option(
        '--image <name>',
        'the image of its nodes, which the service may refuse; chosen by the Kubernetes version by default',
      )
      .option('--node-flavor <name>', 'the flavor of its workers, in place of --group')
      .option('--node-count <number>', 'how many workers of that flavor, 1 to 20', wholeNumber(1, MAX_COUNT))
      .addOption(repeatable('--group <words>', "workers: 'name=pool flavor=n3-L40x1 count=2 min=1 max=5'")),
  plan: ({words, flags}) => {
    const {mode} = flags;
    if (mode !== undefined && mode !== 'full' && mode !== 'standard') {
      return Promise.resolve(mistaken(say`--mode must be full or standard`));
    }
    const workers = workersOf(flags);
    if ('mistake' in workers) return Promise.resolve(mistaken(workers.mistake));
    const spec: ClusterSpec = {
      name: safeText(words[0] ?? ''),
      environmentName: safeText(flags.environment),
      keyPairName: safeText(flags.keyPair),
      kubernetesVersion: safeText(flags.kubernetesVersion),
      masterFlavorName: safeText(flags.masterFlavor),
      ...workers,
      ...(flags.masters === undefined ? {} : {masterCount: flags.masters}),
      ...(mode === undefined ? {} : {deploymentMode: mode}),
      ...(flags.image === undefined ? {} : {imageName: safeText(flags.image)}),
    };
    return Promise.resolve(planned(plannedOn(createCluster.with({spec}))));
  },
};

type WorkerSpec = Pick<ClusterSpec, 'nodeGroups' | 'nodeFlavorName' | 'nodeCount'>;

/** In groups, or a count of one flavor: the service accepts one of the two. */
function workersOf({group, nodeFlavor, nodeCount}: CreateFlags): WorkerSpec | {readonly mistake: SafeText} {
  if (nodeFlavor !== undefined || nodeCount !== undefined) {
    if (nodeFlavor === undefined || nodeCount === undefined || group.length > 0) {
      return {mistake: say`give --node-flavor with --node-count, or --group`};
    }
    return {nodeGroups: [], nodeFlavorName: safeText(nodeFlavor), nodeCount};
  }
  const nodeGroups = group.map(nodeGroupOf);
  const malformed = group.find((_, index) => nodeGroups[index] === undefined);
  if (malformed !== undefined)
    return {mistake: say`--group needs name=\u2026 flavor=\u2026 count=\u2026, not "${safeText(malformed)}"`};
  if (nodeGroups.length === 0) return {mistake: say`needs --group, or --node-flavor with --node-count`};
  return {nodeGroups: nodeGroups.flatMap(each => each ?? [])};
}

/** A worker group from its words; undefined if one of the three required ones is missing. */
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
  const count = /^\d+$/.test(text ?? '') ? Number(text) : 0;
  return count >= 1 && count <= MAX_COUNT ? count : undefined;
}

/** `skydeck cluster`. Single nodes and groups are changed with `skydeck api`. */
export const clusterCommand = operationGroup('cluster', [operationCommand(create), ...actionCommands('cluster')]);
