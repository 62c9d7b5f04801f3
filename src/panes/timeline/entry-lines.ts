import {nameInWords} from '../../domain/safe-text.ts';
import {WINDOWS_MS} from '../../domain/window.ts';
import {sentFrom} from '../../actions/sent.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {TimelineEntry} from '../../domain/timeline/entry.ts';
import {SUSPECT_RULE, type Suspect, suspectsFor, suspectWords} from '../../domain/timeline/suspects.ts';
import {field, momentText, wrappedField} from '../../resources/detail.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {eventsFeed, observedById} from '../../state/machines.ts';
import {presentBurn, presentGroups} from '../../state/timeline.ts';
import {formatCounted, formatUtcFull, formatUtcTime} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import type {Scene} from '../pane.ts';
import {signedRate, type TimelineRow, timelineRows, troubleTone, windowStart} from '../../resources/timeline.ts';

const MAX_NAMED = 40;

/** Everything known about an entry and, if it is a step, what may have caused it. */
export function entryLines(scene: Scene, row: TimelineRow, width: number): readonly Line[] {
  const {entry, who, step} = row;
  const {subjects, rateChange, source, alsoFrom, notes} = entry;
  const [first] = subjects;
  const named = subjects
    .slice(0, MAX_NAMED)
    .map(({name, id}) => (id === undefined ? nameInWords(name) : `${nameInWords(name)} #${id}`));
  const more = subjects.length - named.length;
  return [
    ...wrappedField('what', entry.what, width, troubleTone(entry) ?? 'strong'),
    field('when', whenText(entry, scene)),
    ...wrappedField(first.type, `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`, width, 'strong'),
    field('who', who ?? 'not reported by the service'),
    ...(rateChange === undefined ? [] : [field('burn rate', `${signedRate(rateChange)} $/h`, 'money')]),
    field('source', [source, ...alsoFrom].join(', ')),
    ...notes.flatMap(note => wrappedField('', note, width)),
    ...(step === undefined ? [[], ...wrapLine([NO_STEP], width)] : suspectLines(scene, row, width)),
  ];
}

const NO_STEP = {
  text: 'suspects are listed only for large steps in the burn rate, and for steps in health',
  tone: 'dim',
} as const;

function whenText({at, after, until}: TimelineEntry, {now}: Scene): string {
  if (at === undefined) return 'unknown';
  if (after !== undefined) return `between ${formatUtcFull(after)} and ${formatUtcTime(at)}`;
  const last = until === undefined || until === at ? '' : `, the last at ${formatUtcFull(until)}`;
  return `${momentText(at, now) ?? formatUtcFull(at)}${last}`;
}

/** Entries close in time about the same objects. Called `suspect`, since nothing here proves a cause. */
function suspectLines(scene: Scene, row: TimelineRow, width: number): readonly Line[] {
  const rows = rowsBefore(scene, row);
  const suspects = suspectsAmong(scene, row, rows);
  const names = new Map(rows.map(({key, who}) => [key, who]));
  const heading: Line = [{text: `suspects for this step in ${row.step}`, tone: 'accent'}];
  const unread = unreadText(scene, row.entry);
  return [
    [],
    heading,
    ...(suspects.length === 0 ? [[{text: 'none known', tone: 'dim' as const}]] : []),
    ...suspects.flatMap((suspect, index) =>
      suspectLine(suspect, {now: scene.now, who: names.get(suspect.entry.key), index, width}),
    ),
    ...wrapLine([{text: SUSPECT_RULE, tone: 'dim'}], width),
    ...(unread === '' ? [] : wrapLine([{text: unread, tone: 'warning'}], width)),
  ];
}

/** Suspects come before the step, even if the step is at the edge of the visible window. */
function earliestOf({entry: {after, at, until}, now}: TimelineRow): EpochMs {
  return windowStart(after ?? at ?? until ?? now, '6h');
}

function rowsBefore(scene: Scene, row: TimelineRow): readonly TimelineRow[] {
  return timelineRows(scene, {since: earliestOf(row), sent: sentFrom(scene)}) ?? [];
}

/** What may have caused the step of an entry; nothing for an entry that is no step. */
export function suspectsOf(scene: Scene, row: TimelineRow): readonly Suspect[] {
  return row.step === undefined ? [] : suspectsAmong(scene, row, rowsBefore(scene, row));
}

function suspectsAmong({store}: Scene, {entry}: TimelineRow, rows: readonly TimelineRow[]): readonly Suspect[] {
  const entries = rows.map(each => each.entry);
  return suspectsFor(entry, entries, {groups: presentGroups(store), burn: presentBurn(store)});
}

type SuspectPlace = {
  readonly now: EpochMs;
  readonly who: SafeText | undefined;
  readonly index: number;
  readonly width: number;
};

function suspectLine(suspect: Suspect, {now, who, index, width}: SuspectPlace): readonly Line[] {
  const {entry, touches} = suspect;
  const isOld = entry.at !== undefined && now - entry.at > WINDOWS_MS['1d'];
  const when = isOld ? formatUtcFull(entry.at) : formatUtcTime(entry.at);
  return hangingLines(
    [{text: `${index + 1} ${when} `, tone: 'dim'}],
    [
      {text: suspectWords(suspect)},
      {text: who === undefined ? '' : `, by ${who}`, tone: 'strong'},
      {text: ` (${touches}, ${entry.source})`, tone: 'dim'},
    ],
    width,
  );
}

/** Histories are read one by one, so those of its objects may be missing. */
function unreadText({store}: Scene, {subjects}: TimelineEntry): string {
  const machines = observedById(store);
  const clusters = lastValue(store.get(clustersFeed))?.records ?? [];
  const unread = subjects.filter(({type, id}) => {
    const machine = type === 'vm' && id !== undefined ? machines.get(id) : undefined;
    if (machine !== undefined) return lastValue(store.get(eventsFeed(machine.id))) === undefined;
    const cluster = type === 'cluster' ? clusters.find(each => each.id === id) : undefined;
    return cluster !== undefined && lastValue(store.get(clusterEventsFeed(cluster.id))) === undefined;
  });
  return unread.length === 0
    ? ''
    : `not read yet: the events of ${formatCounted(unread.length, 'object')} of this step`;
}
