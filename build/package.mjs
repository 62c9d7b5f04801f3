// `npm run package`: one executable of this platform, for machines without Node, with its manual page, completions and
// notices in a tarball. The same sources give the same bytes, wherever and whenever it is made.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {build} from 'esbuild';
import {create} from 'tar';
import {NODE_OPTIONS, PROGRAM} from './bundle.mjs';
import {noticesOf} from './notices.mjs';

const {version} = JSON.parse(readFileSync('package.json', 'utf8'));
const NAME = `skydeck-${version}-${process.platform}-${process.arch}`;
const WORK = join('dist', 'package');
const FOLDER = join(WORK, NAME);
const EXECUTABLE = process.platform === 'win32' ? 'skydeck.exe' : 'skydeck';
const SHELLS = {bash: 'skydeck.bash', zsh: '_skydeck', fish: 'skydeck.fish'};

rmSync(WORK, {recursive: true, force: true});
mkdirSync(join(FOLDER, 'completions'), {recursive: true});
const bundle = await writeBundle();
writeExecutable();
execFileSync(process.execPath, ['build/man-page.mjs', join(FOLDER, 'skydeck.1')], {stdio: 'inherit'});
writeCompletions();
writeFileSync(join(FOLDER, 'THIRD-PARTY-NOTICES.txt'), `${noticesOf([bundle])}${noticeOfNode()}`);
for (const name of ['README.md', 'LICENSE']) cpSync(name, join(FOLDER, name));
process.stdout.write(`${await writeTarball()}\n`);

/** The whole program in one file: from inside an executable no second one can be loaded. */
async function writeBundle() {
  const made = await build({...PROGRAM, entryPoints: ['src/skydeck.ts'], outdir: WORK});
  for (const {path, contents} of made.outputFiles) writeFileSync(path, contents);
  return made;
}

/** Paths stand in the executable, so they are told as seen from its own folder. */
function writeExecutable() {
  const config = {
    main: 'skydeck.js',
    mainFormat: 'module',
    output: join(NAME, EXECUTABLE),
    disableExperimentalSEAWarning: true,
    execArgv: NODE_OPTIONS,
    assets: {'skydeck.js.map': 'skydeck.js.map'},
  };
  writeFileSync(join(WORK, 'executable.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--build-sea', 'executable.json'], {
    cwd: WORK,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  chmodSync(join(FOLDER, EXECUTABLE), 0o755);
}

function writeCompletions() {
  for (const [shell, file] of Object.entries(SHELLS)) {
    const script = execFileSync(join(FOLDER, EXECUTABLE), ['completion', shell]);
    writeFileSync(join(FOLDER, 'completions', file), script);
  }
}

/** Node is most of the executable, and has notices of its own. */
function noticeOfNode() {
  return `\n${'-'.repeat(80)}\n\nNode.js ${process.versions.node}\n\n${readFileSync(licenceOfNode(), 'utf8')}`;
}

/** Beside the Node that `npm ci` brought. */
function licenceOfNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const ofNode = createRequire(createRequire(import.meta.url).resolve('node/package.json'));
    return join(dirname(ofNode.resolve(`node-${platform}-${process.arch}/package.json`)), 'LICENSE');
  } catch {
    throw new Error('the licence of Node is not among the packages; npm ci brings it');
  }
}

async function writeTarball() {
  const file = join('dist', `${NAME}.tar.gz`);
  await create({file, cwd: WORK, gzip: true, portable: true, mtime: new Date(0)}, [NAME]);
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  return `${digest}  ${file}`;
}
