import {codeOnly, type Import, type ImportKind, importsOf, lineAt, resolved, type SourceFile} from './source-text.ts';

/** Returns one sentence for each problem, with its place. */
export type Check = (files: readonly SourceFile[]) => readonly string[];

/** What a folder of src may import, as paths below src. `*` stands for one folder or file, `*.ts` for a file. */
export type Permissions = {
  readonly always: readonly string[];
  /** Only through `import()`, so that a command that does not need it never loads it. */
  readonly onDemand?: readonly string[];
  readonly types?: readonly string[];
};

/** A file that may do what a check forbids, and the reason. */
export type Exception = {readonly path: string; readonly allows: readonly string[]; readonly reason: string};

/** Every import between folders of src must be allowed by the table. */
export function importsAgainst(table: Readonly<Record<string, Permissions>>): Check {
  return eachImport((file, {specifier, kind}) => {
    const from = belowSrc(file.path);
    if (from === undefined || specifier === undefined) return undefined;
    const target = resolved(file.path, specifier);
    if (target === undefined) return undefined;
    const to = belowSrc(target);
    if (to === undefined) return `imports ${target}, which is no part of src`;
    const permissions = table[folderOf(from)];
    if (permissions === undefined) return `stands in no folder of the import table`;
    const isOwn = folderOf(to) === folderOf(from) && from.includes('/');
    if (isOwn || permits(permissions, kind, to)) return undefined;
    return `${HOW[kind]} src/${to}, which ${folderOf(from)} may not`;
  });
}

/** The permissions of an import table that no import needs, as `folder: permission`. */
export function unusedGrants(
  table: Readonly<Record<string, Permissions>>,
  files: readonly SourceFile[],
): readonly string[] {
  const imports = files.flatMap(file =>
    importsOf(file).flatMap(({specifier = '', kind}) => {
      const [from, target] = [belowSrc(file.path), resolved(file.path, specifier)];
      const to = target === undefined ? undefined : belowSrc(target);
      return from === undefined || to === undefined ? [] : [{from: folderOf(from), to, kind}];
    }),
  );
  return Object.entries(table).flatMap(([folder, {always, onDemand = [], types = []}]) => {
    const own = imports.filter(({from}) => from === folder);
    const isUsed = (grant: string, ...kinds: readonly ImportKind[]) =>
      own.some(({to, kind}) => matches(grant, to) && (kinds.length === 0 || kinds.includes(kind)));
    return [
      ...always.filter(grant => !isUsed(grant)),
      ...onDemand.filter(grant => !isUsed(grant, 'on-demand')),
      ...types.filter(grant => !isUsed(grant, 'type')),
    ].map(grant => `${folder}: ${grant}`);
  });
}

/** Everything that an entry loads at once, except packages, must be in these folders. */
export function startsWithin(entry: string, folders: readonly string[]): Check {
  return files => {
    const byPath = new Map(files.map(file => [file.path, file]));
    const first = byPath.get(entry);
    return first === undefined
      ? []
      : routesFrom(first, byPath).flatMap(({path, route}) =>
          folders.some(folder => matches(folder, belowSrc(path) ?? path)) ? [] : [`${route} is loaded at once`],
        );
  };
}

const HOW: Readonly<Record<ImportKind, string>> = {static: 'imports', 'on-demand': 'loads', type: 'takes a type from'};

function permits({always, onDemand = [], types = []}: Permissions, kind: ImportKind, to: string): boolean {
  const patterns = [...always];
  if (kind === 'on-demand') patterns.push(...onDemand);
  // Types are removed before anything is loaded, so they may also come from everything that may be loaded on demand.
  if (kind === 'type') patterns.push(...onDemand, ...types);
  return patterns.some(pattern => matches(pattern, to));
}

