import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import {dirname, isAbsolute, join} from 'node:path';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import type {EpochMs} from '../domain/time.ts';
import {THEME_NAME} from './options.ts';

// Whatever is read back (settings, journal, last screens, compiled code) decides what this program does while it holds
// a key, and whatever it writes may be private. So files are opened here and only here: without following a link,
// without waiting for the other end of a pipe, and only if the file belongs to the person and nobody else can change
// it.

/** A file or folder that another user could have put there, could change, or could read although it is private. */
export class NotOursError extends Error {
  /** Whether its permissions are merely too open, so that others may have read it. */
  readonly isOpenToOthers: boolean;
  readonly path: string;

  constructor(path: string, reason: string, {isOpenToOthers = false} = {}) {
    super(`${path} ${reason}`);
    this.path = path;
    this.isOpenToOthers = isOpenToOthers;
  }
}

const {O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY} = constants;
const FLAGS = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND | O_CREAT,
  create: O_WRONLY | O_CREAT | O_EXCL,
} as const;

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const ACCESS_OF_OTHERS = 0o077;
export const WRITE_ACCESS_OF_OTHERS = 0o022;

/** What a person can name any file for: only one that begins like this is written to, or one that is empty. */
export type FileKind = {readonly beginning: RegExp; readonly refusal: string};

/**
 * Opens a file of our own and returns its descriptor: to `read` it, to `append` to it (created if missing, and closed
 * to other readers), or to `create` it if the name is free. Throws a NotOursError, also if the file is of another kind
 * than the one given, or the system's error.
 */
export function openOwnFile(path: string, use: keyof typeof FLAGS, kind?: FileKind): number {
  const file = openUnfollowed(path, FLAGS[use]);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new NotOursError(path, 'is not a plain file');
    if (isOthers(stats)) throw new NotOursError(path, 'belongs to another user');
    // Another hard link to the file may be elsewhere, or lead to a file that nobody meant to be written to.
    if (use === 'append' && stats.nlink > 1) throw new NotOursError(path, 'is a hard link to another file');
    if (kind !== undefined && stats.size > 0 && !kind.beginning.test(beginningOf(file)))
      throw new NotOursError(path, kind.refusal);
    if ((stats.mode & WRITE_ACCESS_OF_OTHERS) !== 0) {
      throw new NotOursError(path, `can be changed by others: run chmod 600 ${path}`, {isOpenToOthers: true});
    }
    if (use === 'append' && (stats.mode & ACCESS_OF_OTHERS) !== 0) fchmodSync(file, PRIVATE_FILE);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

const BEGINNING_BYTES = 100;

function beginningOf(file: number): string {
  const bytes = Buffer.alloc(BEGINNING_BYTES);
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, BEGINNING_BYTES, 0));
}

/**
 * The text of a file of our own. Throws as `openOwnFile` does, and if the file is too large or, if that matters,
 * readable by others.
 */
