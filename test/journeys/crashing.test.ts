import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp, openHome, runProgram} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

/** A mistake of the program: something that it calls with the records of the account throws, and says the key. */
const BROKEN = `const groupBy = Map.groupBy; Map.groupBy = (items, by) => {
  if (items.length === 0) return groupBy.call(Map, items, by);
  throw new TypeError("broken with " + process.env.SKYDECK_API_KEY + process.env.TOLD);
}`;

function broken(apiKey: string) {
  return {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BROKEN)}`, TOLD: apiKey};
}

test('a command that fails by a mistake of its own says so in one line, and keeps where it was', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const home = openHome();
  const {stdout, stderr, exitCode} = await runProgram([], {simulator, home, env: broken(simulator.apiKey)});
  const path = join(home.path, 'state', 'skydeck', 'crash.log');
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 70});
  expect(stderr).toMatch(/^skydeck: internal error: TypeError: broken with .*\n$/);
  expect(stderr.trimEnd()).toContain(`; the details are in ${path}`);
  const report = readFileSync(path, 'utf8');
  expect(report).toMatch(/ at .*src\/cli\/commands\/overview\.ts:\d+:\d+/);
  expect(`${report}${stderr}`).not.toContain(simulator.apiKey);
});

test('a deck that fails while it draws gives the terminal back and does the same', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator, env: broken(simulator.apiKey)});
  expect(await app.exited).toMatchObject({exitCode: 70});
  expect(app.isAltScreen()).toBe(false);
  expect(app.text()).toContain('skydeck: internal error: TypeError: broken with');
  const report = readFileSync(join(app.home.path, 'state', 'skydeck', 'crash.log'), 'utf8');
  // Whichever of ours called it first: findings are made for the screen and for the cursor alike.
  expect(report).toMatch(/ at .*src\/(?:panes|resources|domain)\/[\w/-]+\.tsx?:\d+:\d+/);
  expect(`${report}${app.raw()}`).not.toContain(simulator.apiKey);
  // Told once, by the one that knows the key.
  expect(app.raw().split('broken with')).toHaveLength(2);
});
