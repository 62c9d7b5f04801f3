import {describeFailure} from '../../domain/failure.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {failureOf} from '../../domain/snapshot.ts';
import {gpuLoadFeed, presentGpuLoads} from '../../state/gpu-load.ts';
import type {Command, Menu, PaneOutcome} from '../command.ts';
import {CLOSED} from '../list/collection-view.ts';
import {COLOUR_WORDS, movedOnMap} from './fleet-map-box.tsx';
import {
  isShowingRules,
  MACHINES_INDEX,
  type MachinesContext,
  type MachinesView,
  type MapColour,
  type MapGroup,
} from './view.ts';

type MapCommand = Command<MachinesContext, PaneOutcome<MachinesView>>;

const isElsewhere = ({view}: MachinesContext) => !view.own.map.isOpen || view.isZoomed || isShowingRules(view);

/** The fleet map: open and close it, move sideways, and choose grouping and colours. */
export const MAP_COMMANDS: readonly MapCommand[] = [
  {
    id: 'machines.map',
    title: say`map`,
    help: 'Every machine as one cell, in groups and in colours of your choice; pressed again, shows the list.',
    keys: ['+'],
    group: 'Look',
    run: ({view}) =>
      view.isZoomed || isShowingRules(view)
        ? show({...view, ...CLOSED, partIndex: MACHINES_INDEX})
        : show(withMap(view, {isOpen: !view.own.map.isOpen})),
  },
  {
    id: 'machines.map-choose',
    title: say`map colours`,
    help: 'What the map is grouped by, and what its colours show.',
    keys: ['v'],
    group: 'Look',
    isInStatusBar: true,
    opens: 'map',
    isAbsent: isElsewhere,
    run: () => ({kind: 'menu', menuId: 'map'}),
  },
  sideways('machines.map-left', ['h', 'left'], 'left', -1),
  sideways('machines.map-right', ['l', 'right'], 'right', 1),
];

export const MAP_MENU: Menu<MachinesContext, PaneOutcome<MachinesView>> = {
  id: 'map',
  title: ({view}) => say`map by ${safeText(view.own.map.group)}, ${COLOUR_WORDS[view.own.map.colour]}`,
  commands: [
    coloured('u', 'cpu', 'CPU', 'CPU utilization of each machine now.'),
    {
      ...coloured('g', 'gpu', 'GPU', 'GPU utilization of each machine now, from Prometheus.'),
      disabledReason: ({scene: {store}}) => {
        if ((presentGpuLoads(store)?.size ?? 0) > 0) return undefined;
        const failure = failureOf(store.get(gpuLoadFeed));
        return failure === undefined ? say`no GPU load is known` : describeFailure(failure);
      },
    },
    coloured('m', 'waste', 'waste', 'Money that each machine wastes per hour.'),
    coloured('s', 'state', 'state', 'Which machines run, are shut off, hibernated or in trouble.'),
    grouped('e', 'environment', 'One group for each environment, by name.'),
    grouped('f', 'flavor', 'One group for each flavor, by name.'),
    grouped('l', 'label', 'One group for each label; a machine with several is under its first.'),
    grouped('r', 'region', 'One group for each region, by name.'),
  ],
};

function sideways(id: string, keys: readonly string[], word: 'left' | 'right', cells: number): MapCommand {
  return {
    id,
    title: safeText(word),
    help: `One machine to the ${word} on the map.`,
    keys,
    group: 'Move',
    isAbsent: isElsewhere,
    // In the list a mistyped `p h` must not choose another machine.
    disabledReason: context => (isElsewhere(context) ? say`only on the map (+)` : undefined),
    run: context => show(movedOnMap(context, {cells})),
  };
}

function coloured(key: string, colour: MapColour, word: string, help: string): MapCommand {
  return chosen(key, `colour by ${word}`, help, {colour});
}

function grouped(key: string, group: MapGroup, help: string): MapCommand {
  return chosen(key, `group by ${group}`, help, {group});
}

function chosen(key: string, title: string, help: string, change: Partial<MachinesView['own']['map']>): MapCommand {
  return {
    id: `machines.map-${key}`,
    title: safeText(title),
    help,
    keys: [key],
    group: 'Look',
    // These also work from the palette, where the list may be shown instead.
    run: ({view}) => show({...withMap(view, {...change, isOpen: true}), ...CLOSED, partIndex: MACHINES_INDEX}),
  };
}

export function withMap(view: MachinesView, change: Partial<MachinesView['own']['map']>): MachinesView {
  return {...view, own: {...view.own, map: {...view.own.map, ...change}}};
}

function show(view: MachinesView): PaneOutcome<MachinesView> {
  return {kind: 'view', view};
}
