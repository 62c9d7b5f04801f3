import type {Action} from '../../domain/action.ts';
import {type CostChange, costChange} from '../../domain/cost.ts';
import {contractRate} from '../../domain/money/commitment.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {
  MachineStatus,
  TransitionalStatus,
  VirtualMachine,
  VirtualMachineId,
} from '../../domain/virtual-machine.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {type Known, presentRate} from '../known.ts';

/** What a power action needs, passes through and ends in (facts.md C1), and what a question says of it. */
export type Way = {
  readonly from: readonly MachineStatus[];
  readonly through: TransitionalStatus;
  readonly target: MachineStatus;
  /** What runs on the machine is cut off. */
  readonly isInterrupting: boolean;
  /** What the machine goes through, and what stays of it. */
  happens(machine: VirtualMachine, keepsAddress: boolean): string;
  /** How it is undone, for one machine and for several. */
  undo(losesAddress: boolean): {readonly one: string; readonly many: string};
};

export const WAYS = {
  'vm.start': {
    from: ['SHUTOFF'],
    through: 'STARTING',
    target: 'ACTIVE',
    isInterrupting: false,
    happens: () => 'It boots and becomes ACTIVE. Disks and addresses are unchanged.',
    undo: () => ({one: 'stop it again (p x)', many: 'stop them again (p x)'}),
  },
  'vm.stop': {
    from: ['ACTIVE', 'ERROR'],
    through: 'STOPPING',
    target: 'SHUTOFF',
    isInterrupting: true,
    happens: () => 'It shuts down and becomes SHUTOFF. Disks and addresses stay.',
    undo: () => ({one: 'start it again (p s)', many: 'start them again (p s)'}),
  },
  'vm.hard-reboot': {
    from: ['ACTIVE', 'ERROR'],
    through: 'REBOOTING',
    target: 'ACTIVE',
    isInterrupting: true,
    happens: () => 'The power is cut and it boots again; what was not written to disk is lost.',
    undo: () => ({one: 'none', many: 'none'}),
  },
  'vm.hibernate': {
    from: ['ACTIVE'],
    through: 'HIBERNATING',
    target: 'HIBERNATED',
    isInterrupting: true,
    happens: ({floatingIp}, keepsAddress) => {
      if (floatingIp === undefined) {
        return 'It becomes HIBERNATED and releases its hardware. Root disk and private address stay.';
      }
      return keepsAddress
        ? `It becomes HIBERNATED and releases its hardware. Root disk and public address ${floatingIp} stay.`
        : `It becomes HIBERNATED; its address ${floatingIp} is released permanently.`;
    },
    undo: losesAddress =>
      losesAddress
        ? {
            one: 'restore it (p u), while its flavor is in stock; it gets a new address',
            many: 'restore them (p u), while in stock; they get new addresses',
          }
        : {
            one: 'restore it (p u), while its flavor is in stock',
            many: 'restore them (p u), while their flavors are in stock',
          },
  },
  'vm.restore': {
    from: ['HIBERNATED'],
    through: 'RESTORING',
    target: 'ACTIVE',
    isInterrupting: false,
    happens: () => 'It becomes ACTIVE again if its hardware is in stock.',
    undo: () => ({one: 'hibernate it again (p h)', many: 'hibernate them again (p h)'}),
  },
} as const satisfies Readonly<Record<string, Way>>;

/** Its records and its assessment need each other, so its type is written here and not inferred from the records. */
export type PowerAction =
  | {readonly kind: Exclude<keyof typeof WAYS, 'vm.hibernate'>; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hibernate'; readonly id: VirtualMachineId; readonly retainsIp: boolean};

export function isPowerAction(action: Action): action is PowerAction {
  return Object.hasOwn(WAYS, action.kind);
}

export function wayOf({kind}: PowerAction): Way {
  return WAYS[kind];
}

export function keepsAddress(action: PowerAction): boolean {
  return action.kind !== 'vm.hibernate' || action.retainsIp;
}

/** A deletion cuts off what runs, too. */
export function isInterrupting(action: Action): boolean {
  return !isPowerAction(action) || wayOf(action).isInterrupting;
}

/** Giving hardware back is only as good as the chance to get it again. */
export function dependsOnStock(action: Action): boolean {
  return isPowerAction(action) && (wayOf(action).target === 'HIBERNATED' || wayOf(action).from.includes('HIBERNATED'));
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
    status: wayOf(action).target,
    retainsIp: keepsAddress(action),
    fullRate: contractRate(machine, contracts, {prices, now: known.now}),
  };
  return costChange(machine, next, presentRate(known, machine.id), prices);
}
