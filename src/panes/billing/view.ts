import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {SCROLL_START, type Scroll} from '../scroll.ts';

/** What a person has chosen in the billing pane: a spender, a contract, and which of the two lists the keys move. */
export type BillingView = ListView<string> & {
  readonly contracts: ListView<number>;
  readonly part: 'spenders' | 'contracts';
  /** The contract under the cursor takes the whole pane. */
  readonly isZoomed: boolean;
  readonly scroll: Scroll;
};

export const INITIAL_VIEW: BillingView = {
  ...LIST_VIEW,
  sortKey: 'spent',
  isDescending: true,
  contracts: LIST_VIEW,
  part: 'spenders',
  isZoomed: false,
  scroll: SCROLL_START,
};
