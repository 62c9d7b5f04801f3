import * as z from 'zod';
import {
  createEnvironment as createEndpoint,
  deleteEnvironment as deleteEndpoint,
  renameEnvironment as renameEndpoint,
} from '../api/environments.ts';
import {type Inverse, TARGET} from '../domain/action.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {actionMaking, actionOn, deletion, RENAMING} from './define.ts';
import {environment, text} from './parameters.ts';

export const createEnvironment = actionMaking({
  kind: 'environment.create',
  parameters: z.object({spec: z.object({name: text, regionName: text})}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: ({spec}) => say`create environment in ${spec.regionName}:`,
  overdueAfterMs: 2 * MINUTE_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: () => TARGET,
});

const renameEnvironment = actionOn({
  kind: 'environment.rename',
  parameters: z.object({id: environment, name: text}),
  endpoint: renameEndpoint,
  ...RENAMING,
  undo: ({id}, {name}): Inverse => ({
    action: renameEnvironment.with({id, name}),
    words: say`calls it ${name} again`,
  }),
  commandWords: ({id, name}) => ['environment', 'rename', `${id}`, name],
});

const deleteEnvironment = actionOn({
  kind: 'environment.delete',
  parameters: z.object({id: environment}),
  endpoint: deleteEndpoint,
  ...deletion('environment', 5 * MINUTE_MS),
});

export const ENVIRONMENTS = [createEnvironment, renameEnvironment, deleteEnvironment] as const;
