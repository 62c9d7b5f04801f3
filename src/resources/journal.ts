import {type Action, subjectOf} from '../domain/action.ts';
import {phaseWords} from '../domain/describe-operation.ts';
import {isEnded, type OperationPhase} from '../domain/operation.ts';
import {joinSafe, type SafeText, say} from '../domain/safe-text.ts';
import {type EpochMs, isoText} from '../domain/time.ts';
import type {Undoable} from '../state/operations/undo.ts';
import type {Tone} from '../ui/theme.ts';
import {age, type Column, moment, text, type Value} from './column.ts';

/** Something sent from this computer: an operation of this session or an earlier one, or a raw request. */
export type Sent = {
  readonly id: string;
  /** Undefined for a raw request. */
  readonly action: Action | undefined;
  /** The state that the action brings its subject into, if it does that. */
  readonly targetStatus: string | undefined;
  readonly subjectName: SafeText | undefined;
  readonly words: SafeText;
  /** As last reported. */
  readonly phase: OperationPhase;
  readonly detail: SafeText | undefined;
  /** What remains to be done afterwards, if the detail says that. */
  readonly followUp: SafeText | undefined;
  /** What was seen after the end and corrects it; the detail then. */
  readonly correction: SafeText | undefined;
  /** When the person confirmed it; for very old entries, when the last line was written. */
  readonly confirmedAt: EpochMs;
  /** Its state in the journal on disk; undefined if it is not there. */
  readonly sentAt: EpochMs | undefined;
  readonly endedAt: EpochMs | undefined;
  /** When its last line was written; undefined if there is none yet. */
  readonly changedAt: EpochMs | undefined;
  /** This session watches it, so the phase is current. */
  readonly isWatched: boolean;
  /** Sent by another skydeck that is still running. */
  readonly isElsewhere: boolean;
  /** Sent with another key, perhaps of another organization. */
  readonly isByOtherKey: boolean;
};

/** An operation in its present phase. */
export type JournalRow = Sent & {
  readonly now: EpochMs;
  /** Whether it can be undone from here; undefined if it was not sent from here. A command undoes nothing. */
  readonly undoable?: Undoable | undefined;
};

/** Whether an outcome is still to come. Of a raw request nothing is known beyond its answer. */
export function isOpen({action, phase}: Pick<Sent, 'action' | 'phase'>): boolean {
  return action === undefined ? phase === 'sent' : !isEnded(phase);
}

/** When it was sent; of what was not sent, when the person confirmed it. */
export function journalMoment({phase, sentAt, confirmedAt}: Pick<Sent, 'phase' | 'sentAt' | 'confirmedAt'>): EpochMs {
  return wasSent({phase}) ? (sentAt ?? confirmedAt) : confirmedAt;
}

/** When it was sent, as far as the journal tells. A file has a moment for every operation. */
export function sentValue(sent: Pick<Sent, 'phase' | 'sentAt' | 'confirmedAt'>): Value {
  const known = wasSent(sent) ? moment(sent.sentAt) : undefined;
  const absent = wasSent(sent) ? say`time unknown` : say`not sent`;
  return known ?? {text: absent, plain: isoText(journalMoment(sent))};
}

function wasSent({phase}: Pick<Sent, 'phase'>): boolean {
  return phase !== 'NOT_SENT' && phase !== 'STALE' && phase !== 'preflight';
}

const PHASE_TONES: Readonly<Record<OperationPhase, Tone>> = {
  preflight: 'notice',
  sent: 'notice',
  accepted: 'notice',
  'in-progress': 'notice',
  overdue: 'warning',
  unknown: 'warning',
  CONFIRMED: 'good',
  REFUSED: 'danger',
  NOT_SENT: 'danger',
  STALE: 'danger',
  CONTRADICTED: 'danger',
  NO_EFFECT_SEEN: 'warning',
};

export function phaseTone(phase: OperationPhase): Tone {
  return PHASE_TONES[phase];
}

const BY_OTHER_KEY = say`by another key`;

/** "Confirmed" is an outcome here, so the confirmation by the person is called a request. */
export const JOURNAL_COLUMNS: readonly Column<JournalRow>[] = [
  {key: 'time', title: 'SENT', also: ['sent'], value: sentValue, list: {minWidth: 20, priority: 1, tone: 'dim'}},
  {
    key: 'age',
    title: 'AGO',
    align: 'right',
    printed: 'asked',
    unit: 'duration',
    value: sent => age(journalMoment(sent), sent.now),
    list: {minWidth: 5, tone: 'dim'},
  },
  {
    key: 'operation',
    title: 'OPERATION',
    also: ['what'],
    value: ({words}) => text(words),
    list: {
      minWidth: 32,
      flex: 3,
      draw: ({words, isElsewhere, isByOtherKey}) => [
        {text: words, tone: 'strong'},
        ...(isByOtherKey
          ? [{text: `  ${BY_OTHER_KEY}`, tone: 'warning' as const}]
          : isElsewhere
            ? [{text: '  by another skydeck', tone: 'warning' as const}]
            : []),
      ],
    },
  },
  {
    key: 'outcome',
    title: 'OUTCOME',
    value: sent => text(isOpen(sent) ? `${phaseWords(sent)} (open)` : phaseWords(sent)),
    list: {minWidth: 16, draw: sent => [{text: phaseWords(sent), tone: phaseTone(sent.phase)}]},
  },
  {
    key: 'undo',
    title: 'UNDO',
    printed: 'asked',
    value: ({undoable}) => (undoable === 'next' ? text('z') : undoable === 'later' ? text('not yet') : undefined),
    list: {minWidth: 7, tone: 'key', absent: ''},
  },
  {
    key: 'detail',
    title: 'DETAIL',
    isProse: true,
    // The deck's list has the mark beside the operation.
    value: sent => text(joinSafe(sent.isByOtherKey ? [BY_OTHER_KEY, ...detailOf(sent)] : detailOf(sent), '; ')),
    list: {
      minWidth: 12,
      draw: ({detail = say``}) => [{text: detail, tone: 'dim'}],
      flex: 2,
      priority: 2,
      tone: 'dim',
      absent: '',
      isProse: true,
    },
  },
  {key: 'id', title: 'ID', printed: 'wide', value: ({id}) => text(id)},
  {key: 'requested', title: 'REQUESTED', printed: 'wide', value: ({confirmedAt}) => moment(confirmedAt)},
];

function detailOf({detail}: Sent): readonly SafeText[] {
  return detail === undefined ? [] : [detail];
}

const SEEN_LATE = 'EFFECT_SEEN_LATE';

/** An operation for scripts: times as ISO 8601, the phase as journaled. */
export function journalRecord(sent: Sent): object {
  const {id, action, subjectName, words, phase, detail, confirmedAt, sentAt, changedAt = confirmedAt} = sent;
  const {isByOtherKey} = sent;
  const end = sent.correction === undefined ? phase : SEEN_LATE;
  return {
    operationId: id,
    confirmedAt: isoText(confirmedAt),
    sentAt: sentAt === undefined || !wasSent(sent) ? null : isoText(sentAt),
    at: isoText(changedAt),
    kind: action?.kind ?? 'api',
    // Of a raw request only the path is known.
    subject: action === undefined ? null : {name: subjectName, ...subjectOf(action)},
    words,
    phase,
    // `open`, `EFFECT_SEEN_LATE` if nothing was seen at first, otherwise the phase.
    outcome: isOpen(sent) ? 'open' : end,
    ...(detail === undefined ? {} : {detail}),
    ...(isByOtherKey ? {isByOtherKey} : {}),
  };
}
