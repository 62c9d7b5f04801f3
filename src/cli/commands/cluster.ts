import {createCluster} from '../../actions/clusters.ts';
import {
  type ClusterSpec,
  MASTER_COUNTS,
  MAX_GROUP_NAME_LENGTH,
  MAX_WORKERS,
  type NodeGroupSpec,
} from '../../domain/cluster.ts';
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
      .option('--masters <number>', 'how many masters, 2 or 3', wholeNumber(MASTER_COUNTS.min, MASTER_COUNTS.max))
      .option('--mode <mode>', 'full, with bastion and load balancer (the default), or standard')
      .option(
        '--image <name>',
        'the image of its nodes, which the service may refuse; chosen by the Kubernetes version by default',
      )
      .option('--node-flavor <name>', 'the flavor of its workers, in place of --group')
      .option(
        '--node-count <number>',
        `how many workers of that flavor, 1 to ${MAX_WORKERS}`,
        wholeNumber(1, MAX_WORKERS),
      )
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
  if (group.length === 0) return {mistake: say`needs --group, or --node-flavor with --node-count`};
  const nodeGroups: NodeGroupSpec[] = [];
  for (const text of group) {
    const nodeGroup = nodeGroupOf(text);
    if ('mistake' in nodeGroup) return {mistake: say`--group ${nodeGroup.mistake}, not "${safeText(text)}"`};
    nodeGroups.push(nodeGroup);
  }
  return {nodeGroups};
}

/** A worker group from its words. */
function nodeGroupOf(text: string): NodeGroupSpec | {readonly mistake: SafeText} {
  const words = new Map(
    text.split(/[\s,]+/).map(word => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)]),
  );
  const [name, flavor] = [words.get('name'), words.get('flavor')];
  const [count, min, max] = ['count', 'min', 'max'].map(key => words.get(key));
  if (name === undefined || flavor === undefined || count === undefined) {
    return {mistake: say`needs name=\u2026 flavor=\u2026 count=\u2026`};
  }
  if ([count, min, max].some(each => each !== undefined && !isWorkerCount(each))) {
    return {mistake: say`takes whole numbers from 1 to ${MAX_WORKERS} for count, min and max`};
  }
  if ([...name].length > MAX_GROUP_NAME_LENGTH) {
    return {mistake: say`takes a name of at most ${MAX_GROUP_NAME_LENGTH} characters`};
  }
  return {
    name: safeText(name),
    flavorName: safeText(flavor),
    count: Number(count),
    ...(min === undefined ? {} : {minCount: Number(min)}),
    ...(max === undefined ? {} : {maxCount: Number(max)}),
  };
}

function isWorkerCount(text: string): boolean {
  return /^[1-9]\d?$/.test(text) && Number(text) <= MAX_WORKERS;
}

/** `skydeck cluster`. Single nodes and groups are changed with `skydeck api`. */
export const clusterCommand = operationGroup('cluster', [operationCommand(create), ...actionCommands('cluster')]);
