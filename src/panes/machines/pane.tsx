import {Box} from 'ink';
import type {ReactNode} from 'react';
import {lastValue} from '../../domain/snapshot.ts';
import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {meFeed, organizationFeed, permissionsFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed, protocolsFeed} from '../../state/firewalls.ts';
import {gpuWants} from '../../state/gpu-load.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {eventsFeed, hourFeeds, machineRecordFeed, machinesFeed, metricsFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {MachineRow} from '../../resources/machines.ts';
import {chartFeed, gpuWindowFeed} from '../machine-charts.ts';
import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import {choosingPane} from '../list/collection.tsx';
import {type ArrangedProps, listView} from '../list/collection-view.ts';
import type {Scene} from '../pane.ts';
import {TABS} from '../tabs.ts';
import {MACHINES_COMMANDS, MACHINES_MENUS} from './commands.ts';
import {MachineActions, MachineDetail, MachineEvents, MachineStrip, openDetail} from './detail.tsx';
import {FleetMap, movedOnMap} from './fleet-map-box.tsx';
import {type MachinesLayout, machinesLayout} from './layout.ts';
import {withMap} from './map-commands.ts';
import {machineRow, machineRulesPart, machinesPart} from './rows.ts';
import {serviceCostFeeds} from './service-cost-lines.ts';
import {
  FIRST_CHOICE,
  isShowingRules,
  MACHINES_INDEX,
  type MachinesChoice,
  type MachinesContext,
  type MachinesView,
} from './view.ts';

export const machinesPane = choosingPane<MachinesChoice>({
  ...TABS.machines,
  aliases: ['vms', 'vm', 'virtual machines'],
  parts: [machinesPart, machineRulesPart],
  own: FIRST_CHOICE,
  commands: MACHINES_COMMANDS,
  menus: MACHINES_MENUS,
  arrangement: {
    places: ({scene: {size}, view}) => [{columns: size.columns, rows: machinesLayout(size, view).listRows}, size],
    wants,
    openDetail,
    moved: (context, step) => (isMoving(context.view) ? movedOnMap(context, {lines: step}) : undefined),
    unlistedReason: view => (isMoving(view) ? say`the map has cells instead of rows; + shows the list` : undefined),
    back: view => (isMoving(view) ? withMap(view, {isOpen: false}) : undefined),
    isStill,
    Screen: MachinesScreen,
  },
});

/** Whether the map has the focus. */
function isMoving(view: MachinesView): boolean {
  return view.own.map.isOpen && !isShowingRules(view);
}

/** The other parts of the detail and the events show how long ago something was. */
function isStill({scene, view}: MachinesContext): boolean {
  const {isStrip, eventColumns} = machinesLayout(scene.size, view);
  return !isShowingRules(view) && (isStrip || view.own.part === 'metrics') && eventColumns === 0;
}

function MachinesScreen({lists: [list, ruleList], ...context}: ArrangedProps<MachinesChoice>): ReactNode {
  const {scene, view} = context;
  if (isShowingRules(view)) return ruleList;
  const layout = machinesLayout(scene.size, view);
  const {columns} = scene.size;
  const place = {columns: layout.detailColumns, rows: layout.detailRows};
  const row = machineRow(context);
  const {own, scroll, isZoomed} = view;
  return (
    <Box flexDirection="column" width={columns} height={scene.size.rows}>
      {layout.listRows > 0 && (view.own.map.isOpen ? <FleetMap {...context} /> : list)}
      {layout.isStrip ? (
        <MachineStrip {...context} place={place} />
      ) : (
        <Box>
          <MachineDetail scene={scene} row={row} own={own} scroll={scroll} isZoomed={isZoomed} place={place} />
          {layout.actionColumns > 0 && (
            <MachineActions {...context} place={{...place, columns: layout.actionColumns}} />
          )}
          {layout.eventColumns > 0 && (
            <MachineEvents scene={scene} row={row} place={{...place, columns: layout.eventColumns}} />
          )}
        </Box>
      )}
    </Box>
  );
}

const PRIORITY = {list: 1, account: 2, cursor: 3, money: 4, rows: 5, catalogue: 6} as const;
/** All visible rows together send at most this many requests, so that a wide screen does not use up the budget. */
const METRIC_READS_PER_MINUTE = 18;
/** On a map of thousands, metrics are read for this many machines, the first in the list, in turn. */
const MAX_MAPPED = 200;
const RELATED_INTERVAL_MS = 15 * MINUTE_MS;

