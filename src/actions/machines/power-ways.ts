import type {Action} from '../../domain/action.ts';
import {type CostChange, costChange} from '../../domain/cost.ts';
import {contractRate} from '../../domain/money/commitment.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS} from '../../domain/time.ts';
import type {MachineStatus, VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {type Known, presentRate} from '../known.ts';

/** What a power action needs, passes through and ends in (facts.md C1). */
export type Way = {
  readonly from: readonly MachineStatus[];
  readonly through: MachineStatus;
  readonly target: MachineStatus;
  readonly overdueAfterMs: DurationMs;
};

export const WAYS = {
  'vm.start': {from: ['SHUTOFF'], through: 'STARTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.stop': {from: ['ACTIVE', 'ERROR'], through: 'STOPPING', target: 'SHUTOFF', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hard-reboot': {from: ['ACTIVE', 'ERROR'], through: 'REBOOTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hibernate': {from: ['ACTIVE'], through: 'HIBERNATING', target: 'HIBERNATED', overdueAfterMs: 45 * MINUTE_MS},
  'vm.restore': {from: ['HIBERNATED'], through: 'RESTORING', target: 'ACTIVE', overdueAfterMs: 30 * MINUTE_MS},
} as const satisfies Readonly<Record<string, Way>>;

/** Its records and its assessment need each other, so its type is written here and not inferred from the records. */
export type PowerAction =
  | {readonly kind: Exclude<keyof typeof WAYS, 'vm.hibernate'>; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hibernate'; readonly id: VirtualMachineId; readonly retainsIp: boolean};

export function isPowerAction(action: Action): action is PowerAction {
  return Object.hasOwn(WAYS, action.kind);
}

/** What a power action does to what a machine costs, once it has taken effect. */
export function powerCostChange(
  action: PowerAction,
  machine: VirtualMachine,
  known: Pick<Known, 'store' | 'preferences' | 'now'>,
): CostChange {
  const {prices} = known.preferences;
  const contracts = lastValue(known.store.get(contractsFeed))?.records ?? [];
  const next = {
    status: WAYS[action.kind].target,
    retainsIp: action.kind !== 'vm.hibernate' || action.retainsIp,
    fullRate: contractRate(machine, contracts, {prices, now: known.now}),
  };
  return costChange(machine, next, presentRate(known, machine.id), prices);
}
