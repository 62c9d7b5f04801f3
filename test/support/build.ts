import {execFileSync} from 'node:child_process';
import {COMPILED, compileCacheIn, createHome, launchOnTerminal, programPath, projectRoot} from './launch.ts';

/** Each project of the configuration calls the setup with its own modules, but in one process. */
const BUILT = 'SKYDECK_TEST_BUILT';

/**
 * Builds the program once before any test runs, because the journeys and the command line are tested on what users
 * get. Starts it once too, so that later starts need not compile it. Returns a function that removes what this start
 * leaves.
 */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[BUILT] === '1') return undefined;
  try {
    execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, encoding: 'utf8', stdio: 'pipe'});
  } catch (error) {
    throw new Error(`${programPath} cannot be built, so no test was run.`, {cause: error});
  }
  process.env[BUILT] = '1';
  const home = createHome();
  const deck = launchOnTerminal({home, isCold: true});
  await deck.sees('needs attention');
  await deck.press('q');
  await deck.exited;
  await deck.close();
  process.env[COMPILED] = compileCacheIn(home);
  return home.remove;
}
