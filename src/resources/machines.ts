import {type GpuLoad, type GpuState, gpuFigures, gpuTrend, isOldLoad, memoryRatio} from '../domain/gpu-load.ts';
import {oncePer} from '../domain/memo.ts';
import {gpuLoadFeed, presentGpuLoads} from '../state/gpu-load.ts';
import {getVirtualMachine, listVirtualMachines} from '../api/virtual-machines.ts';
import {isAttached} from '../domain/attachment-state.ts';
import {meteredRate} from '../domain/cost.ts';
import {plainNumber} from '../domain/csv.ts';
import type {Prices} from '../domain/money/prices.ts';
import {isPositive, type Rate} from '../domain/money.ts';
import {type Activity, type IdleVerdict, quietTime} from '../domain/money/idle.ts';
import {billingInStatus} from '../domain/money/state-billing.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import {joinSafe, say} from '../domain/safe-text.ts';
import {RULE_SET} from '../domain/timeline/changes.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {type DurationMs, type EpochMs, HOUR_MS} from '../domain/time.ts';
import {machineTrend, sampleAge, type Signal, type Trend, trendSince} from '../domain/utilization.ts';
import {
  isNode,
  isTransitional,
  MACHINE_STATUSES,
  type MachineStatus,
  type VirtualMachine,
  virtualMachineId,
} from '../domain/virtual-machine.ts';
import {lastRates, presentlyExcluded, presentRates, usageFeed} from '../state/billing.ts';
import type {Feed} from '../state/feed.ts';
import {firewallsFeed, observedFirewalls} from '../state/firewalls.ts';
import {
  hourMetrics,
  machineFeed,
  machineRecordFeed,
  machinesFeed,
  metricsFeed,
  observedMachines,
} from '../state/machines.ts';
import type {Store} from '../state/store.ts';
import {volumesFeed} from '../state/volumes.ts';
import {presentVerdict} from '../state/waste.ts';
import {formatBytes, formatDuration, formatPercent, UNKNOWN} from '../ui/format.ts';
import {sparkline, type Threshold, toneOf} from '../ui/sparkline.ts';
import {type Line, type Span, widthOf} from '../ui/text.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {clusterOf, contractOf, environmentOf, firewallsWhere, keyPairOf, volumesAttachedTo} from './related.ts';
import {AGE, age, atLeast, type Column, FREE, number, percent, rate, text, type Value, RUNNING_COST} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

/** Everything a row shows, so that a row is repainted only when one of these changed. */
export type MachineRow = {
  readonly machine: VirtualMachine;
  /** Its metered hourly rate; undefined if the service gives no usable one. */
  readonly rate: Rate | undefined;
  /** The last rate metered of it, which may be that of another state: only to keep its place in the order by cost. */
  readonly lastRate: Rate | undefined;
  /** Excluded from billing, whatever its state. */
  readonly isExcluded: boolean;
  /** The last hour as read; undefined before the first reading, and while the machine is not running. */
  readonly metrics: MachineMetrics | undefined;
  /** From when on samples describe its present load; undefined if nothing is known against any. */
  readonly loadSince: number | undefined;
  /** Idle since then, as judged by the idle rule. */
  readonly idleSince: EpochMs | undefined;
  /** What was learnt about it before the last hour. */
  readonly runs: readonly Activity[];
  /** What DCGM reports about its GPUs; undefined if it reports nothing. */
  readonly gpus: GpuLoad | undefined;
  readonly operation: Operation | undefined;
  /** Shut off but still billed in full. */
  readonly isBilledStopped: boolean;
  /** Its state is not billed for as long as it lasts; in transition a machine costs nothing only for a moment. */
  readonly isFree: boolean;
  /** When the row was made. Ages, and whether samples are current, are judged by it. */
  readonly now: EpochMs;
};

const ROW_WINDOW_MS: DurationMs = HOUR_MS;

