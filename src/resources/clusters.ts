import {getCluster, listClusters} from '../api/clusters.ts';
import {
  type ActiveCount,
  CLUSTER_STATUSES,
  type Cluster,
  type ClusterNode,
  type ClusterProgress,
  type ClusterStatus,
  clusterId,
  clusterProgress,
  clustersByUrgency,
  masterCount,
  type NodeStatus,
  nodeCounts,
  workerCount,
} from '../domain/cluster.ts';
import {clusterCost} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';
import {say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {presentlyExcluded, presentRates, usageFeed} from '../state/billing.ts';
import {clusterFeed, clustersFeed, nodeGroupsFeed} from '../state/clusters.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import {isWhole, recordFeed} from '../state/feed.ts';
import {formatCounted, formatDuration} from '../ui/format.ts';
import {meter} from '../ui/gauge.ts';
import type {Line, Span} from '../ui/text.ts';
import type {StateLook} from './machines.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {hangingLines} from '../ui/wrap.ts';
import {missingSpan, momentText} from './detail.ts';
import {environmentOf, keyPairOf, machinesOf} from './related.ts';
import {AGE, age, type Column, knownPart, number, rate, text, RUNNING_COST} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

/** A cluster with the hourly rate of its machines, which is unknown until these and their usage were read. */
export type ClusterRow = {
  readonly cluster: Cluster;
  /** The sum of the rates that are known; undefined if none is. */
  readonly rate: Rate | undefined;
  readonly hasUnpriced: boolean;
  readonly progress: ClusterProgress;
  /** Its deletion was sent from here and is under way. */
  readonly isBeingDeleted: boolean;
  readonly now: EpochMs;
};

const COLUMNS: readonly Column<ClusterRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({cluster}) => number(cluster.id)},
  {
    key: 'name',
    title: 'NAME',
    value: ({cluster}) => text(cluster.name),
    list: {minWidth: 12, maxWidth: 51, flex: 2, tone: 'strong'},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({cluster}) => text(cluster.statusText),
    list: {minWidth: 14, draw: ({cluster}, _width, theme) => stateLine(cluster, theme)},
  },
  {
    key: 'version',
    title: 'K8S',
    value: ({cluster}) => text(cluster.kubernetesVersion),
    list: {minWidth: 7, priority: 4},
  },
  {
    key: 'workers',
    title: 'WORKERS',
    value: ({cluster}) => {
      const {active, wanted} = workerCount(cluster);
      return {text: outOf({active, wanted}), ...(active === undefined ? {} : {number: active})};
    },
    list: {minWidth: 10, maxWidth: 15, flex: 1, draw: workersCell},
  },
  {
    key: 'masters',
    title: 'MASTERS',
    align: 'right',
    printed: 'asked',
    value: ({cluster}) => {
      const {active, wanted} = masterCount(cluster);
      return {text: outOf({active, wanted}), ...(active === undefined ? {} : {number: active})};
    },
    list: {minWidth: 7, priority: 5, tone: ({cluster}) => (isShort(masterCount(cluster)) ? 'warning' : 'text')},
  },
  {
    key: 'flavor',
    title: 'FLAVORS',
    printed: 'asked',
    value: ({cluster}) => text(flavorsText(cluster)),
    list: {minWidth: 16, maxWidth: 60, flex: 2, priority: 6, absent: ''},
  },
  {
    ...RUNNING_COST,
    printed: 'asked',
    // The other clusters tell which machines are theirs.
    reads: [clustersFeed, machinesFeed, usageFeed],
    value: row => knownPart(rate(row.rate), row.hasUnpriced),
    list: {minWidth: 7, tone: 'money'},
  },
  {key: 'environment', title: 'ENVIRONMENT', value: ({cluster}) => text(cluster.environmentName)},
  {key: 'region', title: 'REGION', value: ({cluster}) => text(cluster.regionName)},
  {
    ...AGE,
    value: ({cluster, now}) => age(cluster.createdAt, now),
    list: {minWidth: 5, priority: 3},
  },
  {
    key: 'reason',
    title: 'REASON',
    printed: 'wide',
    value: ({cluster}) => text(cluster.statusReason),
    list: {minWidth: 12, flex: 3, draw: reasonCell},
  },
  {key: 'address', title: 'API ADDRESS', printed: 'wide', value: ({cluster}) => text(cluster.apiAddress)},
  {key: 'key', title: 'KEY PAIR', printed: 'wide', value: ({cluster}) => text(cluster.keyPairName)},
];

