import {type Action, subjectOf} from '../action.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import type {Past, Sighting} from '../sighting.ts';
import {THING_WORDS, type Thing} from '../thing.ts';
import {type ActionRule, type Evidence, elsewhere, type Inverse, NOTHING} from './action-rule.ts';

/** An action on one thing that exists: its rule speaks of that thing, and its being gone is met here. */
export type OneThingRule<A extends Action, R> = Pick<
  ActionRule<A, R>,
  'verb' | 'words' | 'overdueAfterMs' | 'alsoReads' | 'endsWithReply' | 'replaced'
> & {
  /** What it means that the thing is there no more; a contradiction where nothing is said. */
  readonly whenGone?: Evidence;
  obstacle?(action: A, thing: R, seen: Sighting<R>): SafeText | undefined;
  evidence(action: A, thing: R, past: Past<R>, seen: Sighting<R>): Evidence;
  undo(action: A, was: R, is: R, sightings: {readonly was: Sighting<R>; readonly is: Sighting<R>}): Inverse | SafeText;
};

export function onOneThing<A extends Action, R extends Thing>(rule: OneThingRule<A, R>): ActionRule<A, R> {
  const {whenGone, obstacle, evidence, undo, ...told} = rule;
  const among: ActionRule<A, R>['among'] = (action, records) => {
    const subject = subjectOf(action);
    return records.filter(record =>
      'id' in subject
        ? 'id' in record && record.id === subject.id
        : 'name' in record && record.name === subject.name && record.regionName === subject.regionName,
    );
  };
  return {
    ...told,
    among,
    obstacle: (action, seen) => {
      const [thing] = among(action, seen.records);
      if (thing !== undefined) return obstacle?.(action, thing, seen);
      return seen.isWhole ? goneWords(action) : say`the list did not come whole, and it is not in it`;
    },
    evidence: (action, seen, past) => {
      const [thing] = among(action, seen.records);
      if (thing !== undefined) return evidence(action, thing, past, seen);
      return seen.isWhole ? (whenGone ?? elsewhere(goneWords(action))) : NOTHING;
    },
    undo: (action, was, is) => {
      const [before] = among(action, was.records);
      // What is deleted has no second reading; its rule knows without one that nothing brings it back.
      const [after = whenGone === undefined ? undefined : before] = among(action, is.records);
      if (before === undefined || after === undefined) return say`how it was is not known`;
      return undo(action, before, after, {was, is});
    },
  };
}

function goneWords(action: Action): SafeText {
  return say`the ${THING_WORDS[subjectOf(action).type]} no longer exists`;
}

/** Why a thing in this state is not ready for an action that needs one of these. */
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
