import {join} from 'node:path';
import {type EpochMs, momentOf} from '../domain/time.ts';
import {hostFileName, isTroubleOfFile, readOwnFile, replaceOwnFile} from './own-files.ts';

/** What the deck showed when it was last open, as plain text, to show until the first answer arrives. */
export type LastScreen = {
  /** When the machines on it were read, which may be long before it was saved. */
  readonly readAt: EpochMs;
  /** The name of the account's organization. */
  readonly organization: string;
  /** The lines between the tabs and the message line, without colours. */
  readonly lines: readonly string[];
};

/** One file for each service and key, so that no account is ever shown the screen of another. */
export type LastScreenFile = {readonly path: string; readonly keyMark: number};

const FORMAT = 1;
const MAX_FILE_BYTES = 1_000_000;
const SIMULATED = 'simulated';

export function lastScreenFile(
  folder: string,
  account: {readonly baseUrl: string; readonly key: string} | undefined,
): LastScreenFile {
  const name = account === undefined ? SIMULATED : hostFileName(account.baseUrl);
  return {
    path: join(folder, `${name}.json`),
    keyMark: account === undefined ? 0 : checksum(account.key),
  };
}

/** Undefined if there is none of our own, if it is damaged, or if it was made with another key. */
export function readLastScreen({path, keyMark}: LastScreenFile): LastScreen | undefined {
  try {
    const read: unknown = JSON.parse(readOwnFile(path, {maxBytes: MAX_FILE_BYTES}));
    if (typeof read !== 'object' || read === null) return undefined;
    const fields = new Map<string, unknown>(Object.entries(read));
    if (fields.get('format') !== FORMAT || fields.get('keyMark') !== keyMark) return undefined;
    const [organization, lines] = [fields.get('organization'), fields.get('lines')];
    const written = fields.get('readAt');
    const readAt = typeof written === 'number' ? momentOf(written) : undefined;
    if (readAt === undefined || typeof organization !== 'string') return undefined;
    if (!Array.isArray(lines) || !lines.every((line: unknown) => typeof line === 'string')) return undefined;
    return {readAt, organization, lines};
  } catch (error) {
    if (!isTroubleOfFile(error)) throw error;
    return undefined;
  }
}

/** A failure to write it is ignored. */
export function writeLastScreen({path, keyMark}: LastScreenFile, screen: LastScreen): void {
  try {
    replaceOwnFile(path, JSON.stringify({format: FORMAT, keyMark, ...screen}));
  } catch (error) {
    if (!isTroubleOfFile(error)) throw error;
    // The next start opens without it.
  }
}

/** Sixteen bits tell two keys of one person apart and are too few to guess a key from. */
function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) & 0xffff;
  return sum;
}
