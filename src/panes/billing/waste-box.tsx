import type {ReactNode} from 'react';
import type {Waste as Wasted} from '../../domain/money/waste.ts';
import {sumRates} from '../../domain/money.ts';
import {missingLine} from '../../resources/detail.ts';
import {machinesFeed} from '../../state/machines.ts';
import {presentWaste} from '../../state/waste.ts';
import {formatDuration, formatRate, formatRateFigure, formatUsdFigure} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import type {Scene} from '../pane.ts';

type Place = {readonly columns: number; readonly rows: number};

const SINCE_CELLS = 7;
const RATE_CELLS = 8;
const LOST_CELLS = 11;
/** The edges, and the spaces between the columns. */
const OTHER_CELLS = 4;

/** What is paid for and serves nobody, the most money lost first, and how many are not in sight. */
export function Waste({scene, place}: {readonly scene: Scene; readonly place: Place}): ReactNode {
  const waste = presentWaste(scene);
  const title = waste === undefined ? 'waste' : `waste ${formatRate(sumRates(waste.flatMap(({rate}) => rate ?? [])))}`;
  return (
    <TitledBox
      {...feedFrame(scene, machinesFeed)}
      title={title}
      lines={wasteLines(scene, waste, place)}
      width={place.columns}
      height={place.rows}
    />
  );
}

function wasteLines(scene: Scene, waste: readonly Wasted[] | undefined, {columns, rows}: Place): readonly Line[] {
  if (waste === undefined) return [missingLine(scene, machinesFeed, 'machines')];
  if (waste.length === 0) return [[{text: ' none found', tone: 'dim'}]];
  const whatCells = columns - SINCE_CELLS - RATE_CELLS - LOST_CELLS - OTHER_CELLS;
  const room = rows - 3;
  const shown = waste.slice(0, waste.length > room ? room - 1 : room);
  const hidden = waste.length - shown.length;
  return [
    [
      {text: ` ${'WHAT'.padEnd(whatCells)}`, tone: 'strong'},
      {text: 'SINCE'.padStart(SINCE_CELLS), tone: 'strong'},
      {text: '$/h'.padStart(RATE_CELLS), tone: 'strong'},
      {text: 'SO FAR $'.padStart(LOST_CELLS), tone: 'strong'},
    ],
    ...shown.map(each => wasteLine(each, whatCells, scene.now)),
    ...(hidden > 0 ? [[{text: ` +${hidden} more: skydeck cost`, tone: 'dim' as const}]] : []),
  ];
}

function wasteLine({name, kind, since, rate, soFar}: Wasted, whatCells: number, now: number): Line {
  return [
    {text: ' '},
    ...fitLine([{text: name}, {text: `  ${WORDS[kind]}`, tone: 'dim'}], whatCells),
    {text: (since === undefined ? '–' : formatDuration(now - since)).padStart(SINCE_CELLS), tone: 'dim'},
    {text: formatRateFigure(rate).padStart(RATE_CELLS), tone: 'money'},
    {text: formatUsdFigure(soFar).padStart(LOST_CELLS), tone: 'warning'},
  ];
}

const WORDS: Readonly<Record<Wasted['kind'], string>> = {
  'stopped-but-billed': 'shut off',
  idle: 'idle',
  'unattached-volume': 'unattached',
  'kept-address': 'address kept',
  ghost: 'billed, not there',
  unmetered: 'not metered',
};
