import {expect, it} from 'vitest';
import {exposureLines} from '../../../src/panes/overview/exposure.tsx';
import {textOf} from '../../../src/ui/text.ts';
import {aKnownScene} from '../a-known-scene.ts';

it('says for which of the two lists it waits', () => {
  const shown = (scene: ReturnType<typeof aKnownScene>) => exposureLines(scene, 80).map(textOf).join('').trim();
  expect(shown(aKnownScene({}))).toMatch(/reading the firewalls…$/);
  expect(shown(aKnownScene({firewalls: []}))).toMatch(/reading the machines…$/);
  expect(shown(aKnownScene({machines: []}))).toMatch(/reading the firewalls…$/);
  expect(shown(aKnownScene({machines: [], firewalls: []}))).toMatch(/nothing is open to the world$/);
});
