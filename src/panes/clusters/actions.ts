import {actionQuestion, cannotActionReason, cannotCreateReason} from '../../actions/action-question.ts';
import {createCluster} from '../../actions/clusters.ts';
import {isWorking} from '../../actions/machine-activity.ts';
import {type Question, typedAnswer} from '../../actions/question.ts';
import {someNames} from '../../actions/some-names.ts';
import {type Cluster, isBeingReconciled} from '../../domain/cluster.ts';
import {type Rate, ZERO_RATE} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {ClusterRow} from '../../resources/clusters.ts';
import {observedMachines} from '../../state/machines.ts';
import {formatCounted, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
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
  ({cluster}) => reconcileQuestion(cluster),
);

export const DELETE_COMMAND = onCluster(
  {
    id: 'clusters.delete',
    title: say`delete`,
    help: 'Deletes the cluster for ever, after its full name was typed.',
    keys: ['X'],
  },
  deleteReason,
  deleteQuestion,
);

/** For one in ERROR, or stuck: the service refuses it to one that it is mending, or has not had its time to make. */
export function reconcileReason({cluster, progress}: ClusterRow, scene: Scene): SafeText | undefined {
  const cannot = cannotActionReason(scene, {kind: 'cluster.reconcile', id: cluster.id});
  if (cannot !== undefined) return cannot;
  if (isBeingReconciled(cluster)) return say`it is reconciling already`;
  if (progress.kind === 'creating' || progress.kind === 'slow') return say`it is still being created`;
  return isGoing(cluster) ? say`it is ${cluster.statusText}` : undefined;
}

export function deleteReason({cluster}: ClusterRow, scene: Scene): SafeText | undefined {
  const cannot = cannotActionReason(scene, {kind: 'cluster.delete', id: cluster.id});
  if (cannot !== undefined) return cannot;
  return isGoing(cluster) ? say`already ${cluster.statusText}` : undefined;
}

function isGoing({status}: Cluster): boolean {
  return status === 'DELETING' || status === 'DELETED';
}

export function reconcileQuestion({id, name, status, statusReason}: Cluster): Question {
  const why: readonly Line[] = statusReason === undefined ? [] : [[{text: `The service says: ${statusReason}`}]];
  return actionQuestion({
    title: say`reconcile cluster ${name}  #${id}`,
    steps: [{action: {kind: 'cluster.reconcile', id}, subjectName: name, status}],
    happens: [
      [{text: 'The service compares it with what it should be and mends what differs; nodes may be replaced.'}],
    ],
    care: [
      ...why,
      ...(status === 'ACTIVE' ? [[{text: 'It is ACTIVE: there is nothing to mend.', tone: 'warning' as const}]] : []),
      [{text: 'Until it is done, changes to its nodes and node groups are refused.'}],
    ],
    undo: say`none: a reconciliation cannot be taken back`,
    answer: {kind: 'key'},
  });
}

/** What goes with it, and the full name. */
export function deleteQuestion({cluster, rate}: ClusterRow, scene: Scene): Question {
  const {id, name, nodes, status} = cluster;
  const machines = machinesOf(cluster, scene);
  return actionQuestion({
    title: say`delete cluster ${name}  #${id}`,
    steps: [{action: {kind: 'cluster.delete', id}, subjectName: name, status}],
    happens: [
      [
        {
          text: `It is gone for ever, with ${formatCounted(nodes.length, 'node')} and all that runs on them.`,
          tone: 'danger',
        },
      ],
      [{text: 'The disks of its nodes are lost, and its address.', tone: 'danger'}],
    ],
    costs: [costLine(rate, machines)],
    care: [
      ...workLines(machines, scene),
      [
        {
          text: 'Volumes that were made from inside it may stay and stay billed: look into 6 afterwards.',
          tone: 'warning',
        },
      ],
    ],
    undo: say`none: there is no copy of it`,
    answer: typedAnswer(name, id),
  });
}

function machinesOf({id}: Cluster, {store}: Scene): readonly VirtualMachine[] {
  return (observedMachines(store) ?? []).filter(({clusterId}) => clusterId === id);
}

function costLine(rate: Rate | undefined, machines: readonly VirtualMachine[]): Line {
  if (rate === undefined) return [{text: 'What it saves is not known.', tone: 'money'}];
  const isUncertain = machines.some(({contractId}) => contractId !== undefined);
  return [
    {text: `now ${formatRate(rate)}  after ${formatRate(ZERO_RATE)}`, tone: 'money'},
    {text: `  (${formatSavings(rate, isUncertain)})`, tone: 'dim'},
  ];
}

/** What its machines are doing is lost with them, as far as it is known. */
function workLines(machines: readonly VirtualMachine[], scene: Scene): readonly Line[] {
  const running = machines.filter(({status}) => status === 'ACTIVE');
  const byWork = Map.groupBy(running, machine => isWorking(scene, machine));
  const working = byWork.get('yes') ?? [];
  const unknownCount = byWork.get('unknown')?.length ?? 0;
  const quietCount = byWork.get('no')?.length ?? 0;
  const of = formatCounted(running.length, 'running machine');
  return [
    ...(working.length === 0
      ? []
      : [[{text: `${working.length} of ${of} WORKING right now: ${someNames(working)}.`, tone: 'danger' as const}]]),
    ...(unknownCount === 0
      ? []
      : [[{text: `Whether ${unknownCount} of ${of} work is unknown: no recent metrics.`, tone: 'warning' as const}]]),
    ...(quietCount === 0 ? [] : [[{text: `${quietCount} of ${of} quiet. The interface tells nothing of GPUs.`}]]),
  ];
}

function onCluster(
  about: Pick<ClustersCommand, 'id' | 'title' | 'help' | 'keys'>,
  reason: (row: ClusterRow, scene: Scene) => SafeText | undefined,
  question: (row: ClusterRow, scene: Scene) => Question,
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
      return row === undefined ? {kind: 'done'} : {kind: 'ask', question: question(row, context.scene)};
    },
  };
}

function rowUnderCursor(context: Context): ClusterRow | undefined {
  return clusterList.rowUnderCursor(context);
}
