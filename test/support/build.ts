import {execFileSync} from 'node:child_process';
import {programPath, projectRoot} from './launch.ts';

/** Builds the program once before any test runs; the journeys and the command line are tested on what users get. */
export function setup(): void {
  try {
    execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, encoding: 'utf8', stdio: 'pipe'});
  } catch (error) {
    throw new Error(`${programPath} cannot be built, so no test was run.`, {cause: error});
  }
}
