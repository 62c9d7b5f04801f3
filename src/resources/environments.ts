import {say} from '../domain/safe-text.ts';
import {getEnvironment, listEnvironments} from '../api/environments.ts';
import {
  type Environment,
  type EnvironmentId,
  environmentId,
  type MachineQuota,
  quotaRatio,
} from '../domain/environment.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {clustersFeed} from '../state/clusters.ts';
import {environmentRecordFeed, environmentsFeed, quotaFeed} from '../state/environments.ts';
import {firewallsFeed} from '../state/firewalls.ts';
import {keyPairsFeed} from '../state/key-pairs.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import type {Store} from '../state/store.ts';
import {volumesFeed} from '../state/volumes.ts';
import {formatCount, formatCounted, formatPercent} from '../ui/format.ts';
import {gaugeBar} from '../ui/gauge.ts';
import {fitLine, type Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import {field, missingField, momentText, wrappedField} from './detail.ts';
import {inEnvironment} from './related.ts';
import {AGE, age, type Column, number, text, yesNo} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

/** The kinds of resource an environment can hold, in display order. */
export const CONTENT_KINDS = ['machine', 'cluster', 'volume', 'firewall', 'key pair'] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];

export type EnvironmentRow = {
  readonly environment: Environment;
  /** Names of its resources by kind; undefined for a kind whose list was not read. */
  readonly contents: Readonly<Record<ContentKind, readonly string[] | undefined>>;
  readonly now: EpochMs;
};

type EnvironmentContent = {readonly name: string; readonly environmentName?: string; readonly environmentId?: number};

const COLUMNS: readonly Column<EnvironmentRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({environment}) => number(environment.id)},
  {
    key: 'name',
    title: 'ENVIRONMENT',
    value: ({environment}) => text(environment.name),
    list: {minWidth: 16, maxWidth: 51, flex: 1, tone: 'strong'},
  },
  {key: 'region', title: 'REGION', value: ({environment}) => text(environment.regionName), list: {minWidth: 9}},
  contentColumn({key: 'machines', title: 'MACHINES', kind: 'machine', reads: machinesFeed, priority: 0}),
  contentColumn({key: 'clusters', title: 'CLUSTERS', kind: 'cluster', reads: clustersFeed, priority: 2}),
  contentColumn({key: 'volumes', title: 'VOLUMES', kind: 'volume', reads: volumesFeed, priority: 0}),
  contentColumn({key: 'firewalls', title: 'FIREWALLS', kind: 'firewall', reads: firewallsFeed, priority: 1}),
  contentColumn({key: 'keys', title: 'KEY PAIRS', kind: 'key pair', reads: keyPairsFeed, priority: 2}),
  {
    ...AGE,
    value: ({environment, now}) => age(environment.createdAt, now),
    list: {minWidth: 5, priority: 3, tone: 'dim'},
  },
  {
    key: 'green',
    title: 'GREEN',
    printed: 'wide',
    value: ({environment}) => text(environment.greenStatus),
    list: {minWidth: 9, maxWidth: 16, priority: 4, tone: 'dim'},
  },
  {key: 'sriov', title: 'SR-IOV', printed: 'wide', value: ({environment}) => yesNo(environment.isNetworkOptimised)},
];

function contentColumn({
  kind,
  priority,
  ...column
}: Pick<Column<EnvironmentRow>, 'key' | 'title' | 'reads'> & {
  readonly kind: ContentKind;
  readonly priority: number;
}): Column<EnvironmentRow> {
  return {
    ...column,
    align: 'right',
    printed: 'asked',
    value: ({contents}) => number(contents[kind]?.length),
    list: {
      minWidth: column.title.length,
      priority,
      tone: ({contents}) => (contents[kind]?.length === 0 ? 'dim' : 'text'),
    },
  };
}

export const environments = defineResource<Environment, EnvironmentRow>({
  names: ['environments', 'environment', 'env', 'envs'],
  type: 'environment',
  summary: 'environments',
  ...recordSource({parse: listEnvironments.record, feed: environmentsFeed}),
  shownIn: {paneId: 'catalogue', part: 'environments'},
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listEnvironments, {}, {signal, onPage})),
  canStream: true,
  one: readById(getEnvironment, environmentId),
  row: environmentRow,
  orderWords: say`by name`,
  order: ({environment: left}, {environment: right}) => left.name.localeCompare(right.name, 'en'),
  detail: environmentLines,
  related: (environment, store) => [
    inEnvironment(store, 'vm', machinesFeed, environment),
    inEnvironment(store, 'cluster', clustersFeed, environment),
    inEnvironment(store, 'firewall', firewallsFeed, environment),
    inEnvironment(store, 'volume', volumesFeed, environment),
    inEnvironment(store, 'key-pair', keyPairsFeed, environment),
  ],
  recordIn: ({environment}) => environment,
  rawFeed: ({id}) => environmentRecordFeed(id),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function environmentRow({store, now}: RowInput): (environment: Environment) => EnvironmentRow {
  const contentsOf = contentsIn(store);
  return environment => ({environment, contents: contentsOf(environment), now});
}

