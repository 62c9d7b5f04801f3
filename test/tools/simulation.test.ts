import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {casesOf, pathTo} from './simulation/plan.ts';
import {type Case, runCase} from './simulation/run.ts';

const CASES = casesOf(1);
/**
 * `npm run simulate` takes them all, from a hundred seeds. Here one action meets every fault, each other one a fifth of them,
 * and each fault a fifth of the actions.
 */
const QUICK = CASES.filter(({kind}, index) => index % 5 === 0 || kind === 'vm.stop');
const AGAIN = CASES.filter((_each, index) => index % 97 === 0);
const KINDS = [...new Set(CASES.map(({kind}) => kind))];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skydeck-simulation-'));
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

async function violationsIn(cases: readonly Case[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const each of cases) {
    const {violations} = await runCase(each, folder);
    if (violations.length > 0) found.push(`npm run simulate -- ${pathTo(each)}: ${violations.join('; ')}`);
  }
  return found;
}

describe.each(KINDS)('%s', kind => {
  it('is sent once and truly told, whatever goes wrong', async () => {
    expect(await violationsIn(QUICK.filter(each => each.kind === kind))).toEqual([]);
  });
});

describe('the simulation', () => {
  it('goes the same way from the same seed, and another from another', async () => {
    for (const each of AGAIN) {
      const [once, again] = [await runCase(each, folder), await runCase(each, folder)];
      expect(again.traceHash).toBe(once.traceHash);
      const {traceHash} = await runCase({...each, seed: 2}, folder);
      expect(traceHash).not.toBe(once.traceHash);
    }
  });

  it('reaches every kind of end, so that none is claimed unseen', async () => {
    const ends = new Set<string | undefined>();
    for (const each of casesOf(1, {kind: 'vm.stop'})) ends.add((await runCase(each, folder)).end);
    for (const end of ['CONFIRMED', 'REFUSED', 'NOT_SENT', 'STALE', 'NO_EFFECT_SEEN']) expect(ends).toContain(end);
  });
});
