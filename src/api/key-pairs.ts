import {createHash} from 'node:crypto';
import * as z from 'zod';
import {environmentId} from '../domain/environment.ts';
import {type KeyPair, type KeyPairId, type KeyPairSpec, keyPairId} from '../domain/key-pair.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {mapped, moment, present, readWord, recordOf, requiredId, shortText, text, under} from './fields.ts';
import {creation} from './operation-results.ts';
import {environment} from './resource-parts.ts';

/** The list is under the plural key, a single key pair under the singular. */
const KEY_PAIR = '/core/keypair/{id}';
const PAGE_SIZE = 500;

type OneKeyPair = {readonly id: KeyPairId};

const keyPairRecord = z.object({
  id: requiredId,
  name: shortText,
  // An object in live replies, the name alone in the description.
  environment,
  public_key: text,
  fingerprint: text,
  created_at: moment,
});

/** All key pairs. The description capitalises the key of the list. */
export const listKeyPairs = defineRead<object, KeyPair>({
  id: 'key-pairs.list',
  template: '/core/keypairs',
  collect: body => under(body, 'keypairs', 'Keypairs', 'keypair'),
  record: recordOf(keyPairRecord, parsed =>
    present({
      id: keyPairId(parsed.id),
      name: parsed.name ?? safeText(''),
      environmentId: mapped(parsed.environment?.id, environmentId),
      environmentName: parsed.environment?.name,
      regionName: parsed.environment?.region,
      publicKey: parsed.public_key,
      fingerprint: parsed.fingerprint,
      createdAt: parsed.created_at,
    }),
  ),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

/** The types of key that can be imported, by their OpenSSH names. */
export const supportedKeyTypes = defineRead<object, SafeText>({
  id: 'key-pairs.supported-types',
  template: '/core/supported-keypairs',
  collect: body => under(body, 'supported_key_types'),
  record: readWord,
});

/** Sends the public key only; the service never has the private one. */
export const importKeyPair = defineOperation<{readonly spec: KeyPairSpec}>({
  id: 'key-pairs.import',
  method: 'POST',
  template: '/core/keypairs',
  body: ({spec}) => ({name: spec.name, environment_name: spec.environmentName, public_key: spec.publicKey}),
  ...creation('keypair'),
});

/** The fingerprint of a public key, given as the base64 of its line, as OpenSSH prints it: `SHA256:nfxX…`. */
export function publicKeyFingerprint(encoded: string): string {
  const digest = createHash('sha256').update(Buffer.from(encoded, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

export const renameKeyPair = defineOperation<OneKeyPair & {readonly name: SafeText}>({
  id: 'key-pairs.rename',
  method: 'PUT',
  template: KEY_PAIR,
  body: ({name}) => ({name}),
});

/** Machines that already have the key keep it. */
export const deleteKeyPair = defineOperation<OneKeyPair>({
  id: 'key-pairs.delete',
  method: 'DELETE',
  template: KEY_PAIR,
});
