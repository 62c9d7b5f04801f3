import type {ReactNode} from 'react';
import {describeOperation} from '../../domain/describe-operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {ClusterEvent} from '../../domain/cluster.ts';
import {DAY_MS, type EpochMs} from '../../domain/time.ts';
import {billingEntries, eventEntry, type TimelineEntry, type TimelineSubject} from '../../domain/timeline/entry.ts';
import {foldedByMachine, subjectWords, timelineOf} from '../../domain/timeline/timeline.ts';
import type {MachineEvent, VirtualMachine} from '../../domain/virtual-machine.ts';
import {organizationFeed} from '../../state/account.ts';
import {deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {awaitedText, missingLine} from '../../resources/detail.ts';
import {nameOfUser} from '../../resources/members.ts';
import {eventsFeed, machinesFeed, observedMachines, troubledMachines} from '../../state/machines.ts';
import {formatCounted, formatDuration} from '../../ui/format.ts';
import {useMoment} from '../../ui/moment.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import {memoBox, type Scene} from '../pane.ts';
import {Part, type BoxProps} from './part.tsx';

/** Operations sent from here, changes observed, and the histories of what is in trouble; newest first. */
export const Events = memoBox(function Events({scene, layout}: BoxProps): ReactNode {
  return <DatedEvents scene={scene} layout={layout} events={recentEvents(scene)} />;
});

/** The ages count every second, and nothing but their lines is made again for that. */
function DatedEvents({scene, layout, events}: BoxProps & {readonly events: readonly RecentEvent[]}): ReactNode {
  const {now} = useMoment(true) ?? scene;
  const {events: place} = layout;
  const columns = place.columns - (layout.isWide ? 2 : 0);
  const lines =
    events.length === 0
      ? [noEvents(scene, observedMachines(scene.store))]
      : // Those that do not fit are only counted.
        events.map((event, index) => (index < place.rows ? datedLine(event, now, columns) : []));
  return (
    <Part
      title="recent events"
      scene={scene}
      feed={machinesFeed}
      place={place}
      layout={layout}
      lines={lines}
      hidden={from => formatCounted(lines.length - from, 'event')}
    />
  );
}

/** With who did it, if the whole line has room. */
function datedLine({at, where, what, who, tone}: RecentEvent, now: EpochMs, columns: number): Line {
  const line: Line = [
    {text: `${formatDuration(now - at).padStart(6)} `, tone: 'dim'},
    {text: where, tone: 'strong'},
    {text: '  '},
    {text: what, tone},
  ];
  const attributed: Line = who === undefined ? line : [...line, {text: `  ${who}`, tone: 'dim'}];
  return lineWidth(attributed) > columns ? line : attributed;
}

type RecentEvent = {
  readonly at: number;
  readonly where: SafeText;
  readonly what: SafeText;
  /** The member, if the service says so. */
  readonly who?: SafeText | undefined;
  readonly tone: Tone;
};

function recentEvents(scene: Scene): readonly RecentEvent[] {
  const entries = timelineOf([
    ...troubledMachines(scene.store).flatMap(({id, name}) => entriesOf(scene, eventsFeed(id), {type: 'vm', id, name})),
    ...(lastValue(scene.store.get(clustersFeed))?.records ?? []).flatMap(({id, name}) =>
      entriesOf(scene, clusterEventsFeed(id), {type: 'cluster', id, name}),
    ),
    ...billedLately(scene),
    ...(scene.changes?.entries() ?? []),
  ]);
  const organization = lastValue(scene.store.get(organizationFeed));
  const happened = foldedByMachine(entries).map(entry => ({
    at: entry.at ?? 0,
    where: subjectWords(entry),
    what: entry.what,
    who: entry.who?.kind === 'user' ? nameOfUser(entry.who.id, organization) : undefined,
    tone: entry.isTrouble ? ('danger' as const) : ('text' as const),
  }));
  const done = (scene.operations?.all() ?? []).map(operation => {
    const {text, tone} = describeOperation(operation);
    return {at: operation.confirmedAt, where: say`you`, what: text, tone};
  });
  return [...happened, ...done].sort((left, right) => right.at - left.at);
}

const LATELY_MS = DAY_MS;

/** Billing that began or ended within the last day: each is a machine or volume that came or went. */
function billedLately({store, now}: Scene): readonly TimelineEntry[] {
  const isLate = (at: EpochMs | undefined) => at !== undefined && now - at < LATELY_MS;
  return [usageFeed, deletedUsageFeed]
    .flatMap(feed => lastValue(store.get(feed))?.records ?? [])
    .filter(({createdAt, terminatedAt}) => isLate(createdAt) || isLate(terminatedAt))
    .flatMap(record => billingEntries(record))
    .filter(({at}) => isLate(at));
}

function entriesOf(
  {store}: Scene,
  feed: Feed<Listing<MachineEvent | ClusterEvent>>,
  subject: TimelineSubject,
): readonly TimelineEntry[] {
  return (lastValue(store.get(feed))?.records ?? []).map(event => eventEntry(event, subject, undefined));
}

/** "No events" is only claimed for machines whose events were read. */
function noEvents(scene: Scene, observed: readonly VirtualMachine[] | undefined): Line {
  if (observed === undefined) return missingLine(scene, machinesFeed, 'machines');
  const isReading = troubledMachines(scene.store).some(({id}) => scene.store.get(eventsFeed(id)).status === 'waiting');
  return [{text: isReading ? ` ${awaitedText(scene, 'the histories')}` : ' no recent events', tone: 'dim'}];
}
