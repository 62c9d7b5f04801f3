import {type Cluster, nodeCounts, wantedWorkerCount} from '../cluster.ts';
import {countedWords} from '../listed-words.ts';
import {joinSafe, nameInWords, say} from '../safe-text.ts';
import {clusterRate, clusterSubject, type RuleFinding, judgeEach, type TriageRule} from './finding.ts';

const NAMED = 5;

/** A cluster that was created and whose nodes failed, or are fewer than its groups ask for. */
export const clusterNodes: TriageRule = {
  id: 'cluster-nodes',
  judge: account => {
    const unread = account.clusters?.filter(({hasUnreadNodes}) => hasUnreadNodes === true).length ?? 0;
    const verdict = judgeEach(account.clusters, 'clusters', cluster =>
      [...failedNodes(cluster), ...missingNodes(cluster)].map(finding => ({
        ...finding,
        ...clusterRate(cluster, account),
      })),
    );
    return unread === 0
      ? verdict
      : {...verdict, cannotJudge: say`the nodes of ${countedWords(unread, say`cluster`)} could not be read`};
  },
};

function failedNodes(cluster: Cluster): readonly RuleFinding[] {
  const failed = cluster.nodes.filter(({status}) => status === 'ERROR');
  // A cluster that is being created is judged by how long that takes; in one that is being deleted nothing is to be done.
  if (failed.length === 0 || cluster.status === 'CREATING' || cluster.status === 'DELETING') return [];
  const named = failed.slice(0, NAMED).map(({machineName, roleText, statusReason}) => {
    const name = machineName === undefined ? say`a ${roleText}` : nameInWords(machineName);
    return statusReason === undefined ? say`${name} is in ERROR` : say`${name} is in ERROR: ${statusReason}`;
  });
  const more = failed.length - named.length;
  return [
    {
      severity: 'warning',
      subject: clusterSubject(cluster),
      summary: failed.length === 1 ? say`a node is in ERROR` : say`${failed.length} nodes are in ERROR`,
      evidence: more > 0 ? [...named, say`and ${more} more`] : named,
      advice: say`Reconcile the cluster, which creates new nodes, or delete the failed ones.`,
      fixes: [{kind: 'cluster.reconcile', id: cluster.id}],
      commands: [say`skydeck cluster reconcile ${cluster.id}`, say`skydeck get nodes --cluster ${cluster.id}`],
    },
  ];
}

/** While it is being created or reconciled, nodes are still to come. */
function missingNodes(cluster: Cluster): readonly RuleFinding[] {
  if (cluster.hasUnreadNodes === true) return [];
  const wanted = wantedWorkerCount(cluster);
  const {total} = nodeCounts(cluster).worker;
  if (wanted === undefined || cluster.status !== 'ACTIVE' || cluster.isReconciling === true || total >= wanted)
    return [];
  const groups = cluster.nodeGroups.flatMap(({name, count = 0}) => {
    const present = cluster.nodes.filter(node => node.role === 'worker' && node.nodeGroupName === name).length;
    return present < count ? [say`${nameInWords(name)} has ${present} of ${count}`] : [];
  });
  return [
    {
      severity: 'warning',
      subject: clusterSubject(cluster),
      summary: say`cluster has ${total} of ${wanted} workers`,
      evidence: [groups.length === 0 ? say`${total} workers exist, ${wanted} are wanted` : joinSafe(groups, ', ')],
      advice: say`Reconcile the cluster; if that fails, check the stock of its flavor.`,
      fixes: [{kind: 'cluster.reconcile', id: cluster.id}],
      commands: [say`skydeck cluster reconcile ${cluster.id}`],
    },
  ];
}
