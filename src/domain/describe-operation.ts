import {subjectOf} from './action.ts';
import {unreachable} from './assert.ts';
import {isEnded, MAX_CONFIRMATION_AGE_MS, type Operation, type OperationPhase} from './operation.ts';
import {nameInWords, type SafeText, safeText, say} from './safe-text.ts';
import {type EpochMs, clockText, dayStart, SECOND_MS, secondText} from './time.ts';

type OperationWords = {readonly text: SafeText; readonly tone: OperationTone};

/** How serious it is. */
type OperationTone = 'text' | 'good' | 'warning' | 'danger';

/**
 * The action with its subject, and the id that distinguishes it from others of the same name: `stop gpu-7 #7`,
 * `resize gpu-7 #7 to n3-L40x1`.
 */
export function operationWords({
  action,
  traits,
  subjectName,
  facts,
}: Pick<Operation, 'action' | 'traits' | 'subjectName' | 'facts'>): SafeText {
  const subject = subjectOf(action);
  const named = new Map([...(facts?.others ?? []), ...(facts?.named ?? [])]);
  const words = say`${traits.words?.(action, named) ?? traits.verb} ${nameInWords(subjectName)}`;
  const after = traits.wordsAfter === undefined ? say`` : say` ${traits.wordsAfter(action)}`;
  if ('id' in subject) return say`${words} #${subject.id}${after}`;
  return subject.regionName === undefined ? say`${words}${after}` : say`${words} in ${subject.regionName}${after}`;
}

/** What is being checked, how long it has taken, and until when an answer still sends it. */
export function describeCheck(operation: Operation, now: EpochMs): SafeText {
  const seconds = Math.max(0, Math.floor((now - operation.confirmedAt) / SECOND_MS));
  const left = MAX_CONFIRMATION_AGE_MS / SECOND_MS - seconds;
  const end = left > 0 ? say`sent if answered within ${left} s` : say`too old to be sent now`;
  return say`${operationWords(operation)}: checking its state, ${seconds} s; ${end}`;
}

/**
 * The message for an operation that reaches a phase: it claims no more than was observed. With `now`, the time at which
 * another skydeck sent it has a date unless it was today.
 */
export function describeOperation(operation: Operation, now?: EpochMs): OperationWords {
  const described = describePhase(knownOutcome(operation), now);
  const {remark} = operation;
  return remark === undefined
    ? described
    : {text: say`${described.text}; ${remark}`, tone: described.tone === 'danger' ? 'danger' : 'warning'};
}

const PHASE_WORDS: Readonly<Record<OperationPhase, SafeText>> = {
  preflight: say`checking`,
  sent: say`sent`,
  accepted: say`accepted`,
  'in-progress': say`under way`,
  overdue: say`overdue`,
  unknown: say`outcome unknown`,
  CONFIRMED: say`confirmed`,
  REFUSED: say`refused`,
  NOT_SENT: say`not sent`,
  STALE: say`not sent: it had changed`,
  CONTRADICTED: say`failed`,
  NO_EFFECT_SEEN: say`no effect seen`,
};

type Outcome = {
  readonly phase: OperationPhase;
  readonly detail?: SafeText | undefined;
  /** What was seen after the end and corrects it. */
  readonly correction?: SafeText | undefined;
};

/** Nobody can promise that a request without an effect so far has none later. */
const CHECK_FIRST = say`check its state before you repeat it`;
const MAY_REPEAT = say`it changes nothing, so it may be repeated`;

/** What to do about an action of this kind if no effect of it was seen. */
export function repeatAdvice({endsWithReply}: Pick<Operation['traits'], 'endsWithReply'>): SafeText {
  return endsWithReply === true ? MAY_REPEAT : CHECK_FIRST;
}

/** What the words about an unknown outcome must say, even without room for its cause between them. */
export const OUTCOME_UNKNOWN = say`outcome unknown`;
export const WATCHED_ONLY = say`watching, not sent again`;

const CHANGE_SEEN = say`a change was seen since, which is no proof yet`;

