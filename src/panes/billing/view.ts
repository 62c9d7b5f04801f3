import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {ZOOM_START, type ZoomView} from '../zoomed-detail.tsx';

/** What a person has chosen in the billing pane: a spender, a contract, and which of the two lists the keys move. */
export type BillingView = ListView<string> &
  ZoomView & {
    readonly contracts: ListView<number>;
    readonly part: 'spenders' | 'contracts';
  };

export const INITIAL_VIEW: BillingView = {
  ...LIST_VIEW,
  sortKey: 'spent',
  isDescending: true,
  contracts: LIST_VIEW,
  part: 'spenders',
  ...ZOOM_START,
};
