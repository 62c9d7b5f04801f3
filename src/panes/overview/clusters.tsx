import type {ReactNode} from 'react';
import {type Cluster, clustersByUrgency, workerCount} from '../../domain/cluster.ts';
import {type Environment, quotaRatio} from '../../domain/environment.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {outOf} from '../../resources/clusters.ts';
import {missingLine} from '../../resources/detail.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {observedMachines} from '../../state/machines.ts';
import type {Stock, StockCount} from '../../domain/stock.ts';
import {formatCount, UNKNOWN} from '../../ui/format.ts';
import {meter} from '../../ui/gauge.ts';
import {toneOf} from '../../ui/sparkline.ts';
import {fitLine, type Line, type Span, widthOf} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {inOneLine, Part, type BoxProps} from './part.tsx';
import {exposureLines} from './exposure.tsx';

/** The clusters with how much of each works, stock, and if there is room, what is open to the world. */
export const Clusters = memoBox(function Clusters({scene, layout}: BoxProps): ReactNode {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title =
    clusters === undefined ? 'clusters, stock and quota' : `clusters ${clusters.length} with stock and quota`;
  const width = layout.clusters.columns - (layout.isWide ? 3 : 2);
  const shown = [
    ...clusterLines(scene, layout, width),
    ...quotaLines(scene, layout, width),
    ...stockLines(scene, layout, width),
    ...(layout.isWide && layout.exposure.rows === 0 ? exposureLines(scene, width) : []),
  ].map((line): Line => [{text: ' '}, ...line]);
  return <Part title={title} scene={scene} feed={clustersFeed} place={layout.clusters} layout={layout} lines={shown} />;
});

function clusterLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  if (clusters === undefined) return [withoutIndent(missingLine(scene, clustersFeed, 'clusters'))];
  if (clusters.length === 0) return [[{text: 'no clusters', tone: 'dim'}]];
  const sorted = clustersByUrgency(clusters, scene.now);
  // The single line of a narrow overview shows whole words: why a cluster is in trouble is among the findings.
  if (!layout.isWide)
    return [
      inOneLine(
        sorted.map(cluster => clusterWords(cluster)),
        width,
      ),
    ];
  return sorted.flatMap(cluster => {
    const others = otherWorkers(cluster);
    const facts = [
      ...clusterWords(cluster),
      {text: others === '' ? '' : ` (${others})`},
      {text: `  ${cluster.statusReason ?? ''}`},
    ];
    const [first = [], ...more] = wrapLine(facts, width - 2);
    return [first, ...more.map((line): Line => [{text: '  '}, ...line])];
  });
}

/** The box indents its lines itself. */
function withoutIndent([first, ...rest]: Line): Line {
  return first === undefined ? [] : [{...first, text: first.text.trimStart()}, ...rest];
}

function clusterWords(cluster: Cluster): Line {
  const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
  return [
    {text: cluster.name, tone: 'strong', isName: true},
    {text: ` ${cluster.statusText}`, tone},
    {text: ` ${outOf(workerCount(cluster))} active`},
  ];
}

/** What the other workers are doing: `1 PRE-ACTIVE, 1 ERROR`. The service's own text may count differently. */
function otherWorkers({nodes}: Cluster): string {
  const others = nodes.filter(({role, status}) => role === 'worker' && status !== 'ACTIVE');
  return [...Map.groupBy(others, ({statusText}) => statusText)]
    .map(([word, each]) => `${each.length} ${word}`)
    .join(', ');
}

/** GPUs in stock now, scarcest first: by region if the box is large, otherwise over all regions. */
function stockLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const stocks = lastValue(scene.store.get(stocksFeed))?.records;
  const label: Span = {text: 'stock ', tone: 'dim'};
  if (stocks === undefined) return [withoutIndent(missingLine(scene, stocksFeed, 'stock'))];
  if (stocks.length === 0) return [[label, {text: 'none is listed', tone: 'dim'}]];
  if (layout.exposure.rows > 0) return stockTable(stocks, scene, width);
  const words = [...Map.groupBy(stocks, ({model}) => model)]
    .map(([name, each]) => {
      const known = each.flatMap(({available}) => available ?? []);
      const count = known.reduce((sum, {count: free}) => sum + free, 0);
      return {name, count, text: `${count}${known.some(({isAtLeast}) => isAtLeast) ? '+' : ''}`};
    })
    .sort((left, right) => left.count - right.count || left.name.localeCompare(right.name))
    .map(({name, count, text}): Line => [{text: `${name} `}, {text, tone: count === 0 ? 'warning' : 'strong'}]);
  return [inOneLine(words, width, [label])];
}

