import {execFileSync} from 'node:child_process';
import {programPath, projectRoot} from './launch.ts';

/** Each project of the configuration has this set up for itself, with modules of its own, but in one process. */
const BUILT = 'SKYDECK_TEST_BUILT';

/** Builds the program once before any test runs; the journeys and the command line are tested on what users get. */
export function setup(): void {
  if (process.env[BUILT] === '1') return;
  try {
    execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, encoding: 'utf8', stdio: 'pipe'});
  } catch (error) {
    throw new Error(`${programPath} cannot be built, so no test was run.`, {cause: error});
  }
  process.env[BUILT] = '1';
}
