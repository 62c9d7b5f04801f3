// How the program is bundled, whatever it is bundled into.
import {resolve} from 'node:path';

// The deck makes much short-lived garbage and keeps little. A young generation of 2 MB instead of Node's 16 needs 12 MB
// less at the first row and some 30 later. It keeps this size: at rest V8 would make it smaller and clear it more often,
// and in use larger.
// While a long list is read, many objects outlive one clearing. V8 concludes that such objects live for long and makes all
// later ones in the old generation (allocation-site pretenuring), where the garbage of a list of 20,000 stays until there
// are 60 MB of it; without that, 20 MB.
// Of a program that is mostly at rest V8 lets the old generation grow to four times what lives in it before it collects.
// Growing by 20 % at most, the garbage of a monstrous list takes 20 MB less.
export const NODE_OPTIONS = [
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=20',
];

export const PLAIN = {
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  write: false,
};

// Packages in the old module format ask for Node's modules by a function that a module of today does not have.
const REQUIRE = `import {createRequire as createRequireForPackages} from 'node:module';
const require = createRequireForPackages(import.meta.url);`;

/** With all packages in it. */
export const PROGRAM = {
  ...PLAIN,
  target: 'node22',
  banner: {js: REQUIRE},
  define: {'process.env.NODE_ENV': '"production"'},
  alias: {'string-width': './build/string-width.ts'},
  // Where DEV=true is set, for whatever reason, Ink would load its developer tools from any folder that has them.
  plugins: [resolving(/^\.\/devtools\.js$/, {path: resolve('build/nothing.ts')})],
};

export function resolving(filter, result) {
  return {name: `resolving ${filter}`, setup: ({onResolve}) => onResolve({filter}, () => result)};
}
