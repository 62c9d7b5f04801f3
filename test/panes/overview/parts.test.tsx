import {expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {overviewLayout} from '../../../src/panes/overview/layout.ts';
import {Clusters, Events, Fleet, Money} from '../../../src/panes/overview/parts.tsx';
import type {Scene} from '../../../src/panes/pane.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aCluster} from '../a-catalogue.ts';
import {aKnownScene} from '../a-known-scene.ts';

// High enough for all parts; at 80×24 the events give way.
const NARROW = overviewLayout({columns: 80, rows: 30});
const WIDE = overviewLayout({columns: 120, rows: 31});

function partsText(scene: Scene, layout: typeof WIDE): string {
  const parts = [Money, Fleet, Clusters, Events];
  return parts.flatMap(Part => shownLines(<Part scene={scene} layout={layout} />, 120)).join('\n');
}

it.each([
  ['narrow', NARROW],
  ['wide', WIDE],
])('counts nothing and promises no calm before anything was read (%s)', (_name, layout) => {
  const text = partsText(aKnownScene({}), layout);
  expect(text).toMatch(/burn +unknown/);
  expect(text).not.toMatch(/machines 0|clusters 0|no machines|no clusters|no events|\$0/);
});

it.each([
  ['narrow', NARROW],
  ['wide', WIDE],
])('says of an empty account that it is empty (%s)', (_name, layout) => {
  const text = partsText(aKnownScene({machines: [], clusters: []}), layout);
  expect(text).toMatch(/no machines[\s\S]*no clusters[\s\S]*no events of machines in trouble/);
});

it('begins the clusters with the one in trouble, and counts those it has no room for', () => {
  const calm = Array.from({length: 12}, (_, index) => aCluster({id: index + 1, name: safeText(`calm-${index}`)}));
  const broken = aCluster({id: 99, name: safeText('broken'), status: 'ERROR', statusText: safeText('ERROR')});
  const lines = shownLines(<Clusters scene={aKnownScene({clusters: [...calm, broken]})} layout={NARROW} />, 120);
  expect(lines.find(line => /broken|calm-/.test(line))).toContain('broken');
  const shownCount = lines.filter(line => /broken|calm-/.test(line)).length;
  expect(lines.join('\n')).toContain(`+${13 - shownCount} more`);
});

it('tells why a cluster is in trouble to the end', () => {
  const statusReason = safeText('1 of 2 workers is not ready: embed-worker-1 has not been heard of for 26 minutes');
  const cluster = aCluster({id: 1, name: safeText('embed'), statusText: safeText('RECONCILING'), statusReason});
  const text = shownLines(<Clusters scene={aKnownScene({clusters: [cluster]})} layout={WIDE} />, 120).join(' ');
  expect(text.replaceAll(/[│ ]+/g, ' ')).toContain(statusReason);
});
