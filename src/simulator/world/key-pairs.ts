import {PERSONAL_KEY_PAIRS} from '../scenarios/key-pairs.ts';
import type {Desk} from './desk.ts';
import type {Environment} from './machine.ts';
import {accepted, type Outcome, refused} from './outcome.ts';
import {publicKeyFor, readPublicKey} from './ssh-key.ts';

/** The public half of a key, under a name that is used once in its environment. */
export type KeyPair = {
  readonly id: number;
  readonly environment: Environment;
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  name: string;
};

/** The key pairs of the account and what can be done to them. */
export type KeyPairs = {
  /** Oldest first. */
  readonly all: readonly KeyPair[];
  readonly create: (wish: {name: string; environmentName: string; publicKey: string}) => Outcome<KeyPair>;
  readonly rename: (id: number, name: string) => Outcome<KeyPair>;
  /** Machines that were made with it keep it. */
  readonly remove: (id: number) => Outcome<undefined>;
};

const FIRST_ID = 21_906;
const ID_STEP = 3;
const DAY_MS = 86_400_000;

export function createKeyPairs(desk: Desk, environments: readonly Environment[]): KeyPairs {
  const all: KeyPair[] = [];
  let nextId = FIRST_ID;

  function adopt(subject: Omit<KeyPair, 'id'>): KeyPair {
    const keyPair = {...subject, id: nextId};
    nextId += ID_STEP;
    all.push(keyPair);
    return keyPair;
  }

  for (const subject of startingKeyPairs(environments, desk.now())) adopt(subject);

  const isTaken = (name: string, environment: Environment): boolean =>
    all.some(keyPair => keyPair.name === name && keyPair.environment.id === environment.id);
  const duplicate = (name: string, environment: Environment) =>
    refused('duplicate', `A key pair '${name}' already exists in the environment '${environment.name}'.`);
  const missing = (id: number) => refused('missing', `Key pair ${id} does not exist.`);

  return {
    all,
    create: ({name, environmentName, publicKey}) => {
      const environment = environments.find(candidate => candidate.name === environmentName);
      if (environment === undefined) {
        return refused('missing', `The environment '${environmentName}' does not exist.`);
      }
      const reading = readPublicKey(publicKey);
      if (!reading.isKey) return refused('state', reading.message);
      if (isTaken(name, environment)) return duplicate(name, environment);
      const {text, fingerprint} = reading;
      const keyPair = adopt({name, environment, publicKey: text, fingerprint, createdAt: desk.now()});
      desk.note('create-key-pair', keyPair.id);
      return accepted(keyPair);
    },
    rename: (id, name) => {
      const keyPair = all.find(candidate => candidate.id === id);
      if (keyPair === undefined) return missing(id);
      if (keyPair.name !== name && isTaken(name, keyPair.environment)) return duplicate(name, keyPair.environment);
      keyPair.name = name;
      desk.note('rename-key-pair', id);
      return accepted(keyPair);
    },
    remove: id => {
      const index = all.findIndex(candidate => candidate.id === id);
      if (index < 0) return missing(id);
      all.splice(index, 1);
      desk.note('delete-key-pair', id);
      return accepted(undefined);
    },
  };
}

/** The one that a team shares, which its machines were made with, and those of people. */
function startingKeyPairs(environments: readonly Environment[], startedAt: number): Omit<KeyPair, 'id'>[] {
  const shared = environments.map(environment => ({
    environment,
    name: `${environment.name}-team`,
    type: 'ssh-ed25519' as const,
    createdAt: environment.createdAt,
  }));
  const personal = PERSONAL_KEY_PAIRS.flatMap(([name, environmentName, type, daysAgo]) =>
    environments
      .filter(environment => environment.name === environmentName)
      .map(environment => ({environment, name, type, createdAt: wholeSecond(startedAt - daysAgo * DAY_MS)})),
  );
  return [...shared, ...personal]
    .toSorted((left, right) => left.createdAt - right.createdAt)
    .map(({type, ...keyPair}) => ({...keyPair, ...keyOf(`${keyPair.environment.id} ${keyPair.name}`, type)}));
}

function keyOf(subject: string, type: 'ssh-rsa' | 'ssh-ed25519'): Pick<KeyPair, 'publicKey' | 'fingerprint'> {
  const publicKey = publicKeyFor(subject.replaceAll(/[^\w-]+/g, '-'), type);
  const reading = readPublicKey(publicKey);
  if (!reading.isKey) throw new Error(reading.message);
  return {publicKey, fingerprint: reading.fingerprint};
}

function wholeSecond(moment: number): number {
  return Math.floor(moment / 1000) * 1000;
}