export const clusters = defineResource<Cluster, ClusterRow>({
  names: ['clusters', 'cluster', 'k8s'],
  type: 'cluster',
  summary: 'Kubernetes clusters',
  ...recordSource({
    parse: listClusters.record,
    feed: clustersFeed,
    one: id => clusterFeed(clusterId(id)),
    namedIn: () => [machinesFeed],
  }),
  shownIn: {paneId: 'clusters'},
  states: CLUSTER_STATUSES,
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listClusters, {}, {signal, onPage})),
  canStream: true,
  one: readById(getCluster, clusterId),
  rawFeed: ({id}) => recordFeed(['cluster', id], getCluster, {id}),
  orderWords: say`trouble first`,
  // Clusters in trouble come first.
  records: ({store, now}) => {
    const listed = lastValue(store.get(clustersFeed))?.records;
    return listed === undefined ? undefined : clustersByUrgency(listed, now);
  },
  row: clusterRow,
  detail: clusterLines,
  related: (cluster, store) => [
    machinesOf(store, cluster, `cluster:${cluster.id}`),
    ...environmentOf(store, cluster),
    ...keyPairOf(store, cluster),
  ],
  recordIn: ({cluster}) => cluster,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  compared: {
    state: ({status, statusText}) => ({status, word: statusText}),
    values: [
      {what: say`Kubernetes version`, of: ({kubernetesVersion}) => kubernetesVersion},
      {what: say`API address`, of: ({apiAddress}) => apiAddress},
    ],
    sets: [
      {
        joined: say`node`,
        left: say`node no longer`,
        of: ({nodes}) =>
          nodes.map(({machineName, id, statusText}) => say`${machineName ?? say`#${id ?? 0}`} ${statusText}`),
      },
      {
        joined: say`node group`,
        left: say`node group no longer`,
        of: ({nodeGroups}) =>
          nodeGroups.map(({name, count}) => say`${name}${count === undefined ? say`` : say` of ${count}`}`),
      },
    ],
  },
});

function clusterRow({store, now, operations, preferences: {prices}}: RowInput): (cluster: Cluster) => ClusterRow {
  const [listing, machines] = [lastValue(store.get(machinesFeed)), observedMachines(store)];
  const hasUsage = lastValue(store.get(usageFeed)) !== undefined;
  const areAll = listing !== undefined && isWhole(listing);
  const known = {areAll, rates: presentRates(store), excluded: presentlyExcluded(store), prices};
  return cluster => {
    const {rate: metered, isAtLeast} = clusterCost(cluster, {machines: machines ?? [], ...known});
    return {
      cluster,
      rate: machines === undefined || !hasUsage ? undefined : metered,
      hasUnpriced: isAtLeast || machines === undefined,
      progress: clusterProgress(cluster, now),
      isBeingDeleted: operations?.openOn({type: 'cluster', id: cluster.id})?.traits.change === 'deleted',
      now,
    };
  };
}

const LABEL_CELLS = 13;

/** Problems first, then the fields. */
function clusterLines(row: ClusterRow, known: RowInput, width: number): readonly Line[] {
  const {cluster, now} = row;
  const progress = progressText(row);
  const trouble = nodeTrouble(cluster);
  const counts = Object.entries(nodeCounts(cluster)).filter(([, {total}]) => total > 0);
  const nodes = counts.map(([role, {active, total}]) => `${role} ${active}/${total}`).join(', ');
  return [
    ...(progress.text === '' ? [] : [fact('creation', [progress])]),
    ...(trouble === undefined ? [] : [fact('trouble', [trouble])]),
    fact('reason', [{text: cluster.statusReason ?? 'none given'}]),
    fact('nodes', [{text: cluster.hasUnreadNodes === true ? 'unknown' : nodes === '' ? 'none yet' : nodes}]),
    fact('groups', groupsLine(known, cluster)),
    fact('flavors', [{text: flavorsText(cluster) || 'unknown'}]),
    fact('kubernetes', [{text: cluster.kubernetesVersion ?? 'unknown'}]),
    fact('environment', [
      {text: [cluster.environmentName, cluster.regionName].filter(Boolean).join(', ') || 'unknown'},
    ]),
    fact('api', [{text: cluster.apiAddress ?? 'none yet'}]),
    fact('kubeconfig', [{text: cluster.hasKubeConfig ? 'available; not shown, as it is a secret' : 'none yet'}]),
    fact('key pair', [{text: cluster.keyPairName ?? 'unknown'}]),
    fact('created', [{text: momentText(cluster.createdAt, now) ?? 'unknown'}]),
  ].flatMap(([label, ...value]) => hangingLines(label === undefined ? [] : [label], value, width));
}

/** Each node group with its current, minimum and maximum count. */
function groupsLine(known: RowInput, cluster: Cluster): Line {
  const feed = nodeGroupsFeed(cluster.id);
  const groups = lastValue(known.store.get(feed))?.records;
  if (groups === undefined) return [missingSpan(known, feed)];
  if (groups.length === 0) return [{text: 'none', tone: 'dim'}];
  const words = groups.map(({name, count, minCount, maxCount, flavor}) => {
    const bounds =
      minCount === undefined && maxCount === undefined ? '' : ` (${minCount ?? '?'} to ${maxCount ?? '?'})`;
    const nodes = count === undefined ? '? nodes' : formatCounted(count, 'node');
    return `${name} ${nodes}${bounds} ${flavor?.name ?? ''}`.trimEnd();
  });
  return [{text: words.join(', ')}];
}

function fact(label: string, value: Line): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS), tone: 'dim'}, ...value];
}

function isShort({active, wanted}: ActiveCount): boolean {
  return active !== undefined && wanted !== undefined && active < wanted;
}

