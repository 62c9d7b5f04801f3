import {setTimeout as pause} from 'node:timers/promises';
import {type Cloud, openCloud} from './cloud.ts';
import {type ProcessUsage, usageOf} from './process-usage.ts';
import type {Figure} from './report.ts';
import {openMachines, openTimedDeck, type TimedTerminal} from './timed-terminal.ts';

type Fleet = {
  /** The 40 of the scenario if undefined. */
  readonly vmCount: number | undefined;
  readonly memoryTargetMb?: number;
  /** Of one core, in percent. */
  readonly processorTarget?: number;
  readonly requestTarget: number;
  /** Panes that work out more than a list does, each watched after the machines. */
  readonly panes?: readonly RestingPane[];
};

type RestingPane = {readonly key: string; readonly name: string; readonly processorTarget: number};

const FLEETS: readonly Fleet[] = [
  {vmCount: undefined, processorTarget: 1, requestTarget: 100},
  {vmCount: 200, memoryTargetMb: 120, requestTarget: 30},
  {
    vmCount: 10_000,
    memoryTargetMb: 200,
    processorTarget: 4,
    requestTarget: 100,
    panes: [
      {key: '1', name: 'overview', processorTarget: 4},
      {key: '9', name: 'timeline', processorTarget: 4},
      // At forty pages a minute, all of them take longer than the whole measurement.
      {key: '5', name: 'billing, while bills arrive', processorTarget: 10},
    ],
  },
];
const SIZE = {columns: 120, rows: 35};
const WIRE_TARGET = 100;
const BYTES_PER_MB = 2 ** 20;

type Deck = {readonly cloud: Cloud; readonly terminal: TimedTerminal};
/** How long a deck may load, and how long it is then watched. */
type Pauses = {readonly loadingMs: number; readonly watchedMs: number};
type Moment = {
  readonly atMs: number;
  readonly usage: ProcessUsage | undefined;
  readonly bytes: number;
  readonly requestCount: number;
};

/** Measures memory, processor, terminal output and requests of idle decks, one deck at a time, as a person has it. */
export async function measureRest(pauses: Pauses): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const fleet of FLEETS) figures.push(...(await measureFleet(fleet, pauses)));
  return figures;
}

async function measureFleet(fleet: Fleet, pauses: Pauses): Promise<readonly Figure[]> {
  const {loadingMs, watchedMs} = pauses;
  const cloud = await openCloud(fleet.vmCount);
  const deck = {cloud, terminal: openTimedDeck(cloud.connection, SIZE)};
  try {
    await openMachines(deck.terminal);
    await pause(loadingMs);
    const before = await momentOf(deck);
    await pause(watchedMs);
    const figures = [...figuresOf(fleet, before, await momentOf(deck))];
    for (const pane of fleet.panes ?? []) figures.push(await measurePane(pane, fleet, {deck, pauses}));
    return figures;
  } finally {
    await deck.terminal.close();
    cloud.close();
  }
}

async function measurePane(
  {key, name, processorTarget}: RestingPane,
  fleet: Fleet,
  {deck, pauses}: {readonly deck: Deck; readonly pauses: Pauses},
): Promise<Figure> {
  deck.terminal.write(key);
  await pause(pauses.loadingMs);
  const before = await momentOf(deck);
  await pause(pauses.watchedMs);
  const {processorShare: value, note} = between(before, await momentOf(deck));
  return {group: groupOf(fleet), name: `processor: ${name}`, value, unit: '%', target: processorTarget, note};
}

async function momentOf({cloud, terminal}: Deck): Promise<Moment> {
  return {
    atMs: performance.now(),
    usage: usageOf(terminal.pid),
    bytes: terminal.receivedBytes(),
    requestCount: await cloud.requestCount(),
  };
}

function figuresOf(fleet: Fleet, from: Moment, to: Moment): readonly Figure[] {
  const {vmCount, memoryTargetMb, processorTarget, requestTarget} = fleet;
  const group = groupOf(fleet);
  const {seconds, processorShare, note} = between(from, to);
  const resting = vmCount === undefined;
  return [
    {
      group,
      name: 'resident memory, settled',
      value: to.usage && to.usage.residentBytes / BYTES_PER_MB,
      unit: 'MB',
      ...(memoryTargetMb === undefined ? {} : {target: memoryTargetMb}),
      note: from.usage === undefined ? '' : `${Math.round(from.usage.residentBytes / BYTES_PER_MB)} MB when loaded`,
    },
    {
      group,
      name: 'processor, of one core',
      value: processorShare,
      unit: '%',
      ...(processorTarget === undefined ? {} : {target: processorTarget}),
      note,
    },
    {
      group,
      name: 'bytes to the terminal',
      value: (to.bytes - from.bytes) / seconds,
      unit: 'B/s',
      ...(resting ? {target: WIRE_TARGET} : {}),
      note,
    },
    {
      group,
      name: 'requests',
      value: ((to.requestCount - from.requestCount) / seconds) * 60,
      unit: '/min',
      target: requestTarget,
      note,
    },
  ];
}

function groupOf({vmCount = 40}: Fleet): string {
  return `at rest, ${vmCount.toLocaleString('en')} machines`;
}

/** How long it was, and the share of one core in percent. */
function between(from: Moment, to: Moment) {
  const seconds = (to.atMs - from.atMs) / 1000;
  const processorMs = to.usage && from.usage && to.usage.processorMs - from.usage.processorMs;
  const processorShare = processorMs === undefined ? undefined : processorMs / seconds / 10;
  return {seconds, processorShare, note: `over ${Math.round(seconds)} s`};
}