/** In display order. Columns without a priority number are the last to be dropped when the list gets narrow. */
const COLUMNS: readonly Column<MachineRow>[] = [
  {
    key: 'id',
    title: 'ID',
    align: 'right',
    value: ({machine}) => number(machine.id),
    wideList: {minWidth: 7, priority: 20},
  },
  {
    key: 'name',
    title: 'NAME',
    value: ({machine}) => text(machine.name),
    sort: {letter: 'n'},
    list: {minWidth: 15, maxWidth: 51, flex: 3, draw: nameCell},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({machine}) => text(machine.statusText),
    sort: {letter: 's'},
    list: {minWidth: 15, maxWidth: 40, flex: 1, draw: stateCell},
  },
  {
    key: 'flavor',
    title: 'FLAVOR',
    value: ({machine}) => text(machine.flavor?.name),
    sort: {letter: 'f'},
    list: {minWidth: 14, maxWidth: 22, flex: 1, priority: 4},
  },
  {
    key: 'cpu',
    title: 'CPU',
    printed: 'asked',
    reads: 'each',
    unit: 'percent',
    value: row => percent(rowTrend(row, 'cpu')?.latest),
    sort: {letter: 'c', isLargestFirst: true},
    // Graphs are dropped last when the list gets narrow, since they tell the most.
    list: {title: 'CPU 1h', minWidth: 12, maxWidth: 66, flex: 3, isGraph: true, draw: cpuCell},
    wideList: {minWidth: 5, draw: cpuCell},
  },
  {
    key: 'mem',
    title: 'MEM',
    also: ['memory'],
    printed: 'asked',
    reads: 'each',
    unit: 'percent',
    value: row => percent(rowTrend(row, 'memory')?.latest),
    sort: {letter: 'm', isLargestFirst: true},
    list: {minWidth: 6, maxWidth: 36, flex: 2, priority: 3, isGraph: true, draw: memoryCell},
    wideList: {minWidth: 5, draw: memoryCell},
  },
  {
    key: 'gpuload',
    title: 'GPU%',
    printed: 'asked',
    needs: 'gpus',
    reads: gpuLoadFeed,
    unit: 'percent',
    value: row => percent(gpusNow(row)?.utilization),
    sort: {letter: 'g', name: say`GPU load`, isLargestFirst: true},
    list: {title: 'GPU 1h', minWidth: 12, maxWidth: 50, flex: 3, isGraph: true, draw: gpuLoadCell},
    wideList: {minWidth: 5, draw: gpuLoadCell},
  },
  {
    key: 'gpumem',
    title: 'GMEM',
    printed: 'asked',
    needs: 'gpus',
    reads: gpuLoadFeed,
    unit: 'percent',
    value: row => percent(gpusNow(row)?.memory),
    sort: {letter: 'v', name: say`GPU memory`, isLargestFirst: true},
    list: {minWidth: 5, priority: 6, draw: gpuMemoryCell},
  },
  {
    key: 'gpuwatts',
    title: 'GPU W',
    align: 'right',
    printed: 'asked',
    needs: 'gpus',
    reads: gpuLoadFeed,
    value: row => number(gpusNow(row)?.watts),
    sort: {letter: 'w', name: say`GPU power`, isLargestFirst: true},
    list: {minWidth: 5, priority: 9},
  },
  {
    key: 'gputemp',
    title: 'GPU °C',
    align: 'right',
    printed: 'asked',
    needs: 'gpus',
    reads: gpuLoadFeed,
    value: row => number(gpusNow(row)?.celsius),
    sort: {letter: 't', name: say`GPU temperature`, isLargestFirst: true},
    list: {minWidth: 6, priority: 9},
  },
  {
    key: 'in',
    title: 'IN/s',
    align: 'right',
    printed: 'asked',
    reads: 'each',
    unit: 'bytesPerSecond',
    value: row => perSecond(rowTrend(row, 'networkIn')),
    sort: {letter: 'i', name: say`network in`, isLargestFirst: true},
    list: {title: 'IN B/s', minWidth: 6, priority: 5, draw: networkInCell},
    wideList: {minWidth: 6, draw: networkInCell},
  },
  {
    key: 'out',
    title: 'OUT/s',
    align: 'right',
    printed: 'asked',
    reads: 'each',
    unit: 'bytesPerSecond',
    value: row => perSecond(rowTrend(row, 'networkOut')),
    sort: {letter: 'o', name: say`network out`, isLargestFirst: true},
    list: {title: 'OUT B/s', minWidth: 7, priority: 8, draw: networkOutCell},
    wideList: {minWidth: 6, draw: networkOutCell},
  },
  {
    ...RUNNING_COST,
    reads: usageFeed,
    value: costValue,
    // Without a place for an unknown rate, a machine would leave the screen while it stops, and come back stopped.
    sort: {letter: '$', name: say`$/h`, isLargestFirst: true, insteadOf: ({lastRate}) => rate(lastRate)},
    list: {minWidth: 7, draw: costCell},
  },
  {
    key: 'quiet',
    title: 'QUIET',
    align: 'right',
    printed: 'asked',
    reads: 'each',
    unit: 'duration',
    value: quietValue,
    sort: {letter: 'u', name: say`quiet since`, isLargestFirst: true},
    list: {minWidth: 6, priority: 6},
  },
  {
    key: 'address',
    title: 'ADDRESS',
    value: ({machine}) => text(machine.floatingIp ?? machine.fixedIp),
    sort: {letter: 'd'},
    list: {minWidth: 15, priority: 7},
  },
  {
    key: 'region',
    title: 'REGION',
    value: ({machine}) => text(machine.regionName),
    sort: {letter: 'r'},
    list: {minWidth: 9, priority: 10},
  },
  {
    ...AGE,
    value: ({machine, now}) => age(machine.createdAt, now),
    sort: {letter: 'a'},
    list: {minWidth: 5, priority: 9},
  },
  {
    key: 'environment',
    title: 'ENVIRONMENT',
    printed: 'wide',
    value: ({machine}) => text(machine.environmentName),
    list: {minWidth: 16, priority: 11},
  },
  {key: 'gpu', title: 'GPU', printed: 'wide', value: gpuOf},
  {
    key: 'gpus',
    title: 'GPUS',
    align: 'right',
    printed: 'asked',
    value: ({machine}) => number(machine.flavor?.gpuCount),
  },
  {key: 'image', title: 'IMAGE', printed: 'wide', value: ({machine}) => text(machine.imageName)},
  {key: 'key', title: 'KEY PAIR', printed: 'wide', value: ({machine}) => text(machine.keyPairName)},
  {
    key: 'contract',
    title: 'CONTRACT',
    align: 'right',
    printed: 'wide',
    value: ({machine}) => (machine.hasUnreadContract === true ? text('unknown') : number(machine.contractId)),
    wideList: {minWidth: 8, priority: 20},
  },
  {
    key: 'cluster',
    title: 'CLUSTER',
    align: 'right',
    printed: 'wide',
    value: ({machine}) => number(machine.clusterId),
    wideList: {minWidth: 7, priority: 20},
  },
  {
    key: 'labels',
    title: 'LABELS',
    printed: 'wide',
    value: ({machine}) => text(joinSafe(machine.labels)),
    wideList: {minWidth: 8, maxWidth: 40, flex: 1, priority: 8},
  },
  {
    key: 'kind',
    title: 'KIND',
    printed: 'asked',
    value: ({machine}) => text(isNode(machine) ? 'node' : ''),
  },
];

