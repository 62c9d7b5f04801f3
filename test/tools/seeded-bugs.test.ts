import {expect, it, onTestFinished} from 'vitest';
import {reportCounted} from '../support/measured.ts';
import {isDeep} from '../support/tier.ts';
import {SEEDED_BUGS} from './seeded-bugs/bugs.ts';
import {createScratch, misfit, runSound, tryBug} from './seeded-bugs/scratch.ts';

const PATIENT = {timeout: SEEDED_BUGS.length * 60_000};

it('can still be made: each stands in its file exactly once, and has a name of its own', () => {
  expect(SEEDED_BUGS.flatMap(bug => misfit(bug) ?? [])).toEqual([]);
  expect(new Set(SEEDED_BUGS.map(({name}) => name)).size).toBe(SEEDED_BUGS.length);
  expect(SEEDED_BUGS.length).toBeGreaterThanOrEqual(20);
});

// Each is a run of vitest inside this one.
it.runIf(isDeep)('turns the tests red that are named for it, which are green without it', PATIENT, async () => {
  const scratch = createScratch();
  onTestFinished(scratch.remove);
  expect(await runSound(scratch, SEEDED_BUGS)).toBeUndefined();
  for (const bug of SEEDED_BUGS) expect(await tryBug(scratch, bug)).toMatchObject({isRed: true});
  reportCounted('seeded bugs', SEEDED_BUGS.length);
});
