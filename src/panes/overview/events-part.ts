import {describeOperation} from '../../domain/describe-operation.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {formatDuration} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {missingLine} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {part} from './part.ts';
import {isTroubled} from './rows.ts';

/** What was done from here, and what the troubled machines' histories tell, newest first. */
export function eventsPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
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
        {text: `${event.where}  `, tone: 'strong'},
        {text: event.what, tone: event.tone},
      ],
    );
  return part(
    'recent events',
    scene,
    machinesFeed,
    layout.events,
    layout,
    lines.length === 0 ? [noEvents(scene, observed)] : lines,
  );
}

/** Nothing is only told of machines that were read. */
function noEvents(scene: Scene, observed: readonly VirtualMachine[] | undefined): Line {
  if (observed === undefined) return missingLine(scene, machinesFeed, 'machines');
  const isReading = observed.filter(isTroubled).some(({id}) => scene.store.get(eventsFeed(id)).status === 'waiting');
  return [{text: isReading ? ' reading the histories…' : ' no events of machines in trouble', tone: 'dim'}];
}
