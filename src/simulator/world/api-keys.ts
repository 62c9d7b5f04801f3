import {type AccountKeys, keyHolders, type Organization} from './account.ts';
import {accepted, type Decision, refused} from './operation.ts';
import {seedFor} from './random.ts';
import type {World} from './world.ts';

/** A key that acts for a user. It has no rights of its own and never expires. */
export type ApiKey = {
  readonly id: number;
  readonly key: string;
  readonly userId: number;
  readonly createdAt: number;
  name: string;
  description: string;
};

export type AccountVerb =
  | 'generate-api-key'
  | 'update-api-key'
  | 'delete-api-key'
  | 'change-threshold'
  | 'choose-emails';

type ApiKeyWords = Pick<ApiKey, 'name' | 'description'>;

const FIRST_KEY_ID = 6021;
const KEY_ID_STEP = 2;

export function startingApiKeys({users}: Organization, keys: AccountKeys): ApiKey[] {
  return keyHolders(keys).map(({key, userId}, index) => ({
    id: FIRST_KEY_ID + index * KEY_ID_STEP,
    key,
    userId,
    name: `key of ${users.find(({id}) => id === userId)?.username ?? userId}`,
    description: '',
    createdAt: users.find(({id}) => id === userId)?.createdAt ?? 0,
  }));
}

export function generateApiKey(world: World, words: ApiKeyWords, userId: number): Decision<ApiKey> {
  const {apiKeys, seed, now} = world;
  if (isNameTaken(world, words.name)) return nameTaken(words.name);
  const id = FIRST_KEY_ID + (apiKeys.length + world.executions.length) * KEY_ID_STEP;
  // It is derived from one of the account's keys, so nobody without such a key can guess it.
  const secret = world.keys.owner;
  const hex = [1, 2].map(part => (seedFor(seed, `${secret} ${id} ${part}`) >>> 0).toString(16).padStart(8, '0'));
  const apiKey = {...words, id, key: `sim-key-${hex.join('')}`, userId, createdAt: now()};
  apiKeys.push(apiKey);
  world.executed('generate-api-key', id);
  return accepted(apiKey);
}

export function updateApiKey(world: World, apiKey: ApiKey, {name, description}: ApiKeyWords): Decision<ApiKey> {
  if (name !== apiKey.name && isNameTaken(world, name)) return nameTaken(name);
  apiKey.name = name;
  apiKey.description = description;
  world.executed('update-api-key', apiKey.id);
  return accepted(apiKey);
}

/** The key stops working at once. */
export function deleteApiKey(world: World, apiKey: ApiKey): Decision<undefined> {
  world.apiKeys.splice(world.apiKeys.indexOf(apiKey), 1);
  world.executed('delete-api-key', apiKey.id);
  return accepted(undefined);
}

function isNameTaken({apiKeys}: World, name: string): boolean {
  return apiKeys.some(each => each.name === name);
}

function nameTaken(name: string): Decision<never> {
  return refused('duplicate', `An API key with the name '${name}' already exists.`);
}
