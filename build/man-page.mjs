// `node build/man-page.mjs FILE` writes the manual page. It is made from the program's own tables, so it is bundled as
// the program is, and run.
import {execFileSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {PROGRAM} from './bundle.mjs';

const script = join('dist', 'man-page.mjs');
await build({...PROGRAM, entryPoints: ['build/man-page.ts'], outfile: script, sourcemap: false, write: true});
try {
  execFileSync(process.execPath, [script, ...process.argv.slice(2)], {stdio: ['ignore', 'inherit', 'inherit']});
} finally {
  rmSync(script);
}
