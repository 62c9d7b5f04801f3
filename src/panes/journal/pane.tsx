import {type Act, subjectOf} from '../../domain/act.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {commandOf} from '../../state/act-command.ts';
import {requestOf} from '../../state/act-requests.ts';
import {usageFeed} from '../../state/billing.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatCounted, formatUtcFull} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {collectionPane} from '../collection.tsx';
import {bindPart} from '../collection-part.ts';
import {field, momentText} from '../detail.ts';
import type {Scene} from '../pane.ts';
import {JOURNAL_COLUMNS, type JournalRow, journalRows, phaseTone} from './rows.ts';

/** What was sent from here, and what became of it. It has no digit of its own: `:journal` opens it. */
export const journalPane = collectionPane({
  id: 'journal',
  key: '',
  title: say`Journal`,
  aliases: ['operations', 'log of operations', 'history'],
  parts: [
    bindPart({
      title: say`operations`,
      none: say`nothing was sent from here yet`,
      // The list is the session's own; the header above it stays true.
      wants: [
        {feed: machinesFeed, priority: 2},
        {feed: usageFeed, priority: 2},
      ],
      rows: journalRows,
      note: unreadableNote,
      idOf: ({id}) => id,
      nameOf: ({words}) => words,
      columns: JOURNAL_COLUMNS,
      detail: (row, _scene, width) => journalLines(row, width),
      acts: {
        open: {
          reason: ({act}) =>
            placeOf(act) === undefined ? say`what it was done to has no pane of its own; d describes it` : undefined,
          run: ({act}) => {
            const place = placeOf(act);
            return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
          },
        },
        copy: ({act, words}) => (act === undefined ? words : commandOf(act)),
      },
    }),
  ],
});

/** Lines that were damaged, or written by somebody else: what they told of is missing in the list. */
export function unreadableNote({journal}: Pick<Scene, 'journal'>): SafeText | undefined {
  const count = journal?.().unreadableCount ?? 0;
  return count === 0 ? undefined : safeText(`${formatCounted(count, 'line')} of the journal could not be read`);
}

const PANES: ReadonlyMap<string, string> = new Map([
  ['vm', 'machines'],
  ['cluster', 'clusters'],
  ['firewall', 'firewalls'],
  ['volume', 'volumes'],
]);

/** Where what was acted on is shown; undefined where it has no pane, or where nobody knows what it was. */
function placeOf(act: Act | undefined) {
  if (act === undefined) return undefined;
  const subject = subjectOf(act);
  const paneId = PANES.get(subject.type);
  return paneId !== undefined && 'id' in subject ? {paneId, objectId: subject.id} : undefined;
}

function requestWords(act: Act): SafeText {
  const {method, path} = requestOf(act);
  return safeText(`${method} ${path}`);
}

function sentWords({phase, sentAt}: JournalRow): string {
  if (phase === 'NOT_SENT' || phase === 'STALE' || phase === 'preflight') return 'not sent';
  return sentAt === undefined ? 'not known when' : formatUtcFull(sentAt);
}

/** All that is known of an operation. The word CONFIRMED is an outcome here, so the yes goes by another. */
export function journalLines(row: JournalRow, width: number): readonly Line[] {
  const {act, words, phase, detail, confirmedAt, endedAt, changedAt, now} = row;
  return [
    field('what', words),
    field('outcome', phase, phaseTone(phase)),
    field('detail', detail ?? 'none'),
    field('asked for', momentText(confirmedAt, now)),
    field('sent', sentWords(row)),
    ...(endedAt === undefined ? [] : [field('ended', formatUtcFull(endedAt))]),
    ...(changedAt === undefined ? [] : [field('last line', formatUtcFull(changedAt))]),
    field('request', act === undefined ? words : requestWords(act)),
    field('operation', row.id),
    ...(row.isElsewhere ? [field('sent by', 'another skydeck on this account', 'warning')] : []),
  ].flatMap(line => wrapLine(line, width));
}
