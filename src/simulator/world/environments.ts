import type {RegionName} from './catalogue.ts';
import type {Desk} from './desk.ts';
import type {Environment} from './machine.ts';
import type {Meter} from './metering.ts';
import {accepted, type Outcome, refused} from './outcome.ts';

/** What an environment holds, by kind: `{'virtual machines': 3, …}`. */
export type Contents = Readonly<Record<string, number>>;

/** What can be done to environments. Their region is chosen once and for all. */
export type EnvironmentDesk = {
  readonly create: (wish: {readonly name: string; readonly regionName: RegionName}) => Outcome<Environment>;
  readonly rename: (environment: Environment, name: string) => Outcome<Environment>;
  readonly remove: (environment: Environment) => Outcome<undefined>;
};

export function createEnvironmentDesk(
  desk: Desk,
  world: {
    readonly environments: Environment[];
    readonly meters: readonly Meter[];
    readonly issue: (wish: {readonly name: string; readonly regionName: RegionName}, at: number) => Environment;
    readonly contentsOf: (environment: Environment) => Contents;
  },
): EnvironmentDesk {
  const {environments, meters, issue, contentsOf} = world;
  const duplicate = (name: string) => refused('duplicate', `An environment named '${name}' already exists.`);
  const isTaken = (name: string) => environments.some(environment => environment.name === name);
  return {
    create: wish => {
      if (isTaken(wish.name)) return duplicate(wish.name);
      const environment = issue(wish, desk.now());
      desk.note('create-environment', environment.id);
      return accepted(environment);
    },
    rename: (environment, name) => {
      if (environment.name !== name && isTaken(name)) return duplicate(name);
      environment.name = name;
      for (const meter of meters) if (meter.environmentId === environment.id) meter.environmentName = name;
      desk.note('rename-environment', environment.id);
      return accepted(environment);
    },
    remove: environment => {
      const contents = Object.entries(contentsOf(environment));
      if (contents.some(([, count]) => count > 0)) {
        const told = contents.map(([kind, count]) => `${count} ${kind}`).join(', ');
        return refused('not-allowed', `The environment '${environment.name}' is not empty: it has ${told}.`);
      }
      environments.splice(environments.indexOf(environment), 1);
      desk.note('delete-environment', environment.id);
      return accepted(undefined);
    },
  };
}
