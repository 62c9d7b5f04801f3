import {createHash} from 'node:crypto';
import {type Environment, environmentNamed} from './environments.ts';
import type {Factory} from './factory.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import type {World} from './world.ts';

/** A public key with a name that is unique in its environment. */
export type KeyPair = {
  readonly id: number;
  readonly environment: Environment;
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  name: string;
};

export type KeyPairVerb = `${'create' | 'rename' | 'delete'}-key-pair`;

export type KeyPairSpec = {
  readonly name: string;
  readonly environmentName: string;
  readonly type: 'ssh-rsa' | 'ssh-ed25519';
  readonly createdAt: number;
};

/** The types a public key can have. */
export const KEY_TYPES = [
  'ssh-rsa',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const;

export type KeyReading =
  | {readonly isKey: true; readonly text: string; readonly fingerprint: string}
  | {readonly isKey: false; readonly message: string};

export function createKeyPair(
  world: World,
  {name, environmentName, publicKey}: {name: string; environmentName: string; publicKey: string},
): Decision<KeyPair> {
  const environment = environmentNamed(world, environmentName);
  if (environment === undefined) return refused('missing', `The environment '${environmentName}' does not exist.`);
  const reading = readPublicKey(publicKey);
  if (!reading.isKey) return refused('state', reading.message);
  if (hasKeyPair(world, environment, name)) return duplicate(name, environment);
  const {text, fingerprint} = reading;
  const id = world.factory.keyPairId();
  const keyPair = {id, name, environment, publicKey: text, fingerprint, createdAt: world.now()};
  world.keyPairs.push(keyPair);
  world.executed('create-key-pair', id);
  return accepted(keyPair);
}

export function renameKeyPair(world: World, id: number, name: string): Decision<KeyPair> {
  const keyPair = world.keyPairs.find(candidate => candidate.id === id);
  if (keyPair === undefined) return missing(id);
  const {environment} = keyPair;
  if (keyPair.name !== name && hasKeyPair(world, environment, name)) return duplicate(name, environment);
  keyPair.name = name;
  world.executed('rename-key-pair', id);
  return accepted(keyPair);
}

/** Machines created with it keep it. */
export function deleteKeyPair(world: World, id: number): Decision<undefined> {
  const index = world.keyPairs.findIndex(candidate => candidate.id === id);
  if (index < 0) return missing(id);
  world.keyPairs.splice(index, 1);
  world.executed('delete-key-pair', id);
  return accepted(undefined);
}

export function hasKeyPair({keyPairs}: Pick<World, 'keyPairs'>, environment: Environment, name: string): boolean {
  return keyPairs.some(keyPair => keyPair.environment.id === environment.id && keyPair.name === name);
}

/** The key each team shares, which its machines were created with, and personal ones; oldest first. */
export function startingKeyPairs({environments, keyPairId}: Factory, specs: readonly KeyPairSpec[]): KeyPair[] {
  const shared = environments.map(environment => ({
    environment,
    name: `${environment.name}-team`,
    type: 'ssh-ed25519' as const,
    createdAt: environment.createdAt,
  }));
  const personal = specs.flatMap(({environmentName, ...spec}) =>
    environments.filter(({name}) => name === environmentName).map(environment => ({environment, ...spec})),
  );
  return [...shared, ...personal]
    .toSorted((left, right) => left.createdAt - right.createdAt)
    .map(({type, ...keyPair}) => ({
      ...keyPair,
      id: keyPairId(),
      ...keyOf(`${keyPair.environment.id} ${keyPair.name}`, type),
    }));
}

function keyOf(subject: string, type: 'ssh-rsa' | 'ssh-ed25519'): Pick<KeyPair, 'publicKey' | 'fingerprint'> {
  const publicKey = publicKeyFor(subject.replaceAll(/[^\w-]+/g, '-'), type);
  const reading = readPublicKey(publicKey);
  if (!reading.isKey) throw new Error(reading.message);
  return {publicKey, fingerprint: reading.fingerprint};
}

function duplicate(name: string, environment: Environment): Refused {
  return refused('duplicate', `A key pair '${name}' already exists in the environment '${environment.name}'.`);
}

function missing(id: number): Refused {
  return refused('missing', `Key pair ${id} does not exist.`);
}

/** Parses a one-line public key: type, blob in base64, and an optional comment. */
export function readPublicKey(text: string): KeyReading {
  const line = text.trim();
  if (/[\r\n]/.test(line)) return {isKey: false, message: 'The public_key must be a single line.'};
  const [type = '', encoded = ''] = line.split(/\s+/);
  if (!KEY_TYPES.some(known => known === type)) {
    return {
      isKey: false,
      message: `The public_key has an unsupported type; it must be one of ${KEY_TYPES.join(', ')}.`,
    };
  }
  const blob = Buffer.from(encoded, 'base64');
  // The blob begins with its own type, and decoding must be lossless.
  const isWhole = blob.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (!isWhole || !blob.subarray(0, type.length + 4).equals(lengthPrefixed(Buffer.from(type)))) {
    return {isKey: false, message: `The public_key is not a valid ${type} key.`};
  }
  return {isKey: true, text: line, fingerprint: fingerprintOf(blob)};
}

/** A public key of that type without a private one, the same for the same owner. */
export function publicKeyFor(subject: string, type: 'ssh-rsa' | 'ssh-ed25519'): string {
  const digest = (part: number) => createHash('sha256').update(`${subject} ${part}`).digest();
  const modulus = Buffer.concat([Buffer.from([0, 0xc1]), ...Array.from({length: 8}, (_, part) => digest(part))]);
  const body =
    type === 'ssh-ed25519'
      ? [digest(0)]
      : [Buffer.from([1, 0, 1]), Buffer.concat([modulus.subarray(0, 256), Buffer.from([0x6f])])];
  const blob = Buffer.concat([Buffer.from(type), ...body].map(lengthPrefixed));
  return `${type} ${blob.toString('base64')} ${subject}`;
}

/** MD5 of the blob, in the colon form. */
function fingerprintOf(blob: Buffer): string {
  const digest = createHash('md5').update(blob).digest('hex');
  return digest.match(/../g)?.join(':') ?? digest;
}

function lengthPrefixed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
