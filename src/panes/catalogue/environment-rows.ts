import type {Environment, EnvironmentId, MachineQuota} from '../../domain/environment.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column} from '../../resources/resource.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {observedMachines} from '../../state/machines.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCount, formatPercent} from '../../ui/format.ts';
import {gaugeBar} from '../../ui/gauge.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {ageColumn, numberColumn, textColumn} from '../column.ts';
import {field, missingField, momentText, wrappedField} from '../detail.ts';
import type {Scene} from '../pane.ts';

/** What an environment can hold, in the order it is told. */
export const CONTENT_KINDS = ['machine', 'cluster', 'volume', 'firewall', 'key pair'] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];

export type EnvironmentRow = {
  readonly environment: Environment;
  /** The names of what is in it; undefined for a kind whose list is not known. */
  readonly contents: Readonly<Record<ContentKind, readonly string[] | undefined>>;
  readonly now: EpochMs;
};

type Content = {readonly name: string; readonly environmentName?: string; readonly environmentId?: number};

/** The environments by name. Undefined until they were read. */
export function environmentRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly EnvironmentRow[] | undefined {
  const environments = lastValue(store.get(environmentsFeed))?.records;
  if (environments === undefined) return undefined;
  const lists: Readonly<Record<ContentKind, readonly Content[] | undefined>> = {
    machine: observedMachines(store),
    cluster: lastValue(store.get(clustersFeed))?.records,
    volume: lastValue(store.get(volumesFeed))?.records,
    firewall: lastValue(store.get(firewallsFeed))?.records,
    'key pair': lastValue(store.get(keyPairsFeed))?.records,
  };
  return environments
    .map(environment => ({
      environment,
      contents: {
        machine: namesIn(environment, lists.machine),
        cluster: namesIn(environment, lists.cluster),
        volume: namesIn(environment, lists.volume),
        firewall: namesIn(environment, lists.firewall),
        'key pair': namesIn(environment, lists['key pair']),
      },
      now,
    }))
    .sort(({environment: left}, {environment: right}) => left.name.localeCompare(right.name, 'en'));
}

/** By the environment's id where the record has one; its name is unique in the whole organization too. */
function namesIn({id, name}: Environment, list: readonly Content[] | undefined): readonly string[] | undefined {
  return list
    ?.filter(({environmentId, environmentName}) =>
      environmentId === undefined ? environmentName === name : environmentId === id,
    )
    .map(content => content.name);
}

/** `3 machines, 1 volume`; empty where nothing is known to be in it. */
export function contentsText({contents}: Pick<EnvironmentRow, 'contents'>): string {
  return CONTENT_KINDS.flatMap(kind => {
    const count = contents[kind]?.length ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${kind}${count === 1 ? '' : 's'}`];
  }).join(', ');
}

export const ENVIRONMENT_COLUMNS: readonly Column<EnvironmentRow>[] = [
  textColumn(
    {key: 'name', title: 'ENVIRONMENT', minWidth: 16, maxWidth: 51, flex: 1},
    ({environment}) => environment.name,
    {tone: 'strong'},
  ),
  textColumn({key: 'region', title: 'REGION', minWidth: 9}, ({environment}) => environment.regionName),
  contentColumn('machines', 'MACHINES', 'machine', 0),
  contentColumn('clusters', 'CLUSTERS', 'cluster', 2),
  contentColumn('volumes', 'VOLUMES', 'volume', 0),
  contentColumn('firewalls', 'FIREWALLS', 'firewall', 1),
  contentColumn('keys', 'KEY PAIRS', 'key pair', 2),
  textColumn(
    {key: 'green', title: 'GREEN', minWidth: 9, maxWidth: 16, priority: 4},
    ({environment}) => environment.greenStatus,
    {tone: 'dim'},
  ),
  ageColumn({key: 'age', title: 'AGE', minWidth: 5, priority: 3}, ({environment}) => environment.createdAt),
];

function contentColumn(key: string, title: string, kind: ContentKind, priority: number): Column<EnvironmentRow> {
  const placing = {key, title, minWidth: title.length, priority};
  return numberColumn(
    placing,
    ({contents}) => contents[kind]?.length,
    formatCount,
    ({contents}) => (contents[kind]?.length === 0 ? 'dim' : 'text'),
  );
}

const GAUGE_CELLS = 12;

/** How full the environment is, and what is in it by name. */
export function environmentLines({environment, contents, now}: EnvironmentRow, scene: Scene, width: number) {
  return [
    ...quotaLines(environment.id, scene, width),
    field('region', environment.regionName),
    ...CONTENT_KINDS.flatMap(kind => contentField(kind, contents[kind], width)),
    field('created', momentText(environment.createdAt, now)),
    field('fast network', yesOrNo(environment.isNetworkOptimised)),
    field('green status', environment.greenStatus),
    field('id', String(environment.id)),
  ];
}

function contentField(kind: ContentKind, names: readonly string[] | undefined, width: number): readonly Line[] {
  if (names === undefined) return [field(`${kind}s`, undefined)];
  return wrappedField(`${kind}s`, names.length === 0 ? 'none' : `${names.length}: ${names.join('  ')}`, width);
}

function quotaLines(id: EnvironmentId, scene: Scene, width: number): readonly Line[] {
  const {store, theme} = scene;
  const quota = lastValue(store.get(quotaFeed(id)));
  if (quota === undefined) return missingField(scene, quotaFeed(id), 'room', width);
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

function quotaRatio({currentCount, maxCount}: MachineQuota): number | undefined {
  return currentCount === undefined || maxCount === undefined || maxCount <= 0 ? undefined : currentCount / maxCount;
}

/** `12 of 250 machines, 238 left  5%`. */
export function quotaText(quota: MachineQuota): string {
  const left =
    quota.availableCount ??
    (quota.maxCount === undefined || quota.currentCount === undefined
      ? undefined
      : Math.max(0, quota.maxCount - quota.currentCount));
  return `${formatCount(quota.currentCount)} of ${formatCount(quota.maxCount)} machines, ${formatCount(left)} left  ${formatPercent(quotaRatio(quota))}`;
}

function yesOrNo(flag: boolean | undefined): string | undefined {
  return flag === undefined ? undefined : flag ? 'yes' : 'no';
}
