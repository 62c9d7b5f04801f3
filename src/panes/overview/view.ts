import {LIST_START, type ListCursor} from '../list.ts';

/** The view of the overview: the cursor is on a finding. */
export type OverviewView = ListCursor<string> & {
  readonly filterText: string;
  /** Groups of similar findings that are shown one by one. */
  readonly unfolded: ReadonlySet<string>;
};

export const INITIAL_VIEW: OverviewView = {...LIST_START, filterText: '', unfolded: new Set()};
