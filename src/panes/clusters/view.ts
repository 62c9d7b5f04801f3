import type {ClusterId} from '../../domain/cluster.ts';
import {LIST_START, type ListCursor} from '../list.ts';

/** What a person has chosen in the clusters pane: a cluster, a node of it, and which of the two lists the keys move. */
export type ClustersView = ListCursor<ClusterId> & {
  readonly nodes: ListCursor<string>;
  readonly part: 'clusters' | 'nodes';
  readonly filterText: string;
};

export const INITIAL_VIEW: ClustersView = {...LIST_START, nodes: LIST_START, part: 'clusters', filterText: ''};
