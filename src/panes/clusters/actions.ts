import {cannotCreateReason} from '../../actions/action-question.ts';
import {candidate, reasonAgainst} from '../../actions/ask.ts';
import {createCluster, deleteCluster, reconcileCluster} from '../../actions/clusters.ts';
import type {Action} from '../../domain/action.ts';
import type {Cluster} from '../../domain/cluster.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {ClusterRow} from '../../resources/clusters.ts';
import {asking} from '../asking.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {clusterList} from './lists.ts';
import {newClusterForm} from './new-cluster.ts';
import type {ClustersView} from './view.ts';

type Context = PaneContext<ClustersView>;
type ClustersCommand = Command<Context, PaneOutcome<ClustersView>>;

export const NEW_COMMAND: ClustersCommand = {
  id: 'clusters.new',
  title: say`new`,
  help: 'A new cluster by form, with its price; then its question.',
  keys: ['n'],
  group: 'Actions',
  effect: 'operation',
  isInStatusBar: true,
  disabledReason: ({scene}) => cannotCreateReason(scene, createCluster),
  run: ({scene}) => ({kind: 'form', form: newClusterForm(scene)}),
};

export const RECONCILE_COMMAND = onCluster(
  {
    id: 'clusters.reconcile',
    title: say`reconcile`,
    help: 'Makes the service bring the cluster to what it should be, for one in ERROR or stuck.',
    keys: ['r'],
  },
  reconcileReason,
  ({id}) => reconcileCluster.with({id}),
);

export const DELETE_COMMAND = onCluster(
  {
    id: 'clusters.delete',
    title: say`delete`,
    help: 'Deletes the cluster permanently, after its full name was typed.',
    keys: ['X'],
  },
  deleteReason,
  ({id}) => deleteCluster.with({id}),
);

/** Also refused by the service: one that has not had its time to be created. */
export function reconcileReason({cluster, progress}: ClusterRow, scene: Scene): SafeText | undefined {
  const cannot = reasonAgainst(reconcileCluster.with({id: cluster.id}), cluster, scene);
  if (cannot !== undefined) return cannot;
  return progress.kind === 'creating' || progress.kind === 'slow' ? say`it is still being created` : undefined;
}

export function deleteReason({cluster}: ClusterRow, scene: Scene): SafeText | undefined {
  return reasonAgainst(deleteCluster.with({id: cluster.id}), cluster, scene);
}

function onCluster(
  about: Pick<ClustersCommand, 'id' | 'title' | 'help' | 'keys'>,
  reason: (row: ClusterRow, scene: Scene) => SafeText | undefined,
  actionOn: (cluster: Cluster) => Action,
): ClustersCommand {
  return {
    ...about,
    group: 'Actions',
    effect: 'operation',
    disabledReason: context => {
      const row = rowUnderCursor(context);
      return row === undefined ? say`there is no cluster under the cursor` : reason(row, context.scene);
    },
    run: context => {
      const row = rowUnderCursor(context);
      if (row === undefined) return {kind: 'done'};
      return asking([candidate(actionOn(row.cluster), row.cluster, context.scene)], context.scene);
    },
  };
}

function rowUnderCursor(context: Context): ClusterRow | undefined {
  return clusterList.rowUnderCursor(context);
}
