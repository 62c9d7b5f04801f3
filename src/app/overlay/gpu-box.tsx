import type {ReactNode} from 'react';
import {safeText} from '../../domain/safe-text.ts';
import type {Scene} from '../../panes/pane.ts';
import {UTILIZATION_LEVELS} from '../../resources/machines.ts';
import {Dialog} from '../../ui/dialog.tsx';
import {formatPercent} from '../../ui/format.ts';
import {gaugeBar} from '../../ui/gauge.ts';
import {sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import type {GpuWatch, WatchedGpu} from './gpu-watch.ts';
import {BOX_KEYS} from './overlay.ts';

const MAX_COLUMNS = 150;
const FRAME_CELLS = 4;
const NAME_CELLS = 24;
const FIGURE_CELLS = 6;
const GAUGE_CELLS = 8;
const MEMORY_CELLS = 22;
const POWER_CELLS = 14;
const HEAT_CELLS = 6;
const MIB_PER_GIB = 1024;

/** The output of nvidia-smi on the machine itself, until the box is closed. */
export function GpuBox({
  watch,
  scene,
  size,
}: {
  readonly watch: GpuWatch;
  readonly scene: Scene;
  readonly size: {readonly columns: number; readonly rows: number};
}): ReactNode {
  const width = Math.min(size.columns, MAX_COLUMNS) - FRAME_CELLS;
  const gpus = watch.readings();
  const [message, reason] = [watch.lastMessage(), watch.endReason()];
  return (
    <Dialog
      title={`GPUs of ${watch.name}, by nvidia-smi`}
      right="esc = close"
      lines={[
        ...(gpus.length === 0 ? [] : [headLine(width), ...gpus.map(gpu => gpuLine(gpu, width, scene))]),
        ...(gpus.length === 0 && reason === undefined
          ? [[{text: 'waiting for the first reading…', tone: 'dim' as const}]]
          : []),
        ...(message === undefined ? [] : [[], ...wrapLine([{text: message, tone: 'dim'}], width)]),
        ...(reason === undefined
          ? []
          : [[], ...reason.split('\n').flatMap(line => wrapLine([{text: safeText(line), tone: 'warning'}], width))]),
      ]}
      choices={BOX_KEYS.gpus}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_COLUMNS}
    />
  );
}

/** Names and figures first; the history takes the remaining width. */
function historyCells(width: number): number {
  return Math.max(
    0,
    width - 4 - NAME_CELLS - FIGURE_CELLS - GAUGE_CELLS - 2 - MEMORY_CELLS - POWER_CELLS - HEAT_CELLS - 2,
  );
}

function hasName(width: number): boolean {
  return width >= NAME_CELLS + 4 + FIGURE_CELLS + GAUGE_CELLS + 2 + MEMORY_CELLS + POWER_CELLS + HEAT_CELLS;
}

function headLine(width: number): Line {
  return fitLine(
    [
      {text: 'GPU '.padEnd(4), tone: 'header'},
      {text: hasName(width) ? 'MODEL'.padEnd(NAME_CELLS) : '', tone: 'header'},
      {text: 'UTIL'.padStart(FIGURE_CELLS).padEnd(FIGURE_CELLS + GAUGE_CELLS + 2), tone: 'header'},
      {text: 'MEMORY GiB'.padEnd(MEMORY_CELLS), tone: 'header'},
      {text: 'POWER W'.padEnd(POWER_CELLS), tone: 'header'},
      {text: 'TEMP'.padStart(HEAT_CELLS), tone: 'header'},
      {text: historyCells(width) > HEAT_CELLS ? '  UTIL, LAST MINUTES' : '', tone: 'header'},
    ],
    width,
  );
}

function gpuLine({latest, history}: WatchedGpu, width: number, {theme}: Scene): Line {
  const {index, name, utilization, memoryUsedMib: used, memoryTotalMib: total, celsius} = latest;
  const {glyphs} = theme;
  const memory = used === undefined || total === undefined || total <= 0 ? undefined : used / total;
  const cells = historyCells(width);
  return [
    {text: String(index).padEnd(4), tone: 'strong'},
    ...(hasName(width) ? fitLine([{text: name, isName: true}], NAME_CELLS) : []),
    {text: `${formatPercent(utilization).padStart(FIGURE_CELLS)} `},
    ...gaugeBar(utilization, {glyphs, width: GAUGE_CELLS, tone: 'good', thresholds: UTILIZATION_LEVELS}),
    {text: ' '},
    {text: `${gib(used)} of ${gib(total)} `.padEnd(MEMORY_CELLS - GAUGE_CELLS - 1)},
    ...gaugeBar(memory, {glyphs, width: GAUGE_CELLS, tone: 'good', thresholds: UTILIZATION_LEVELS}),
    {text: ' '},
    {text: `${watts(latest.powerWatts)} of ${watts(latest.powerLimitWatts)}`.padEnd(POWER_CELLS)},
    {text: (celsius === undefined ? '–' : `${celsius}°C`).padStart(HEAT_CELLS)},
    {text: '  '},
    ...(cells > HEAT_CELLS
      ? sparkline(history, {width: cells, glyphs, max: 1, tone: 'good', thresholds: UTILIZATION_LEVELS})
      : []),
  ];
}

function gib(mib: number | undefined): string {
  return mib === undefined ? '–' : (mib / MIB_PER_GIB).toFixed(1);
}

function watts(power: number | undefined): string {
  return power === undefined ? '–' : power.toFixed(0);
}
