import {expect, it, onTestFinished} from 'vitest';
import {sweepOf} from '../support/tier.ts';
import {SEEDED_BUGS} from './seeded-bugs/bugs.ts';
import {createScratch, misfit, runSound, tryBug} from './seeded-bugs/scratch.ts';

/** Each is a run of vitest inside this one: a quick one shows that they still work. */
const SAMPLE = ['a 5xx is told as a refusal'];
const isSample = sweepOf({sample: true, deep: false});
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
  // The tests of the sample are green here as well; what they say shows that this bug made them red.
  if (!isSample) expect(await runSound(scratch, sample)).toBeUndefined();
  const told = isSample ? {told: expect.stringContaining("expected 'REFUSED' to be 'unknown'")} : {};
  for (const bug of sample) expect(await tryBug(scratch, bug)).toMatchObject({isRed: true, ...told});
});
