import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {hostFileName, readKept, replaceKept, type StateFile} from './own-files.ts';

type KnownNames = Readonly<Record<string, readonly string[]>>;

const MAX_FILE_BYTES = 4_000_000;
const MAX_NAMES = 10_000;
/** Text that every shell takes as one word without special meaning. */
const PLAIN_NAME = /^[a-z0-9_][\w.-]{0,99}$/i;
/** The names of images are several words, whose blanks the completion of each shell escapes. */
const IMAGES = 'images';
const PLAIN_WORDS = /^(?=.{1,100}$)[a-z0-9_][\w.-]*(?: [\w.-]+)*$/i;

/**
 * Where the names of an account's resources are kept for completion, which sends no requests. One file for each service
 * and profile, so that completion never offers the names of another account.
 */
export function namesFile(
  environment: EnvironmentVariables,
  {baseUrl, profileName}: {readonly baseUrl: string; readonly profileName: string | undefined},
): StateFile {
  const host = hostFileName(baseUrl);
  return {environment, name: `${host}${profileName === undefined ? '' : `@${profileName}`}.json`};
}

/** The names listed last, by the plural of their kind; none if there is no such file of our own. */
export function readKnownNames(file: StateFile): KnownNames {
  const read = readKept(file, 'names', {maxBytes: MAX_FILE_BYTES});
  if (typeof read !== 'object' || read === null) return {};
  return Object.fromEntries(Object.entries(read).map(([kind, names]) => [kind, plainNames(kind, names)]));
}

/** Replaces the names of one kind. A failure to write them is ignored. */
export function writeKnownNames(file: StateFile, kind: string, names: readonly string[]): void {
  const known = readKnownNames(file);
  const kept = plainNames(kind, names);
  if (JSON.stringify(known[kind]) === JSON.stringify(kept)) return;
  replaceKept(file, 'names', JSON.stringify({...known, [kind]: kept}));
}

function plainNames(kind: string, names: unknown): readonly string[] {
  const pattern = kind === IMAGES ? PLAIN_WORDS : PLAIN_NAME;
  const texts = Array.isArray(names) ? names.filter(name => typeof name === 'string' && pattern.test(name)) : [];
  return [...new Set<string>(texts)].slice(0, MAX_NAMES);
}
