import type {ReactNode} from 'react';
import {type Cluster, clustersByUrgency} from '../../domain/cluster.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Line, Span} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {type Scene, useUntilNews} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {inOneLine, Part, type PartProps} from './part.tsx';
import {exposureLines} from './exposure.tsx';

/** The clusters with how much of each works, what stock there is, and where there is room what is open to the world. */
export function Clusters({scene, layout}: PartProps): ReactNode {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title = clusters === undefined ? 'clusters and stock' : `clusters ${clusters.length} and stock`;
  const width = layout.clusters.columns - (layout.isWide ? 3 : 2);
  const shown = useUntilNews(scene, () =>
    [
      ...clusterLines(scene, layout, width),
      ...stockLines(scene, layout, width),
      ...(layout.isWide && layout.exposure.rows === 0 ? exposureLines(scene, width) : []),
    ].map((line): Line => [{text: ' '}, ...line]),
  );
  return <Part title={title} scene={scene} feed={clustersFeed} place={layout.clusters} layout={layout} lines={shown} />;
}

function clusterLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  if (clusters === undefined) return [missingLine(scene, clustersFeed, 'clusters')];
  if (clusters.length === 0) return [[{text: 'no clusters', tone: 'dim'}]];
  const sorted = clustersByUrgency(clusters, scene.now);
  // The one line of a narrow overview has whole words: why a cluster is in trouble stands among the findings.
  if (!layout.isWide)
    return [
      inOneLine(
        sorted.map(cluster => clusterWords(cluster)),
        width,
      ),
    ];
  return sorted.flatMap(cluster => {
    const told = [...clusterWords(cluster), {text: `  ${cluster.statusReason ?? ''}`}];
    const [first = [], ...more] = wrapLine(told, width - 2);
    return [first, ...more.map((line): Line => [{text: '  '}, ...line])];
  });
}

function clusterWords(cluster: Cluster): Line {
  const workers = cluster.nodes.filter(({role}) => role === 'worker');
  const active = workers.filter(({status}) => status === 'ACTIVE').length;
  const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
  return [
    {text: cluster.name, tone: 'strong', isName: true},
    {text: ` ${cluster.statusText}`, tone},
    {text: ` ${active}/${workers.length}${workers.length === 1 ? ' worker' : ' workers'}`},
  ];
}

/** GPUs that can be had now, the scarcest first: by region where the box is large, else of all regions together. */
function stockLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const stocks = lastValue(scene.store.get(stocksFeed))?.records;
  const label: Span = {text: 'stock ', tone: 'dim'};
  if (stocks === undefined) return [[label, ...missingLine(scene, stocksFeed, 'stock')]];
  if (stocks.length === 0) return [[label, {text: 'none is listed', tone: 'dim'}]];
  const isLarge = layout.exposure.rows > 0;
  const placed = stocks.map(({model, regionName, available}) => ({
    name: isLarge && regionName !== undefined ? `${model} ${regionName}` : model,
    available,
  }));
  const words = [...Map.groupBy(placed, ({name}) => name)]
    .map(([name, each]) => {
      const known = each.flatMap(({available}) => available ?? []);
      const count = known.reduce((sum, {count: free}) => sum + free, 0);
      return {name, count, text: `${count}${known.some(({isAtLeast}) => isAtLeast) ? '+' : ''}`};
    })
    .sort((left, right) => left.count - right.count || left.name.localeCompare(right.name))
    .map(({name, count, text}): Line => [{text: `${name} `}, {text, tone: count === 0 ? 'warning' : 'strong'}]);
  if (!isLarge) return [inOneLine(words, width, [label])];
  return wrapLine(
    [label, ...words.flatMap((word, index): Line => (index === 0 ? word : [{text: ', '}, ...word]))],
    width,
  );
}
