import {LIST_START, type ListCursor} from '../list.ts';

/** What a person has chosen in the billing pane: the cursor stands on a spender. */
export type BillingView = ListCursor<string> & {
  readonly filterText: string;
};

export const INITIAL_VIEW: BillingView = {...LIST_START, filterText: ''};