/** For example `2/3`; an unknown count is a question mark. */
export function outOf({active, wanted}: ActiveCount): string {
  return `${active ?? '?'}/${wanted ?? '?'}`;
}

const RISING: StateLook = {shape: 'rising', tone: 'notice'};

const LOOKS: Readonly<Record<ClusterStatus | NodeStatus, StateLook>> = {
  ACTIVE: {shape: 'active', tone: 'good'},
  CREATING: RISING,
  WAITING: RISING,
  RECONCILING: {shape: 'transitional', tone: 'warning'},
  PRE_ACTIVE: RISING,
  WARNING: {shape: 'error', tone: 'warning'},
  ERROR: {shape: 'error', tone: 'danger'},
  DELETING: {shape: 'falling', tone: 'notice'},
  DELETED: {shape: 'deleted', tone: 'dim'},
  UNKNOWN: {shape: 'unknown', tone: 'notice'},
};

/** The state of a cluster or node, with its glyph. */
export function stateLine(
  {status, statusText}: Pick<Cluster | ClusterNode, 'status' | 'statusText'>,
  theme: Theme,
): Line {
  const {shape, tone} = LOOKS[status];
  return [
    {text: `${theme.glyphs.states[shape]} `, tone},
    {text: statusText, tone},
  ];
}

/** For example `2/3 ▮▮▯`: active workers out of those wanted. */
function workersCell({cluster}: ClusterRow, width: number, theme: Theme): Line {
  const counts = workerCount(cluster);
  const {active, wanted} = counts;
  const figure = {
    text: `${outOf(counts)} `.padEnd(WORKER_FIGURE_CELLS),
    tone: isShort(counts) ? ('warning' as const) : ('text' as const),
  };
  const cells = Math.min(8, wanted ?? 0, width - WORKER_FIGURE_CELLS);
  return cells <= 0 || active === undefined || wanted === undefined
    ? [figure]
    : [figure, ...meter(active, wanted, {width: cells, glyphs: theme.glyphs})];
}

const WORKER_FIGURE_CELLS = 6;

function flavorsText({nodeGroups, masterFlavor}: Cluster): string {
  const workers = nodeGroups.flatMap(({flavor, count}) =>
    flavor === undefined ? [] : `${flavor.name} ×${count ?? '?'}`,
  );
  return [...workers, ...(masterFlavor === undefined ? [] : [`masters ${masterFlavor.name}`])].join(', ');
}

/**
 * What is wrong with its nodes, or else the reason given by the service, which may say that all is well meanwhile; during
 * creation, the time elapsed and the usual time.
 */
function reasonCell(row: ClusterRow): Line {
  const {cluster} = row;
  const reason = cluster.statusReason ?? '';
  const trouble = nodeTrouble(cluster);
  const {text: words, tone} = progressText(row);
  // A node in trouble says more than the reason of the service, but not that nothing goes on any more.
  const cause: Span = trouble ?? {text: reason, tone: cluster.status === 'ACTIVE' ? 'dim' : 'text'};
  return words === '' ? [cause] : [{text: words, tone}, {text: '  '}, cause];
}

/** Nodes in ERROR, and why one of them is: `1 of 2 workers in ERROR: the host did not answer`; or missing workers. */
function nodeTrouble(cluster: Cluster): Span | undefined {
  const failed = cluster.nodes.filter(({status}) => status === 'ERROR');
  const [first] = failed;
  if (first !== undefined) {
    const alike = failed.filter(({role}) => role === first.role).length;
    const total = nodeCounts(cluster)[first.role].total;
    const reason = failed.find(({statusReason}) => statusReason !== undefined)?.statusReason;
    const role = first.role === 'other' ? 'node' : first.role;
    const count =
      cluster.hasUnreadNodes === true ? formatCounted(alike, role) : `${alike} of ${formatCounted(total, role)}`;
    return {text: `${count} in ERROR${reason === undefined ? '' : `: ${reason}`}`, tone: 'danger'};
  }
  const {active, wanted} = workerCount(cluster);
  if (cluster.status !== 'ACTIVE' || !isShort({active, wanted})) return undefined;
  return {text: `${active} of ${formatCounted(wanted ?? 0, 'worker')} active`, tone: 'warning'};
}

function progressText({progress, isBeingDeleted}: Pick<ClusterRow, 'progress' | 'isBeingDeleted'>): {
  readonly text: string;
  readonly tone: Tone;
} {
  switch (progress.kind) {
    case 'created':
      return {text: '', tone: 'text'};
    case 'unknown':
      return {text: 'being created, since when is unknown', tone: 'warning'};
    case 'creating':
      return {text: `${formatDuration(progress.elapsedMs)} of the usual 5 to 20 min`, tone: 'notice'};
    case 'slow':
      return {text: `${formatDuration(progress.elapsedMs)}, longer than the usual 20 min`, tone: 'warning'};
    case 'overdue':
      return {
        text: `STUCK ${formatDuration(progress.elapsedMs)}: ${isBeingDeleted ? 'being deleted' : 'past 60 min, delete it and create it again'}`,
        tone: 'danger',
      };
  }
}
