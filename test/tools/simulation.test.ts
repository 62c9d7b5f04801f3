import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {casesOf, pathTo} from './simulation/plan.ts';
import {type Case, type CaseResult, runCase} from './simulation/run.ts';

const CASES = casesOf(1);
/**
 * `npm run simulate` takes them all, from a hundred seeds. One action meets every fault, each other one a part of them,
 * and each fault a part of the actions. What is told by two readings together meets both out of order.
 */
const STEP = sweepOf({sample: 37, deep: 1});
const isOutOfOrder = ({kind, fault}: Case) => kind === 'vm.hard-reboot' && fault.name.startsWith('reordered');
const STOPS = CASES.filter(({kind}) => kind === 'vm.stop');
const OTHERS = CASES.filter(({kind}) => kind !== 'vm.stop');
const SWEEP = [...STOPS, ...OTHERS.filter((each, index) => index % STEP === 0 || isOutOfOrder(each))];
const AGAIN = CASES.filter((_each, index) => index % sweepOf({sample: 797, deep: 29}) === 0);
const KINDS = [...new Set(CASES.map(({kind}) => kind))];

let folder = '';
const endsOfStop = new Set<CaseResult['end']>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skydeck-simulation-'));
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

async function violationsIn(cases: readonly Case[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const each of cases) {
    const {violations, end} = await runCase(each, folder);
    if (each.kind === 'vm.stop') endsOfStop.add(end);
    if (violations.length > 0) found.push(`npm run simulate -- ${pathTo(each)}: ${violations.join('; ')}`);
  }
  return found;
}

describe.each(KINDS)('%s', kind => {
  it('is sent once and truly told, whatever goes wrong', async () => {
    expect(await violationsIn(SWEEP.filter(each => each.kind === kind))).toEqual([]);
  });
});

describe('the simulation', () => {
  it('has every action and every fault in its sample, and each fault under more than one action', () => {
    const others = SWEEP.filter(({kind}) => kind !== 'vm.stop');
    expect(new Set(SWEEP.map(({kind}) => kind))).toEqual(new Set(KINDS));
    expect(new Set(others.map(({fault}) => fault.name))).toEqual(new Set(CASES.map(({fault}) => fault.name)));
  });

  it('goes the same way from the same seed, and another from another', async () => {
    reportMeasured(`${AGAIN.length} runs played twice`);
    for (const each of AGAIN) {
      const [once, again] = [await runCase(each, folder), await runCase(each, folder)];
      expect(again.traceHash).toBe(once.traceHash);
      const {traceHash} = await runCase({...each, seed: 2}, folder);
      expect(traceHash).not.toBe(once.traceHash);
    }
  });

  it('reaches every kind of end, so that none is claimed unseen', async () => {
    // A stop has met every fault above.
    for (const end of ['CONFIRMED', 'REFUSED', 'NOT_SENT', 'STALE', 'NO_EFFECT_SEEN'])
      expect(endsOfStop).toContain(end);
  });
});
