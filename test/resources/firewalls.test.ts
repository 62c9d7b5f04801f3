import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {firewalls} from '../../src/resources/firewalls.ts';
import {aFirewall} from '../panes/a-catalogue.ts';
import {aKnownScene, aRule} from '../panes/a-known-scene.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const DELETING = safeText('DELETING');

it('counts the rules open to the world that last, and shows the others with their state', () => {
  const web = {portRangeMin: 443, portRangeMax: 443};
  const rules = [
    aRule({status: DELETING}),
    aRule({id: 2, portRangeMin: 8888, portRangeMax: 8888, status: safeText('FAILED')}),
    aRule({id: 3, ...web, status: safeText('SUCCESS')}),
  ];
  const scene = aKnownScene({firewalls: [aFirewall({rules})]});
  const [row] = rowsOf(firewalls, scene) ?? [];
  const cells = ['rules', 'open', 'exposed'].map(key => cellOf(firewalls, row, key)?.number);
  expect(cells).toEqual([3, 1, 0]);
  const detail = detailOf(firewalls, row, scene);
  expect(detail).toContain('1 rule to the world, none of them exposed');
  expect(detail).toContain('ingress tcp/22 0.0.0.0/0 (DELETING)');
  expect(detail).toContain('ingress tcp/8888 0.0.0.0/0 (FAILED)');
});
