import {callOf} from '../../actions/actions.ts';
import {presentSent} from '../../actions/sent.ts';
import {commandOf} from '../../actions/shell-line.ts';
import {type Action, typeOf} from '../../domain/action.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {phaseWords} from '../../domain/describe-operation.ts';
import {field, momentText} from '../../resources/detail.ts';
import {
  JOURNAL_COLUMNS,
  type JournalRow,
  journalMoment,
  journalRecord,
  phaseTone,
  sentValue,
} from '../../resources/journal.ts';
import {placeOf, relatedToSubjects} from '../../resources/resources.ts';
import {usageFeed} from '../../state/billing.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatCounted, formatUtcFull} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {hangingLines} from '../../ui/wrap.ts';
import {collectionPane} from '../list/collection.tsx';
import {bindPart} from '../list/part.tsx';
import type {Scene} from '../pane.ts';
import {KEYS} from '../../actions/keys.ts';

/** Operations sent from here and their outcomes. It has no number key: `:journal` opens it. */
export const journalPane = collectionPane({
  id: 'journal',
  key: '',
  title: say`Journal`,
  aliases: ['operations', 'log of operations'],
  parts: [
    bindPart({
      title: say`operations`,
      none: say`no operations yet`,
      // The list comes from the session; these feeds keep the header current.
      wants: [
        {feed: machinesFeed, priority: 2},
        {feed: usageFeed, priority: 2},
      ],
      orderWords: say`newest first`,
      rows: journalRows,
      note: unreadableNote,
      idOf: ({id}) => id,
      nameOf: ({words}) => words,
      columns: JOURNAL_COLUMNS,
      ownRecord: journalRecord,
      copiedAs: ({action, words, id}) => ({
        name: words,
        id: safeText(id),
        ...(action === undefined ? {} : {command: commandOf(action)}),
      }),
      detail: (row, _scene, width) => journalLines(row, width),
      related: ({action, words}, {store}) =>
        action === undefined ? [] : relatedToSubjects([{type: typeOf(action.kind), id: action.id, name: words}], store),
      isRelatedInMenuAlone: true,
      actions: {
        open: {
          reason: ({action}) =>
            placeIn(action) === undefined
              ? say`no pane shows its subject; press ${KEYS.describe} for details`
              : undefined,
          run: ({action}) => {
            const place = placeIn(action);
            return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
          },
        },
        copy: ({action, words}) => (action === undefined ? words : commandOf(action)),
      },
    }),
  ],
});

/** Latest first: the operations of this session, and those of the journal on disk. A batch has one moment for all left. */
export function journalRows({
  operations,
  journal,
  undoable,
  now,
}: Pick<Scene, 'operations' | 'journal' | 'undoable' | 'now'>): readonly JournalRow[] {
  return presentSent({operations, journal, now})
    .map(sent => ({...sent, undoable: undoable?.(sent.id), now}))
    .reverse()
    .sort((left, right) => journalMoment(right) - journalMoment(left));
}

/** Why the list is empty, or lacks what damaged lines contained, or lines written by someone else, or old lines. */
export function unreadableNote({journal}: Pick<Scene, 'journal'>): SafeText | undefined {
  const {unreadableCount: count = 0, readFrom, fault} = journal?.() ?? {};
  if (fault !== undefined) return say`the journal cannot be read: ${fault}`;
  const notes = [
    ...(count === 0 ? [] : [`${formatCounted(count, 'line')} of the journal could not be read`]),
    ...(readFrom === undefined ? [] : [`the journal is too long to list what was before ${formatUtcFull(readFrom)}`]),
  ];
  return notes.length === 0 ? undefined : safeText(notes.join('; '));
}

/** Where its subject is shown; undefined if the subject has no id or is not known. */
function placeIn(action: Action | undefined) {
  return action === undefined ? undefined : placeOf(typeOf(action.kind), action.id);
}

function requestWords(action: Action): SafeText {
  const {method, path} = callOf(action);
  return safeText(`${method} ${path}`);
}

function undoWords({undoable, isElsewhere, phase}: JournalRow): string {
  if (undoable === 'next') return `press ${KEYS.undo} to undo it`;
  if (undoable === 'later') return 'possible after what was done later is undone';
  if (undoable !== undefined) return `not possible: ${undoable.reason}`;
  return isElsewhere || phase === 'CONFIRMED' ? 'not by this session, which did not send it' : 'no';
}

/** Everything known about an operation. "Confirmed" is an outcome here, so the confirmation is called a request. */
export function journalLines(row: JournalRow, width: number): readonly Line[] {
  const {action, words, phase, detail, confirmedAt, endedAt, isWatched, now} = row;
  // What this session observes is newer than the journal's last line.
  const changedAt = isWatched || endedAt !== undefined ? undefined : row.changedAt;
  return [
    field('what', words),
    field('outcome', phaseWords(row), phaseTone(phase)),
    field('detail', detail ?? 'none'),
    field('requested', momentText(confirmedAt, now)),
    field('sent', sentValue(row).text),
    ...(endedAt === undefined ? [] : [field('ended', formatUtcFull(endedAt))]),
    ...(changedAt === undefined ? [] : [field('last line', formatUtcFull(changedAt))]),
    field('undo', undoWords(row)),
    field('request', action === undefined ? words : requestWords(action)),
    field('operation', row.id),
    ...(row.isByOtherKey
      ? [field('key', 'another than the present one, perhaps of another organization', 'warning')]
      : []),
    ...(row.isElsewhere ? [field('sent by', 'another skydeck here, running or ended', 'warning')] : []),
  ].flatMap(line => hangingLines(line.slice(0, -1), line.slice(-1), width));
}
