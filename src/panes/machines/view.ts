import type {VirtualMachineId} from '../../domain/virtual-machine.ts';
import type {ChartWindow} from '../machine-charts.ts';
import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {SCROLL_START, type Scroll} from '../scroll.ts';

/** What the detail shows of the machine under the cursor. */
export const DETAIL_PARTS = ['metrics', 'record', 'rules', 'volumes', 'events', 'cost', 'json'] as const;
export type DetailPart = (typeof DETAIL_PARTS)[number];

/** What the machines of the map are grouped by, and what their colours tell. */
export type MapGroup = 'environment' | 'flavor' | 'label' | 'region';
export type MapColour = 'cpu' | 'gpu' | 'waste' | 'state';

/** What a person has chosen in the machines pane. */
export type MachinesView = ListView<VirtualMachineId> & {
  readonly window: ChartWindow;
  readonly part: DetailPart;
  /** The detail takes the whole pane. */
  readonly isZoomed: boolean;
  readonly scroll: Scroll;
  /** Where the person stands among the machine's own rules. */
  readonly rules: ListView<string>;
  /** The map in place of the list, one cell a machine. */
  readonly map: {readonly isOpen: boolean; readonly group: MapGroup; readonly colour: MapColour};
};

export const INITIAL_VIEW: MachinesView = {
  ...LIST_VIEW,
  sortKey: 'cost',
  isDescending: true,
  window: '1h',
  part: 'metrics',
  isZoomed: false,
  scroll: SCROLL_START,
  rules: LIST_VIEW,
  map: {isOpen: false, group: 'environment', colour: 'cpu'},
};
