import * as z from 'zod';
import {
  createCluster as createEndpoint,
  deleteCluster as deleteEndpoint,
  reconcileCluster as reconcileEndpoint,
} from '../api/clusters.ts';
import {present} from '../api/fields.ts';
import {TARGET, TRANSITION, UNCHANGED} from '../domain/action.ts';
import {
  type Cluster,
  clusterProgress,
  type ClusterSpec,
  CREATION_LIMIT_MS,
  DEPLOYMENT_MODES,
  isBeingReconciled,
  isWhole,
  workerCount,
} from '../domain/cluster.ts';
import {joinSafe, nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {NamedFacts} from '../domain/shown-facts.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {lastValue} from '../domain/snapshot.ts';
import {mayBeUnderContract, type VirtualMachine} from '../domain/virtual-machine.ts';
import {presentAttachments} from '../domain/volume.ts';
import {clusters} from '../resources/clusters.ts';
import {usageFeed} from '../state/billing.ts';
import {priceBookFeed} from '../state/catalogue.ts';
import {clustersFeed} from '../state/clusters.ts';
import {machinesFeed, mayHaveUnreadMachines, metricsFeed, observedMachinesOf} from '../state/machines.ts';
import {volumesFeed} from '../state/volumes.ts';
import type {Known} from '../state/known.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {CLUSTER_CHOICES, newClusterForm} from './forms/cluster-form.ts';
import {
  clusterQuotaRefusal,
  CREATION_TIME,
  longNameLines,
  planOf,
  stockLines,
  workersCosts,
  workersLine,
  workersRate,
} from './creation/cluster-plan.ts';
import {addedCost, endedCost, endingCostLine} from './creation/cost.ts';
import {ingredientFacts, ingredientFeeds} from './creation/facts.ts';
import {clusterNameMistake} from './forms/form-values.ts';
import {actionMaking, actionOn, deletion, isElsewhere, stateProgress} from './define.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import {asOf, isGpuUnknown, isWorking} from './machines/activity.ts';
import {quotaReads} from './machines/quota.ts';
import {cluster, number, text} from './parameters.ts';
import {someNames, typedAnswer} from './question/question.ts';
import {missingInPlace} from './question/missing-names.ts';

const nodeGroupSpec = z
  .object({name: text, flavorName: text, count: number, minCount: number.optional(), maxCount: number.optional()})
  .transform(present);
const clusterSpec: z.ZodType<ClusterSpec> = z
  .object({
    name: text,
    environmentName: text,
    keyPairName: text,
    kubernetesVersion: text,
    masterFlavorName: text,
    masterCount: number.optional(),
    deploymentMode: z.enum(DEPLOYMENT_MODES).optional(),
    imageName: text.optional(),
    nodeFlavorName: text.optional(),
    nodeCount: number.optional(),
    nodeGroups: z.array(nodeGroupSpec),
  })
  .transform(present);

export const createCluster = actionMaking({
  kind: 'cluster.create',
  creation: {
    isInEnvironment: true,
    form: newClusterForm,
  },
  parameters: z.object({spec: clusterSpec}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create cluster`,
  overdueAfterMs: CREATION_LIMIT_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: cluster => stateProgress(cluster, {going: ['CREATING', 'RECONCILING'], made: ['ACTIVE']}),
  reads: ([first], known) => [
    ...CLUSTER_CHOICES,
    machinesFeed,
    usageFeed,
    clustersFeed,
    ...quotaReads(known, first?.action.spec.environmentName),
  ],
  missing: ({spec}, known) => missingInPlace(known, ingredientsOf(spec, known)),
  refusal: ({spec}, known) =>
    nameRefusal(spec) ?? imageRefusal(spec) ?? clusterQuotaRefusal(known, {...spec, ...planOf(spec, known)}),
  costChange: ({spec}, known) => addedCost(workersRate(known, planOf(spec, known))),
  namedOthers: ({spec}, known) => ingredientFacts(known, ingredientsOf(spec, known)),
  quotes: ({spec}, known) => [...ingredientFeeds(ingredientsOf(spec, known)), priceBookFeed, usageFeed],
  assess: ({spec}, known) => {
    const {workers, mode} = planOf(spec, known);
    const image = spec.imageName === undefined ? '' : `, image ${spec.imageName}`;
    return {
      title: say`create cluster ${nameInWords(spec.name)}`,
      happens: [
        [
          {
            text: `Kubernetes ${spec.kubernetesVersion} in ${spec.environmentName}, ${mode}, key ${spec.keyPairName}${image}`,
          },
        ],
        [{text: mastersText(spec)}],
        ...workers.map(workersLine),
      ],
      costs: workersCosts(known, {workers, mode}),
      warnings: [...longNameLines(spec.name), ...imageLines(spec), ...stockLines(known, workers), CREATION_TIME],
      undo: {words: 'delete it again', by: 'cluster.delete'},
      answer: {kind: 'key'},
    };
  },
});

function ingredientsOf(spec: ClusterSpec, known: Known) {
  return {...spec, flavorNames: planOf(spec, known).workers.map(({flavorName}) => flavorName)};
}

function nameRefusal({name}: ClusterSpec): SafeText | undefined {
  const mistake = clusterNameMistake(name);
  return mistake === undefined ? undefined : say`name: ${safeText(mistake)}`;
}

/** As documented for the field that clusters once had for their image. */
function imageRefusal({imageName}: ClusterSpec): SafeText | undefined {
  return imageName?.endsWith('with Docker') === true
    ? say`image: clusters do not support those whose name ends in "with Docker"`
    : undefined;
}

function imageLines({imageName}: ClusterSpec): readonly Line[] {
  if (imageName === undefined) return [];
  const text = 'The present service chooses the image by the version: it may refuse a request that names one.';
  return [[{text, tone: 'warning'}]];
}

function mastersText({masterCount, masterFlavorName}: ClusterSpec): string {
  return masterCount === undefined
    ? `masters on ${masterFlavorName}, count chosen by the service`
    : `${formatCounted(masterCount, 'master')} ${masterFlavorName}`;
}

export const deleteCluster = actionOn({
  kind: 'cluster.delete',
  keys: [
    {
      key: 'X',
      title: say`delete`,
      help: 'Deletes the cluster permanently; asks for its full name.',
    },
  ],
  parameters: z.object({id: cluster}),
  endpoint: deleteEndpoint,
  command: {words: ['cluster', 'delete'], summary: 'delete clusters and all their nodes, permanently'},
  ...deletion('cluster', 30 * MINUTE_MS),
  namedFacts: (_action, cluster) => partFacts(cluster),
  reads: (candidates, known) => {
    const named = candidates.flatMap(({subject}) => subject.nodes.flatMap(({machineId}) => machineId ?? []));
    const naming = candidates.flatMap(({subject}) => observedMachinesOf(known.store, subject).map(({id}) => id));
    const ids = [...new Set([...named, ...naming])].slice(0, MAX_METRICS);
    return [clustersFeed, machinesFeed, usageFeed, volumesFeed, ...ids.map(id => metricsFeed(id, '1h'))];
  },
  costChange: (_action, cluster, known) => {
    const {rate, hasUnpriced} = clusters.row(known)(cluster);
    const change = endedCost(rate, isUnderContract(cluster, known));
    return hasUnpriced ? {...change, furtherSavings: 'unknown'} : change;
  },
  assess: (_action, cluster, known) => {
    const machines = observedMachinesOf(known.store, cluster);
    const {id, name, nodes, hasUnreadNodes} = cluster;
    const nodesWords = hasUnreadNodes === true ? 'all its nodes' : formatCounted(nodes.length, 'node');
    const {rate, hasUnpriced} = clusters.row(known)(cluster);
    const [part, further] = hasUnpriced ? (['without machines whose cost is unknown', 'unknown'] as const) : [];
    return {
      title: say`delete cluster ${nameInWords(name)}  #${id}`,
      happens: [
        [
          {
            text: `It is deleted permanently, with ${nodesWords} and all that runs on them.`,
            tone: 'danger',
          },
        ],
        [{text: 'The disks of its nodes and its address are lost.', tone: 'danger'}],
      ],
      costs: [endingCostLine(rate, part, isUnderContract(cluster, known), further)],
      warnings: [
        ...workLines(machines, known),
        ...otherWorkLines(cluster, known),
        keptVolumesLine(cluster, machines, known),
      ],
      undo: 'none: there is no copy of it',
      answer: typedAnswer(name, id),
    };
  },
});

