import type {EnvironmentId} from './environment.ts';
import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

declare const brand: unique symbol;
export type KeyPairId = number & {readonly [brand]: 'KeyPairId'};

export function keyPairId(id: number): KeyPairId {
  return id as KeyPairId;
}

/** An SSH public key in one environment. Machines created with it keep it when it is deleted here. */
export type KeyPair = {
  readonly id: KeyPairId;
  readonly name: SafeText;
  readonly environmentId?: EnvironmentId;
  readonly environmentName?: SafeText;
  readonly regionName?: SafeText;
  /** One line, as OpenSSH writes it. */
  readonly publicKey?: SafeText;
  /** MD5, in pairs of hex digits with colons. */
  readonly fingerprint?: SafeText;
  readonly createdAt?: EpochMs;
};

/** A key to be imported; only its public half is ever sent. */
export type KeyPairSpec = {
  readonly name: SafeText;
  readonly environmentName: SafeText;
  /** One line, without line breaks. */
  readonly publicKey: SafeText;
};
