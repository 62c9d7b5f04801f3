import {expect, test} from 'vitest';
import {ARMED, cursorOn, questionIsRead} from '../support/deck.ts';
import {openApp} from '../support/program.ts';

const PATIENT = {timeout: 60_000};

test('deletes a bucket with all that is in it for its whole name alone', PATIENT, async () => {
  const app = await openApp();
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('7');
  await app.sees(/buckets (\d+) of \1 /, {withinMs: 20_000});
  await app.press('/', 'c', 'i', '-', 'enter');
  await app.sees(cursorOn('ci-artifacts'));

  await app.press('X');
  await app.sees('everything in it are deleted permanently: 310,552 objects, 757');
  await app.sees('DELETE /object-storage/buckets/ci-artifacts?region=CANADA-1');
  await app.sees(/type the name ci-artifacts and enter/);
  await questionIsRead(app);
  await app.press(...'ci-artifact', 'enter');
  await app.sees(/type the name/);
  expect(app.simulator?.executions()).toEqual([]);
  // What was wrong is removed.
  await app.press(...'ci-artifacts', 'enter');
  await app.seesNot('What happens');
  await app.sees('no matches for /ci-', {withinMs: 30_000});
  expect(app.simulator?.executions()).toMatchObject([{verb: 'delete-bucket', bucketName: 'ci-artifacts'}]);
});

test('makes an access key in a region that the service has, and takes it back by its id', PATIENT, async () => {
  const app = await openApp();
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('7', 'tab');
  await app.sees('access keys 5 of 5', {withinMs: 20_000});
  await app.press('n');
  await app.sees('new access key');
  await app.press('tab', ...'night', 'enter');
  await app.sees('shown once');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees('access keys 6 of 6', {withinMs: 30_000});
  expect(app.text()).toContain('night');
});
