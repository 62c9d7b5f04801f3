import {
  type Cluster,
  type ClusterNode,
  type ClusterProgress,
  type ClusterStatus,
  clusterProgress,
  clustersByUrgency,
  type NodeStatus,
  nodeCounts,
  wantedWorkerCount,
} from '../../domain/cluster.ts';
import {type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {hourlyUsd, type Rate, sumRates} from '../../domain/money.ts';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import {presentRates} from '../../state/billing.ts';
import {clusterNodesFeed, clustersFeed} from '../../state/clusters.ts';
import {observedMachines} from '../../state/machines.ts';
import {formatDuration, formatRateFigure} from '../../ui/format.ts';
import {meter} from '../../ui/gauge.ts';
import type {TableColumn} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import type {Theme, Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';
import type {ClustersView} from './view.ts';

/** A cluster with what its machines cost now; the rate is absent where one of them has none. */
export type ClusterRow = {
  readonly cluster: Cluster;
  readonly rate: Rate | undefined;
  readonly progress: ClusterProgress;
  readonly now: EpochMs;
};

/** A node with its machine's present rate. */
export type NodeRow = {readonly node: ClusterNode; readonly rate: Rate | undefined; readonly now: EpochMs};

const FILTER_COLUMNS = ['name', 'state', 'version', 'environment', 'cost', 'reason'];

/** The clusters that match the filter, the ones in trouble first. Undefined until the list was read once. */
export function clusterRows(scene: Scene, view: Pick<ClustersView, 'filterText'>): readonly ClusterRow[] | undefined {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  if (clusters === undefined) return undefined;
  const rows = clustersByUrgency(clusters, scene.now).map(cluster => ({
    cluster,
    rate: clusterRate(scene, cluster),
    progress: clusterProgress(cluster, scene.now),
    now: scene.now,
  }));
  const parsed = parseClusterFilter(view.filterText);
  return parsed.ok ? rows.filter(row => matchesFilter(parsed.filter, filterRow(row))) : rows;
}

export function parseClusterFilter(text: string): FilterOutcome {
  return parseFilter(text, FILTER_COLUMNS);
}

function filterRow({cluster, rate}: ClusterRow): FilterRow {
  const cells = new Map([
    ['name', {text: cluster.name as string}],
    ['state', {text: cluster.statusText as string}],
    ['version', {text: cluster.kubernetesVersion ?? ''}],
    ['environment', {text: cluster.environmentName ?? ''}],
    ['reason', {text: cluster.statusReason ?? ''}],
    ['cost', rate === undefined ? {text: ''} : {text: formatRateFigure(rate), number: hourlyUsd(rate)}],
  ]);
  return {cell: column => cells.get(column), shownTexts: () => [...cells.values()].map(({text}) => text)};
}

/** The sum over the cluster's machines. Masters are free and have no rate of their own. */
function clusterRate(scene: Scene, cluster: Cluster): Rate | undefined {
  const machines = observedMachines(scene.store);
  if (machines === undefined) return undefined;
  const rates = presentRates(scene.store);
  return sumRates(machines.filter(({clusterId}) => clusterId === cluster.id).flatMap(({id}) => rates.get(id) ?? []));
}

/** The nodes that failed, then all others by role, masters first, and by name. */
export function nodeRows(scene: Scene, cluster: Cluster | undefined): readonly NodeRow[] {
  const rates = presentRates(scene.store);
  return [...presentNodes(scene, cluster)]
    .sort(
      (left, right) =>
        Number(right.status === 'ERROR') - Number(left.status === 'ERROR') ||
        ROLE_ORDER.indexOf(left.role) - ROLE_ORDER.indexOf(right.role) ||
        (left.id ?? 0) - (right.id ?? 0),
    )
    .map(node => ({node, rate: node.machineId === undefined ? undefined : rates.get(node.machineId), now: scene.now}));
}

/** The nodes as read by themselves, or with the list of clusters where that is newer, or all there is. */
function presentNodes({store}: Scene, cluster: Cluster | undefined): readonly ClusterNode[] {
  if (cluster === undefined) return [];
  const own = store.get(clusterNodesFeed(cluster.id));
  const ownReadAt = readAt(own);
  const isNewer = ownReadAt !== undefined && ownReadAt >= (readAt(store.get(clustersFeed)) ?? 0);
  return (isNewer ? lastValue(own)?.records : undefined) ?? cluster.nodes;
}

const ROLE_ORDER: readonly ClusterNode['role'][] = ['master', 'worker', 'load-balancer', 'bastion', 'other'];

/** Names a node among those of its cluster, also where the service gives it no id. */
export function nodeKey({node}: NodeRow): string {
  return `${node.id ?? ''} ${node.machineId ?? ''} ${node.machineName ?? ''}`;
}

type StateShape = keyof Theme['glyphs']['states'];
type Look = {readonly shape: StateShape; readonly tone: Tone};
const CHANGING: Look = {shape: 'transitional', tone: 'notice'};

const LOOKS: Readonly<Record<ClusterStatus | NodeStatus, Look>> = {
  ACTIVE: {shape: 'active', tone: 'good'},
  CREATING: CHANGING,
  WAITING: CHANGING,
  RECONCILING: {shape: 'transitional', tone: 'warning'},
  PRE_ACTIVE: CHANGING,
  WARNING: {shape: 'error', tone: 'warning'},
  ERROR: {shape: 'error', tone: 'danger'},
  DELETING: CHANGING,
  DELETED: {shape: 'deleted', tone: 'dim'},
  UNKNOWN: {shape: 'unknown', tone: 'notice'},
};

function stateLine({status, statusText}: Pick<Cluster | ClusterNode, 'status' | 'statusText'>, theme: Theme): Line {
  const {shape, tone} = LOOKS[status];
  return [
    {text: `${theme.glyphs.states[shape]} `, tone},
    {text: statusText, tone},
  ];
}

export const CLUSTER_COLUMNS: readonly TableColumn<ClusterRow>[] = [
  {
    key: 'name',
    title: 'NAME',
    minWidth: 12,
    maxWidth: 51,
    flex: 2,
    cell: ({cluster}) => [{text: cluster.name, tone: 'strong'}],
  },
  {
    key: 'version',
    title: 'K8S',
    minWidth: 7,
    priority: 4,
    cell: ({cluster}) => [{text: cluster.kubernetesVersion ?? '–'}],
  },
  {key: 'state', title: 'STATE', minWidth: 14, cell: ({cluster}, _, theme) => stateLine(cluster, theme)},
  {key: 'nodes', title: 'WORKERS', minWidth: 15, cell: workersCell},
  {key: 'masters', title: 'MASTERS', minWidth: 7, align: 'right', priority: 5, cell: mastersCell},
  {
    key: 'flavor',
    title: 'FLAVORS',
    minWidth: 16,
    maxWidth: 36,
    flex: 1,
    priority: 6,
    cell: ({cluster}) => [{text: flavorsText(cluster)}],
  },
  {
    key: 'cost',
    title: '$/h',
    minWidth: 7,
    align: 'right',
    cell: ({rate}) => [{text: formatRateFigure(rate), tone: 'money'}],
  },
  {key: 'age', title: 'AGE', minWidth: 5, align: 'right', priority: 3, cell: ageCell},
  {key: 'reason', title: 'REASON', minWidth: 12, flex: 3, cell: reasonCell},
];

/** `2/3 ▮▮▯`: workers that are active, of those there should be. */
function workersCell({cluster}: ClusterRow, _width: number, theme: Theme): Line {
  const {active, total} = nodeCounts(cluster).worker;
  const wanted = wantedWorkerCount(cluster) ?? total;
  const tone: Tone = active < wanted ? 'warning' : 'text';
  const figure = {text: `${active}/${wanted} `.padEnd(6), tone};
  return wanted === 0
    ? [figure]
    : [figure, ...meter(active, wanted, {width: Math.min(8, wanted), glyphs: theme.glyphs})];
}

function mastersCell({cluster}: ClusterRow): Line {
  const {active, total} = nodeCounts(cluster).master;
  return [
    {
      text: `${active}/${cluster.masterCount ?? total}`,
      tone: active < (cluster.masterCount ?? total) ? 'warning' : 'text',
    },
  ];
}

export function flavorsText({nodeGroups, masterFlavor}: Cluster): string {
  const workers = nodeGroups.flatMap(({flavor, count}) =>
    flavor === undefined ? [] : `${flavor.name} ×${count ?? '?'}`,
  );
  return [...workers, ...(masterFlavor === undefined ? [] : [`masters ${masterFlavor.name}`])].join(', ');
}

function ageCell({cluster, now}: ClusterRow): Line {
  return [{text: formatDuration(cluster.createdAt === undefined ? undefined : now - cluster.createdAt)}];
}

/** The service's words; while it is being created, how long that has taken against what is usual. */
function reasonCell({cluster, progress}: ClusterRow): Line {
  const told = cluster.statusReason ?? '';
  const {text, tone} = progressText(progress);
  return text === ''
    ? [{text: told, tone: cluster.status === 'ACTIVE' ? 'dim' : 'text'}]
    : [{text, tone}, {text: `  ${told}`}];
}

export function progressText(progress: ClusterProgress): {readonly text: string; readonly tone: Tone} {
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
        text: `STUCK ${formatDuration(progress.elapsedMs)}: past 60 min, delete it and create it again`,
        tone: 'danger',
      };
  }
}

