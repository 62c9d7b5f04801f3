// Bundles the program into one file without dependencies: a bundle starts in about half the time of the loose files.
import {renameSync} from 'node:fs';
import {build} from 'esbuild';

// `createRequire` serves the CommonJS packages inside the bundle. The version check stands before everything else,
// so an older Node answers with a sentence instead of a stack.
// A small young generation: the deck makes much short-lived garbage and keeps little, and needs a sixth less memory so.
const banner = `#!/usr/bin/env -S node --max-semi-space-size=4
import {createRequire as createRequireForBundle} from 'node:module';
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write('skydeck needs Node 22 or newer; this is Node ' + process.versions.node + '. In a checkout, npm start and npm test bring their own.\\n');
  process.exit(2);
}
const require = createRequireForBundle(import.meta.url);`;

// Two builds at once must not leave half a file behind.
const partial = `dist/skydeck.${process.pid}.js`;

await build({
  entryPoints: ['src/main.tsx'],
  outfile: partial,
  bundle: true,
  minify: true,
  keepNames: false,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  legalComments: 'none',
  define: {'process.env.NODE_ENV': '"production"'},
  // Ink asks for its developer tools only with DEV=true; they weigh more than the program.
  plugins: [
    {
      name: 'without-devtools',
      setup(bundle) {
        bundle.onResolve({filter: /^react-devtools-core$/}, () => ({path: 'react-devtools-core', namespace: 'empty'}));
        bundle.onLoad({filter: /.*/, namespace: 'empty'}, () => ({contents: 'export default {}'}));
      },
    },
  ],
  banner: {js: banner},
});
renameSync(partial, 'dist/skydeck.js');
