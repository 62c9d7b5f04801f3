import * as z from 'zod';
import {createKeyPair, deleteKeyPair, KEY_TYPES, type KeyPair, renameKeyPair} from '../../world/key-pairs.ts';
import {answered, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {idIn, type Route, route} from '../route.ts';
import {envelope, ID, NAME, PAGE_QUERY, pagedList, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {ENVIRONMENT, environmentBody} from './environments.ts';

const READS = {permission: 'machines:read', action: 'read key pairs'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change key pairs'} as const;

const KEY_PAIR = z.object({
  id: ID,
  name: TEXT,
  environment: ENVIRONMENT,
  public_key: TEXT,
  fingerprint: TEXT,
  created_at: TEXT,
});

/** The list has a plural path, a single key pair a singular one. */
export const keyPairRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/keypairs',
    summary: 'List key pairs',
    requires: READS,
    query: PAGE_QUERY,
    reply: pagedList('keypairs', KEY_PAIR),
    answer: request => {
      const isFound = finder(request);
      const found = request.world.keyPairs.filter(({id, name}) => isFound(id, name));
      return answerPage(request, found, {
        message: 'Getting key pairs successful',
        name: 'keypairs',
        bodyOf: keyPairBody,
      });
    },
  }),
  route({
    method: 'POST',
    path: '/core/keypairs',
    summary: 'Import a key pair',
    requires: OPERATES,
    body: z.strictObject({name: NAME, environment_name: TEXT, public_key: TEXT}),
    reply: envelope({keypair: KEY_PAIR}),
    refusals: [404, 409],
    answer: ({world, read}) =>
      read(({name, environment_name: environmentName, public_key: publicKey}) =>
        answered(createKeyPair(world, {name, environmentName, publicKey}), keyPair =>
          succeeded('Key pair imported', {keypair: keyPairBody(keyPair)}),
        ),
      ),
  }),
  route({
    method: 'PUT',
    path: '/core/keypair/:id',
    summary: 'Rename a key pair',
    requires: OPERATES,
    body: z.strictObject({name: NAME}),
    reply: envelope({keypair: KEY_PAIR}),
    refusals: [409],
    answer: ({world, param, read}) =>
      read(({name}) =>
        answered(renameKeyPair(world, idIn(param('id')), name), keyPair =>
          succeeded('Key pair updated', {keypair: keyPairBody(keyPair)}),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/keypair/:id',
    summary: 'Delete a key pair',
    requires: OPERATES,
    answer: ({world, param}) => answered(deleteKeyPair(world, idIn(param('id'))), () => succeeded('Key pair deleted')),
  }),
  route({
    method: 'GET',
    path: '/core/supported-keypairs',
    summary: 'List the types a key can have',
    reply: envelope({supported_key_types: z.array(TEXT)}),
    answer: () => succeeded('Getting supported key types successful', {supported_key_types: KEY_TYPES}),
  }),
];

function keyPairBody(keyPair: KeyPair): z.output<typeof KEY_PAIR> {
  return {
    id: keyPair.id,
    name: keyPair.name,
    environment: environmentBody(keyPair.environment),
    public_key: keyPair.publicKey,
    fingerprint: keyPair.fingerprint,
    created_at: zuluTimestamp(keyPair.createdAt),
  };
}
