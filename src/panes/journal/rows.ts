import {phaseWords} from '../../domain/describe-operation.ts';
import {wordsOf} from '../../actions/actions.ts';
import type {Action} from '../../domain/action.ts';
import {operationWords} from '../../domain/describe-operation.ts';
import {isEnded, type Operation, type OperationPhase} from '../../domain/operation.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {type EpochMs, MINUTE_MS} from '../../domain/time.ts';
import {age, type Column, moment, text} from '../../resources/resource.ts';
import type {LatestEntry, RawEntry} from '../../state/journal.ts';
import type {Undoable} from '../../state/undo.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';

/** One operation of this or an earlier session, as far as its outcome was seen. */
export type JournalRow = {
  readonly id: string;
  /** Undefined for a request that was sent raw. */
  readonly action: Action | undefined;
  readonly words: SafeText;
  readonly phase: OperationPhase;
  readonly detail: SafeText | undefined;
  /** When the person said yes; of very old entries when the last line was written. */
  readonly confirmedAt: EpochMs;
  /** As the journal on disk tells it: undefined where it does not. */
  readonly sentAt: EpochMs | undefined;
  readonly endedAt: EpochMs | undefined;
  /** Of one that is open, and that nobody here watches: the last that was heard of it. */
  readonly changedAt: EpochMs | undefined;
  /** Sent by another skydeck that is still there. */
  readonly isElsewhere: boolean;
  /** Whether it can be undone from here: by the next undo, or after others. */
  readonly undoable?: Undoable | undefined;
  readonly now: EpochMs;
};

/** Newest first: what is known in this session, and before it what the journal on disk holds. */
export function journalRows({
  operations,
  journal,
  undoable,
  now,
}: Pick<Scene, 'operations' | 'journal' | 'undoable' | 'now'>): readonly JournalRow[] {
  const {entries, raws} = journal?.() ?? {entries: [], raws: []};
  const written = new Map(entries.map(entry => [entry.operationId, entry]));
  const known = (operations?.all() ?? []).map(operation => ({
    ...rowOf(operation, written.get(operation.id), now),
    undoable: undoable?.(operation.id),
  }));
  const ids = new Set(known.map(({id}) => id));
  const earlier = entries
    .filter(({operationId, phase}) => !ids.has(operationId) && phase !== 'preflight')
    .map(
      (entry): JournalRow => ({
        id: entry.operationId,
        action: entry.action,
        words: wordsOf(entry),
        // Nobody watched it to its end: an open entry tells no outcome.
        phase: isEnded(entry.phase) ? entry.phase : 'unknown',
        detail: entry.correction ?? entry.detail,
        confirmedAt: entry.confirmedAt ?? entry.at,
        sentAt: entry.sentAt,
        endedAt: entry.endedAt,
        changedAt: isEnded(entry.phase) ? undefined : entry.at,
        isElsewhere: false,
        now,
      }),
    );
  return [...known, ...earlier, ...raws.map(raw => rawRowOf(raw, now))].sort(
    (left, right) => right.confirmedAt - left.confirmedAt,
  );
}

function rowOf(operation: Operation, written: LatestEntry | undefined, now: EpochMs): JournalRow {
  const {id, action, phase, detail, remark, correction, confirmedAt, sentElsewhereAt} = operation;
  const isElsewhere = sentElsewhereAt !== undefined;
  return {
    id,
    action,
    words: operationWords(operation),
    phase,
    detail: correction ?? detail ?? remark,
    confirmedAt,
    sentAt: written?.sentAt,
    // The file is read now and then: what ended since still looks open in it.
    endedAt: isEnded(phase) ? written?.endedAt : undefined,
    changedAt: undefined,
    isElsewhere,
    now,
  };
}

/** A request is answered or given up within a minute: one that was not is nobody's any more. */
function rawRowOf({operationId, at, confirmedAt, phase, request, detail}: RawEntry, now: EpochMs): JournalRow {
  return {
    id: operationId,
    action: undefined,
    words: request,
    phase: phase === 'sent' && now - confirmedAt > MINUTE_MS ? 'unknown' : phase,
    detail,
    confirmedAt,
    sentAt: confirmedAt,
    endedAt: phase === 'sent' ? undefined : at,
    changedAt: phase === 'sent' ? at : undefined,
    isElsewhere: false,
    now,
  };
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

export const JOURNAL_COLUMNS: readonly Column<JournalRow>[] = [
  {
    key: 'time',
    title: 'TIME',
    value: ({confirmedAt}) => moment(confirmedAt),
    list: {minWidth: 20, priority: 1, tone: 'dim'},
  },
  {
    key: 'age',
    title: 'AGO',
    align: 'right',
    value: ({confirmedAt, now}) => age(confirmedAt, now),
    list: {minWidth: 5, tone: 'dim'},
  },
  {
    key: 'outcome',
    title: 'OUTCOME',
    value: ({phase}) => text(phaseWords(phase)),
    list: {minWidth: 14, tone: ({phase}) => PHASE_TONES[phase]},
  },
  {
    key: 'undo',
    title: 'UNDO',
    value: ({undoable}) => text(undoable === 'next' ? 'z' : undoable),
    list: {minWidth: 5, tone: 'key', absent: ''},
  },
  {
    key: 'what',
    title: 'WHAT',
    value: ({words}) => text(words),
    list: {
      minWidth: 32,
      flex: 3,
      draw: ({words, isElsewhere}) => [
        {text: words, tone: 'strong'},
        ...(isElsewhere ? [{text: '  by another skydeck', tone: 'warning' as const}] : []),
      ],
    },
  },
  {
    key: 'detail',
    title: 'DETAIL',
    value: ({detail}) => text(detail),
    list: {minWidth: 12, flex: 2, priority: 2, tone: 'dim', absent: '', isProse: true},
  },
];
