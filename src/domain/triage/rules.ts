import {budgetCrossing} from './budget-crossing.ts';
import {burnAnomaly} from './burn-anomaly.ts';
import {clusterNodes} from './cluster-nodes.ts';
import {clusterNotReady} from './cluster-not-ready.ts';
import {contractEnding} from './contract-ending.ts';
import {creditRunway} from './credit-runway.ts';
import {discountEnding} from './discount-ending.ts';
import {fallenSilent} from './fallen-silent.ts';
import type {TriageRule} from './finding.ts';
import {ghostSpend} from './ghost-spend.ts';
import {gpuError, gpuIdle, gpuMemoryFull, gpuThrottled} from './gpus.ts';
import {idle} from './idle.ts';
import {machineInError} from './machine-in-error.ts';
import {memoryLeak} from './memory-leak.ts';
import {openToWorld} from './open-to-world.ts';
import {outOfStock} from './out-of-stock.ts';
import {powerStateMismatch} from './power-state-mismatch.ts';
import {redundantRules} from './redundant-rules.ts';
import {rulePending} from './rule-pending.ts';
import {saturated} from './saturated.ts';
import {clockSkew, keyRefused, missingPermission, requestCeiling, staleReadings} from './service-readings.ts';
import {silentMetrics} from './silent-metrics.ts';
import {stoppedButBilled} from './stopped-but-billed.ts';
import {stuckTransition} from './stuck-transition.ts';
import {unattachedFirewall} from './unattached-firewall.ts';
import {unattachedVolume} from './unattached-volume.ts';
import {unguardedAddress} from './unguarded-address.ts';

/**
 * All triage rules. The tests ask for more with each: an alert (src/export/alerting-rules.ts) and its test
 * (test/integration/alert-tests.ts), a trouble and a near miss in the simulator (src/simulator/scenarios/seeded.ts), and
 * another of each for the count of what is found (test/tools/recall/troubles.ts).
 */
export const TRIAGE_RULES: readonly TriageRule[] = [
  machineInError,
  powerStateMismatch,
  stuckTransition,
  silentMetrics,
  saturated,
  fallenSilent,
  memoryLeak,
  idle,
  gpuIdle,
  gpuError,
  gpuThrottled,
  gpuMemoryFull,
  stoppedButBilled,
  ghostSpend,
  unattachedVolume,
  clusterNotReady,
  clusterNodes,
  openToWorld,
  rulePending,
  redundantRules,
  unattachedFirewall,
  unguardedAddress,
  contractEnding,
  discountEnding,
  creditRunway,
  burnAnomaly,
  budgetCrossing,
  outOfStock,
  keyRefused,
  missingPermission,
  clockSkew,
  requestCeiling,
  staleReadings,
];
