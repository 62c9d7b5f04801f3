import {execFile, execFileSync, spawnSync} from 'node:child_process';
import {copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {extract} from 'tar';
import {expect, onTestFinished, test} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {openTerminal} from '../support/terminal.ts';

/** Two executables of 150 MB are made and packed. */
const LONG = {timeout: 300_000};
const isDeep = process.env.SKYDECK_TEST_DEEP === '1';
const {version} = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
const NAME = `skydeck-${version}-${process.platform}-${process.arch}`;

function aFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'skydeck-package-'));
  onTestFinished(() => rmSync(path, {recursive: true, force: true}));
  return path;
}

/** What the package is made from, in a folder of its own; gives the line with the digest, and where it was made. */
function makePackage(): {readonly checkout: string; readonly told: string} {
  const checkout = aFolder();
  for (const name of ['src', 'build', 'node_modules']) symlinkSync(join(projectRoot, name), join(checkout, name));
  for (const name of ['package.json', 'tsconfig.json', 'README.md', 'LICENSE'])
    copyFileSync(join(projectRoot, name), join(checkout, name));
  return {checkout, told: execFileSync(process.execPath, ['build/package.mjs'], {cwd: checkout, encoding: 'utf8'})};
}

test.runIf(isDeep)(
  'one executable runs where there is no Node, and is the same wherever it is made',
  LONG,
  async () => {
    const [first, second] = [makePackage(), makePackage()];
    expect(first.told).toMatch(new RegExp(`^[0-9a-f]{64}  dist/${NAME.replaceAll('.', '\\.')}\\.tar\\.gz\n$`));
    expect(second.told).toBe(first.told);

    const folder = aFolder();
    await extract({file: join(first.checkout, 'dist', `${NAME}.tar.gz`), cwd: folder});
    rmSync(first.checkout, {recursive: true});
    const installed = join(folder, NAME);
    expect(readdirSync(installed).toSorted()).toEqual(
      ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'completions', 'skydeck', 'skydeck.1'].toSorted(),
    );
    expect(readdirSync(join(installed, 'completions')).toSorted()).toEqual([
      '_skydeck',
      'skydeck.bash',
      'skydeck.fish',
    ]);
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['react', 'Node.js', 'OpenSSL', 'V8']) expect(notices).toContain(name);

    const executable = join(installed, 'skydeck');
    const run = (given: readonly string[], env: Record<string, string>) =>
      promisify(execFile)(executable, given, {env, cwd: folder});
    expect(await run(['--version'], {PATH: ''})).toEqual({stdout: `${version}\n`, stderr: ''});

    const simulator = await openSimulator();
    const home = openHome();
    const env = {PATH: '', HOME: home.path, SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
    const names = await run(['get', 'vms', '--columns', 'name', '-o', 'csv'], env);
    expect(names.stderr).toBe('');
    expect(names.stdout.split('\r\n')).toContain('train-01');

    const deck = openTerminal({
      command: executable,
      arguments: [],
      env: {PATH: '', HOME: home.path, LANG: 'C.UTF-8'},
      cwd: folder,
      columns: 80,
      rows: 24,
    });
    onTestFinished(deck.close);
    await deck.sees('SIMULATED');
    deck.write('2');
    await deck.sees('train-01');
    deck.write('qq');
    expect(await deck.exited).toMatchObject({exitCode: 0});
  },
);

test.runIf(isDeep)('a mistake of the program names its own files and lines there as well', LONG, () => {
  const {checkout} = makePackage();
  const home = openHome();
  const broken = join(home.path, 'broken.cjs');
  writeFileSync(broken, 'Map.groupBy = () => { throw new TypeError("broken"); };');
  const {stderr, status} = spawnSync(join(checkout, 'dist', 'package', NAME, 'skydeck'), [], {
    env: {PATH: '', ...home.environment, NODE_OPTIONS: `--require ${broken}`},
    encoding: 'utf8',
  });
  expect(status).toBe(70);
  expect(stderr).toContain('skydeck: internal error: TypeError: broken');
  const report = readFileSync(join(home.path, 'state', 'skydeck', 'crash.log'), 'utf8');
  expect(report).toMatch(/ at .*src\/[\w/-]+\.tsx?:\d+:\d+/);
});
