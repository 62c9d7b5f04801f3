import {sentFrom} from '../../actions/sent.ts';
import {stemOf} from '../../domain/cloud-resource.ts';
import {memoPer} from '../../domain/memo.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {TimelineEntry} from '../../domain/timeline/entry.ts';
import {subjectWords} from '../../domain/timeline/timeline.ts';
import type {Window} from '../../domain/window.ts';
import {placeOf, relatedToSubjects} from '../../resources/resources.ts';
import {
  TIMELINE_COLUMNS,
  type TimelineRow,
  timelineRecord,
  timelineRows,
  windowStart,
} from '../../resources/timeline.ts';
import {eventsRead, machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Store} from '../../state/store.ts';
import {formatCount, formatUtcFull} from '../../ui/format.ts';
import {bindPart} from '../list/part.tsx';
import {type CollectionContext, partView} from '../list/collection-view.ts';
import type {CommandResult} from '../command.ts';
import {copiedSubject} from '../copy-menu.ts';
import {KEYS} from '../../actions/keys.ts';
import type {Scene} from '../pane.ts';
import {entryLines, suspectsOf} from './entry-lines.ts';

/** Its entries change with what is read; between readings, ten thousand machines are not gone through each second. */
const ENTRIES_KEPT_MS: DurationMs = 5 * SECOND_MS;

/** How far back the timeline reaches. */
export type TimelineChoice = {readonly window: Window};

export type TimelineContext = CollectionContext<TimelineChoice>;

export const timelinePart = bindPart<TimelineRow, Window, TimelineChoice>({
  title: say`entries`,
  detailFeed: machinesFeed,
  right: readText,
  wants: [],
  of: (_known, {own: {window}}) => window,
  heading: window => say`timeline, ${WINDOW_WORDS[window]}`,
  none: window => say`no events known in the ${WINDOW_WORDS[window]}`,
  reach: window => say`of the ${WINDOW_WORDS[window]}${window === '30d' ? say`` : say`; w looks further back`}`,
  orderWords: say`newest first`,
  keptForMs: ENTRIES_KEPT_MS,
  rows: (known, window) => timelineRows(known, {since: windowStart(known.now, window ?? '1d'), sent: sentFrom(known)}),
  idOf: ({key}) => key,
  nameOf: ({entry}) => subjectWords(entry),
  columns: TIMELINE_COLUMNS,
  showsCut: true,
  detail: (row, scene, width) => entryLines(scene, row, width),
  related: ({entry}, {store}) => relatedToSubjects(entry.subjects, store),
  isRelatedInMenuAlone: true,
  ownRecord: (row, scene) => timelineRecord(row, suspectsOf(scene, row)),
  copiedAs: ({
    entry: {
      subjects: [subject, ...others],
    },
  }) => (others.length > 0 ? undefined : copiedSubject(subject)),
  actions: {
    open: {
      reason: ({entry}) =>
        placeOfEntry(entry) === undefined
          ? say`it is about the whole account; ${KEYS.describe} shows the entry`
          : undefined,
      run: ({entry}) => placeOfEntry(entry) ?? {kind: 'done'},
    },
    copy: lineOf,
    copyMarked: lineOf,
  },
});

export function rowUnderCursor({scene, view}: TimelineContext): TimelineRow | undefined {
  return timelinePart.rowUnderCursor(scene, partView(view));
}

const WINDOW_WORDS: Readonly<Record<Window, SafeText>> = {
  '1h': say`last hour`,
  '6h': say`last 6 hours`,
  '1d': say`last day`,
  '7d': say`last 7 days`,
  '30d': say`last 30 days`,
};

function lineOf({entry}: TimelineRow): SafeText {
  return say`${safeText(formatUtcFull(entry.at))} ${subjectWords(entry)}: ${entry.what}`;
}

/** How many machines' events are known: each history takes a request, so in a large fleet not all are read. */
function readText({store}: Scene): string {
  return readOnce(store, [store.version()], () => countRead(store));
}

const readOnce = memoPer<Store, string>();

function countRead(store: Store): string {
  const machines = observedMachines(store);
  if (machines === undefined) return '';
  const readCount = machines.filter(({id}) => eventsRead(store, id) !== undefined).length;
  return `events of ${formatCount(readCount)} of ${formatCount(machines.length)} machines read`;
}

/** Where the objects of an entry are shown: a single one under the cursor, several by a filter. */
function placeOfEntry({subjects}: TimelineEntry): Extract<CommandResult, {kind: 'go'}> | undefined {
  const placed = subjects.flatMap(({type, id, name}) => {
    const place = placeOf(type, id);
    return place === undefined ? [] : [{name, place}];
  });
  const [first, ...others] = placed;
  if (first === undefined) return undefined;
  const {name, place} = first;
  const stem = stemOf(name);
  const isRow =
    others.length > 0 && stem !== '' && !/\s/.test(stem) && others.every(each => stemOf(each.name) === stem);
  return isRow ? {kind: 'go', paneId: place.paneId, filterText: stem} : {kind: 'go', ...place};
}