export const machines = defineResource<VirtualMachine, MachineRow>({
  names: ['vms', 'vm', 'virtual-machines', 'virtual-machine', 'machines', 'machine'],
  type: 'vm',
  summary: 'virtual machines',
  ...recordSource({
    parse: listVirtualMachines.record,
    feed: machinesFeed,
    one: id => machineFeed(virtualMachineId(id)),
    // A machine read on its own since the list was read is newer than the list.
    observed: observedMachines,
    namedIn: machineNamedIn,
  }),
  shownIn: {paneId: 'machines'},
  states: MACHINE_STATUSES,
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listVirtualMachines, {}, {signal, onPage})),
  canStream: true,
  one: readById(getVirtualMachine, virtualMachineId),
  row: machineRow,
  related: (machine, store) => [
    ...contractOf(store, machine.contractId),
    ...clusterOf(store, machine.clusterId),
    firewallsWhere(store, firewall => isAttached(firewall, machine.id)),
    volumesAttachedTo(store, [machine.id]),
    ...environmentOf(store, machine),
    ...keyPairOf(store, machine),
  ],
  readsOf: ({id, status}) => (status === 'ACTIVE' ? metricsFeed(id, '1h') : undefined),
  recordIn: ({machine}) => machine,
  rawFeed: ({id}) => machineRecordFeed(id),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
  compared: {
    state: ({status, statusText}) => ({status, word: statusText}),
    values: [
      {what: say`name`, of: ({name}) => name},
      {what: say`flavor`, is: 'resized', of: ({flavor}) => flavor?.name},
      {what: say`locked`, of: ({isLocked}) => (isLocked === undefined ? undefined : isLocked ? say`yes` : say`no`)},
    ],
    sets: [
      RULE_SET,
      {
        joined: say`volume attached`,
        left: say`volume detached`,
        are: ['volume attached', 'volume detached'],
        of: ({volumes, hasUnreadVolumes}) => (hasUnreadVolumes ? undefined : volumes.map(({name}) => name)),
      },
      {
        joined: say`address attached`,
        left: say`address detached`,
        are: ['address attached', 'address detached'],
        of: ({floatingIp, hasUnreadAddress}) =>
          hasUnreadAddress ? undefined : floatingIp === undefined ? [] : [floatingIp],
      },
      {
        joined: say`label added`,
        left: say`label removed`,
        of: ({labels, hasUnreadLabels}) => (hasUnreadLabels ? undefined : labels),
      },
      {
        joined: say`contract added`,
        left: say`contract removed`,
        of: ({contractId, hasUnreadContract}) =>
          hasUnreadContract ? undefined : contractId === undefined ? [] : [say`#${contractId}`],
      },
    ],
  },
});

