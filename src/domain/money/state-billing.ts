import {isTransitional, type MachineStatus} from '../virtual-machine.ts';

// What the provider bills in which state, as its documents of 2026-08 say. Settings may say otherwise (`billingByState`).

/** What a state is billed: the machine, its root disk and kept address alone, nothing, or unknown. */
export type StateBilling = 'full' | 'storage' | 'free' | 'unknown';

/**
 * What a state is billed (cost.md 2.7). A stopped machine is billed in full, since its hardware stays reserved; a
 * hibernated one for its root disk in shared storage and its kept address; changing ones and failed ones not at all.
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
