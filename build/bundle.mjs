// How the program is bundled, whatever it is bundled into.
import {resolve} from 'node:path';

// The deck makes much short-lived garbage and keeps little. With a young generation of at most 4 MB instead of Node's 16
// it takes 127 MB for 200 machines instead of 198, and 200 for 10,000 instead of 255. With 2 MB it takes no less, and a
// start takes a tenth longer: what it makes outlives a clearing and is copied.
// With most other options of V8, Node compiles its own modules at each start: its compiled code is not valid with them.
export const NODE_OPTIONS = ['--max-semi-space-size=4'];

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

// Packages in the old module format ask for modules by a function that a module of today does not have. All packages are
// in the bundle, so only Node's own are left to ask for.
const REQUIRE = 'const require = process.getBuiltinModule;';

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
