import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {build} from 'esbuild';
import {projectRoot} from '../support/launch.ts';

const SOURCE = `
import {Text, render} from 'ink';
render(<Text>hello</Text>);
setTimeout(() => process.exit(0), 5000);
`;

/** The smallest possible Ink program, bundled like the deck. Returns its file and how to remove it. */
export async function bundleSmallestInk(): Promise<{readonly path: string; readonly remove: () => void}> {
  const folder = mkdtempSync(join(tmpdir(), 'smallest-ink-'));
  const path = join(folder, 'smallest-ink.mjs');
  await build({
    stdin: {contents: SOURCE, resolveDir: projectRoot, loader: 'tsx'},
    outfile: path,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    jsx: 'automatic',
    legalComments: 'none',
    define: {'process.env.NODE_ENV': '"production"'},
    alias: {'react-devtools-core': 'node:path'},
    banner: {
      js: `import {createRequire as createRequireForBundle} from 'node:module';const require = createRequireForBundle(import.meta.url);`,
    },
  });
  return {path, remove: () => rmSync(folder, {recursive: true, force: true})};
}
