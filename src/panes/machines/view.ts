import type {CollectionContext, CollectionView} from '../list/collection-view.ts';
import type {ChartWindow} from '../machine-charts.ts';

/** What the detail shows of the machine under the cursor. */
export const DETAIL_PARTS = ['metrics', 'record', 'rules', 'volumes', 'events', 'cost', 'json'] as const;
export type DetailPart = (typeof DETAIL_PARTS)[number];

/** `5/7: events`: which of the parts is shown, not how many events there are. */
export function partLabel(part: DetailPart): string {
  return `${DETAIL_PARTS.indexOf(part) + 1}/${DETAIL_PARTS.length}: ${part}`;
}

/** How the map groups machines, and what its colours mean. */
export type MapGroup = 'environment' | 'flavor' | 'label' | 'region';
export type MapColour = 'cpu' | 'gpu' | 'waste' | 'state';

/** The choices in the machines pane besides its lists. */
export type MachinesChoice = {
  readonly window: ChartWindow;
  readonly part: DetailPart;
  /** The map in place of the list, one cell per machine. */
  readonly map: {readonly isOpen: boolean; readonly group: MapGroup; readonly colour: MapColour};
};

export type MachinesView = CollectionView<MachinesChoice>;
export type MachinesContext = CollectionContext<MachinesChoice>;

export const FIRST_CHOICE: MachinesChoice = {
  window: '1h',
  part: 'metrics',
  map: {isOpen: false, group: 'environment', colour: 'cpu'},
};

/** The lists of the pane: the machines, and the own rules of the one under the cursor. */
export const MACHINES_INDEX = 0;
export const RULES_INDEX = 1;

/** The rules are a list that fills the pane; every other part of the detail is text to read and search. */
export function isShowingRules({partIndex}: Pick<MachinesView, 'partIndex'>): boolean {
  return partIndex === RULES_INDEX;
}
