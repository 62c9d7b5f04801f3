import {createReadStream, statSync} from 'node:fs';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {CommandIo} from './command-io.ts';

/** Far above any request, key or script, and far below what would hurt: a device has no end. */
const MAX_BYTES = 2 ** 20;

type GivenText = {readonly ok: true; readonly text: string} | {readonly ok: false; readonly mistake: SafeText};

/** Opening a named pipe or a terminal may wait forever, and silently. */
const NOT_PLAIN = say`the file is not a plain file; to pass a pipe, give - and redirect standard input`;
/** Standard input by its name, and what a shell puts in place of `<(command)`. */
const OWN_STREAM = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** The text of a file that an argument names, or of standard input for `-`: UTF-8, at most 1 MiB. */
export async function givenText({stdin}: CommandIo, path: string): Promise<GivenText> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (path !== '-' && !OWN_STREAM.test(path)) {
      const stats = statSync(path);
      if (!stats.isFile()) return {ok: false, mistake: stats.isDirectory() ? say`it is a folder` : NOT_PLAIN};
    }
    for await (const chunk of path === '-' ? stdin : createReadStream(path)) {
      size += chunk.length;
      if (size > MAX_BYTES) return {ok: false, mistake: say`${whatIs(path)} is larger than 1 MiB`};
      chunks.push(chunk);
    }
  } catch {
    return {ok: false, mistake: say`${whatIs(path)} cannot be read`};
  }
  return {ok: true, text: Buffer.concat(chunks).toString('utf8')};
}

function whatIs(path: string): SafeText {
  return path === '-' ? say`standard input` : say`the file`;
}