/** Its volumes, and the firewalls attached to it. */
function machineNamedIn({id, volumes, hasUnreadVolumes}: VirtualMachine, store: Store): readonly Feed<unknown>[] {
  const firewalls = observedFirewalls(store) ?? [];
  const isHeld = firewalls.some(firewall => isAttached(firewall, id));
  return [...(volumes.length > 0 || hasUnreadVolumes ? [volumesFeed] : []), ...(isHeld ? [firewallsFeed] : [])];
}

/** Lets a filter find every GPU machine by the word "gpu", whatever the model is called. */
function gpuOf({machine: {flavor}}: MachineRow): Value | undefined {
  const model = text(flavor?.gpuModel);
  return model === undefined ? undefined : {...model, words: 'GPU'};
}

/** Earlier measurements say nothing about what a machine does now that is stopped, or only about to run again. */
const WITHOUT_LOAD: ReadonlySet<MachineStatus> = new Set([
  'SHUTOFF',
  'STARTING',
  'HIBERNATED',
  'RESTORING',
  'DELETED',
  'ERROR',
]);

/** From when on samples describe its present load: its last start, if that was seen; never while it is not running. */
export function loadSince(machine: VirtualMachine, {activity}: Pick<RowInput, 'activity'>): number | undefined {
  return WITHOUT_LOAD.has(machine.status) ? Number.POSITIVE_INFINITY : activity?.activeSince(machine);
}

/** The last hour of a machine; undefined until a sample describes its present load. */
function presentMetrics(machine: VirtualMachine, {store, now, activity}: RowInput): MachineMetrics | undefined {
  const metrics = hourMetrics(store, machine.id);
  const since = loadSince(machine, {activity});
  if (metrics === undefined || since === undefined) return metrics;
  return (sampleAge(metrics, now)?.sampledAt ?? now) >= since ? metrics : undefined;
}

