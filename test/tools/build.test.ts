import {execFile, spawn} from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import fc from 'fast-check';
import packageWidth from 'string-width';
import {describe, expect, onTestFinished, test} from 'vitest';
import stringWidth from '../../build/string-width.ts';
import {programPath, projectRoot} from '../support/launch.ts';
import {openApp, openHome, runProgram} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

/** What the build reads, in a folder of its own. */
function aCheckout(): string {
  const path = mkdtempSync(join(tmpdir(), 'skydeck-build-'));
  onTestFinished(() => rmSync(path, {recursive: true, force: true}));
  for (const name of ['src', 'build', 'node_modules']) symlinkSync(join(projectRoot, name), join(path, name));
  for (const name of ['build.mjs', 'package.json', 'tsconfig.json'])
    copyFileSync(join(projectRoot, name), join(path, name));
  return path;
}

function build(checkout: string): Promise<number | null> {
  const child = spawn(process.execPath, ['build.mjs'], {cwd: checkout, stdio: 'inherit'});
  return new Promise(resolve => child.on('close', resolve));
}

function partsIn(checkout: string): readonly string[] {
  return readdirSync(join(checkout, 'dist')).filter(name => name.startsWith('program-'));
}

describe('the build', PATIENT, () => {
  // Once alone: the next test, and the setup of all tests.
  test.runIf(isDeep)('leaves one whole program, also beside another build, and nothing of old ones', async () => {
    const checkout = aCheckout();
    const [old, young] = ['program-0000000000000000', 'program-1111111111111111'];
    for (const name of [old, young]) mkdirSync(join(checkout, 'dist', name), {recursive: true});
    utimesSync(join(checkout, 'dist', old), 0, 0);
    expect(await Promise.all([build(checkout), build(checkout)])).toEqual([0, 0]);
    const parts = partsIn(checkout);
    expect(parts).toHaveLength(2);
    expect(parts).toContain(young);
    const start = readFileSync(join(checkout, 'dist', 'skydeck.js'), 'utf8');
    expect(start).toContain(`./${parts.find(name => name !== young)}/program.js`);
    expect(await runProgram(['--version'], {program: join(checkout, 'dist', 'skydeck.js')})).toMatchObject({
      exitCode: 0,
    });
  });
});