export const NODE_COLUMNS: readonly TableColumn<NodeRow>[] = [
  {key: 'role', title: 'ROLE', minWidth: 13, cell: ({node}) => [{text: node.roleText}]},
  {
    key: 'group',
    title: 'GROUP',
    minWidth: 10,
    maxWidth: 20,
    flex: 1,
    priority: 3,
    cell: ({node}) => [{text: node.nodeGroupName ?? '–', tone: 'dim'}],
  },
  {key: 'state', title: 'NODE', minWidth: 13, cell: ({node}, _, theme) => stateLine(node, theme)},
  {
    key: 'machine',
    title: 'MACHINE',
    minWidth: 18,
    maxWidth: 51,
    flex: 2,
    cell: ({node}) => [{text: node.machineName ?? 'no machine yet', tone: 'strong'}],
  },
  {key: 'vm', title: 'MACHINE STATE', minWidth: 13, priority: 2, cell: machineStateCell},
  {
    key: 'cost',
    title: '$/h',
    minWidth: 7,
    align: 'right',
    cell: ({rate}) => [{text: formatRateFigure(rate), tone: 'money'}],
  },
  {
    key: 'address',
    title: 'ADDRESS',
    minWidth: 15,
    priority: 4,
    cell: ({node}) => [{text: node.floatingIp ?? node.fixedIp ?? '–'}],
  },
  {
    key: 'reason',
    title: 'REASON',
    minWidth: 6,
    flex: 2,
    priority: 1,
    cell: ({node}) => [{text: node.statusReason ?? '', tone: 'warning'}],
  },
];

/** The machine's own state beside the node's: where they disagree, the fault is not the power. */
function machineStateCell({node}: NodeRow): Line {
  const isAtOdds = node.machineStatus === 'ACTIVE' && node.status === 'ERROR';
  return [{text: node.machineStatus ?? '–', tone: isAtOdds ? 'warning' : 'dim'}];
}