function machineRow(known: RowInput): (machine: VirtualMachine) => MachineRow {
  const {store, now, operations, preferences} = known;
  const rates = presentRates(store);
  const last = lastRates(store);
  const excluded = presentlyExcluded(store);
  const isStoppedBilled = billingInStatus('SHUTOFF', preferences.prices) === 'full';
  const gpus = presentGpuLoads(store);
  const isUnderWay = operations?.all().some(({phase}) => !isEnded(phase)) ?? false;
  return machine => {
    const metrics = presentMetrics(machine, known);
    const gpuLoad = gpus?.get(machine.id);
    return {
      machine,
      rate: meteredRate(machine, rates.get(machine.id), preferences.prices),
      lastRate: last.get(machine.id),
      isExcluded: excluded.has(machine.id),
      metrics,
      runs: metrics === undefined ? NO_RUNS : (known.activity?.runsOf(machine) ?? NO_RUNS),
      idleSince: metrics === undefined ? undefined : idleSince(presentVerdict(machine, known)),
      gpus: gpuLoad !== undefined && gpuLoad.sampledAt >= (loadSince(machine, known) ?? 0) ? gpuLoad : undefined,
      loadSince: loadSince(machine, known),
      operation: isUnderWay ? operations?.openOn({type: 'vm', id: machine.id}) : undefined,
      isBilledStopped: isStoppedBilled && machine.status === 'SHUTOFF' && !excluded.has(machine.id),
      isFree: isFreeInState(machine, preferences.prices),
      now,
    };
  };
}

function idleSince(verdict: IdleVerdict | undefined): EpochMs | undefined {
  return verdict?.verdict === 'idle' || verdict?.verdict === 'quiet' ? verdict.since : undefined;
}

/** One metric of the machine's last hour in `binCount` bins, computed once for each row and width. */
function rowTrend(row: MachineRow, signal: Signal, binCount = 1): Trend | undefined {
  const {machine, metrics, now, loadSince: since} = row;
  if (metrics === undefined) return undefined;
  const known = trendsOf(row);
  const key = `${signal} ${binCount}`;
  const trend =
    known.get(key) ??
    trendSince(machineTrend(metrics, machine.flavor, {signal, now, windowMs: ROW_WINDOW_MS, binCount}), since);
  known.set(key, trend);
  return trend;
}

const trendsOf = oncePer((_: MachineRow) => new Map<string, Trend>());

const NO_RUNS: readonly Activity[] = [];

function quietValue({machine, metrics, now, runs, idleSince}: MachineRow): Value | undefined {
  const quiet = metrics && quietTime(metrics, machine.flavor, {now, runs, idleSince});
  const value = age(quiet?.since, now);
  return quiet?.isAtLeast === true ? atLeast(value) : value;
}

/** Share of its processors in use now, 0 to 1; undefined if nothing recent was measured. */
export function cpuNow(row: MachineRow): number | undefined {
  return rowTrend(row, 'cpu')?.latest;
}

/** Share of its GPUs in use now, 0 to 1; undefined if nothing recent was measured. */
export function gpuNow(row: MachineRow): number | undefined {
  return gpusNow(row)?.utilization;
}

type GpusNow = {
  readonly utilization: number | undefined;
  readonly memory: number | undefined;
  readonly watts: number | undefined;
  readonly celsius: number | undefined;
};

/** All GPUs of a machine combined; undefined if nothing recent was measured. */
function gpusNow({gpus, now}: MachineRow): GpusNow | undefined {
  return gpus === undefined || isOldLoad(gpus, now) ? undefined : gpuFigures(gpus);
}

/** One GPU, on one line. */
export function gpuWords(gpu: GpuState): string {
  const {utilization, powerWatts, celsius, xid, isThrottled} = gpu;
  return [
    `load ${formatPercent(utilization)}`,
    `memory ${formatPercent(memoryRatio(gpu))}`,
    ...(powerWatts === undefined ? [] : [`${Math.round(powerWatts)} W`]),
    ...(celsius === undefined ? [] : [`${celsius} °C`]),
    ...(isThrottled ? ['throttled'] : []),
    ...(xid === undefined ? [] : [`last error XID ${xid}`]),
  ].join('  ');
}

