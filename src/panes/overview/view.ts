import {LIST_START, type ListCursor} from '../list.ts';

/** What a person has chosen in the overview: the cursor stands on something that needs attention. */
export type OverviewView = ListCursor<string> & {
  readonly filterText: string;
  /** The lines of several alike findings that are shown one by one. */
  readonly unfolded: ReadonlySet<string>;
};

export const INITIAL_VIEW: OverviewView = {...LIST_START, filterText: '', unfolded: new Set()};
