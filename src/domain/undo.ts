import {type Inverse, subjectKey, subjectOf} from './action.ts';
import {type CloudResource, nameOf} from './cloud-resource.ts';
import {knownOutcome} from './describe-operation.ts';
import type {Observation} from './observation.ts';
import {type Confirmed, isEnded, type Operation} from './operation.ts';
import {type SafeText, say} from './safe-text.ts';
import {factsOf} from './shown-facts.ts';

/** How an operation can be undone: by another action, which is confirmed like any other, or not at all. */
export type Undo =
  | {readonly kind: 'possible'; readonly confirmed: Confirmed; readonly words: SafeText}
  | {readonly kind: 'impossible'; readonly reason: SafeText};

/**
 * From the reading before the operation was sent and, if later than the confirmation, the newest one. A rule that was
 * removed and added again has a new id, which only the newest reading has.
 */
export function undoOf(operation: Operation, latest?: Observation<CloudResource>): Undo {
  const {action, traits, phase, before} = operation;
  const confirmed = operation.after ?? before;
  const isLater = latest !== undefined && latest.startedAt > (confirmed?.startedAt ?? 0);
  const after = isLater ? {...latest, records: traits.among(action, latest.records)} : confirmed;
  if (!isEnded(phase)) {
    const isKnown = knownOutcome(operation).phase !== 'unknown';
    return impossible(isKnown ? say`it is still under way` : say`its outcome is not known yet`);
  }
  if (operation.correction !== undefined)
    return impossible(say`its effect was seen late, perhaps by someone else: act on its present state`);
  if (phase !== 'CONFIRMED') return impossible(say`its effect was not seen`);
  if (before === undefined || after === undefined) return impossible(say`the previous state is unknown`);
  const inverse = traits.undo(action, before, after);
  if (typeof inverse === 'string') return impossible(inverse);
  const {status, replaced} = inverse;
  return {
    kind: 'possible',
    words: inverse.words,
    confirmed: {
      action: inverse.action,
      subjectName: currentName(after) ?? operation.subjectName,
      ...(status === undefined ? {} : {status}),
      ...shownFacts(inverse, operation, after),
      ...(replaced === undefined ? {} : {replaced}),
    },
  };
}

/** What the question shows of the subject, from the same reading: what it undoes may have been changed since. */
function shownFacts(
  {action: inverse, namedFacts}: Inverse,
  {action}: Operation,
  {records}: Observation<CloudResource>,
): Pick<Confirmed, 'facts'> {
  const [subject] = records;
  const isSame = subjectKey(subjectOf(inverse)) === subjectKey(subjectOf(action));
  return subject === undefined || !isSame
    ? {}
    : {facts: {...factsOf(subject), ...(namedFacts === undefined ? {} : {named: namedFacts})}};
}

/** A rename is undone on the object with the new name. */
function currentName({records}: Observation<CloudResource>): SafeText | undefined {
  const [subject] = records;
  return subject === undefined ? undefined : nameOf(subject);
}

function impossible(reason: SafeText): Undo {
  return {kind: 'impossible', reason};
}
