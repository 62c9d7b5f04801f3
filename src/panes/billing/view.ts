import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {ZOOM_START, type ZoomView} from '../zoomed-detail.tsx';

/** In the order of the tab key. */
export const BILLING_PARTS = ['spenders', 'waste', 'contracts'] as const;
type BillingPart = (typeof BILLING_PARTS)[number];

/** What a person has chosen in the billing pane: a spender, a waste, a contract, and which of the lists the keys move. */
export type BillingView = ListView<string> &
  ZoomView & {
    readonly waste: ListView<string>;
    readonly contracts: ListView<number>;
    readonly part: BillingPart;
  };

export const INITIAL_VIEW: BillingView = {
  ...LIST_VIEW,
  sortKey: 'spent',
  isDescending: true,
  waste: LIST_VIEW,
  contracts: LIST_VIEW,
  part: 'spenders',
  ...ZOOM_START,
};