test(
  'the package holds what was built, README, licence, manual page and the notices of what is in it, and nothing else',
  PATIENT,
  async () => {
    const checkout = aCheckout();
    for (const name of ['README.md', 'LICENSE']) copyFileSync(join(projectRoot, name), join(checkout, name));
    // What an earlier build or a tool left stays at home.
    for (const name of ['program-1111111111111111', 'tools'])
      mkdirSync(join(checkout, 'dist', name), {recursive: true});
    for (const name of ['readme.mjs', 'program-1111111111111111/old.js'])
      writeFileSync(join(checkout, 'dist', name), '');
    if (!isDeep) writeFileSync(join(checkout, 'build.mjs'), COPIES_WHAT_WAS_BUILT);
    const packed = await packageIn(checkout);
    const [parts = ''] = partsIn(checkout);
    const built = readdirSync(join(checkout, 'dist', parts)).map(name => `dist/${parts}/${name}`);
    const beside = ['LICENSE', 'README.md', 'package.json', 'dist/skydeck.js', 'dist/skydeck.js.map'];
    const made = ['dist/THIRD-PARTY-NOTICES.txt', 'dist/skydeck.1'];
    expect(packed.toSorted()).toEqual([...beside, ...made, ...built].toSorted());

    const {stdout: help} = await runProgram(['--help'], {program: join(checkout, 'dist', 'skydeck.js')});
    const [, commands = ''] = help.split('Commands:\n');
    const names = commands.split('\n').flatMap(line => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
    const page = readFileSync(join(checkout, 'dist', 'skydeck.1'), 'utf8').replaceAll('\\-', '-');
    expect(names).toContain('completion');
    expect(names.filter(name => !page.includes(`.SS "skydeck ${name}`))).toEqual([]);
    // A key of the deck, an option of one command, and what stands below a command's options.
    for (const part of ['\\fBctrl-w\\fR', '\\fB--retain-ip\\fR', 'Resources:\n'])
      expect(page.includes(part), part).toBe(true);

    const notices = readFileSync(join(checkout, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8').split(
      `\n${'-'.repeat(80)}\n`,
    );
    const maps = built.filter(path => path.endsWith('.map'));
    const packages = new Set(maps.flatMap(path => packagesIn(readFileSync(join(checkout, path), 'utf8'))));
    expect(packages).toContain('node_modules/react');
    for (const folder of packages) {
      const {name, version} = JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8'));
      const notice = notices.find(text => text.trimStart().startsWith(`${name} ${version} (`));
      expect(notice, folder).toMatch(/copyright|©/i);
      expect(notice?.length, folder).toBeGreaterThan(600);
    }
  },
);

/** Takes the place of the build, since the setup of all tests has built the same. */
const COPIES_WHAT_WAS_BUILT = `
  import {cpSync, readFileSync} from 'node:fs';
  const dist = ${JSON.stringify(join(projectRoot, 'dist'))};
  const [program] = /program-[0-9a-f]{16}/.exec(readFileSync(dist + '/skydeck.js', 'utf8'));
  for (const name of ['skydeck.js', 'skydeck.js.map', 'THIRD-PARTY-NOTICES.txt', program])
    cpSync(dist + '/' + name, 'dist/' + name, {recursive: true});
`;

/** The paths that npm would publish. */
async function packageIn(checkout: string): Promise<readonly string[]> {
  const child = spawn('npm', ['pack', '--dry-run', '--json'], {cwd: checkout, stdio: ['ignore', 'pipe', 'ignore']});
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await new Promise(resolve => child.on('close', resolve));
  const [{files}]: [{files: readonly {path: string}[]}] = JSON.parse(output);
  return files.map(({path}) => path);
}

/** The folders of the packages that a source map names. */
function packagesIn(map: string): readonly string[] {
  const {sources}: {sources: readonly string[]} = JSON.parse(map);
  return sources.flatMap(source => /node_modules\/.*(?=\/)/.exec(source)?.[0].match(PACKAGE)?.[0] ?? []);
}

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

test('a running deck needs its files no more', PATIENT, async () => {
  const home = openHome();
  const dist = join(home.path, 'dist');
  cpSync(join(projectRoot, 'dist'), dist, {recursive: true});
  const app = await openApp({home, simulator: await openSmallCloud(), program: join(dist, 'skydeck.js')});
  await app.sees('machines 16');
  rmSync(dist, {recursive: true});
  expect(existsSync(dist)).toBe(false);
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', '0']) {
    await app.press(key);
    await app.sees(new RegExp(`\\[${key} `));
  }
  await app.press('?');
  await app.sees('Everywhere');
  await app.press('esc', ':', 'q', 'enter');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

test("the program's options of Node leave Node's own modules compiled", PATIENT, async () => {
  const script = `
    const {internalBinding} = require('internal/test/binding');
    void globalThis.Headers;
    process.stdout.write([...internalBinding('builtins').getCacheUsage().compiledWithoutCache].join());
  `;
  const [firstLine = ''] = readFileSync(programPath, 'utf8').split('\n');
  const [, options = ''] = firstLine.split('-S node ');
  const flags = [...options.split(' '), '--no-warnings', '--expose-internals', '-e', script];
  const child = await promisify(execFile)(process.execPath, flags);
  expect(child).toEqual({stdout: '', stderr: ''});
});

test('the program is loaded without the rules of a language for numbers and names', PATIENT, async () => {
  const forbidden = `for (const name of ['NumberFormat', 'Collator', 'DateTimeFormat'])
    Intl[name] = class { constructor() { throw new Error('made while loading: ' + name); } };`;
  const env = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(forbidden)}`};
  expect(await runProgram(['--version'], {env})).toMatchObject({exitCode: 0, stderr: ''});
});

test.each(sweepOf({sample: ['22.9.0'], deep: ['22.9.0', '20.20.2', '18.0.0']}))(
  'Node %s is told what is needed, in one sentence',
  PATIENT,
  async version => {
    const pretend = `Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;
    const env = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`};
    const {stdout, stderr, exitCode} = await runProgram([], {env});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
    expect(stderr).toMatch(new RegExp(`^skydeck needs Node 22\\.10 or newer; this is Node ${version}\\. [^\\n]+\\n$`));
  },
);

test('what takes the place of the package string-width measures as it does', () => {
  const parts = [
    'a',
    'é',
    '東',
    '🚀',
    '👩‍💻',
    '\ue000',
    '\u0301',
    '\u001b[31m',
    '\u001b[0m',
    '\u009b2K',
    '\t',
    '\u200b',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({unit: 'grapheme'}))).map(each => each.join(''));
  fc.assert(
    fc.property(text, fc.boolean(), (value, countAnsiEscapeCodes) => {
      expect(stringWidth(value, {countAnsiEscapeCodes})).toBe(packageWidth(value, {countAnsiEscapeCodes}));
      expect(stringWidth(value)).toBe(packageWidth(value));
    }),
    {numRuns: sweepOf({sample: 200, deep: 1000})},
  );
});
