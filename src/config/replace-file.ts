import {mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';

/** Puts a file of mode 0600 in the place of another, whole or not at all. For what nobody misses: it never fails. */
export function replaceFile(path: string, content: string | Buffer): void {
  const partial = `${path}.${process.pid}.part`;
  try {
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    writeFileSync(partial, content, {mode: 0o600});
    renameSync(partial, path);
  } catch {
    discard(partial);
  }
}

function discard(path: string): void {
  try {
    rmSync(path, {force: true});
  } catch {
    // Its folder is no folder; then it was never made.
  }
}
