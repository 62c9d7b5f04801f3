import {homedir} from 'node:os';
import {join} from 'node:path';
import type {Environment} from './early-options.ts';

/** Where the journal, the saved screens and the compiled program live. */
export function stateFolder({XDG_STATE_HOME: shared}: Environment): string {
  return join(shared !== undefined && shared !== '' ? shared : join(homedir(), '.local', 'state'), 'skydeck');
}

export function configFolder({SKYDECK_CONFIG_DIR: own, XDG_CONFIG_HOME: shared}: Environment): string {
  if (own !== undefined && own !== '') return own;
  return join(shared !== undefined && shared !== '' ? shared : join(homedir(), '.config'), 'skydeck');
}
