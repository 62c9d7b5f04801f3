import {presentSent, type Sent} from '../../actions/sent.ts';
import {phaseWords} from '../../domain/describe-operation.ts';
import type {OperationPhase} from '../../domain/operation.ts';
import type {EpochMs} from '../../domain/time.ts';
import {age, type Column, moment, text} from '../../resources/column.ts';
import type {Undoable} from '../../state/undo.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';

/** An operation in its present phase. */
export type JournalRow = Sent & {
  /** Whether it can be undone from here: by the next undo, or after others. */
  readonly undoable: Undoable | undefined;
  readonly now: EpochMs;
};

/** Newest first: the operations of this session, then those of the journal on disk. */
export function journalRows({
  operations,
  journal,
  undoable,
  now,
}: Pick<Scene, 'operations' | 'journal' | 'undoable' | 'now'>): readonly JournalRow[] {
  return presentSent({operations, journal, now})
    .map(sent => ({...sent, undoable: undoable?.(sent.id), now}))
    .sort((left, right) => right.confirmedAt - left.confirmedAt);
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
    value: sent => text(phaseWords(sent)),
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