/** The list first, then the machine under the cursor, then money, then the visible rows in turn. */
function wants(context: MachinesContext): readonly Want[] {
  const {scene, view} = context;
  const row = machineRow(context);
  const machine = row?.machine;
  const layout = machinesLayout(scene.size, view);
  const list = listView(view, MACHINES_INDEX);
  const {rows} = machinesPart.list.shown({scene, view: list});
  const visible = view.own.map.isOpen
    ? rows.slice(0, MAX_MAPPED)
    : rows.slice(list.offset, list.offset + Math.max(0, layout.listRows - LIST_FRAME_ROWS));
  const rowIntervalMs = (visible.length * MINUTE_MS) / METRIC_READS_PER_MINUTE;
  return [
    {feed: machinesFeed, priority: PRIORITY.list},
    {feed: organizationFeed, priority: PRIORITY.account},
    {feed: meFeed, priority: PRIORITY.account},
    ...(row === undefined ? [] : cursorWants(row, view, layout)),
    ...(machine === undefined || view.own.part !== 'cost' || layout.isStrip ? [] : costWants(machine, scene)),
    {feed: usageFeed, priority: PRIORITY.money},
    {feed: creditFeed, priority: PRIORITY.money},
    ...visible
      .flatMap(each => hourFeeds(scene.store, each.machine.id, scene.monotonicNow))
      .map(feed => ({feed, priority: PRIORITY.rows, intervalMs: rowIntervalMs})),
    ...gpuWants(PRIORITY.rows),
    {feed: flavorsFeed, priority: PRIORITY.catalogue},
    // What the menus of a machine need before a key is pressed: its firewalls, free volumes, the key's permissions.
    {feed: firewallsFeed, priority: PRIORITY.catalogue, intervalMs: MINUTE_MS},
    {feed: volumesFeed, priority: PRIORITY.catalogue, intervalMs: MINUTE_MS},
    {feed: permissionsFeed, priority: PRIORITY.catalogue},
    {feed: deletedUsageFeed, priority: PRIORITY.catalogue},
    // Where the objects of a machine are shown in the lists of their kinds.
    ...[environmentsFeed, keyPairsFeed, clustersFeed].map(feed => ({
      feed,
      priority: PRIORITY.catalogue,
      intervalMs: feed === clustersFeed && isAnyNodeUnknown(scene) ? MINUTE_MS : RELATED_INTERVAL_MS,
    })),
    ...(isAnyUnderContract(scene) ? [{feed: contractsFeed, priority: PRIORITY.catalogue}] : []),
  ];
}

/** Where records do not say which machines are nodes, the clusters decide what can be done to each. */
function isAnyNodeUnknown({store}: Scene): boolean {
  return lastValue(store.get(machinesFeed))?.records.some(({isNodeUnknown}) => isNodeUnknown === true) ?? false;
}

/** Questions about a machine under contract show the contract's end and policy. */
function isAnyUnderContract({store}: Scene): boolean {
  return lastValue(store.get(machinesFeed))?.records.some(({contractId}) => contractId !== undefined) ?? false;
}

function costWants(machine: VirtualMachine, {now}: Scene): readonly Want[] {
  return serviceCostFeeds(machine, now).map(feed => ({feed, priority: PRIORITY.cursor}));
}

function cursorWants(
  {machine, gpus}: MachineRow,
  view: MachinesView,
  {eventColumns, isStrip}: Pick<MachinesLayout, 'eventColumns' | 'isStrip'>,
): readonly Want[] {
  const {id} = machine;
  const needsEvents = eventColumns > 0 || view.own.part === 'events';
  return [
    {feed: metricsFeed(id, '1h'), priority: PRIORITY.cursor},
    ...(view.own.window === '1h' ? [] : [{feed: chartFeed(machine, view.own.window), priority: PRIORITY.cursor}]),
    ...(view.own.window === '1h' || gpus === undefined
      ? []
      : [{feed: gpuWindowFeed(id, gpus, view.own.window), priority: PRIORITY.cursor}]),
    ...(needsEvents ? [{feed: eventsFeed(id), priority: PRIORITY.cursor}] : []),
    ...(isShowingRules(view) ? [{feed: protocolsFeed, priority: PRIORITY.catalogue}] : []),
    ...(view.own.part === 'json' && !isStrip ? [{feed: machineRecordFeed(id), priority: PRIORITY.cursor}] : []),
  ];
}
