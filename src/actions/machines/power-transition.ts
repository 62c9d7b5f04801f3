import type {ActionKind, ActionParameters} from '../../domain/action.ts';
import {type CostChange, costChange, listSource} from '../../domain/cost.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {ZERO_RATE} from '../../domain/money.ts';
import {gigabytesText} from '../../domain/number-text.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import {
  cannotHibernate,
  type MachineStatus,
  type TransitionalStatus,
  type VirtualMachine,
  type VirtualMachineId,
} from '../../domain/virtual-machine.ts';
import {presentContractRate, presentRunningRate} from '../../state/contracts.ts';
import type {UndoWords} from '../question/assessment.ts';
import {type AssessmentInput, isExcluded, presentRate} from '../question/assessment-input.ts';

/**
 * The documented states that a power action starts from, passes through and ends in, and the words of its question.
 * What follows from the states (cost, stock, lost disks) is derived from them and not from the kind of action, so a new
 * action is just one more of these.
 */
export type PowerTransition = {
  readonly from: readonly MachineStatus[];
  readonly through: TransitionalStatus;
  readonly target: MachineStatus;
  /** The work on the machine is cut off. */
  readonly isInterrupting: boolean;
  /** It ends in the state in which it began. */
  readonly isReboot?: true;
  /** Why a machine in the right state would still be refused. */
  refusal?(machine: VirtualMachine): SafeText | undefined;
  /** What happens to the machine, and what is kept. */
  happens(machine: VirtualMachine, keepsAddress: boolean): string;
  /** The same for several machines, in the one line that 80 columns have. */
  happensToMany(keepsAddress: boolean): string;
  /** How it is undone, for one machine and for several. */
  undo(lost: Lost): {readonly one: UndoWords; readonly many: UndoWords};
  /** What a person who does this to save money probably means. */
  readonly cheaper?: {readonly transition: PowerTransition; action(id: VirtualMachineId): Switching};
  /** What saves money only after this action: the service has no shorter way. */
  readonly next?: PowerTransition;
};

/** What undoing does not bring back. */
type Lost = {readonly address: boolean; readonly disk: boolean};

/** An action that switches a machine. Its assessment and its record need each other, so its type is declared here. */
export type Switching = {
  readonly kind: ActionKind;
  readonly id: VirtualMachineId;
  /** For a hibernation; every other power action keeps the address. */
  readonly retainsIp?: boolean;
};

export function keepsAddress({retainsIp}: ActionParameters): boolean {
  return retainsIp !== false;
}

/** Hardware is given back: what is on the ephemeral disk is lost. */
export function releasesHardware({target}: PowerTransition): boolean {
  return target === 'HIBERNATED';
}

/** Why no savings are promised, although it can be sent: the service will probably refuse. */
export function expectedRefusal(
  {target}: {readonly target?: string | undefined},
  machine: VirtualMachine,
): string | undefined {
  if (target !== 'HIBERNATED' || !cannotHibernate(machine)) return undefined;
  return machine.flavor?.hasNoHibernation === true ? 'its flavor cannot hibernate' : 'usually refused without a GPU';
}

/** What is on the machine's ephemeral disk, if it has one, is lost with its hardware. */
export function losesDisk(transition: PowerTransition, {flavor}: VirtualMachine): boolean {
  return releasesHardware(transition) && (flavor?.ephemeralDiskGb ?? 0) > 0;
}

/** Hardware is requested again. */
export function restoresHardware({from}: PowerTransition): boolean {
  return from.includes('HIBERNATED');
}

/** Giving hardware back is a risk if it may not be available again. */
export function dependsOnStock(transition: PowerTransition): boolean {
  return releasesHardware(transition) || restoresHardware(transition);
}

const NO_CHANGE: CostChange = {
  before: ZERO_RATE,
  after: ZERO_RATE,
  savings: ZERO_RATE,
  savingIsUncertain: false,
  isListPrice: false,
};

/** The effect of a power action on a machine's cost, if it is sent to all of `together`. */
export function powerCostChange(
  parameters: ActionParameters,
  {target}: PowerTransition,
  machine: VirtualMachine,
  known: Pick<AssessmentInput, 'store' | 'preferences' | 'now'>,
  together: readonly VirtualMachine[] = [machine],
): CostChange {
  if (isExcluded(known, machine.id)) return NO_CHANGE;
  const next = {
    status: target,
    retainsIp: keepsAddress(parameters),
    fullRate: presentRunningRate(machine, known, together),
  };
  return costChange(machine, next, presentRate(known, machine.id), known.preferences.prices);
}

/** Where a full rate comes from that is not metered. */
export type PriceSource = ReturnType<typeof listSource> | 'contract';

/** The source of a machine's full rate: only a state billed in full that it is not in yet is priced by its contract. */
export function priceSource(
  machine: VirtualMachine,
  known: Pick<AssessmentInput, 'store' | 'preferences' | 'now'>,
  together: readonly VirtualMachine[] = [machine],
): PriceSource {
  const {prices} = known.preferences;
  const billing = billingInStatus(machine.status, prices);
  const isFull = billing === 'full' || billing === 'unknown';
  if (!isFull && presentContractRate(machine, known, together) !== undefined) return 'contract';
  return machine.flavor === undefined ? 'published' : listSource(machine.flavor, prices);
}

/** How much is lost with a disk of the machine. */
export function diskFact(kind: 'root' | 'ephemeral', sizeGb: number | undefined): NamedFacts {
  return new Map([[say`its ${safeText(kind)} disk`, sizeGb === undefined ? undefined : gigabytesText(sizeGb)]]);
}
