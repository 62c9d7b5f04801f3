import {sentFrom} from '../actions/sent.ts';
import {memoPer} from '../domain/memo.ts';
import {lastValue} from '../domain/snapshot.ts';
import {epochMs, MINUTE_MS} from '../domain/time.ts';
import {subjectWords} from '../domain/timeline/timeline.ts';
import {missingLine} from '../resources/detail.ts';
import type {RelatedGroup} from '../resources/related.ts';
import {type TimelineRow, timelineRows, troubleTone} from '../resources/timeline.ts';
import {meFeed, organizationFeed} from '../state/account.ts';
import {deletedUsageFeed, usageFeed} from '../state/billing.ts';
import {eventsFeed, eventsRead, machinesFeed, observedMachines} from '../state/machines.ts';
import type {Want} from '../state/poller/poll-schedule.ts';
import {machinesByNews} from '../state/timeline.ts';
import {formatCount, formatDuration} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {hangingLines, wrapLine} from '../ui/wrap.ts';
import type {Scene} from './pane.ts';
import {TABS} from './tabs.ts';

/** The history of one object: the timeline's entries about it or what belongs to it. */
export type HistoryScope = {
  /** For example `vm 7`: the subject as the timeline identifies it. */
  readonly subjects?: ReadonlySet<string>;
  /** Member names, for those who did it. */
  readonly actors?: ReadonlySet<string>;
};

/** Each history of a machine takes a request, so only a few are read, and rarely. */
const MAX_HISTORIES = 6;
const HISTORY_INTERVAL_MS = 4 * MINUTE_MS;

/**
 * The entries of all machines are computed again after each reading: 15 ms for this many machines. With 10,000 the keys
 * would have to wait. The timeline pane computes them for any fleet.
 */
const MAX_MACHINES = 1000;

/** The input for the history of an object and of what belongs to it. */
export function historyWants(scene: Scene, groups: readonly RelatedGroup[]): readonly Want[] {
  if (isTooLarge(scene)) return [];
  const related = groups.flatMap(({kind, objects = []}) => (kind === 'vm' ? objects.map(({id}) => id) : []));
  const ids = new Set(related);
  const machines =
    related.length === 0
      ? machinesByNews(scene, scene.changes)
      : (observedMachines(scene.store) ?? []).filter(({id}) => ids.has(id));
  return [
    ...[organizationFeed, meFeed, usageFeed, deletedUsageFeed].map(feed => ({feed, priority: 5})),
    ...machines
      .slice(0, MAX_HISTORIES)
      .map(({id}) => ({feed: eventsFeed(id), priority: 5, intervalMs: HISTORY_INTERVAL_MS, isBackground: true})),
  ];
}

/** The objects of a history, as the timeline identifies them. */
export function subjectsOf(own: readonly string[], groups: readonly RelatedGroup[]): ReadonlySet<string> {
  return new Set([...own, ...groups.flatMap(({kind, objects = []}) => objects.map(({id}) => `${kind} ${id}`))]);
}

/** The known history, newest first: as many entries as fit, with no cause cut off. */
export function historyLines(
  scene: Scene,
  {subjects, actors}: HistoryScope,
  width: number,
  height: number,
): readonly Line[] {
  if (isTooLarge(scene)) {
    const text = ` not listed here for more than ${formatCount(MAX_MACHINES)} machines; ${TABS.timeline.key} opens the timeline`;
    return wrapLine([{text, tone: 'dim'}], width);
  }
  const all = recentRows(scene);
  if (all === undefined) return [[{text: ' not read yet', tone: 'dim'}]];
  const wanted = all.filter(
    ({entry, who}) =>
      entry.subjects.some(({type, id}) => subjects?.has(`${type} ${id}`) === true) ||
      (who !== undefined && actors?.has(who) === true),
  );
  // If one person did everything, the name is not repeated in each line.
  const isOfOne = actors !== undefined && new Set(wanted.map(({who}) => who)).size <= 1;
  const lines = wanted.slice(0, height).flatMap(row => rowLines(row, scene, width, isOfOne));
  return [
    ...(lines.length === 0 ? [[{text: ` ${noneText(scene, actors !== undefined)}`, tone: 'dim' as const}]] : lines),
    [],
    readLine(scene),
  ];
}

function isTooLarge({store}: Scene): boolean {
  return (observedMachines(store)?.length ?? 0) > MAX_MACHINES;
}

function rowLines({entry, who}: TimelineRow, {now}: Scene, width: number, isOfOne: boolean): readonly Line[] {
  const ago = entry.at === undefined ? '' : formatDuration(now - entry.at);
  return hangingLines(
    [{text: ` ${ago.padStart(AGE_CELLS)} `, tone: 'dim'}],
    [
      {text: `${subjectWords(entry)}  `, tone: 'strong'},
      {text: entry.what, tone: troubleTone(entry) ?? 'text'},
      {text: who === undefined || isOfOne ? '' : `  ${who}`, tone: 'dim'},
    ],
    width,
  );
}

const AGE_CELLS = 5;

/** What was not read may hold some; without the names of the actors, so may what was read. */
function noneText({store}: Scene, isOfActors: boolean): string {
  const {machines, readCount} = historiesRead(store);
  const areNamesKnown =
    lastValue(store.get(organizationFeed)) !== undefined && lastValue(store.get(meFeed)) !== undefined;
  return machines?.length === readCount && (areNamesKnown || !isOfActors) ? 'none known' : 'none in what was read';
}

function readLine(scene: Scene): Line {
  const {machines, readCount} = historiesRead(scene.store);
  if (machines === undefined) return missingLine(scene, machinesFeed, 'machines');
  const text = ` events of ${formatCount(readCount)} of ${formatCount(machines.length)} machines read`;
  return [{text, tone: 'dim'}];
}

function historiesRead(store: Scene['store']) {
  const machines = observedMachines(store);
  const readCount = (machines ?? []).filter(({id}) => eventsRead(store, id) !== undefined).length;
  return {machines, readCount};
}

/** Computed once for all that is known, whichever row asks for it. */
function recentRows(scene: Scene): readonly TimelineRow[] | undefined {
  return rowsOnce(scene.facts ?? scene, [], () => timelineRows(scene, {since: epochMs(0), sent: sentFrom(scene)}));
}

const rowsOnce = memoPer<object, readonly TimelineRow[] | undefined>();