/** What each environment holds, according to the lists that were read. */
export function contentsIn(store: Store): (environment: Environment) => EnvironmentRow['contents'] {
  const lists: Readonly<Record<ContentKind, readonly EnvironmentContent[] | undefined>> = {
    machine: observedMachines(store),
    cluster: lastValue(store.get(clustersFeed))?.records,
    volume: lastValue(store.get(volumesFeed))?.records,
    firewall: lastValue(store.get(firewallsFeed))?.records,
    'key pair': lastValue(store.get(keyPairsFeed))?.records,
  };
  return environment => ({
    machine: namesIn(environment, lists.machine),
    cluster: namesIn(environment, lists.cluster),
    volume: namesIn(environment, lists.volume),
    firewall: namesIn(environment, lists.firewall),
    'key pair': namesIn(environment, lists['key pair']),
  });
}

/** Matched by environment id if the record has one, otherwise by name, which is unique in the organization. */
function namesIn(
  {id, name}: Environment,
  list: readonly EnvironmentContent[] | undefined,
): readonly string[] | undefined {
  return list
    ?.filter(({environmentId, environmentName}) =>
      environmentId === undefined ? environmentName === name : environmentId === id,
    )
    .map(content => content.name);
}

/** For example `3 machines, 1 volume`; empty if it is not known to hold anything. */
export function contentsText({contents}: Pick<EnvironmentRow, 'contents'>): string {
  return CONTENT_KINDS.flatMap(kind => {
    const count = contents[kind]?.length ?? 0;
    return count === 0 ? [] : [formatCounted(count, kind)];
  }).join(', ');
}

const GAUGE_CELLS = 12;

/** The quota of the environment, and the names of its resources. */
function environmentLines(
  {environment, contents, now}: EnvironmentRow,
  known: RowInput & {readonly theme: Theme},
  width: number,
): readonly Line[] {
  return [
    ...quotaLines(environment.id, known, width),
    field('region', environment.regionName),
    ...CONTENT_KINDS.flatMap(kind => contentField(kind, contents[kind], width)),
    field('created', momentText(environment.createdAt, now)),
    field('fast network', yesNo(environment.isNetworkOptimised)?.text),
    field('green status', environment.greenStatus),
    field('id', String(environment.id)),
  ];
}

function contentField(kind: ContentKind, names: readonly string[] | undefined, width: number): readonly Line[] {
  if (names === undefined) return [field(`${kind}s`, undefined)];
  return wrappedField(`${kind}s`, names.length === 0 ? 'none' : `${names.length}: ${names.join('  ')}`, width);
}

function quotaLines(id: EnvironmentId, known: RowInput & {readonly theme: Theme}, width: number): readonly Line[] {
  const {store, theme} = known;
  const quota = lastValue(store.get(quotaFeed(id)));
  if (quota === undefined) return missingField(known, quotaFeed(id), 'room', width);
  const thresholds = [
    {from: 0.8, tone: 'warning'},
    {from: 1, tone: 'danger'},
  ] as const;
  return [
    [
      ...fitLine([{text: 'room', tone: 'dim'}], 16),
      ...gaugeBar(quotaRatio(quota), {width: GAUGE_CELLS, glyphs: theme.glyphs, thresholds}),
      {text: `  ${quotaText(quota)}`},
    ],
    field('network', quota.cidr),
  ];
}

/** For example `12 of 250 machines, 238 left  5%`. */
function quotaText(quota: MachineQuota): string {
  const left =
    quota.availableCount ??
    (quota.maxCount === undefined || quota.currentCount === undefined
      ? undefined
      : Math.max(0, quota.maxCount - quota.currentCount));
  return `${formatCount(quota.currentCount)} of ${formatCount(quota.maxCount)} machines, ${formatCount(left)} left  ${formatPercent(quotaRatio(quota))}`;
}