/** The nodes and groups that go with it. An answer without nodes does not say that there are none. */
function partFacts({nodes, nodeGroups, hasUnreadNodes}: Cluster): NamedFacts {
  const known = hasUnreadNodes === true ? [] : nodes;
  const parts = known.map(({machineId: id, machineName: name}) => ({id, name}));
  return new Map([
    [say`its number of nodes`, known.length === 0 ? undefined : say`${known.length}`],
    [say`the list of its nodes`, partWords(parts)],
    [say`the list of its node groups`, partWords(nodeGroups)],
  ]);
}

/** In one order, whatever that of the answer: `k8s-w-1 #11, k8s-w-2 #12`. Undefined unless each has a name and an id. */
function partWords(
  parts: readonly {readonly id?: number | undefined; readonly name?: SafeText | undefined}[],
): SafeText | undefined {
  const words = parts.flatMap(({id, name = say``}) =>
    id === undefined || name === '' ? [] : say`${nameInWords(name)} #${id}`,
  );
  return words.length === 0 || words.length < parts.length ? undefined : joinSafe(words.toSorted(), ', ');
}

/** Of machines that are not known, nobody can say that they are idle. */
function otherWorkLines(cluster: Cluster, {store}: Pick<Known, 'store'>): readonly Line[] {
  if (!mayHaveUnreadMachines(store, cluster)) return [];
  const text = 'Whether machines of it are working right now is unknown: not all of its machines are known.';
  return [[{text, tone: 'warning'}]];
}

