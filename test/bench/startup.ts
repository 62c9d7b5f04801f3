import type {PictureSize} from '../tools/scenes.ts';
import {openCloud} from './cloud.ts';
import type {Figure} from './report.ts';
import {bundleSmallestInk} from './smallest-ink.ts';
import {median, medianRatio} from './statistics.ts';
import {openTimedDeck, openTimedTerminal} from './timed-terminal.ts';

const SIZE: PictureSize = {columns: 120, rows: 35};
const LIMIT_MS = 15_000;
const FIRST_PAINT_TARGET = 2;
const LIVE_TARGET = 1.5;
/** Any machine of the on-call scenario, whatever pane is the first and however it sorts them. */
const ANY_MACHINE = /\b(?:train|infer|eval|sweep|serve|batch)-\w/;
const ANY_SIGN = /[^\s]/;
const GROUP = 'start';

type Round = {readonly node: number; readonly ink: number; readonly firstPaint: number; readonly firstData: number};

/** All three programs in turn, round after round; each starts in milliseconds from the moment it is spawned. */
export async function measureStartup({roundCount}: {readonly roundCount: number}): Promise<readonly Figure[]> {
  const smallestInk = await bundleSmallestInk();
  const cloud = await openCloud();
  try {
    const rounds: Round[] = [];
    // The first round reads the files into the kernel's memory and does not count.
    for (let round = 0; round <= roundCount; round += 1) {
      const deckTimes = await deckStart(cloud.connection);
      const measured = {...deckTimes, node: await nodeStart(), ink: await inkStart(smallestInk.path)};
      if (round > 0) rounds.push(measured);
    }
    return figuresOf(rounds);
  } finally {
    cloud.close();
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
    note: `fastest ${Math.min(...times(key)).toFixed(1)} of ${rounds.length}`,
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
    ratio('first frame ÷ node -e 0', 'firstPaint', 'node', FIRST_PAINT_TARGET),
    ratio('first frame ÷ smallest Ink', 'firstPaint', 'ink'),
    ratio('first machine row ÷ node -e 0', 'firstData', 'node'),
    ratio('first machine row ÷ smallest Ink', 'firstData', 'ink', LIVE_TARGET),
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
  connection: Parameters<typeof openTimedDeck>[0],
): Promise<Pick<Round, 'firstPaint' | 'firstData'>> {
  const terminal = openTimedDeck(connection, SIZE);
  try {
    const firstPaintAt = await terminal.saw(ANY_SIGN, LIMIT_MS);
    const firstDataAt = await terminal.saw(ANY_MACHINE, LIMIT_MS);
    return {firstPaint: firstPaintAt - terminal.startedAt, firstData: firstDataAt - terminal.startedAt};
  } finally {
    await terminal.close();
  }
}
