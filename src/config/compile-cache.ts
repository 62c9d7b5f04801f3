import {lstatSync, readdirSync, rmSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {emptyFolder, isOthers, openStateFolder, WRITE_ACCESS_OF_OTHERS} from './own-files.ts';

/** Each version of the program and of Node leaves some megabytes. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * The folder for Node's own cache of compiled code, if everything in it is provably ours; otherwise undefined. Node
 * runs what it finds there, and would wait for the other end of a pipe, so each entry is checked before Node reads it.
 * After anything odd, this start has no cache and the next begins with an empty one.
 */
export function compileCacheFolder(environment: EnvironmentVariables): string | undefined {
  try {
    const folder = openStateFolder(environment, 'compile-cache');
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
      // Node leaves an empty file for each part that a full disk did not take, and makes as many at the next start.
      if (entryStats.size === 0) rmSync(join(version, entry), {force: true});
      bytes += entryStats.size;
    }
  }
  return bytes;
}

function isOurs(stats: Stats): boolean {
  return !isOthers(stats) && (stats.mode & WRITE_ACCESS_OF_OTHERS) === 0;
}
