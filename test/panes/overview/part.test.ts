import {expect, it} from 'vitest';
import {clustersPart} from '../../../src/panes/overview/clusters-part.ts';
import {eventsPart} from '../../../src/panes/overview/events-part.ts';
import {fleetPart} from '../../../src/panes/overview/fleet-part.ts';
import {overviewLayout} from '../../../src/panes/overview/layout.ts';
import {moneyPart} from '../../../src/panes/overview/money-part.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aKnownScene} from '../a-known-scene.ts';

const NARROW = overviewLayout({columns: 80, rows: 20});
const WIDE = overviewLayout({columns: 120, rows: 31});

function partsText(scene: Scene, layout: typeof WIDE): string {
  const parts = [moneyPart, fleetPart, clustersPart, eventsPart];
  return parts.flatMap(part => part(scene, layout).map(textOf)).join('\n');
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
