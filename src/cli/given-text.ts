import {createReadStream} from 'node:fs';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {CommandIo} from './command-io.ts';

/** Far above any request, key or script, and far below what would hurt: a device has no end. */
const MAX_BYTES = 2 ** 20;

type GivenText = {readonly ok: true; readonly text: string} | {readonly ok: false; readonly mistake: SafeText};

/** The text of a file that an argument names, or of standard input for `-`: UTF-8, at most 1 MiB. */
export async function givenText({stdin}: CommandIo, path: string): Promise<GivenText> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
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
