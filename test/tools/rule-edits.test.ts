import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, it, onTestFinished} from 'vitest';
import {sweepOf} from '../support/tier.ts';
import {editRules} from './simulation/rule-edits.ts';

/** `npm run simulate` plays more of them. */
const SEEDS = sweepOf({sample: 6, deep: 60});

it('leaves the rules of the simulated cloud as they were once all is undone, whatever call fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-rule-edits-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  const broken: string[] = [];
  let [undoCount, sentCount] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const edits = await editRules(seed, folder);
    undoCount += edits.undoCount;
    sentCount += edits.sentCount;
    if (edits.violations.length > 0) broken.push(`seed ${seed}: ${edits.violations.join('; ')}`);
  }
  expect(broken).toEqual([]);
  expect(Math.min(undoCount, sentCount)).toBeGreaterThan(SEEDS);
});