/** Every package is imported only below the paths that the table allows, and is listed in package.json. */
export function packagesAgainst(
  table: Readonly<Record<string, readonly string[]>>,
  declared: readonly string[],
): Check {
  return eachImport((file, {specifier}) => {
    const from = belowSrc(file.path);
    if (specifier === undefined || specifier.startsWith('.')) return undefined;
    const name = packageName(specifier);
    if (name !== 'node:' && !declared.includes(name)) return `imports ${name}, which package.json does not list`;
    if (from === undefined || from === 'program.tsx') return undefined;
    const homes = table[name];
    if (homes === undefined) return `imports ${name}, which stands in no row of the package table`;
    if (homes.some(home => matches(home, from))) return undefined;
    return `imports ${name}, which belongs to ${homes.join(', ')}`;
  });
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** No file that matches the pattern imports another one that does, except for shared files. */
export function noNeighbours({pattern, shared}: {pattern: RegExp; shared: readonly string[]}): Check {
  return eachImport((file, {specifier = ''}) => {
    const target = resolved(file.path, specifier);
    const [own, other] = [pattern.exec(file.path)?.[1], target && pattern.exec(target)?.[1]];
    if (own === undefined || other === undefined || own === other) return undefined;
    return shared.includes(own) || shared.includes(other) ? undefined : `imports its neighbour ${target}`;
  });
}

/** Like `noNeighbours`, for a folder whose members are the files that its list imports. */
export function noNeighboursIn({list, shared}: {list: string; shared: readonly string[]}): Check {
  return files => {
    const listFile = files.find(file => file.path === list);
    if (listFile === undefined) return [];
    const members = importsOf(listFile).flatMap(({specifier, kind}) => {
      const target = kind === 'static' && specifier !== undefined ? resolved(list, specifier) : undefined;
      return target === undefined || shared.includes(nameOf(target)) ? [] : [target];
    });
    return eachImport((file, {specifier = ''}) => {
      const target = resolved(file.path, specifier);
      const isSideways = members.includes(file.path) && target !== undefined && members.includes(target);
      return isSideways ? `imports its neighbour ${target}` : undefined;
    })(files);
  };
}

/** The files loaded with the entries must never import these packages at once. */
export function startsWithout(packages: readonly string[], isEntry: (path: string) => boolean): Check {
  return files => {
    const byPath = new Map(files.map(file => [file.path, file]));
    return files.filter(file => isEntry(file.path)).flatMap(entry => heavyRoutes(entry, byPath, packages));
  };
}

type Route = {readonly path: string; readonly route: string; readonly packages: readonly string[]};

function heavyRoutes(
  entry: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
  banned: readonly string[],
): readonly string[] {
  return routesFrom(entry, byPath).flatMap(({route, packages}) =>
    packages
      .filter(specifier => banned.includes(packageName(specifier)))
      .map(specifier => `${route} → ${specifier} is loaded at once`),
  );
}

/** Every file that is loaded with the entry, with its chain of imports and the packages it loads. */
function routesFrom(entry: SourceFile, byPath: ReadonlyMap<string, SourceFile>): readonly Route[] {
  const routes = new Map([[entry.path, entry.path]]);
  const found: Route[] = [];
  // A map also iterates over entries added meanwhile, so this ends when no new file is reached.
  for (const [path, route] of routes) {
    const file = byPath.get(path);
    const packages: string[] = [];
    for (const {specifier = '', kind} of file === undefined ? [] : importsOf(file)) {
      if (kind !== 'static') continue;
      const target = resolved(path, specifier);
      if (target === undefined) packages.push(specifier);
      else if (!routes.has(target)) routes.set(target, `${route} → ${target}`);
    }
    found.push({path, route, packages});
  }
  return found;
}

/** No code matches the pattern, except for the listed texts in the listed files. */
export function noCode(what: string, pattern: RegExp, exceptions: readonly Exception[] = []): Check {
  return eachFile(file => found(file, codeOnly(file.text), what, pattern, exceptions));
}

/** No text matches at all, including comments and strings. */
export function noText(what: string, pattern: RegExp): Check {
  return eachFile(file => found(file, file.text, what, pattern, []));
}

function found(
  file: SourceFile,
  text: string,
  what: string,
  pattern: RegExp,
  exceptions: readonly Exception[],
): string[] {
  const allowed = exceptions.filter(({path}) => path === file.path).flatMap(({allows}) => allows);
  return [...text.matchAll(pattern)]
    .filter(match => !allowed.includes(match[0]))
    .map(match => `${file.path}:${lineAt(text, match.index)} ${what}: ${match[0].trim()}`);
}

/** A component by its name, and any other function in a .tsx file that returns JSX. */
const COMPONENT = /\b(?:function\s+([A-Z]\w*)\s*[<(]|const\s+([A-Z]\w*)\s*=\s*(?:memo|forwardRef)\b)/g;
const SMALL_FUNCTION =
  /\b(?:function\s+([a-z]\w*)\s*[<(]|const\s+([a-z]\w*)\s*=\s*(?:async\s*)?(?:\w+|\([^()]*\))(?:\s*:\s*[\w<>]+)?\s*=>)/g;
/** A property that holds a component: `part.List`. */
const COMPONENT_MEMBER = /\b([A-Z]\w*)\??\s*:\s*(?:ComponentType|FunctionComponent|FC|MemoExoticComponent)\b/g;
const GIVES_JSX = /(?:\breturn|=>|[?:]|&&)\s*\(?\s*<[A-Z>]/;

/**
 * Components must be rendered. Neither they, nor other functions that return JSX, nor the type of an element may be
 * called.
 */
export const componentsAreRendered: Check = files => {
  const withJsx = files.filter(({path}) => path.endsWith('.tsx')).map(file => ({...file, text: codeOnly(file.text)}));
  const names = new Set(
    withJsx.flatMap(({text}) => [
      ...namesIn(text, COMPONENT).map(({name}) => name),
      ...namesIn(text, SMALL_FUNCTION)
        .filter(({index}) => GIVES_JSX.test(functionAt(text, index)))
        .map(({name}) => name),
    ]),
  );
  const members = new Set([
    ...[...names].filter(name => /^[A-Z]/.test(name)),
    ...files.flatMap(file => namesIn(codeOnly(file.text), COMPONENT_MEMBER).map(({name}) => name)),
  ]);
  const called = [...new Set([...names, ...members]), '$^'].join('|');
  const calls = new RegExp(
    `(?<!\\bfunction\\s+|\\bnew\\s+|[.\\w$])(?:${called})\\s*\\(|\\.(?:${[...members, 'type'].join('|')})\\s*\\(`,
    'g',
  );
  return eachFile(file => found(file, codeOnly(file.text), 'calls a component in place of rendering it', calls, []))(
    files,
  );
};

function namesIn(text: string, pattern: RegExp): readonly {readonly name: string; readonly index: number}[] {
  return [...text.matchAll(pattern)].map(match => ({name: match[1] ?? match[2] ?? '', index: match.index}));
}

/**
 * The text of a function, up to the first line that is indented no more than it, which is its end in formatted code.
 */
function functionAt(text: string, index: number): string {
  const lineStart = text.lastIndexOf('\n', index) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart))?.[0] ?? '';
  const end = new RegExp(`^${indent}(?:\\}|\\);|\\S.*;$)`, 'm').exec(text.slice(index));
  const whole = text.slice(index, end === null ? undefined : index + end.index + end[0].length);
  // JSX returned by an inner function does not count.
  const inside = new RegExp(`^${indent}  (?:async )?function\\b[^]*?^${indent}  \\}`, 'gm');
  return whole.replace(inside, '');
}

export const dynamicImportsArePlain: Check = eachImport((_, {specifier}) =>
  specifier === undefined ? 'gives import() no plain path, so nothing can check it' : undefined,
);

const BANNED_FOLDERS = ['utils', 'helpers', 'common', 'types', 'hooks'];
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.(ts|tsx)$/;

export const pathsAreTidy: Check = eachFile(({path}) => {
  const folders = path.split('/').slice(0, -1);
  const banned = folders.filter(folder => BANNED_FOLDERS.includes(folder));
  return [
    ...banned.map(folder => `${path} stands in a folder called ${folder}`),
    ...(/^index\./.test(nameOf(path)) ? [`${path} is an index`] : []),
    ...(KEBAB_CASE.test(nameOf(path)) ? [] : [`${path} is not named in kebab-case`]),
  ];
});

/** The paths below src in a table that match no file. */
export function pathsWithoutFiles(patterns: readonly string[], files: readonly SourceFile[]): readonly string[] {
  const paths = files.flatMap(({path}) => belowSrc(path) ?? []);
  return [...new Set(patterns)].filter(pattern => !paths.some(path => matches(pattern, path)));
}

function eachFile(check: (file: SourceFile) => readonly string[]): Check {
  return files => files.flatMap(check);
}

function eachImport(check: (file: SourceFile, found: Import) => string | undefined): Check {
  return eachFile(file =>
    importsOf(file).flatMap(foundImport => {
      const complaint = check(file, foundImport);
      return complaint === undefined ? [] : [`${file.path}:${foundImport.line} ${complaint}`];
    }),
  );
}

function matches(pattern: string, path: string): boolean {
  const [patternParts, parts] = [pattern.split('/'), path.split('/')];
  return patternParts.every((part, index) =>
    part === '*.ts' ? parts[index]?.endsWith('.ts') : part === '*' || part === parts[index],
  );
}

function belowSrc(path: string): string | undefined {
  return path.startsWith('src/') ? path.slice('src/'.length) : undefined;
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}
