import {expect, it, onTestFinished} from 'vitest';
import {sweepOf} from '../support/tier.ts';
import {SEEDED_BUGS} from './seeded-bugs/bugs.ts';
import {createScratch, misfit, runSound, tryBug} from './seeded-bugs/scratch.ts';

/** Each is a run of vitest inside this one: a quick one shows that they still work. */
const SAMPLE = ['a 5xx is told as a refusal'];
const TRIED = sweepOf({sample: SAMPLE, deep: SEEDED_BUGS.map(({name}) => name)});
const PATIENT = {timeout: TRIED.length * 60_000};

it('can still be made: each stands in its file exactly once, and has a name of its own', () => {
  expect(SEEDED_BUGS.flatMap(bug => misfit(bug) ?? [])).toEqual([]);
  expect(new Set(SEEDED_BUGS.map(({name}) => name)).size).toBe(SEEDED_BUGS.length);
  expect(SEEDED_BUGS.length).toBeGreaterThanOrEqual(20);
});

it('turns the tests red that are named for it, which are green without it', PATIENT, async () => {
  const scratch = createScratch();
  onTestFinished(scratch.remove);
  const sample = SEEDED_BUGS.filter(({name}) => TRIED.includes(name));
  expect(sample).toHaveLength(TRIED.length);
  expect(await runSound(scratch, sample)).toBeUndefined();
  for (const bug of sample) expect(await tryBug(scratch, bug)).toMatchObject({isRed: true});
});