function isUnderContract(cluster: Cluster, known: Pick<Known, 'store'>): boolean {
  return observedMachinesOf(known.store, cluster).some(mayBeUnderContract);
}

/**
 * Before a question, the metrics of this many machines are read; for others the question says that they are unknown.
 */
const MAX_METRICS = 20;

/**
 * The service does not say which volumes were created from inside a cluster; their names do, or the machines they are
 * attached to.
 */
function keptVolumesLine(cluster: Cluster, machines: readonly VirtualMachine[], {store}: AssessmentInput): Line {
  const ids = new Set<number | undefined>(machines.map(({id}) => id));
  const own = (lastValue(store.get(volumesFeed))?.records ?? []).filter(
    volume =>
      carriesName(volume.name, cluster.name) || presentAttachments(volume).some(({machineId}) => ids.has(machineId)),
  );
  const which = own.length === 0 ? '' : ` (${someNames(own)})`;
  return [
    {
      text: `Volumes that were created from inside it${which} may stay and stay billed: check the volumes afterwards.`,
      tone: 'warning',
    },
  ];
}

/** The name `pvc-k8s-batch-01` contains `k8s-batch`, but not `k8s-bat`. */
function carriesName(name: string, part: string): boolean {
  return (
    part !== '' && `-${name.replaceAll(/[^a-z0-9]+/gi, '-')}-`.includes(`-${part.replaceAll(/[^a-z0-9]+/gi, '-')}-`)
  );
}

/** The work of its machines that would be lost, as far as it is known. */
function workLines(machines: readonly VirtualMachine[], known: AssessmentInput): readonly Line[] {
  const running = machines.filter(({status}) => status === 'ACTIVE');
  const byWork = Map.groupBy(running, machine => isWorking(known, machine));
  const working = byWork.get('yes') ?? [];
  const unknownCount = byWork.get('unknown')?.length ?? 0;
  const quiet = byWork.get('no') ?? [];
  const gpu = quiet.some(machine => isGpuUnknown(known, machine)) ? ' GPU load is not reported by this API.' : '';
  const of = formatCounted(running.length, 'running machine');
  const are = (count: number) => `${count} of ${of} ${count === 1 ? 'is' : 'are'}`;
  return [
    ...(working.length === 0
      ? []
      : [
          [
            {
              text: `${are(working.length)} WORKING${asOf(known, working) || ' right now'}: ${someNames(working)}.`,
              tone: 'danger' as const,
            },
          ],
        ]),
    ...(unknownCount === 0
      ? []
      : [
          [
            {
              text: `Whether ${are(unknownCount)} working right now is unknown: no recent metrics.`,
              tone: 'warning' as const,
            },
          ],
        ]),
    ...(quiet.length === 0 ? [] : [[{text: `${are(quiet.length)} quiet${asOf(known, quiet)}.${gpu}`}]]),
  ];
}

