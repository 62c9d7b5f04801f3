import {expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {billingLayout} from '../../../src/panes/billing/layout.ts';
import {wastePart} from '../../../src/panes/billing/lists.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../a-known-scene.ts';

it('says at 120 columns, for how many machines waste is unknown', () => {
  const running = Array.from({length: 22}, (_, index) =>
    aVirtualMachine({id: index + 10, name: safeText(`web-${index}`), status: 'ACTIVE', flavor: A_FLAVOR}),
  );
  const off = aVirtualMachine({id: 1, name: safeText('train-1'), status: 'SHUTOFF', flavor: A_FLAVOR});
  const usage = [off, ...running].map(({id}) => aUsageRecord(id, id === 1 ? '39.80' : '1'));
  const scene = aKnownScene({machines: [off, ...running], usage, volumes: []});
  const view = {...wastePart.initialView, own: undefined};
  const [title] = shownLines(<wastePart.List scene={scene} view={view} place={{columns: 56, rows: 9}} />, 56);
  expect(title).toContain('waste 1 of 1  at least $39.80/h, 22 unjudged ');
});

it.each([160, 200])('lists how to end each waste at %i columns', columns => {
  const off = aVirtualMachine({id: 1, name: safeText('train-1'), status: 'SHUTOFF', flavor: A_FLAVOR});
  const scene = aKnownScene({machines: [off], usage: [aUsageRecord(1, '39.80')], volumes: []});
  const view = {...wastePart.initialView, own: undefined};
  const place = billingLayout({columns, rows: 46}).waste;
  const lines = shownLines(<wastePart.List scene={scene} view={view} place={place} />, place.columns);
  expect(lines[1]).toMatch(/ FIX /);
  expect(lines[2]).toContain('start and hibernate');
});
