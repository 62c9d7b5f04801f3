import {say} from '../domain/safe-text.ts';

/** The keys that texts elsewhere name, once: a command takes its key from here, and so does whatever mentions it. */
export const KEYS = {
  back: say`esc`,
  clearMarks: say`M`,
  create: say`n`,
  describe: say`d`,
  edit: say`i`,
  fix: say`f`,
  help: say`?`,
  interrupt: say`ctrl-c`,
  metrics: say`m`,
  mute: say`A`,
  nextFinding: say`!`,
  nextPart: say`tab`,
  open: say`enter`,
  progress: say`P`,
  quit: say`q`,
  redo: say`Z`,
  refresh: say`ctrl-r`,
  remove: say`X`,
  sort: say`o`,
  ssh: say`s`,
  suspend: say`ctrl-z`,
  undo: say`z`,
  unlock: say`W`,
} as const;