/**
 * The outcome as far as it is known. Without the service's own answer a change that one reading shows may be somebody
 * else's, so the outcome is unknown until two readings show it. Only such an operation has a reason while under way.
 */
export function knownOutcome<O extends Outcome>(operation: O): O {
  const {phase, detail} = operation;
  if ((phase !== 'in-progress' && phase !== 'overdue') || detail === undefined) return operation;
  return {...operation, phase: 'unknown', detail: say`${detail}; ${CHANGE_SEEN}`};
}

/** The state of an operation, in the words of a list. An end that was corrected is not shown as it was at first. */
export function phaseWords({phase, correction}: Pick<Outcome, 'phase' | 'correction'>): SafeText {
  return correction === undefined ? PHASE_WORDS[phase] : say`effect seen late`;
}

/** The same with what else is known: `failed: it is HIBERNATED instead`. */
export function outcomeWords({phase, detail, correction}: Outcome): SafeText {
  if (correction !== undefined) return correction;
  const words = phaseWords({phase});
  if (detail === undefined) return words;
  // What had changed, or why it cannot be, is in the detail.
  if (phase === 'STALE') return say`${PHASE_WORDS.NOT_SENT}: ${detail}`;
  // Most answers of the service say so themselves.
  return phase === 'REFUSED' && detail.startsWith(words) ? detail : say`${words}: ${detail}`;
}

function describePhase(operation: Operation, now: EpochMs | undefined): OperationWords {
  const {sentElsewhereAt} = operation;
  const words = operationWords(operation);
  const isWatched = sentElsewhereAt !== undefined && !isEnded(operation.phase);
  const done = operation.phase === 'preflight' ? say`confirmed in` : say`sent by`;
  const subject = isWatched ? say`${words}, ${done} another skydeck ${timeText(sentElsewhereAt, now)}` : words;
  const because = operation.detail === undefined ? say`` : say`: ${operation.detail}`;
  switch (operation.phase) {
    case 'preflight':
      return {text: say`${subject}: checking that nothing has changed`, tone: 'text'};
    case 'sent':
      return {text: say`${subject}: sent, waiting for the answer`, tone: 'text'};
    case 'accepted':
      return {text: say`${subject}: accepted, watching for the effect`, tone: 'text'};
    case 'in-progress':
      return {text: say`${subject}: under way`, tone: 'text'};
    case 'overdue':
      return {text: say`${subject}: takes longer than usual; still watching`, tone: 'warning'};
    case 'unknown':
      return {text: say`${subject}: ${OUTCOME_UNKNOWN}${because}; ${WATCHED_ONLY}`, tone: 'warning'};
    case 'CONFIRMED':
      return operation.followUp === undefined
        ? {text: say`${subject}: confirmed`, tone: 'good'}
        : {text: say`${subject}: confirmed; ${operation.followUp}`, tone: 'warning'};
    case 'REFUSED':
      return {text: say`${subject}: ${operation.detail ?? say`refused`}`, tone: 'danger'};
    case 'NOT_SENT':
      return {text: say`${subject}: not sent${because}`, tone: 'danger'};
    case 'STALE':
      return {text: say`${subject}: not sent: ${operation.detail ?? say`it has changed`}`, tone: 'danger'};
    case 'CONTRADICTED':
      return {text: say`${subject}: failed${because}`, tone: 'danger'};
    case 'NO_EFFECT_SEEN':
      return {text: say`${subject}: ${noEffectWords(operation)}`, tone: 'warning'};
    default:
      return unreachable(operation.phase);
  }
}

function noEffectWords({traits, correction}: Operation): SafeText {
  if (correction !== undefined) return say`no effect was seen at first; ${correction}`;
  const once = traits.endsWithReply === true ? say`` : say` it was sent once and is not sent again;`;
  return say`no effect seen;${once} ${repeatAdvice(traits)}`;
}

/** `12:04:31Z`, or `2026-03-01 12:04:31Z` if that was not today. */
function timeText(moment: EpochMs, now = moment): SafeText {
  return safeText(dayStart(moment) === dayStart(now) ? clockText(moment) : secondText(moment));
}
