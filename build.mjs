// Bundles the program into plain files without dependencies: dist/skydeck.js, which starts it and shows the first frame,
// and beside it a folder with the program in parts, each loaded when it is first needed.
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {build} from 'esbuild';
import {NODE_OPTIONS, PLAIN, PROGRAM, resolving} from './build/bundle.mjs';
import {noticesOf} from './build/notices.mjs';

const DIST = 'dist';
const START = join(DIST, 'skydeck.js');
const PROGRAM_FOLDER = /program-[0-9a-f]{16}/;
/** A build that runs at the same time has just written these. */
const YOUNG_MS = 60_000;

// Before everything else in the file, so that an older Node answers with a sentence instead of a stack.
const HEAD = `#!/usr/bin/env -S node ${NODE_OPTIONS.join(' ')}
{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 10)) {
    process.stderr.write('skydeck needs Node 22.10 or newer; this is Node ' + process.versions.node + '. In a checkout, npm start and npm test bring their own.\\n');
    process.exit(2);
  }
}`;

const program = await build({
  ...PROGRAM,
  entryPoints: ['src/program.tsx'],
  splitting: true,
  outdir: join(DIST, 'program'),
});
const folder = `program-${digestOf(program)}`;
const start = await build({
  ...PLAIN,
  entryPoints: ['src/skydeck.ts'],
  outdir: DIST,
  // An older Node must be able to read the file as far as its first lines.
  target: 'node16',
  banner: {js: HEAD},
  plugins: [resolving(/\/program\.tsx$/, {path: `./${folder}/program.js`, external: true})],
});

const before = startedBefore();
writeFolder(join(DIST, folder), program);
writeWhole(join(DIST, 'THIRD-PARTY-NOTICES.txt'), noticesOf([program, start]));
// The start last, and in one step: whoever starts meanwhile finds the parts that belong to it.
for (const file of start.outputFiles.toReversed()) writeWhole(join(DIST, basename(file.path)), file.contents);
removeOld([folder, before]);

function digestOf({outputFiles}) {
  const digest = createHash('sha256');
  for (const {path, contents} of outputFiles) digest.update(basename(path)).update(contents);
  return digest.digest('hex').slice(0, 16);
}

/** The folder that the start of the build before loads: somebody may have started it a moment ago. */
function startedBefore() {
  try {
    return PROGRAM_FOLDER.exec(readFileSync(START, 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}

/** Its name tells its content, so one that is there is whole and right. */
function writeFolder(path, {outputFiles}) {
  const partial = `${path}.${process.pid}`;
  mkdirSync(partial, {recursive: true});
  for (const file of outputFiles) writeFileSync(join(partial, basename(file.path)), file.contents);
  try {
    renameSync(partial, path);
  } catch {
    rmSync(partial, {recursive: true});
  }
}

function writeWhole(path, contents) {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

function removeOld(kept) {
  const oldest = Date.now() - YOUNG_MS;
  for (const name of readdirSync(DIST)) {
    const path = join(DIST, name);
    if (!name.startsWith('program-') || kept.includes(name)) continue;
    if (statSync(path).mtimeMs < oldest) rmSync(path, {recursive: true, force: true});
  }
}
