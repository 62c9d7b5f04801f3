import type {KeyPair} from '../../world/key-pairs.ts';
import {createKeyPair as create, deleteKeyPair, KEY_TYPES, renameKeyPair as rename} from '../../world/key-pairs.ts';
import {invalidInput, succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import {pageOf} from '../paging.ts';
import {KEY_PAIR} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, NAME, PAGE_QUERY, pagedList, TEXT, TEXTS} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {environmentBody} from './environment-body.ts';
import {answered} from './outcome-answer.ts';
import {numberedPart} from './path-parts.ts';

const READS = {permission: 'machines:read', action: 'read key pairs'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change key pairs'} as const;
const CREATION = fields({name: NAME, environment_name: TEXT, public_key: TEXT});
const RENAMING = fields({name: NAME});

/** Many stand under a plural path, one under a singular one. */
export const keyPairRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/keypairs',
    requires: READS,
    describes: {summary: 'List key pairs', query: PAGE_QUERY, reply: pagedList('keypairs', KEY_PAIR)},
    answer: listKeyPairs,
  },
  {
    method: 'POST',
    pattern: '/core/keypairs',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Import a key pair',
      body: CREATION,
      reply: envelope({keypair: KEY_PAIR}),
      refusals: [404, 409],
    },
    answer: createKeyPair,
  },
  {
    method: 'PUT',
    pattern: '/core/keypair/:id',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Rename a key pair',
      body: RENAMING,
      reply: envelope({keypair: KEY_PAIR}),
      refusals: [409],
    },
    answer: renameKeyPair,
  },
  {
    method: 'DELETE',
    pattern: '/core/keypair/:id',
    requires: OPERATES,
    describes: {summary: 'Delete a key pair'},
    answer: inquiry =>
      answered(deleteKeyPair(inquiry.world, numberedPart(inquiry, 'id')), () => succeeded('Key pair deleted')),
  },
  {
    method: 'GET',
    pattern: '/core/supported-keypairs',
    describes: {summary: 'List the types a key can have', reply: envelope({supported_key_types: TEXTS})},
    answer: () => succeeded('Getting supported key types successful', {supported_key_types: KEY_TYPES}),
  },
];

function listKeyPairs({world, query}: Inquiry): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const found = world.keyPairs.filter(
    ({id, name}) => name.toLowerCase().includes(search) || String(id).includes(search),
  );
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting key pairs successful', {...page.keys, keypairs: page.records.map(keyPairBody)});
}

function createKeyPair({world, body}: Inquiry): Response {
  const reading = readBody(body, CREATION);
  if (!reading.isValid) return reading.refusal;
  const text = (name: string) => reading.fields.text(name) ?? '';
  const wish = {name: text('name'), environmentName: text('environment_name'), publicKey: text('public_key')};
  return answered(create(world, wish), keyPair => succeeded('Key pair imported', {keypair: keyPairBody(keyPair)}));
}

function renameKeyPair(inquiry: Inquiry): Response {
  const reading = readBody(inquiry.body, RENAMING);
  if (!reading.isValid) return reading.refusal;
  const outcome = rename(inquiry.world, numberedPart(inquiry, 'id'), reading.fields.text('name') ?? '');
  return answered(outcome, keyPair => succeeded('Key pair updated', {keypair: keyPairBody(keyPair)}));
}

function keyPairBody(keyPair: KeyPair) {
  return {
    id: keyPair.id,
    name: keyPair.name,
    environment: environmentBody(keyPair.environment),
    public_key: keyPair.publicKey,
    fingerprint: keyPair.fingerprint,
    created_at: zuluTimestamp(keyPair.createdAt),
  };
}
