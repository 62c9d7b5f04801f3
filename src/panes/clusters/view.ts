import type {ClusterId} from '../../domain/cluster.ts';
import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {ZOOM_START, type ZoomView} from '../zoomed-detail.tsx';

/** What a person has chosen in the clusters pane: a cluster, a node of it, and which of the two lists the keys move. */
export type ClustersView = ListView<ClusterId> &
  ZoomView & {
    readonly nodes: ListView<string>;
    readonly part: 'clusters' | 'nodes';
  };

export const INITIAL_VIEW: ClustersView = {...LIST_VIEW, ...ZOOM_START, nodes: LIST_VIEW, part: 'clusters'};
