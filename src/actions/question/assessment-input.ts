import type {Subject} from '../../domain/action.ts';
import {OWN_ADDRESS_WORD} from '../../domain/check-rule.ts';
import {currentRate} from '../../domain/cost.ts';
import {type Rate, ZERO_RATE} from '../../domain/money.ts';
import {type OwnConnection, publicAddressOf} from '../../domain/own-connection.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {outageText} from '../../resources/detail.ts';
import {presentlyExcluded, presentRates} from '../../state/billing.ts';
import type {BreakerState} from '../../state/poller/circuit-breaker.ts';
import type {Known} from '../../state/known.ts';
import type {LearntActivity} from '../../state/learnt-activity.ts';
import type {Latest} from '../../state/operations/journal.ts';
import type {Operations} from '../../state/operations/operation.ts';
import {KEYS} from '../keys.ts';

/**
 * What is known when an action is asked about. A pane's scene has this and more; the command line reads what it needs.
 */
export type AssessmentInput = Known & {
  /** Absent in read-only mode: then the operations do not exist. */
  readonly operations: Pick<Operations, 'openOn' | 'all' | 'version'> | undefined;
  /** What was sent from here, also by earlier runs. */
  readonly journal?: (() => Latest) | undefined;
  /** Whether a batch that is under way has yet to begin an action on it. */
  readonly isQueued?: ((subject: Subject) => boolean) | undefined;
  readonly health: BreakerState;
  /** When machines were seen to start; absent where they are seen only once. */
  readonly activity?: LearntActivity | undefined;
  /** The action takes back another one, so a person wants nothing more from it. */
  readonly isUndo?: boolean;
  /** The SSH session that this runs in, if any. */
  readonly ownConnection?: OwnConnection | undefined;
};

/** The machine's metered rate; undefined if the service gives no usable one. */
export function presentRate({store}: Pick<AssessmentInput, 'store'>, id: VirtualMachineId): Rate | undefined {
  return presentRates(store).get(id);
}

/** Whether the service bills nothing for this machine, whatever its state. */
export function isExcluded({store}: Pick<AssessmentInput, 'store'>, id: VirtualMachineId): boolean {
  return presentlyExcluded(store).has(id);
}

/** What a machine costs now, and whether that is a published price because no usable rate is metered. */
export function costNow(
  machine: VirtualMachine,
  known: Pick<AssessmentInput, 'store' | 'preferences'>,
): {readonly rate: Rate | undefined; readonly isListPrice: boolean} {
  if (isExcluded(known, machine.id)) return {rate: ZERO_RATE, isListPrice: false};
  return currentRate(machine, presentRate(known, machine.id), known.preferences.prices);
}

/** Why nothing can be sent now because of the service itself; undefined while it answers. */
export function awayReason({
  health,
  monotonicNow,
}: Pick<AssessmentInput, 'health' | 'monotonicNow'>): SafeText | undefined {
  switch (health.status) {
    case 'up':
      return undefined;
    case 'down':
      return say`${outageText(health, monotonicNow)}: nothing can be sent`;
    case 'rate-limited':
      // The header counts its seconds; a message would keep those of the moment it was made in.
      return say`rate-limited (429): nothing can be sent`;
    case 'not-authorised':
      return say`the key or its role is not accepted; ${KEYS.refresh} retries`;
  }
}

/** Our own public address, which is what a rule most often should let in. */
export function ownAddress({ownConnection}: Pick<AssessmentInput, 'ownConnection'>): SafeText | undefined {
  return ownConnection && publicAddressOf(ownConnection);
}

/** The hint with our own address for a field that takes a network; undefined if it is not known. */
export function ownAddressHint(known: Pick<AssessmentInput, 'ownConnection'>): SafeText | undefined {
  const address = ownAddress(known);
  return address && say`${safeText(OWN_ADDRESS_WORD)} = ${address}`;
}
