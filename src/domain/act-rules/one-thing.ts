import {type Act, subjectOf} from '../act.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import type {Past, Sighting} from '../sighting.ts';
import {THING_WORDS, type Thing} from '../thing.ts';
import {type ActRule, type Evidence, elsewhere, type Inverse, NOTHING} from './act-rule.ts';

/** An act on one thing that exists: its rule speaks of that thing, and its being gone is met here. */
export type OneThingRule<A extends Act, R> = Pick<
  ActRule<A, R>,
  'verb' | 'words' | 'overdueAfterMs' | 'alsoReads' | 'endsWithReply' | 'replaced'
> & {
  /** What it means that the thing is there no more; a contradiction where nothing is said. */
  readonly whenGone?: Evidence;
  obstacle?(act: A, thing: R, seen: Sighting<R>): SafeText | undefined;
  evidence(act: A, thing: R, past: Past<R>, seen: Sighting<R>): Evidence;
  undo(act: A, was: R, is: R, sightings: {readonly was: Sighting<R>; readonly is: Sighting<R>}): Inverse | SafeText;
};

export function onOneThing<A extends Act, R extends Thing>(rule: OneThingRule<A, R>): ActRule<A, R> {
  const {whenGone, obstacle, evidence, undo, ...told} = rule;
  const among: ActRule<A, R>['among'] = (act, records) => {
    const subject = subjectOf(act);
    return records.filter(record =>
      'id' in subject
        ? 'id' in record && record.id === subject.id
        : 'name' in record && record.name === subject.name && record.regionName === subject.regionName,
    );
  };
  return {
    ...told,
    among,
    obstacle: (act, seen) => {
      const [thing] = among(act, seen.records);
      if (thing !== undefined) return obstacle?.(act, thing, seen);
      return seen.isWhole ? goneWords(act) : say`the list did not come whole, and it is not in it`;
    },
    evidence: (act, seen, past) => {
      const [thing] = among(act, seen.records);
      if (thing !== undefined) return evidence(act, thing, past, seen);
      return seen.isWhole ? (whenGone ?? elsewhere(goneWords(act))) : NOTHING;
    },
    undo: (act, was, is) => {
      const [before] = among(act, was.records);
      // What is deleted has no second reading; its rule knows without one that nothing brings it back.
      const [after = whenGone === undefined ? undefined : before] = among(act, is.records);
      if (before === undefined || after === undefined) return say`how it was is not known`;
      return undo(act, before, after, {was, is});
    },
  };
}

function goneWords(act: Act): SafeText {
  return say`the ${THING_WORDS[subjectOf(act).type]} no longer exists`;
}

/** Why a thing in this state is not ready for an act that needs one of these. */
export function needs(
  statuses: readonly string[],
  thing: {readonly status: string; readonly statusText: SafeText},
): SafeText | undefined {
  if (statuses.includes(thing.status)) return undefined;
  return say`needs ${safeText(statuses.join(' or '))}, is ${thing.statusText}`;
}

export function isElsewhere(thing: {readonly statusText: SafeText}): Evidence {
  return elsewhere(say`it is ${thing.statusText} instead`);
}