export function readOwnFile(
  path: string,
  {maxBytes, isPrivate = false}: {readonly maxBytes: number; readonly isPrivate?: boolean},
): string {
  const file = openOwnFile(path, 'read');
  try {
    const {mode, size} = fstatSync(file);
    if (isPrivate && (mode & ACCESS_OF_OTHERS) !== 0) {
      throw new NotOursError(path, `can be read by others: run chmod 600 ${path}`, {isOpenToOthers: true});
    }
    if (size > maxBytes) throw new RangeError(`${path} is larger than ${maxBytes} bytes`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Writes a new file, mode 0600 by default. */
export function createOwnFile(path: string, content: string, mode: number = PRIVATE_FILE): void {
  const file = openOwnFile(path, 'create');
  try {
    writeFileSync(file, content);
    // By its name it could be another file by now.
    if (mode !== PRIVATE_FILE) fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file, wholly or not at all; mode 0600 by default. */
export function replaceOwnFile(path: string, content: string, mode: number = PRIVATE_FILE): void {
  const partial = `${path}.${process.pid}.part`;
  rmSync(partial, {force: true});
  try {
    createOwnFile(partial, content, mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, {force: true});
    throw error;
  }
}

/** Renames a file that cannot be read, so that writing anew destroys nothing; returns its new path. */
export function putAside(path: string, now: EpochMs): string {
  const aside = `${path}.${now}.unreadable`;
  renameSync(path, aside);
  return aside;
}

/**
 * Creates the folder if it is missing, and closes it to others. Content of a cache that others could write to is no
 * longer ours and is deleted. Throws a NotOursError, or the system's error.
 */
export function ownFolder(path: string, {isCache = false}: {readonly isCache?: boolean} = {}): void {
  makeFolder(path);
  const folder = openOwnFolder(path);
  try {
    const {mode} = fstatSync(folder);
    if ((mode & ACCESS_OF_OTHERS) !== 0) fchmodSync(folder, PRIVATE_FOLDER);
    if (isCache && (mode & WRITE_ACCESS_OF_OTHERS) !== 0) emptyFolder(path);
  } finally {
    closeSync(folder);
  }
}

/** Throws a NotOursError if it is a link or belongs to another user; the system's error if there is no such folder. */
export function checkOwnFolder(path: string): void {
  closeSync(openOwnFolder(path));
}

function openOwnFolder(path: string): number {
  const folder = openUnfollowed(path, O_RDONLY | O_DIRECTORY);
  if (!isOthers(fstatSync(folder))) return folder;
  closeSync(folder);
  throw new NotOursError(path, 'belongs to another user');
}

/** Level by level: Node's own `recursive` never ends where a name can be looked up but not made, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, PRIVATE_FOLDER);
  } catch (error) {
    // Something else has this name: opening it tells what.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

export function emptyFolder(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), {recursive: true, force: true});
}

/** Whether it belongs to another user; on systems without users nothing does. */
export function isOthers({uid}: Pick<Stats, 'uid'>): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function openUnfollowed(path: string, flags: number): number {
  try {
    // Opening a pipe without O_NONBLOCK waits for its other end.
    return openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, PRIVATE_FILE);
  } catch (error) {
    const reason = REFUSALS.get(codeOf(error));
    throw reason === undefined ? error : new NotOursError(path, reason);
  }
}

/** The system's errors for a link, for a folder in place of a file or the reverse, and for a pipe nobody reads. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['ELOOP', 'is a link, and links are not followed'],
  ['ENOTDIR', 'is not a folder, or a link to one, and links are not followed'],
  ['EISDIR', 'is not a plain file'],
  ['ENXIO', 'is not a plain file'],
]);

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** For files that only make things faster: a failure to write them is ignored. */
const CACHES: readonly string[] = ['bills', 'compile-cache', 'last-screen', 'names', 'samples'];

/** What is read back to be shown or counted with, or run: not if others could have put it there. */
const READ_BACK: readonly string[] = [...CACHES, 'activity'];

type StatePart =
  | 'activity'
  | 'bills'
  | 'compile-cache'
  | 'findings'
  | 'journal'
  | 'last-screen'
  | 'names'
  | 'samples'
  | 'screens';

/** Where something is kept between runs: a file in a part of the state folder. */
export type StateFile = {
  readonly environment: EnvironmentVariables;
  readonly name: string;
  /** Receives why the file was not read or written, but not that there is none yet. */
  readonly onTrouble?: ((file: string, trouble: string) => void) | undefined;
};

/** The host of a service in the name of a file: `api.example.com`, `127.0.0.1_4010`; `none` if it is no address. */
export function hostFileName(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host.replaceAll(/[^\w.-]/g, '_') : 'none';
}

type KeptLimits = {readonly maxBytes: number; readonly isPrivate?: boolean};

/**
 * The JSON in a file kept between runs; undefined if there is none, if it or its folder could have been changed by
 * others, or if it is damaged.
 */
export function readKept(file: StateFile, part: StatePart, limits: KeptLimits): unknown {
  return withoutKeptFile(file, {part, did: 'read'}, () => {
    const read: unknown = JSON.parse(readOwnFile(keptPath(file, part), limits));
    if (typeof read !== 'object' || read === null || Array.isArray(read))
      throw new RangeError('it is not a JSON object');
    return read;
  });
}

/** Replaces a file kept between runs. Whatever the system says against it only makes the next run slower. */
export function replaceKept(file: StateFile, part: StatePart, content: string): void {
  withoutKeptFile(file, {part, did: 'written'}, () =>
    replaceOwnFile(join(openStateFolder(file.environment, part), file.name), content),
  );
}

/** Undefined in place of what files can be guilty of; a mistake of our own is thrown. */
function withoutKeptFile<T>(
  {name, onTrouble}: StateFile,
  {part, did}: {readonly part: StatePart; readonly did: 'read' | 'written'},
  use: () => T,
): T | undefined {
  try {
    return use();
  } catch (error) {
    if (!isTroubleOfFile(error)) throw error;
    // The parser's own message quotes the file.
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : error.message;
    if (codeOf(error) !== 'ENOENT') onTrouble?.(join(part, name), `not ${did}: ${reason}`);
    return undefined;
  }
}

/** Whether it is an error of the system, or says that a file is not ours, too large or damaged. */
export function isTroubleOfFile(error: unknown): error is Error {
  if (error instanceof NotOursError || error instanceof RangeError || error instanceof SyntaxError) return true;
  return error instanceof Error && 'syscall' in error;
}

/**
 * The state folder, or a part of it, created if missing and closed to others; both are checked. Throws as `ownFolder`
 * does.
 */
export function openStateFolder(environment: EnvironmentVariables, part: StatePart | '' = ''): string {
  const folder = stateFolder(environment);
  const path = join(folder, part);
  ownFolder(folder);
  if (READ_BACK.includes(part)) checkOutOfReach(folder);
  if (path !== folder) ownFolder(path, {isCache: CACHES.includes(part)});
  return path;
}

/** Throws a NotOursError if others can replace the file, or have put it there; the system's error if it has no folder. */
function keptPath({environment, name}: StateFile, part: StatePart): string {
  const folder = stateFolder(environment);
  checkOutOfReach(folder);
  const path = join(folder, part);
  for (const each of [folder, path]) checkUnchangedFolder(each);
  return join(path, name);
}

/** Others could have put or exchanged files in a folder that they could write to. */
function checkUnchangedFolder(path: string): void {
  const folder = openOwnFolder(path);
  try {
    if ((fstatSync(folder).mode & WRITE_ACCESS_OF_OTHERS) !== 0)
      throw new NotOursError(path, `can be changed by others: run chmod 700 ${path}`, {isOpenToOthers: true});
  } finally {
    closeSync(folder);
  }
}

const WRITE_ACCESS_OF_GROUP = 0o020;
const WRITE_ACCESS_OF_ALL = 0o002;
/** Only the owner of a file can move it away: /tmp is such a folder. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Throws a NotOursError that names the folder above this one in which others can replace it by another: that would make
 * every check of it worthless. The system's error if there is no such folder.
 */
function checkOutOfReach(path: string): void {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    const stats = statSync(folder);
    if (stats.uid !== ROOT && isOthers(stats)) throw new NotOursError(folder, 'belongs to another user');
    // Many systems give each person a group of their own, and let it write.
    const mask = stats.gid === process.getgid?.() ? WRITE_ACCESS_OF_ALL : WRITE_ACCESS_OF_ALL | WRITE_ACCESS_OF_GROUP;
    if ((stats.mode & STICKY) === 0 && (stats.mode & mask) !== 0)
      throw new NotOursError(folder, `can be changed by others: run chmod go-w ${folder}`, {isOpenToOthers: true});
    if (folder === dirname(folder)) return;
  }
}

/** Why nothing that was kept is read back, in words; undefined if nothing speaks against it. */
export function reachTrouble(environment: EnvironmentVariables): string | undefined {
  try {
    checkOutOfReach(stateFolder(environment));
    return undefined;
  } catch (error) {
    return error instanceof NotOursError ? `nothing kept by earlier runs is used: ${error.message}` : undefined;
  }
}

/** The folder for journal, saved screens and compiled code, whether or not it exists. */
export function stateFolder({XDG_STATE_HOME: shared, HOME: home}: EnvironmentVariables): string {
  return join(absolute(shared) ?? join(homeFolder(home), '.local', 'state'), 'skydeck');
}

/** The folder of the settings file and of the keys that skydeck keeps. Throws if a relative one was given. */
export function configFolder(environment: EnvironmentVariables): string {
  const {SKYDECK_CONFIG_DIR: own, XDG_CONFIG_HOME: shared, HOME: home} = environment;
  if (own !== undefined && own !== '' && !isAbsolute(own))
    throw new Error('SKYDECK_CONFIG_DIR must be an absolute path');
  return absolute(own) ?? join(absolute(shared) ?? join(homeFolder(home), '.config'), 'skydeck');
}

export const SETTINGS_NAME = 'settings';
const MAX_SETTINGS_BYTES = 1024 * 1024;

export function settingsPath(environment: EnvironmentVariables): string {
  return join(configFolder(environment), `${SETTINGS_NAME}.json`);
}

/**
 * The content of the settings file; undefined if there is none. It can name a program to run, so it is protected like a
 * key. Throws as `readOwnFile` and `checkSettingsFolder` do.
 */
export function readSettingsFile(environment: EnvironmentVariables): unknown {
  const path = settingsPath(environment);
  try {
    checkSettingsFolder(environment);
    return JSON.parse(readOwnFile(path, {maxBytes: MAX_SETTINGS_BYTES, isPrivate: true}));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof SyntaxError ? new SyntaxError(`${path} is not valid JSON: ${error.message}`) : error;
  }
}

/**
 * Throws a NotOursError if others can remove the settings from their folder, or exchange them for another file of ours;
 * the system's error if there is no folder.
 */
export function checkSettingsFolder(environment: EnvironmentVariables): void {
  const path = configFolder(environment);
  // Many keep their settings elsewhere, and a link to them here: what counts is the folder that it leads to.
  const {uid, mode} = statSync(path);
  if (uid !== 0 && isOthers({uid})) throw new NotOursError(path, 'belongs to another user');
  if ((mode & WRITE_ACCESS_OF_OTHERS) !== 0 && (mode & STICKY) === 0)
    throw new NotOursError(path, `can be changed by others: run chmod 700 ${path}`, {isOpenToOthers: true});
}

const THEME_FOLDER = 'themes';
const MAX_THEME_BYTES = 64 * 1024;

/**
 * The content of a person's own theme, from beside the settings; undefined if there is no such file. Throws as
 * `readOwnFile` does, and if it is not JSON.
 */
export function readThemeFile(
  environment: EnvironmentVariables,
  name: string,
): {readonly path: string; readonly content: unknown} | undefined {
  const path = join(configFolder(environment), THEME_FOLDER, `${name}.json`);
  try {
    return {path, content: JSON.parse(readOwnFile(path, {maxBytes: MAX_THEME_BYTES}))};
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof SyntaxError ? new SyntaxError(`${path} is not valid JSON: ${error.message}`) : error;
  }
}

/** The names of the person's own themes; none if they have no folder for them. */
export function ownThemeNames(environment: EnvironmentVariables): readonly string[] {
  try {
    const files = readdirSync(join(configFolder(environment), THEME_FOLDER));
    return files
      .filter(name => name.endsWith('.json'))
      .map(name => name.slice(0, -'.json'.length))
      .filter(name => THEME_NAME.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** A relative path would depend on the current folder, where others may have put files. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** If the system does not know our user id, there is no home, and nothing can be kept. */
function homeFolder(named: string | undefined): string {
  try {
    return absolute(named) ?? absolute(userInfo().homedir) ?? NO_HOME;
  } catch {
    return NO_HOME;
  }
}

const NO_HOME = '/nonexistent';
