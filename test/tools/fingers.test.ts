import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, it, onTestFinished} from 'vitest';
import {reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {letLoose} from './simulation/fingers.ts';

/** `npm run simulate` lets ten thousand loose. */
const SESSIONS = sweepOf({sample: 8, deep: 1000});
/** A thousand take half a minute on a machine where nothing else runs. */
const PATIENT = {timeout: sweepOf({sample: 60_000, deep: 600_000})};

function aPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-fingers-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

it('sends nothing without a complete yes, whatever is typed and pasted', PATIENT, async () => {
  const folder = aPlace();
  const broken: string[] = [];
  let [yesCount, hammeredCount, begunCount, sentCount] = [0, 0, 0, 0];
  for (let seed = 1; seed <= SESSIONS; seed += 1) {
    const session = await letLoose(seed, {folder});
    yesCount += session.yesCount;
    hammeredCount += session.hammeredCount;
    begunCount += session.begunCount;
    sentCount += session.sentCount;
    if (session.violations.length > 0) broken.push(`seed ${seed}: ${session.violations.join('; ')}`);
  }
  expect(broken).toEqual([]);
  reportMeasured(
    `${SESSIONS} sessions, ${yesCount} complete answers, ${hammeredCount} questions hammered, ${sentCount} requests`,
  );
  // Fingers that never get anything done would prove nothing.
  expect(yesCount).toBeGreaterThan(SESSIONS / 10);
  expect(hammeredCount).toBeGreaterThan(SESSIONS / 10);
  expect(begunCount).toBeGreaterThan(SESSIONS / 10);
  expect(sentCount).toBeGreaterThan(SESSIONS / 20);
});

it('goes the same way from the same seed', async () => {
  const folder = aPlace();
  const [once, again, other] = [await letLoose(7, {folder}), await letLoose(7, {folder}), await letLoose(8, {folder})];
  expect(again).toEqual(once);
  expect(other.traceHash).not.toBe(once.traceHash);
});
