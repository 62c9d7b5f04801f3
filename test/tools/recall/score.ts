import type {Triage} from '../../../src/domain/triage/triage.ts';
import type {Fleet, Truth} from './fleets.ts';
import {watch} from './polls.ts';

const POLL_MS = 60_000;
const DAY_MS = 86_400_000;

/** How the rules did on one fleet, after two polls. */
export type Score = {
  readonly found: readonly Truth[];
  readonly missed: readonly Truth[];
  /** Findings about what was given no trouble. */
  readonly wrong: readonly Truth[];
  /** What looks like a trouble and is none; those that were told of all the same are wrong. */
  readonly nearMisses: readonly Truth[];
};

export async function scoreOf(fleet: Fleet): Promise<Score> {
  return scoreAfter(await twoPolls(fleet), fleet);
}

/** What was found by each of two polls, a minute apart. */
export async function twoPolls(fleet: Fleet): Promise<readonly [first: Triage, second: Triage]> {
  const watched = watch(fleet);
  return [await watched.pollAfter(POLL_MS), await watched.pollAfter(POLL_MS)];
}

export function scoreAfter(polls: readonly Triage[], fleet: Fleet): Score {
  const told = new Map(polls.flatMap(truthsIn).map(truth => [keyOf(truth), truth]));
  const expected = new Set([...fleet.truths, ...fleet.alsoRight].map(keyOf));
  return {
    found: fleet.truths.filter(truth => told.has(keyOf(truth))),
    missed: fleet.truths.filter(truth => !told.has(keyOf(truth))),
    wrong: [...told.values()].filter(truth => !expected.has(keyOf(truth))),
    nearMisses: fleet.nearMisses,
  };
}

/** What is found on a fleet in which nothing is wrong, over a day of its time. */
export async function calmDay(fleet: Fleet, pollCount: number): Promise<readonly Truth[]> {
  const watched = watch(fleet);
  const told = new Map<string, Truth>();
  for (let poll = 0; poll < pollCount; poll += 1) {
    for (const truth of truthsIn(await watched.pollAfter(DAY_MS / pollCount))) told.set(keyOf(truth), truth);
  }
  return [...told.values()];
}

function truthsIn({findings}: Triage): readonly Truth[] {
  return findings.map(({rule, subject}) => ({rule, name: subject.name}));
}

export function keyOf({rule, name}: Truth): string {
  return `${rule} ${name}`;
}
