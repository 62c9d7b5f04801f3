import {homedir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import type {Environment} from '../../src/config/early-options.ts';
import {configFolder, stateFolder} from '../../src/config/folders.ts';

describe('stateFolder', () => {
  it.each<[Environment, string]>([
    [{XDG_STATE_HOME: 'state'}, join('state', 'skydeck')],
    [{XDG_STATE_HOME: ''}, join(homedir(), '.local', 'state', 'skydeck')],
    [{}, join(homedir(), '.local', 'state', 'skydeck')],
  ])('of %j is %s', (environment, folder) => {
    expect(stateFolder(environment)).toBe(folder);
  });
});

describe('configFolder', () => {
  it.each([
    [{SKYDECK_CONFIG_DIR: 'own', XDG_CONFIG_HOME: 'shared'}, 'own'],
    [{SKYDECK_CONFIG_DIR: '', XDG_CONFIG_HOME: 'shared'}, join('shared', 'skydeck')],
    [{XDG_CONFIG_HOME: ''}, join(homedir(), '.config', 'skydeck')],
    [{}, join(homedir(), '.config', 'skydeck')],
  ])('of %j is %s', (environment, folder) => {
    expect(configFolder(environment)).toBe(folder);
  });
});
