import type {VirtualMachineId} from '../../domain/virtual-machine.ts';
import type {MetricWindow} from '../../state/machines.ts';
import {LIST_START, type ListCursor} from '../list.ts';
import {SCROLL_START, type Scroll} from '../scroll.ts';

/** What the detail shows of the machine under the cursor. */
export const DETAIL_PARTS = ['metrics', 'record', 'rules', 'volumes', 'events', 'cost', 'json'] as const;
export type DetailPart = (typeof DETAIL_PARTS)[number];

/** What a person has chosen in the machines pane. */
export type MachinesView = ListCursor<VirtualMachineId> & {
  readonly sortKey: string;
  readonly isDescending: boolean;
  readonly filterText: string;
  readonly window: MetricWindow;
  readonly part: DetailPart;
  /** The detail takes the whole pane. */
  readonly isZoomed: boolean;
  readonly scroll: Scroll;
  readonly isWide: boolean;
  /** Machines picked for an action on all of them. */
  readonly markedIds: ReadonlySet<VirtualMachineId>;
  /** The last one marked: where a range begins. */
  readonly markAnchor: VirtualMachineId | undefined;
  /** Where the person stands among the machine's own rules. */
  readonly rules: ListCursor<string>;
};

export const INITIAL_VIEW: MachinesView = {
  ...LIST_START,
  sortKey: 'cost',
  isDescending: true,
  filterText: '',
  window: '1h',
  part: 'metrics',
  isZoomed: false,
  scroll: SCROLL_START,
  isWide: false,
  markedIds: new Set(),
  markAnchor: undefined,
  rules: LIST_START,
};
