import {lastValue} from '../../domain/snapshot.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Line} from '../../ui/text.ts';
import {missingLine} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {part} from './part.ts';

export function clustersPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title = clusters === undefined ? 'clusters' : `clusters ${clusters.length}`;
  const lines = clusters?.map((cluster): Line => {
    const workers = cluster.nodes.filter(({role}) => role === 'worker');
    const active = workers.filter(({status}) => status === 'ACTIVE').length;
    const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
    return [
      {text: ` ${cluster.name}`, tone: 'strong'},
      {text: `  ${cluster.statusText}`, tone},
      {text: `  ${active}/${workers.length} workers  ${cluster.statusReason ?? ''}`},
    ];
  });
  const none: Line = [{text: ' no clusters', tone: 'dim'}];
  const shown =
    lines === undefined ? [missingLine(scene, clustersFeed, 'clusters')] : lines.length === 0 ? [none] : lines;
  return part(title, scene, clustersFeed, layout.clusters, layout, shown);
}
