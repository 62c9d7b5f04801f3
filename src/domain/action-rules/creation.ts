import {type Action, subjectOf} from '../action.ts';
import {type SafeText, say} from '../safe-text.ts';
import type {Past} from '../sighting.ts';
import {THING_WORDS, type Thing} from '../thing.ts';
import {type EpochMs, SECOND_MS} from '../time.ts';
import {type ActionRule, type Evidence, elsewhere, NOTHING, UNCHANGED} from './action-rule.ts';

/** What is made has no id before it is there: it is known by its name, and by not having been there before. */
export type CreationRule<A extends Action, R> = Pick<ActionRule<A, R>, 'verb' | 'words' | 'overdueAfterMs'> & {
  /** How many are made; one where nothing is said. */
  count?(action: A): number;
  /** Things of this type have no name of their own, so one that looks the same is no obstacle. */
  readonly isNameless?: true;
  /** Whether a record could be what the action makes. */
  isMade(action: A, record: R): boolean;
  /** How far one of them is. */
  progress(record: R): Evidence;
  /** What a person has to know of it beside that it is there. */
  remark?(action: A, past: Past<R>): SafeText | undefined;
};

/** Moments of the service have no milliseconds, and its clock is known to the second. */
const CLOCK_SLACK_MS = 2 * SECOND_MS;

export function creation<A extends Action, R extends Made>(rule: CreationRule<A, R>): ActionRule<A, R> {
  const {count, isNameless, isMade, progress, remark, ...told} = rule;
  const among: ActionRule<A, R>['among'] = (action, records) => records.filter(record => isMade(action, record));
  return {
    ...told,
    among,
    obstacle: (action, seen) => {
      const [taken] = isNameless === true ? [] : among(action, seen.records);
      if (taken === undefined || !('name' in taken)) return undefined;
      return say`${THING_WORDS[subjectOf(action).type]} ${taken.name} is there already, #${taken.id}`;
    },
    evidence: (action, seen, past) => {
      const made = madeAmong(among(action, seen.records), seen.records, past, isNameless === true);
      if (made.length > 0) return sumOf(made.map(progress), count?.(action) ?? 1, remark?.(action, past));
      if (!seen.isWhole) return NOTHING;
      return past.hasSeenTransition ? elsewhere(say`it is not there any more`) : UNCHANGED;
    },
    undo: () => say`it can only be deleted, with all that has come into it since`,
  };
}

type Made = Thing & {readonly id: number; readonly createdAt?: EpochMs};

/** By the ids that the answer gave; without them by the name, and by what was not there before. */
function madeAmong<R extends Made>(
  alike: readonly R[],
  records: readonly R[],
  {result, before, confirmedAt}: Past<R>,
  isNameless: boolean,
): readonly R[] {
  const ids = idsIn(result);
  if (ids.length > 0) return records.filter(({id}) => ids.includes(id));
  if (before !== undefined) return alike.filter(({id}) => !before.records.some(known => known.id === id));
  // Found in the journal: no name was taken when it was sent, but what has no name may be older.
  if (!isNameless) return alike;
  return alike.filter(({createdAt}) => createdAt !== undefined && createdAt >= confirmedAt - CLOCK_SLACK_MS);
}

function idsIn(result: Past<unknown>['result']): readonly number[] {
  if (result?.kind === 'created') return result.ids;
  return result?.kind === 'access-key' ? [result.id] : [];
}

/** Several are made as one: on their way as long as one is, and done when all are. */
function sumOf(each: readonly Evidence[], wantedCount: number, remark: SafeText | undefined): Evidence {
  const moving = each.find(({kind}) => kind === 'transition') ?? each.find(({kind}) => kind === 'nothing');
  if (moving !== undefined) return moving;
  const failures = each.flatMap(evidence => (evidence.kind === 'elsewhere' ? [evidence] : []));
  const [failure] = failures;
  if (failure !== undefined) {
    return wantedCount === 1 ? failure : elsewhere(say`of ${failures.length} in ${wantedCount}, ${failure.detail}`);
  }
  if (each.length < wantedCount) {
    return {kind: 'transition', unlessLate: say`${each.length} of ${wantedCount} were made`};
  }
  return remark === undefined ? {kind: 'target'} : {kind: 'target', remark};
}
