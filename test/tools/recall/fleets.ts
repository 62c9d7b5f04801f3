import {scenarioNamed} from '../../../src/simulator/scenarios/scenarios.ts';
import type {Scenario} from '../../../src/simulator/world/scenario.ts';
import {type Chance, chanceOf} from '../accuracy/chance.ts';
import {TROUBLES, type Trouble, type Watching} from './troubles.ts';

/** One finding that a fleet was given: its rule, and the name of what it is about. */
export type Truth = {readonly rule: string; readonly name: string};

export type Fleet = {
  readonly seed: number;
  readonly startedAt: number;
  readonly scenario: Scenario;
  readonly truths: readonly Truth[];
  /** What may be told besides, and is right. */
  readonly alsoRight: readonly Truth[];
  /** What looks like a trouble and is none, by the name of what it is about. */
  readonly nearMisses: readonly Truth[];
  readonly watching: Watching;
};

const FIRST_START = Date.UTC(2026, 10, 2, 3, 17, 5);
const HOUR_MS = 3_600_000;
const LIKELIHOOD = 0.5;

/** The working account with some troubles and some near misses in it, or all of them: the same for the same seed. */
export function fleetOf(seed: number, likelihood = LIKELIHOOD): Fleet {
  const chance = chanceOf(seed);
  // Any hour of any day of the week.
  const startedAt = FIRST_START + Math.floor(chance.between(0, 21 * 24)) * HOUR_MS;
  let fleet: Fleet = {...calmFleet(seed, startedAt), seed, startedAt};
  for (const trouble of TROUBLES) {
    const isTroubled = chance.is(likelihood);
    const isNear = chance.is(likelihood) && !(isTroubled && trouble.isOfAccount === true);
    if (isTroubled) fleet = withTrouble(fleet, trouble, chance, 'trouble');
    if (isNear) fleet = withTrouble(fleet, trouble, chance, 'near-miss');
  }
  return fleet;
}

/** The working account alone. */
export function calmFleet(seed: number, startedAt = FIRST_START): Fleet {
  return {
    seed,
    startedAt,
    scenario: scenarioNamed('calm', {startedAt, seed}),
    truths: [],
    alsoRight: [],
    nearMisses: [],
    watching: {preferences: {}, link: {}, failing: []},
  };
}

function withTrouble(fleet: Fleet, trouble: Trouble, chance: Chance, kind: 'trouble' | 'near-miss'): Fleet {
  const make = kind === 'trouble' ? trouble.make : trouble.nearMiss;
  const name = `${trouble.rule.replaceAll('-', '')}${kind === 'trouble' ? '' : '-near'}`;
  const made = make({name, startedAt: fleet.startedAt, chance});
  const told = (made.names ?? [name]).map(each => ({rule: trouble.rule, name: each}));
  const others = (made.also ?? []).map(rule => ({rule, name}));
  return {
    ...fleet,
    scenario: joined(fleet.scenario, made.scenario),
    truths: [...fleet.truths, ...(kind === 'trouble' ? told : [])],
    alsoRight: [...fleet.alsoRight, ...others],
    nearMisses: [...fleet.nearMisses, ...(kind === 'near-miss' ? told : [])],
    watching: {
      preferences: {...fleet.watching.preferences, ...made.watching?.preferences},
      link: {...fleet.watching.link, ...made.watching?.link},
      failing: [...fleet.watching.failing, ...(made.watching?.failing ?? [])],
    },
  };
}

function joined(scenario: Scenario, added: Partial<Scenario>): Scenario {
  return {
    ...scenario,
    ...added,
    machines: [...(added.machines ?? []), ...scenario.machines],
    clusters: [...scenario.clusters, ...(added.clusters ?? [])],
    firewalls: [...scenario.firewalls, ...(added.firewalls ?? [])],
    contracts: [...scenario.contracts, ...(added.contracts ?? [])],
    unattachedVolumes: [...scenario.unattachedVolumes, ...(added.unattachedVolumes ?? [])],
  };
}