const REGION_CELLS = 12;
const FREE_CELLS = 5;
const PLAN_CELLS = 6;

/**
 * A line for each model and region: how many are free, how many machines of each size that allows, and what arrives
 * within a week.
 */
function stockTable(stocks: readonly Stock[], {theme}: Scene, width: number): readonly Line[] {
  const modelCells = Math.max(...stocks.map(({model}) => widthOf(model))) + 1;
  const line = (cells: {readonly model: Line; readonly region: string; readonly free: Line; readonly rest: string}) => [
    ...fitLine(cells.model, modelCells),
    ...fitLine([{text: cells.region}], REGION_CELLS),
    ...fitLine(cells.free, FREE_CELLS, {align: 'right'}),
    {text: cells.rest},
  ];
  const head = line({
    model: [{text: 'GPU'}],
    region: 'REGION',
    free: [{text: 'FREE'}],
    rest: `${'IN 7 D'.padStart(PLAN_CELLS + 2)}  MACHINES BY GPUS`,
  }).map((span): Span => ({...span, tone: 'dim'}));
  const rows = stocks
    .toSorted((left, right) => (left.available?.count ?? 0) - (right.available?.count ?? 0))
    .map(({model, regionName, available, plannedIn7Days, configurations}): Line => {
      const sizes = configurations.map(({gpuCount, available: count}) => `${gpuCount}x:${stockText(count)}`).join(' ');
      return line({
        model: [{text: model, isName: true}],
        region: regionName ?? 'unknown',
        free: [{text: stockText(available), tone: available?.count === 0 ? 'warning' : 'strong'}],
        rest: `${stockText(plannedIn7Days).padStart(PLAN_CELLS + 2)}  ${sizes}`,
      });
    });
  return [head, ...rows].map(each => fitLine(each, width, {ellipsis: theme.glyphs.ellipsis}));
}

function stockText(count: StockCount | undefined): string {
  return count === undefined ? UNKNOWN : `${count.count}${count.isAtLeast ? '+' : ''}`;
}

/** How full the environments with the most machines are; if there is one line for all, only those nearly full. */
function quotaLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const known = fullestEnvironments(scene.store).flatMap(({id, name}) => {
    const quota = lastValue(scene.store.get(quotaFeed(id)));
    return quota === undefined ? [] : [{name, quota, ratio: quotaRatio(quota)}];
  });
  const thresholds = [
    {from: NEARLY_FULL, tone: 'warning'},
    {from: 1, tone: 'danger'},
  ] as const;
  const words = known
    .filter(({ratio}) => layout.isWide || (ratio !== undefined && ratio >= NEARLY_FULL))
    .map(
      ({name, quota: {currentCount, maxCount}, ratio}): Line => [
        {text: `${name} `, isName: true},
        {
          text: `${formatCount(currentCount)} of ${formatCount(maxCount)} `,
          tone: toneOf(ratio ?? 0, thresholds, 'strong'),
        },
        ...meter(currentCount, maxCount, {width: QUOTA_CELLS, glyphs: scene.theme.glyphs, thresholds}),
      ],
    );
  return words.length === 0 ? [] : [inOneLine(words, width, [{text: 'machines ', tone: 'dim'}])];
}

const NEARLY_FULL = 0.8;
const QUOTA_CELLS = 6;

/** Each takes a request, so those with the most machines are read: they fill up first. */
const MAX_QUOTAS = 3;

/** The environments whose quota is read. */
export function fullestEnvironments(store: Scene['store']): readonly Environment[] {
  const counts = Map.groupBy(observedMachines(store) ?? [], ({environmentName}) => environmentName);
  const countIn = ({name}: Environment) => counts.get(name)?.length ?? 0;
  return (lastValue(store.get(environmentsFeed))?.records ?? [])
    .toSorted((left, right) => countIn(right) - countIn(left) || left.id - right.id)
    .slice(0, MAX_QUOTAS);
}
