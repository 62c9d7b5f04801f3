import {isTransitional, type MachineStatus} from '../virtual-machine.ts';

// How the provider bills each state, according to its documents of 2026-08. Settings may override it
// (`billingByState`).

/** What a state is billed for: the machine, only its root disk and kept address, nothing, or unknown. */
export type StateBilling = 'full' | 'storage' | 'free' | 'unknown';

/**
 * What a state is billed for, as the provider publishes it. A stopped machine is billed in full, since its hardware
 * stays reserved; a hibernated one for its root disk in shared storage and its kept address; machines in transition and
 * failed ones not at all.
 */
export function billingInStatus(
  status: MachineStatus,
  {billingByStatus}: {readonly billingByStatus: ReadonlyMap<string, StateBilling>},
): StateBilling {
  const own = billingByStatus.get(status);
  if (own !== undefined) return own;
  if (isTransitional(status)) return 'free';
  if (status === 'ACTIVE' || status === 'SHUTOFF') return 'full';
  if (status === 'HIBERNATED') return 'storage';
  return status === 'ERROR' || status === 'DELETED' ? 'free' : 'unknown';
}
