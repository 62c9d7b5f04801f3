import type {SeededBug} from './bugs.ts';

const OWN_FILES = 'src/config/own-files.ts';
const CACHE = 'src/config/compile-cache.ts';
const OF_FILES = ['test/config/own-files.test.ts'];
const OF_CACHE = ['test/config/compile-cache.test.ts'];

/** Mistakes by which this program would read, run or write what somebody else has put in the place of its own. */
export const FILE_BUGS: readonly SeededBug[] = [
  {
    name: 'a planted link is followed',
    path: OWN_FILES,
    from: 'flags | O_NOFOLLOW | O_NONBLOCK',
    to: 'flags | O_NONBLOCK',
    tests: OF_FILES,
  },
  {
    name: 'a file of another user is opened',
    path: OWN_FILES,
    from: 'return process.getuid !== undefined && uid !== process.getuid();',
    to: 'return process.getuid === undefined && uid < 0;',
    tests: OF_FILES,
  },
  {
    name: 'a file that others can change is opened',
    path: OWN_FILES,
    from: 'export const WRITE_ACCESS_OF_OTHERS = 0o022;',
    to: 'export const WRITE_ACCESS_OF_OTHERS = 0o000;',
    tests: OF_FILES,
  },
  {
    name: 'a file with a second name is written to',
    path: OWN_FILES,
    from: "use === 'append' && stats.nlink > 1",
    to: "use === 'append' && stats.nlink > 2",
    tests: OF_FILES,
  },
  {
    name: 'a relative home means the current folder',
    path: OWN_FILES,
    from: 'path !== undefined && isAbsolute(path) ? path : undefined',
    to: "path !== undefined && path !== '' ? path : undefined",
    tests: OF_FILES,
  },
  {
    name: 'compiled code runs although others could change it',
    path: CACHE,
    from: 'return !isOthers(stats) && (stats.mode & WRITE_ACCESS_OF_OTHERS) === 0;',
    to: 'return !isOthers(stats);',
    tests: OF_CACHE,
  },
  {
    name: 'a pipe among the compiled code is left for Node to wait on',
    path: CACHE,
    from: '!entryStats.isFile() || ',
    to: '',
    tests: OF_CACHE,
  },
  {
    name: 'the folder of compiled code can be exchanged',
    path: OWN_FILES,
    from: 'if (READ_BACK.includes(part)) checkOutOfReach(folder);',
    to: '',
    tests: OF_CACHE,
  },
];
