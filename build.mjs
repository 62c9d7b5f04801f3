// Bundles the program into one file without dependencies: a bundle starts in about half the time of the loose files.
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {isBuiltin} from 'node:module';
import {build} from 'esbuild';

/**
 * The file holds two parts. In front the start, small and run as it stands: it shows the first frame. Behind it, in one
 * comment, the program, which the start compiles itself: a comment of a megabyte costs 2 ms where the same text as
 * code costs 40, and the compiled program can be kept from one start to the next.
 */
const PROGRAM_MARK = '\n/*program\n';

/** Node's own modules are loaded by the file that needs them when it is first used, and not all at the start. */
const builtinsOnDemand = {
  name: 'builtins-on-demand',
  setup(bundle) {
    bundle.onResolve({filter: /.*/}, ({path, namespace}) => {
      if (!isBuiltin(path)) return undefined;
      return namespace === 'builtin' ? {path, external: true} : {path, namespace: 'builtin'};
    });
    bundle.onLoad({filter: /.*/, namespace: 'builtin'}, ({path}) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }));
  },
};

const leaner = {
  name: 'leaner',
  setup(bundle) {
    // Ink asks for its developer tools only with DEV=true; they weigh more than the program.
    bundle.onResolve({filter: /^react-devtools-core$/}, () => ({path: 'react-devtools-core', namespace: 'empty'}));
    bundle.onLoad({filter: /.*/, namespace: 'empty'}, () => ({contents: 'export default {}'}));
    // The schema library brings its messages in fifty languages, a sixth of the program; ours are English.
    bundle.onLoad({filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/}, () => ({
      contents: `export {default as en} from './en.js'`,
    }));
    // The same widths as ours, without the regular expressions of all emoji, which are built at the start: a fifth of the
    // time to the first row. A ticket is a private-use character, and takes one cell.
    bundle.onLoad({filter: /string-width[\\/]index\.js$/}, () => ({
      contents: `import stripAnsi from 'strip-ansi';
import {cellWidth} from './src/terminal/glyphs.ts';
export default function stringWidth(text, {countAnsiEscapeCodes = false} = {}) {
  if (/^[\\ue000-\\uf8ff]$/.test(text)) return 1;
  const isColoured = !countAnsiEscapeCodes && /[\\u001b\\u009b]/.test(text);
  return cellWidth(isColoured ? stripAnsi(text) : text);
}`,
      resolveDir: process.cwd(),
    }));
    // The first one takes ten milliseconds to make, and a screen of tickets needs none.
    bundle.onLoad({filter: /[\\/](?:wrap-ansi|slice-ansi|ansi-tokenize|ink)[\\/].*\.js$/}, ({path}) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^const (\w+) = (new Intl\.Segmenter\(.*\));$/m,
        'let $1Made; const $1 = {segment: text => ($1Made ??= $2).segment(text)};',
      ),
    }));
    // Without `fetch` the layout library unpacks itself at once; with it, the whole of Node's client is loaded first.
    bundle.onLoad({filter: /yoga-wasm-base64-esm\.js$/}, ({path}) => ({
      contents: `const fetch = undefined;\n${readFileSync(path, 'utf8')}`,
    }));
  },
};

const shared = {
  bundle: true,
  minify: true,
  keepNames: false,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  charset: 'ascii',
  legalComments: 'none',
  write: false,
};

const program = await textOf({
  ...shared,
  // `begin` is what the start hands in; a text that is compiled by hand cannot export.
  stdin: {contents: `import {run} from './src/program.tsx'; begin(run);`, resolveDir: process.cwd(), loader: 'ts'},
  define: {'process.env.NODE_ENV': '"production"', 'import.meta': '{"url": "file:///skydeck.js"}'},
  plugins: [leaner, builtinsOnDemand],
});
const start = await textOf({
  ...shared,
  entryPoints: ['src/skydeck.ts'],
  plugins: [builtinsOnDemand],
});

// The version check stands before everything else, so an older Node answers with a sentence instead of a stack.
// A small young generation: the deck makes much short-lived garbage and keeps little, and needs a sixth less memory so.
const banner = `#!/usr/bin/env -S node --max-semi-space-size=4
import {createRequire as createRequireForBundle} from 'node:module';
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write('skydeck needs Node 22 or newer; this is Node ' + process.versions.node + '. In a checkout, npm start and npm test bring their own.\\n');
  process.exit(2);
}
const require = createRequireForBundle(import.meta.url);
`;

mkdirSync('dist', {recursive: true});
// Two builds at once must not leave half a file behind.
const partial = `dist/skydeck.${process.pid}.js`;
writeFileSync(partial, `${banner}${start}${PROGRAM_MARK}${program.replaceAll('*/', '*\u0001/')}*/\n`);
renameSync(partial, 'dist/skydeck.js');

/** In ASCII alone, as the start reads it byte by byte: the bundler leaves regular expressions as they are. */
async function textOf(options) {
  const {outputFiles} = await build(options);
  return outputFiles[0].text.replaceAll(
    /[^\0-\x7f]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
