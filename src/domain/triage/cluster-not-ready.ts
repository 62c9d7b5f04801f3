import {type Cluster, clusterProgress, isBeingReconciled} from '../cluster.ts';
import {type SafeText, say} from '../safe-text.ts';
import {type EpochMs, MINUTE_MS} from '../time.ts';
import {
  clusterRate,
  clusterSubject,
  type RuleFinding,
  judgeEach,
  type KnownAccount,
  type TriageRule,
} from './finding.ts';
import {creationAdvice, creationCommand, durationWords} from './words.ts';

/** The service is done with reconciling within this time; past it somebody should look. */
const RECONCILING_LIMIT_MS = 30 * MINUTE_MS;

/** A cluster that takes too long, or failed. */
export const clusterNotReady: TriageRule = {
  id: 'cluster-not-ready',
  judge: account => judgeEach(account.clusters, 'clusters', cluster => findingOf(cluster, account)),
};

function findingOf(cluster: Cluster, account: KnownAccount): RuleFinding | undefined {
  const {now} = account;
  if (cluster.status === 'DELETING') return undefined;
  const progress = clusterProgress(cluster, now);
  const reason = cluster.statusReason === undefined ? [] : [cluster.statusReason];
  const base = {subject: clusterSubject(cluster), ...clusterRate(cluster, account)};
  if (progress.kind === 'overdue' || progress.kind === 'slow') {
    const isOverdue = progress.kind === 'overdue';
    return {
      ...base,
      severity: isOverdue ? 'critical' : 'notice',
      summary: isOverdue ? say`cluster stuck in creation` : say`cluster slow in creation`,
      ...(cluster.createdAt === undefined ? {} : {since: cluster.createdAt}),
      evidence: [say`CREATING for ${durationWords(progress.elapsedMs)}; usually 5 to 20 min`, ...reason],
      advice: creationAdvice(say`it`, progress),
      ...(isOverdue ? {fixes: [{kind: 'cluster.delete', id: cluster.id}]} : {}),
      commands: [creationCommand(cluster.id, progress)],
    };
  }
  if (cluster.status === 'ERROR' || cluster.status === 'WARNING') {
    const isError = cluster.status === 'ERROR';
    return {
      ...base,
      severity: isError ? 'critical' : 'warning',
      summary: say`cluster in ${cluster.statusText}`,
      evidence: [say`its state is ${cluster.statusText}`, ...reason],
      advice: say`Reconcile it; if that does not help, read its events.`,
      fixes: [{kind: 'cluster.reconcile', id: cluster.id}],
      commands: [say`skydeck cluster reconcile ${cluster.id}`, say`skydeck describe cluster ${cluster.id}`],
    };
  }
  return isBeingReconciled(cluster) ? reconciling(cluster, account, reason) : undefined;
}

function reconciling(cluster: Cluster, account: KnownAccount, reason: readonly SafeText[]): RuleFinding {
  const {clusterEventsOf, now} = account;
  const since = reconcilingSince(cluster, clusterEventsOf);
  const isLate = since !== undefined && now - since > RECONCILING_LIMIT_MS;
  return {
    severity: isLate ? 'warning' : 'notice',
    subject: clusterSubject(cluster),
    ...clusterRate(cluster, account),
    summary: isLate ? say`RECONCILING for too long` : say`cluster RECONCILING`,
    ...(since === undefined ? {} : {since}),
    evidence: [
      since === undefined
        ? say`being reconciled; since when is not known`
        : say`being reconciled for ${durationWords(now - since)}`,
      ...reason,
    ],
    advice: say`Read its events. Only a deletion can be sent to it meanwhile.`,
    commands: [say`skydeck describe cluster ${cluster.id}`],
  };
}

/** The newest event that speaks of it. */
function reconcilingSince(cluster: Cluster, clusterEventsOf: KnownAccount['clusterEventsOf']): EpochMs | undefined {
  const moments = (clusterEventsOf(cluster) ?? []).flatMap(({occurredAt, reason}) =>
    occurredAt !== undefined && /reconcil/i.test(reason) ? [occurredAt] : [],
  );
  return moments.length === 0 ? undefined : moments.reduce((newest, each) => (each > newest ? each : newest));
}
