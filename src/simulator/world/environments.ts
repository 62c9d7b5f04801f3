import type {RegionName} from './catalogue.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import type {World} from './world.ts';

export type Environment = {
  readonly id: number;
  /** Permanent. */
  readonly regionName: RegionName;
  readonly createdAt: number;
  name: string;
};

export type EnvironmentVerb = `${'create' | 'rename' | 'delete'}-environment`;

export const FIRST_ENVIRONMENT_ID = 84_011;
export const ENVIRONMENT_ID_STEP = 31;

export function environmentNamed({environments}: Pick<World, 'environments'>, name: string): Environment | undefined {
  return environments.find(environment => environment.name === name);
}

/** The third number of the addresses in an environment: each has a network of its own, 10.0.x.0/24. */
export function networkNumber({id}: Pick<Environment, 'id'>): number {
  return ((id - FIRST_ENVIRONMENT_ID) / ENVIRONMENT_ID_STEP + 5) % 250;
}

export function createEnvironment(
  world: World,
  request: {readonly name: string; readonly regionName: RegionName},
): Decision<Environment> {
  if (environmentNamed(world, request.name) !== undefined) return duplicate(request.name);
  const environment = world.factory.environment(request, world.now());
  world.executed('create-environment', environment.id);
  return accepted(environment);
}

export function renameEnvironment(world: World, environment: Environment, name: string): Decision<Environment> {
  if (environment.name !== name && environmentNamed(world, name) !== undefined) return duplicate(name);
  environment.name = name;
  for (const meter of world.meters) if (meter.environmentId === environment.id) meter.environmentName = name;
  world.executed('rename-environment', environment.id);
  return accepted(environment);
}

/** Only an empty environment can be deleted. */
export function deleteEnvironment(world: World, environment: Environment): Decision<undefined> {
  const contents = Object.entries(contentsOf(world, environment));
  if (contents.some(([, count]) => count > 0)) {
    const words = contents.map(([kind, count]) => `${count} ${kind}`).join(', ');
    return refused('not-allowed', `The environment '${environment.name}' is not empty: it has ${words}.`);
  }
  world.environments.splice(world.environments.indexOf(environment), 1);
  world.executed('delete-environment', environment.id);
  return accepted(undefined);
}

function contentsOf(world: World, {id}: Environment): Readonly<Record<string, number>> {
  const count = (all: readonly {readonly environment: Environment}[]) =>
    all.filter(({environment}) => environment.id === id).length;
  return {
    'virtual machines': count(world.machines),
    volumes: count(world.volumes),
    clusters: count(world.clusters),
    firewalls: count(world.firewalls),
    'key pairs': count(world.keyPairs),
  };
}

function duplicate(name: string): Refused {
  return refused('duplicate', `An environment named '${name}' already exists.`);
}
