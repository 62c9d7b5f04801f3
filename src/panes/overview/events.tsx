import type {ReactNode} from 'react';
import {describeOperation} from '../../domain/describe-operation.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {ClusterEvent} from '../../domain/cluster.ts';
import {DAY_MS, type EpochMs} from '../../domain/time.ts';
import {billingEntries, eventEntry, type TimelineEntry, type TimelineSubject} from '../../domain/timeline/entry.ts';
import {foldedByMachine, subjectWords, timelineOf} from '../../domain/timeline/timeline.ts';
import {isTroubled, type MachineEvent, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {missingLine} from '../../resources/detail.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {formatDuration} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {type Scene, useRevised} from '../pane.ts';
import {Part, type BoxProps} from './part.tsx';

/** Operations sent from here, changes observed, and the histories of what is in trouble; newest first. */
export function Events({scene, layout}: BoxProps): ReactNode {
  const lines = useRevised(scene, () => eventLines(scene));
  return (
    <Part title="recent events" scene={scene} feed={machinesFeed} place={layout.events} layout={layout} lines={lines} />
  );
}

function eventLines(scene: Scene): readonly Line[] {
  const observed = observedMachines(scene.store);
  const entries = timelineOf([
    ...(observed ?? [])
      .filter(isTroubled)
      .flatMap(({id, name}) => entriesOf(scene, eventsFeed(id), {type: 'vm', id, name})),
    ...(lastValue(scene.store.get(clustersFeed))?.records ?? []).flatMap(({id, name}) =>
      entriesOf(scene, clusterEventsFeed(id), {type: 'cluster', id, name}),
    ),
    ...billedLately(scene),
    ...(scene.changes?.entries() ?? []),
  ]);
  const happened = foldedByMachine(entries).map(entry => ({
    at: entry.at ?? 0,
    where: subjectWords(entry),
    what: entry.what,
    tone: entry.isTrouble ? ('danger' as const) : ('text' as const),
  }));
  const done = (scene.operations?.all() ?? []).map(operation => {
    const {text, tone} = describeOperation(operation);
    return {at: operation.confirmedAt, where: say`you`, what: text, tone};
  });
  const lines = [...happened, ...done]
    .sort((left, right) => right.at - left.at)
    .map(
      (event): Line => [
        {text: `${formatDuration(scene.now - event.at).padStart(6)} `, tone: 'dim'},
        {text: event.where, tone: 'strong'},
        {text: '  '},
        {text: event.what, tone: event.tone},
      ],
    );
  return lines.length === 0 ? [noEvents(scene, observed)] : lines;
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
  const isReading = observed.filter(isTroubled).some(({id}) => scene.store.get(eventsFeed(id)).status === 'waiting');
  return [{text: isReading ? ' reading the histories…' : ' no recent events', tone: 'dim'}];
}