/** Bytes per second. */
function perSecond(trend: Trend | undefined): Value | undefined {
  const latest = trend?.latest;
  return latest === undefined ? undefined : {text: formatBytes(latest), number: latest, plain: plainNumber(latest)};
}

const NODE_TAG = ' node';

function nameCell({machine}: MachineRow, width: number): Line {
  // The power state of a node is its cluster's business. The row says so if that leaves room for the name.
  const hasTag = isNode(machine) && widthOf(machine.name) + NODE_TAG.length <= width;
  const node: Line = hasTag ? [{text: NODE_TAG, tone: 'dim'}] : [];
  return [...plainNameCell(machine), ...node];
}

/** Its name, or its id if it has none. */
export function plainNameCell({name, id}: VirtualMachine): Line {
  return [{text: name === '' ? `#${id}` : name, tone: 'strong', isName: true}];
}

/** A state's sign and tone. */
export type StateLook = {readonly shape: keyof Theme['glyphs']['states']; readonly tone: Tone};

const RISING: StateLook = {shape: 'rising', tone: 'notice'};
const FALLING: StateLook = {shape: 'falling', tone: 'notice'};

const STATE_LOOKS: Readonly<Record<MachineStatus, StateLook>> = {
  ACTIVE: {shape: 'active', tone: 'good'},
  SHUTOFF: {shape: 'shutoff', tone: 'warning'},
  HIBERNATED: {shape: 'hibernated', tone: 'notice'},
  ERROR: {shape: 'error', tone: 'danger'},
  DELETED: {shape: 'deleted', tone: 'dim'},
  CREATING: RISING,
  BUILD: RISING,
  PRE_ACTIVE: RISING,
  STARTING: RISING,
  RESTORING: RISING,
  STOPPING: FALLING,
  HIBERNATING: FALLING,
  DELETING: FALLING,
  REBOOTING: {shape: 'transitional', tone: 'notice'},
  UNKNOWN: {shape: 'unknown', tone: 'notice'},
};

/** Nothing is billed in its state, and that stays so while it is in it. */
function isFreeInState({status}: VirtualMachine, prices: Prices): boolean {
  return billingInStatus(status, prices) === 'free' && !isTransitional(status);
}

/** Whether a metered rate is shown as `free`. */
export function isFreeFor(machine: VirtualMachine, metered: Rate, prices: Prices): boolean {
  return !isPositive(metered) && isFreeInState(machine, prices);
}

/** What is metered; `free` where that is nothing and stays so. */
function costValue({rate: metered, isFree, isExcluded}: MachineRow): Value | undefined {
  const isNothing = metered !== undefined && !isPositive(metered);
  return isExcluded || (isNothing && isFree) ? FREE : rate(metered);
}

/** What is not billed is no amount, and in a machine that failed nothing to be glad of. */
function costCell(row: MachineRow): Line {
  const value = costValue(row);
  return [{text: value?.text ?? UNKNOWN, tone: value === FREE ? 'dim' : 'money'}];
}

/** The glyph of the last observed state. */
export function stateLook({status}: Pick<VirtualMachine, 'status'>): StateLook {
  return STATE_LOOKS[status];
}

/** The last observed state, with its glyph. */
export function stateCell({machine, isBilledStopped}: MachineRow, _width: number, theme: Theme): Line {
  const look = stateLook(machine);
  const word = machine.status === 'UNKNOWN' ? `${machine.statusText}?` : machine.statusText;
  return [
    {text: `${theme.glyphs.states[look.shape]} `, tone: look.tone},
    {text: word, tone: look.tone},
    // A stopped machine costs as much as a running one, so the state carries a sign for it.
    ...(isBilledStopped ? [{text: '$', tone: 'money'} as const] : []),
  ];
}

