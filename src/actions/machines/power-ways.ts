import type {Action, ActionKind} from '../../domain/action.ts';
import {type CostChange, costChange} from '../../domain/cost.ts';
import {contractRate} from '../../domain/money/commitment.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {
  MachineStatus,
  TransitionalStatus,
  VirtualMachine,
  VirtualMachineId,
} from '../../domain/virtual-machine.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {type AssessmentInput, presentRate} from '../assessment-input.ts';

/** What a power action needs, passes through and ends in (facts.md C1), and what a question says of it. */
export type Way = {
  readonly from: readonly MachineStatus[];
  readonly through: TransitionalStatus;
  readonly target: MachineStatus;
  /** What runs on the machine is cut off. */
  readonly isInterrupting: boolean;
  /** It ends in the state in which it began. */
  readonly isReboot?: true;
  /** Why a machine in the right state would still be refused. */
  refusal?(machine: VirtualMachine): SafeText | undefined;
  /** What the machine goes through, and what stays of it. */
  happens(machine: VirtualMachine, keepsAddress: boolean): string;
  /** How it is undone, for one machine and for several. */
  undo(losesAddress: boolean): {readonly one: string; readonly many: string};
};

/** The way of an action; undefined for one that does not switch a machine. */
export type WayOf = (action: Action) => Way | undefined;

/** An action that switches a machine. Its assessment and its record need each other, so its type is written here. */
export type Switching = {
  readonly kind: ActionKind;
  readonly id: VirtualMachineId;
  /** Of a hibernation; every other action keeps the address. */
  readonly retainsIp?: boolean;
};

export function keepsAddress({kind, retainsIp}: Action): boolean {
  return kind !== 'vm.hibernate' || retainsIp === true;
}

/** What runs is cut off; a deletion does that, too. */
export function isInterrupting(way: Way | undefined): boolean {
  return way === undefined || way.isInterrupting;
}

/** Giving hardware back is only as good as the chance to get it again. */
export function dependsOnStock(way: Way | undefined): boolean {
  return way !== undefined && (way.target === 'HIBERNATED' || way.from.includes('HIBERNATED'));
}

/** What a power action does to what a machine costs, once it has taken effect. */
export function powerCostChange(
  action: Action,
  way: Way,
  machine: VirtualMachine,
  known: Pick<AssessmentInput, 'store' | 'preferences' | 'now'>,
): CostChange {
  const {prices} = known.preferences;
  const contracts = lastValue(known.store.get(contractsFeed))?.records ?? [];
  const next = {
    status: way.target,
    retainsIp: keepsAddress(action),
    fullRate: contractRate(machine, contracts, {prices, now: known.now}),
  };
  return costChange(machine, next, presentRate(known, machine.id), prices);
}
