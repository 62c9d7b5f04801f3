import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';

type Manifest = {
  readonly name: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  readonly bundleDependencies?: object;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: object;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
};
type Lock = {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly name?: string;
        readonly version?: string;
        readonly link?: boolean;
        readonly resolved?: string;
        readonly integrity?: string;
        readonly hasInstallScript?: boolean;
      }
    >
  >;
};

const MOST_PACKAGES = 80;
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
/** Each allows anybody to use, change and distribute the code as long as its notice is kept. */
const LICENCES = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', '(MIT OR CC0-1.0)']);
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];
/** The folder of a package in a source map, including a package inside another. */
const PACKAGE = /node_modules\/(?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*/;

describe('the published package', () => {
  it('has no dependencies and runs nothing when it is installed', () => {
    const manifest = manifestIn('.');
    const {dependencies, optionalDependencies, peerDependencies, bundleDependencies, scripts = {}} = manifest;
    expect({dependencies, optionalDependencies, peerDependencies, bundleDependencies}).toEqual({});
    expect(Object.keys(scripts).filter(name => INSTALL_SCRIPTS.includes(name))).toEqual([]);
  });

  it('bundles few packages, none with native code, each under a permissive licence', () => {
    const folders = bundledPackages();
    expect(folders).toContain('node_modules/react');
    expect(folders.length).toBeLessThanOrEqual(MOST_PACKAGES);
    const licences = folders.map(folder => [folder, manifestIn(folder).license] as const);
    expect(licences.filter(([, licence]) => licence === undefined || !LICENCES.has(licence))).toEqual([]);
    expect(folders.filter(hasMachineCode)).toEqual([]);
    reportCounted('packages bundled', folders.length);
    reportMeasured(`${folders.length} packages bundled, ${[...new Set(licences.map(([, name]) => name))].join(', ')}`);
  });
});

describe('each package that the build needs', () => {
  it('is locked by its digest, without the address of a registry', () => {
    const packages = Object.entries(lock().packages).filter(([path]) => path !== '');
    // The lock names no source, so that a package can only come from the registry in use.
    const odd = packages.filter(
      ([, {resolved, integrity}]) => resolved !== undefined || !integrity?.startsWith('sha512-'),
    );
    reportCounted('packages locked', packages.length);
    expect(packages.length).toBeGreaterThan(100);
    expect(odd.map(([path]) => path)).toEqual([]);
    reportMeasured(`${packages.length} packages locked by their digests`);
  });

  it('is asked for by an exact version, and locked at it, from no repository, address, file or other name', () => {
    const {devDependencies = {}, overrides} = manifestIn('.');
    const {packages} = lock();
    expect(overrides).toBeUndefined();
    expect(Object.keys(devDependencies).length).toBeGreaterThan(10);
    for (const [name, version] of Object.entries(devDependencies))
      expect([name, version, packages[`node_modules/${name}`]?.version]).toEqual([
        name,
        expect.stringMatching(VERSION),
        version,
      ]);
    const renamed = Object.entries(packages).filter(
      ([path, {name, link}]) => path !== '' && (name ?? link) !== undefined,
    );
    expect(renamed.map(([path]) => path)).toEqual([]);
    expect(Object.values(packages).filter(({version = ''}) => !VERSION.test(version))).toEqual([]);
    // A file of settings here could name another registry.
    expect(existsSync(join(projectRoot, '.npmrc'))).toBe(false);
  });

  it('runs nothing when it is installed unless it is allowed by name', () => {
    const scripted = Object.entries(lock().packages).filter(([, {hasInstallScript}]) => hasInstallScript === true);
    const allowed = Object.keys(manifestIn('.').allowScripts ?? {}).map(name => `node_modules/${name}`);
    expect(scripted.map(([path]) => path).toSorted()).toEqual(allowed.toSorted());
    reportMeasured(
      `${scripted.length} of them may run a script of installation: ${scripted.map(([path]) => path).join(', ')}`,
    );
  });
});

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8'));
}

function lock(): Lock {
  return JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
}

/** The packages that have code in the built files. */
function bundledPackages(): readonly string[] {
  const dist = join(projectRoot, 'dist');
  const start = readFileSync(join(dist, 'skydeck.js'), 'utf8');
  const [parts = ''] = /program-[0-9a-f]{16}/.exec(start) ?? [];
  const maps = readdirSync(join(dist, parts)).filter(name => name.endsWith('.map'));
  const sources = maps.flatMap(name => {
    const map: {readonly sources: readonly string[]} = JSON.parse(readFileSync(join(dist, parts, name), 'utf8'));
    return map.sources;
  });
  return [...new Set(sources.flatMap(source => PACKAGE.exec(source)?.[0] ?? []))].toSorted();
}

function hasMachineCode(folder: string): boolean {
  const path = join(projectRoot, folder);
  return (
    existsSync(join(path, 'binding.gyp')) ||
    readdirSync(path, {recursive: true}).some(file => `${file}`.endsWith('.node'))
  );
}
