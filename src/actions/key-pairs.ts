import * as z from 'zod';
import {
  deleteKeyPair as deleteEndpoint,
  importKeyPair as importEndpoint,
  renameKeyPair as renameEndpoint,
} from '../api/key-pairs.ts';
import {type Inverse, TARGET} from '../domain/action.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {actionMaking, actionOn, deletion, RENAMING} from './define.ts';
import {keyPair, text} from './parameters.ts';

export const importKeyPair = actionMaking({
  kind: 'key-pair.import',
  parameters: z.object({spec: z.object({name: text, environmentName: text, publicKey: text})}),
  endpoint: importEndpoint,
  verb: say`import`,
  words: () => say`import key pair`,
  overdueAfterMs: 2 * MINUTE_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: () => TARGET,
});

const renameKeyPair = actionOn({
  kind: 'key-pair.rename',
  parameters: z.object({id: keyPair, name: text}),
  endpoint: renameEndpoint,
  ...RENAMING,
  undo: ({id}, {name}): Inverse => ({
    action: renameKeyPair.with({id, name}),
    words: say`calls it ${name} again`,
  }),
  commandWords: ({id, name}) => ['key-pair', 'rename', `${id}`, name],
});

const deleteKeyPair = actionOn({
  kind: 'key-pair.delete',
  parameters: z.object({id: keyPair}),
  endpoint: deleteEndpoint,
  ...deletion('key-pair', 2 * MINUTE_MS),
});

export const KEY_PAIRS = [importKeyPair, renameKeyPair, deleteKeyPair] as const;
