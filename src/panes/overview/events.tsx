import type {ReactNode} from 'react';
import {describeOperation} from '../../domain/describe-operation.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {isTroubled, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {formatDuration} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';
import {Part, type PartProps} from './part.tsx';

/** What was done from here, and what the troubled machines' histories tell, newest first. */
export function Events({scene, layout}: PartProps): ReactNode {
  const observed = observedMachines(scene.store);
  const machines = (observed ?? []).filter(isTroubled);
  const told = machines.flatMap(machine => {
    const events = lastValue(scene.store.get(eventsFeed(machine.id)))?.records ?? [];
    return events.map(event => ({
      at: event.occurredAt ?? 0,
      where: machine.name,
      what: event.reason,
      tone: 'text' as const,
    }));
  });
  const done = (scene.operations?.all() ?? []).map(operation => {
    const {text, tone} = describeOperation(operation);
    return {at: operation.confirmedAt, where: say`you`, what: text, tone};
  });
  const lines = [...told, ...done]
    .sort((left, right) => right.at - left.at)
    .map(
      (event): Line => [
        {text: `${formatDuration(scene.now - event.at).padStart(6)} `, tone: 'dim'},
        {text: event.where, tone: 'strong', isName: true},
        {text: '  '},
        {text: event.what, tone: event.tone},
      ],
    );
  const shown = lines.length === 0 ? [noEvents(scene, observed)] : lines;
  return (
    <Part title="recent events" scene={scene} feed={machinesFeed} place={layout.events} layout={layout} lines={shown} />
  );
}

/** Nothing is only told of machines that were read. */
function noEvents(scene: Scene, observed: readonly VirtualMachine[] | undefined): Line {
  if (observed === undefined) return missingLine(scene, machinesFeed, 'machines');
  const isReading = observed.filter(isTroubled).some(({id}) => scene.store.get(eventsFeed(id)).status === 'waiting');
  return [{text: isReading ? ' reading the histories…' : ' no events of machines in trouble', tone: 'dim'}];
}