export const reconcileCluster = actionOn({
  kind: 'cluster.reconcile',
  keys: [
    {
      key: 'r',
      title: say`reconcile`,
      help: 'Asks the service to repair a cluster that is in ERROR or stuck.',
    },
  ],
  parameters: z.object({id: cluster}),
  endpoint: reconcileEndpoint,
  command: {words: ['cluster', 'reconcile'], summary: 'ask the service to repair clusters'},
  verb: say`reconcile`,
  change: 'reconciled',
  // The service refuses it for a cluster that may still be creating.
  refusal: (cluster, {now}) => {
    const {kind} = clusterProgress(cluster, now);
    return kind === 'creating' || kind === 'slow' ? say`it is still being created` : undefined;
  },
  overdueAfterMs: 30 * MINUTE_MS,
  precondition: (_action, cluster) => {
    if (isBeingReconciled(cluster)) return say`it is already reconciling`;
    const {status, statusText} = cluster;
    return status === 'DELETING' || status === 'DELETED' ? say`it is ${statusText}` : undefined;
  },
  // Like a reboot it may end in the state it began in, so only having seen it under way proves anything then.
  evidence: (_action, cluster, {hasSeenTransition, initialStatus, before}) => {
    if (isBeingReconciled(cluster)) return TRANSITION;
    const {status} = cluster;
    const began = initialStatus ?? before?.records[0]?.status;
    if (status === 'ACTIVE' && (hasSeenTransition || (began !== undefined && began !== 'ACTIVE'))) return TARGET;
    return hasSeenTransition ? isElsewhere(cluster) : UNCHANGED;
  },
  undo: () => say`a reconciliation cannot be undone`,
  assess: (_action, cluster) => ({
    title: say`reconcile cluster ${nameInWords(cluster.name)}  #${cluster.id}`,
    happens: [
      [
        {
          text: 'The service compares the cluster with its specification and repairs differences; nodes may be replaced.',
        },
      ],
    ],
    warnings: [
      ...stateWarnings(cluster),
      [{text: 'Changes to its nodes and node groups are refused until it is done.'}],
    ],
    undo: 'none: a reconciliation cannot be undone',
    answer: {kind: 'key'},
  }),
});

function stateWarnings(cluster: Cluster): readonly Line[] {
  const {status, statusText, statusReason, nodes} = cluster;
  if (isWhole(cluster)) {
    return [[{text: 'It is ACTIVE with all its nodes: there is nothing to repair.', tone: 'warning'}]];
  }
  const failedCount = nodes.filter(node => node.status === 'ERROR').length;
  const {active, wanted} = workerCount(cluster);
  const parts = [
    ...(active === undefined ? ['its nodes could not be read'] : []),
    ...(active === undefined || !wanted ? [] : [`${active} of ${formatCounted(wanted, 'worker')} active`]),
    ...(failedCount === 0 ? [] : [`${formatCounted(failedCount, 'node')} in ERROR`]),
  ];
  return [
    // For a cluster it calls ACTIVE, the service says that all is well, whatever the state of its nodes.
    ...(statusReason === undefined || status === 'ACTIVE' ? [] : [[{text: `The service says: ${statusReason}`}]]),
    ...(parts.length === 0 ? [] : [[{text: `It is ${statusText}: ${parts.join(', ')}.`}]]),
  ];
}

export const CLUSTERS = [createCluster, reconcileCluster, deleteCluster] as const;
