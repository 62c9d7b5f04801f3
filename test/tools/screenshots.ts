// Makes screenshots/ from the simulator: every scene at its sizes, as PNG, those of the README as SVG too; the same
// bytes on every machine. A picture that no scene makes any more goes.
//   node test/tools/screenshots.ts [--only NAME] [--into FOLDER] [--as-built]
import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {projectRoot} from '../support/launch.ts';
import {PICTURE_SIZES, type PictureScene, type PictureSize} from './scene.ts';
import {SCENES} from './scenes.ts';
import {takePicture} from './take-picture.ts';

const USAGE = 'usage: node test/tools/screenshots.ts [--only NAME] [--into FOLDER] [--as-built]';

await makeScreenshots(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function makeScreenshots(given: readonly string[]): Promise<void> {
  const {only, into, isBuilt} = readWish(given);
  if (isBuilt) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  mkdirSync(into, {recursive: true});
  if (only === undefined) removeStale(into);
  const failures: string[] = [];
  for (const scene of scenesNamed(only)) {
    for (const size of scene.sizes ?? PICTURE_SIZES) {
      const failure = await makeOne(scene, size, into);
      if (failure !== undefined) failures.push(failure);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/** Undefined when the picture was made; what was wrong else, so that the others are made all the same. */
async function makeOne(scene: PictureScene, size: PictureSize, into: string): Promise<string | undefined> {
  const name = `${scene.name}-${size.columns}x${size.rows}`;
  try {
    const {png, svg} = await takePicture(scene, size);
    writeFileSync(join(into, `${name}.png`), png);
    if (scene.isDrawn === true) writeFileSync(join(into, `${name}.svg`), svg);
    console.log(`${name}  ${kilobytes(png.length)} png`);
    return undefined;
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function removeStale(folder: string): void {
  const made = new Set(SCENES.flatMap(filesOf));
  for (const name of readdirSync(folder))
    if (/\.(?:png|svg)$/.test(name) && !made.has(name)) rmSync(join(folder, name));
}

function filesOf({name, sizes = PICTURE_SIZES, isDrawn}: PictureScene): readonly string[] {
  const endings = isDrawn === true ? ['png', 'svg'] : ['png'];
  return sizes.flatMap(({columns, rows}) => endings.map(ending => `${name}-${columns}x${rows}.${ending}`));
}

function kilobytes(byteCount: number): string {
  return `${Math.ceil(byteCount / 1000)} kB`.padStart(7);
}

function scenesNamed(only: string | undefined): readonly PictureScene[] {
  const wanted = SCENES.filter(({name}) => only === undefined || name === only);
  if (wanted.length > 0) return wanted;
  throw new Error(`There is no scene "${only}"; there are ${SCENES.map(({name}) => name).join(', ')}.`);
}

function readWish(given: readonly string[]): {only: string | undefined; into: string; isBuilt: boolean} {
  try {
    const {values} = parseArgs({
      args: [...given],
      options: {
        only: {type: 'string'},
        into: {type: 'string', default: join(projectRoot, 'screenshots')},
        'as-built': {type: 'boolean', default: false},
      },
    });
    return {only: values.only, into: values.into, isBuilt: !values['as-built']};
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}
