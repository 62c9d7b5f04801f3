import type {Cluster} from './cluster.ts';
import type {Issuer} from './factory.ts';
import type {Firewall} from './firewall.ts';
import type {Surroundings} from './lifecycle.ts';
import type {Environment, Machine, Volume} from './machine.ts';
import type {Pace} from './operations.ts';
import type {References} from './references.ts';
import type {Blueprint} from './scenario.ts';
import type {Stock} from './stock.ts';
import type {Executed} from './verbs.ts';

/** What the stage offers to the operations on it: everything that exists, and how more of it comes about. */
export type StageGround = Surroundings & {
  readonly issuer: Issuer;
  readonly environments: readonly Environment[];
  readonly machines: readonly Machine[];
  readonly volumes: readonly Volume[];
  readonly clusters: Cluster[];
  readonly firewalls: Firewall[];
  readonly stock: Stock;
  readonly pace: () => Pace;
  /** Puts a machine into the lists, in CREATING; what happens to it then is up to the caller. */
  readonly enroll: (blueprint: Blueprint) => Machine;
  /** Puts a volume into the lists; it is billed from then on. */
  readonly adopt: (volume: Volume) => void;
};

/** What an operation stands on. */
export type Ground = StageGround & {
  readonly references: References;
  /** Nano-dollars left. */
  readonly creditLeft: () => number;
  readonly executed: Executed;
};

/** An environment by its name. */
export function environmentNamed({environments}: Pick<Ground, 'environments'>, name: string): Environment | undefined {
  return environments.find(environment => environment.name === name);
}
