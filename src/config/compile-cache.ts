import {lstatSync, readdirSync, realpathSync, type Stats, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {emptyFolder, isOthers, openStateFolder, WRITE_ACCESS_OF_OTHERS} from './own-files.ts';

/** Each version of the program and of Node leaves some megabytes. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
const WRITE_ACCESS_OF_GROUP = 0o020;
const WRITE_ACCESS_OF_ALL = 0o002;
/** Only the owner of a file can move it away: /tmp is such a folder. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * The folder for Node's own cache of compiled code, if everything in it is provably ours; otherwise undefined. Node
 * runs what it finds there, and would wait for the other end of a pipe, so each entry is checked before Node reads it.
 * After anything odd, this start has no cache and the next begins with an empty one.
 */
export function compileCacheFolder(environment: EnvironmentVariables): string | undefined {
  try {
    const folder = openStateFolder(environment, 'compile-cache');
    if (!isOutOfReach(folder)) return undefined;
    const bytes = bytesOfOurs(folder);
    if (bytes === undefined || bytes > MAX_CACHE_BYTES) emptyFolder(folder);
    return bytes === undefined ? undefined : folder;
  } catch {
    return undefined;
  }
}

/** The total size of the versions' folders; undefined if anything in them could be changed by others. */
function bytesOfOurs(folder: string): number | undefined {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const version = join(folder, name);
    const stats = lstatSync(version);
    if (!stats.isDirectory() || !isOurs(stats)) return undefined;
    for (const entry of readdirSync(version)) {
      const entryStats = lstatSync(join(version, entry));
      if (!entryStats.isFile() || !isOurs(entryStats)) return undefined;
      bytes += entryStats.size;
    }
  }
  return bytes;
}

function isOurs(stats: Stats): boolean {
  return !isOthers(stats) && (stats.mode & WRITE_ACCESS_OF_OTHERS) === 0;
}

/** Whether nobody else can replace this folder by another: that would make every check of it worthless. */
function isOutOfReach(path: string): boolean {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    const stats = statSync(folder);
    if (stats.uid !== ROOT && isOthers(stats)) return false;
    const isSticky = (stats.mode & STICKY) !== 0;
    // Many systems give each person a group of their own, and let it write.
    const mask = stats.gid === process.getgid?.() ? WRITE_ACCESS_OF_ALL : WRITE_ACCESS_OF_ALL | WRITE_ACCESS_OF_GROUP;
    if (!isSticky && (stats.mode & mask) !== 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
