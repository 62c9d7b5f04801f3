import {setTimeout as pause} from 'node:timers/promises';
import {type Connection, createHome, type Home} from '../support/launch.ts';
import type {PictureSize} from '../tools/scene.ts';
import {openCloud} from './cloud.ts';
import type {Figure} from './report.ts';
import {bundleSmallestInk} from './smallest-ink.ts';
import {median, medianRatio} from './statistics.ts';
import {openTimedDeck, openTimedTerminal} from './timed-terminal.ts';

const SIZE: PictureSize = {columns: 120, rows: 35};
const LIMIT_MS = 15_000;
const FIRST_PAINT_TARGET = 2;
const LIVE_TARGET = 2.2;
/** Any machine or group of machines of the scenario, in any pane and order. */
const ANY_MACHINE = /\b(?:train|infer|eval|sweep|serve|batch)\b/;
const ANY_SIGN = /[^\s]/;
const GROUP = 'start';

/** The age of the list in the header, which shows that this deck read the list, not an earlier one. */
const OWN_DATA = /data \d+s/;
/** After this time a deck has stored its screen and its compiled code for the next one. */
const KEEPING_MS = 8000;

type Round = {
  readonly node: number;
  readonly ink: number;
  readonly firstPaint: number;
  readonly firstData: number;
  readonly nextPaint: number;
  readonly nextData: number;
};

/** Starts the three programs in turn, round after round. Each time is in milliseconds since the process was spawned. */
export async function measureStartup({roundCount}: {readonly roundCount: number}): Promise<readonly Figure[]> {
  const smallestInk = await bundleSmallestInk();
  const cloud = await openCloud();
  const home = createHome();
  try {
    await leaveTraces(cloud.connection, home);
    const rounds: Round[] = [];
    // The first round loads the files into the kernel's cache and does not count.
    for (let round = 0; round <= roundCount; round += 1) {
      const first = await deckStart(cloud.connection, ANY_MACHINE);
      const next = await deckStart(cloud.connection, OWN_DATA, home);
      const deckTimes = {
        firstPaint: first.paint,
        firstData: first.rows,
        nextPaint: next.paint,
        nextData: next.rows,
      };
      const measured = {...deckTimes, node: await nodeStart(), ink: await inkStart(smallestInk.path)};
      if (round > 0) rounds.push(measured);
    }
    return figuresOf(rounds);
  } finally {
    cloud.close();
    home.remove();
    smallestInk.remove();
  }
}

function figuresOf(rounds: readonly Round[]): readonly Figure[] {
  const times = (key: keyof Round): number[] => rounds.map(round => round[key]);
  const milliseconds = (name: string, key: keyof Round): Figure => ({
    group: GROUP,
    name,
    value: median(times(key)),
    unit: 'ms',
    note: `${Math.min(...times(key)).toFixed(0)} to ${Math.max(...times(key)).toFixed(0)} in ${rounds.length} starts`,
  });
  const ratio = (name: string, key: keyof Round, base: keyof Round, target?: number): Figure => ({
    group: GROUP,
    name,
    value: medianRatio(times(key), times(base)),
    unit: '×',
    ...(target === undefined ? {} : {target}),
  });
  return [
    milliseconds('node -e 0, whole run', 'node'),
    milliseconds('smallest Ink program, first cells', 'ink'),
    milliseconds('deck, first frame', 'firstPaint'),
    milliseconds('deck, first machine row', 'firstData'),
    milliseconds('deck at a later start, first frame', 'nextPaint'),
    milliseconds('deck at a later start, first own row', 'nextData'),
    ratio('first frame ÷ node -e 0', 'firstPaint', 'node', FIRST_PAINT_TARGET),
    ratio('first frame ÷ smallest Ink', 'firstPaint', 'ink'),
    ratio('first machine row ÷ node -e 0', 'firstData', 'node'),
    ratio('first machine row ÷ smallest Ink', 'firstData', 'ink', LIVE_TARGET),
    ratio('later start: first frame ÷ node -e 0', 'nextPaint', 'node', FIRST_PAINT_TARGET),
    ratio('later start: first own row ÷ smallest Ink', 'nextData', 'ink', LIVE_TARGET),
  ];
}

async function nodeStart(): Promise<number> {
  const terminal = openTimedTerminal({...SIZE, command: process.execPath, arguments: ['-e', '0'], env: {}});
  return (await terminal.exited) - terminal.startedAt;
}

async function inkStart(path: string): Promise<number> {
  const terminal = openTimedTerminal({...SIZE, command: process.execPath, arguments: [path], env: {}});
  try {
    return (await terminal.saw(ANY_SIGN, LIMIT_MS)) - terminal.startedAt;
  } finally {
    await terminal.close();
  }
}

async function deckStart(
  connection: Connection,
  rows: RegExp,
  kept?: Home,
): Promise<{readonly paint: number; readonly rows: number}> {
  const terminal = openTimedDeck(connection, SIZE, kept);
  try {
    const paintAt = await terminal.saw(ANY_SIGN, LIMIT_MS);
    const rowsAt = await terminal.saw(rows, LIMIT_MS);
    return {paint: paintAt - terminal.startedAt, rows: rowsAt - terminal.startedAt};
  } finally {
    await terminal.close();
  }
}

/** Uses a deck for some seconds and quits it, so that it stores its files. */
async function leaveTraces(connection: Connection, home: Home): Promise<void> {
  const terminal = openTimedDeck(connection, SIZE, home);
  await terminal.saw(ANY_MACHINE, LIMIT_MS);
  await pause(KEEPING_MS);
  terminal.write('q');
  await terminal.exited;
}
