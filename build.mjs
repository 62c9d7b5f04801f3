// Bundles the program into plain files without dependencies: dist/skydeck.js, which starts it and shows the first frame,
// and beside it a folder with the program in parts, each loaded when it is first needed.
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {build} from 'esbuild';
import {noticesOf} from './build/notices.mjs';

const DIST = 'dist';
const START = join(DIST, 'skydeck.js');
const PROGRAM_FOLDER = /program-[0-9a-f]{16}/;
/** A build that runs at the same time has just written these. */
const YOUNG_MS = 60_000;

// Before everything else in the file, so that an older Node answers with a sentence instead of a stack.
// The deck makes much short-lived garbage and keeps little. A young generation of 4 MB instead of Node's 16 needs 8 MB
// less at the first row and some 25 later; that it is cleared more often costs 0.3 % of a core at rest.
// While a long list is read, many objects outlive one clearing. V8 concludes that such objects live for long and makes all
// later ones in the old generation (allocation-site pretenuring), where the garbage of a list of 20,000 stays until there
// are 60 MB of it; without that, 20 MB.
// Of a program that is mostly at rest V8 lets the old generation grow to four times what lives in it before it collects.
// Growing by 20 % at most, the garbage of a monstrous list takes 20 MB less.
const HEAD = `#!/usr/bin/env -S node --max-semi-space-size=4 --no-allocation-site-pretenuring --heap-growing-percent=20
{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 10)) {
    process.stderr.write('skydeck needs Node 22.10 or newer; this is Node ' + process.versions.node + '. In a checkout, npm start and npm test bring their own.\\n');
    process.exit(2);
  }
}`;

// Packages in the old module format ask for Node's modules by a function that a module of today does not have.
const REQUIRE = `import {createRequire as createRequireForPackages} from 'node:module';
const require = createRequireForPackages(import.meta.url);`;

const shared = {
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  write: false,
};

const program = await build({
  ...shared,
  entryPoints: ['src/program.tsx'],
  splitting: true,
  outdir: join(DIST, 'program'),
  target: 'node22',
  banner: {js: REQUIRE},
  define: {'process.env.NODE_ENV': '"production"'},
  alias: {'string-width': './build/string-width.ts'},
  // Where DEV=true is set, for whatever reason, Ink would load its developer tools from any folder that has them.
  plugins: [resolving(/^\.\/devtools\.js$/, {path: resolve('build/nothing.ts')})],
});
const folder = `program-${digestOf(program)}`;
const start = await build({
  ...shared,
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

function resolving(filter, result) {
  return {name: `resolving ${filter}`, setup: ({onResolve}) => onResolve({filter}, () => result)};
}

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
