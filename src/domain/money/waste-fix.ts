import {unreachable} from '../assert.ts';
import {type CostChange, costChange} from '../cost.ts';
import type {Fix} from '../fix.ts';
import type {Rate} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {cannotHibernate, isNode, mayBeUnderContract, type VirtualMachine} from '../virtual-machine.ts';
import type {Prices} from './prices.ts';
import type {Waste} from './waste.ts';

/** What ends waste, what that saves after what stays billed, and what can be lost. */
export type WasteFix = {
  readonly action: SafeText;
  /** Undefined if nothing is metered for it. */
  readonly savings: Rate | undefined;
  /** As of a `CostChange`. */
  readonly furtherSavings?: CostChange['furtherSavings'];
  /** A contract may be charged anyway: the savings are between zero and the figure. */
  readonly savingIsUncertain?: boolean;
  readonly risk: SafeText | undefined;
  /** The first action of the fix; undefined if no action ends the waste. */
  readonly first: Fix | undefined;
};

/** `machine`: the wasteful machine, if it is one and is in the list. */
export function wasteFix(waste: Waste, machine: VirtualMachine | undefined, prices: Prices): WasteFix {
  const {kind, rate} = waste;
  switch (kind) {
    case 'idle':
      return hibernation(waste, machine, {
        prices,
        action: say`hibernate`,
        first: {kind: 'vm.hibernate', id: waste.resourceId, retainsIp: true},
      });
    case 'stopped-but-billed':
      // Only a running machine can be hibernated.
      return hibernation(waste, machine, {
        prices,
        action: say`start and hibernate`,
        first: {kind: 'vm.start', id: waste.resourceId},
      });
    case 'unattached-volume':
      return {
        action: say`delete`,
        savings: rate,
        risk: say`its data is lost`,
        first: {kind: 'volume.delete', id: waste.resourceId},
      };
    case 'kept-address':
      return {
        action: say`restore and detach the address`,
        savings: rate,
        risk: say`its address is lost`,
        first: undefined,
      };
    case 'ghost':
      return {action: say`ask the provider`, savings: rate, risk: undefined, first: undefined};
    case 'unmetered':
      return {action: say`ask the provider`, savings: undefined, risk: undefined, first: undefined};
    default:
      return unreachable(kind);
  }
}

/**
 * Root disk and address stay billed. A cluster manages the power of its nodes; if a flavor cannot be hibernated, only
 * deletion remains.
 */
function hibernation(
  {rate, resourceId}: Waste,
  machine: VirtualMachine | undefined,
  {prices, action, first}: {readonly prices: Prices; readonly action: SafeText; readonly first: Fix},
): WasteFix {
  const savingIsUncertain = machine !== undefined && mayBeUnderContract(machine);
  if (machine !== undefined && isNode(machine)) {
    return {
      action: say`make its node group smaller`,
      savings: rate,
      savingIsUncertain,
      risk: undefined,
      first: undefined,
    };
  }
  if (machine !== undefined && cannotHibernate(machine)) {
    return {
      action: say`delete`,
      savings: rate,
      savingIsUncertain,
      risk: say`its data is lost`,
      first: {kind: 'vm.delete', id: resourceId},
    };
  }
  const change = machine && costChange(machine, {status: 'HIBERNATED', retainsIp: true}, rate, prices);
  const lost = say`ephemeral disk lost, restoring needs free stock`;
  const risk = savingIsUncertain ? say`its contract may be charged anyway; ${lost}` : lost;
  const {savings, furtherSavings} = change ?? {};
  return {action, savings, furtherSavings, savingIsUncertain, risk, first};
}