const FIGURE_CELLS = 5;
/** A narrower graph would show no more than the figure beside it. */
const MIN_GRAPH_CELLS = 4;

/** Above the first ratio a processor or memory is busy, above the second nearly full. */
export const UTILIZATION_LEVELS: readonly Threshold[] = [
  {from: 0.75, tone: 'warning'},
  {from: 0.9, tone: 'danger'},
];

function cpuCell(row: MachineRow, width: number, theme: Theme): Line {
  return trendCell(rowTrend(row, 'cpu', graphCells(width)), row.now, width, theme);
}

function memoryCell(row: MachineRow, width: number, theme: Theme): Line {
  return trendCell(rowTrend(row, 'memory', graphCells(width)), row.now, width, theme);
}

function networkInCell(row: MachineRow): Line {
  return bytesCell(rowTrend(row, 'networkIn'));
}

function networkOutCell(row: MachineRow): Line {
  return bytesCell(rowTrend(row, 'networkOut'));
}

function gpuLoadCell(row: MachineRow, width: number, theme: Theme): Line {
  return gpuCell(row, 'utilization', width, theme);
}

function gpuMemoryCell(row: MachineRow, width: number, theme: Theme): Line {
  return gpuCell(row, 'memory', width, theme);
}

/** A machine without GPUs has no GPU metrics. One unknown to DCGM may have them and be working. */
function gpuCell({machine, gpus, now}: MachineRow, key: 'utilization' | 'memory', width: number, theme: Theme): Line {
  if (gpus === undefined) return machine.flavor?.gpuCount === 0 ? [] : trendCell(undefined, now, width, theme);
  return trendCell(gpuTrend(gpus, key, {now, windowMs: ROW_WINDOW_MS, binCount: graphCells(width)}), now, width, theme);
}

/** Marks a figure as old where there is no room for its age. */
const OLD_SIGN: Span = {text: '!', tone: 'warning'};

function bytesCell(trend: Trend | undefined): Line {
  const value = trend?.latest ?? trend?.newest?.value;
  if (value === undefined) return [{text: UNKNOWN, tone: 'dim'}];
  if (trend?.latest !== undefined) return [{text: formatBytes(value), tone: 'text'}];
  return [{text: formatBytes(value), tone: 'dim'}, OLD_SIGN];
}

function graphCells(width: number): number {
  return Math.max(1, width - FIGURE_CELLS - 1);
}

/** A figure and its graph. Old values are dim, with their age in place of missing samples. */
function trendCell(trend: Trend | undefined, now: EpochMs, width: number, theme: Theme): Line {
  const isOld = trend?.latest === undefined;
  const ratio = trend?.latest ?? trend?.newest?.value;
  const figure: Span = {
    text: formatPercent(ratio).padStart(FIGURE_CELLS - 1),
    tone: isOld || ratio === undefined ? 'dim' : toneOf(ratio, UTILIZATION_LEVELS, 'text'),
  };
  const newest = trend?.newest;
  const age = newest === undefined ? '' : ` ${formatDuration(Math.max(0, now - newest.sampledAt))}`;
  if (width < FIGURE_CELLS + 1 + MIN_GRAPH_CELLS) {
    if (!isOld || newest === undefined) return [figure];
    return [figure, figure.text.length + age.length <= width ? {text: age, tone: 'warning'} : OLD_SIGN];
  }
  const cells = graphCells(width);
  const bins = trend?.bins ?? Array.from({length: cells}, () => undefined);
  const drawn = {width: cells, glyphs: theme.glyphs, max: 1};
  if (!isOld) {
    return [figure, {text: ' '}, ...sparkline(bins, {...drawn, thresholds: UTILIZATION_LEVELS})];
  }
  const left = Math.max(0, cells - age.length);
  const graph = sparkline(bins.slice(0, left), {...drawn, width: left, tone: 'dim'});
  return [figure, {text: ' '}, ...graph, {text: age, tone: 'warning'}];
}
