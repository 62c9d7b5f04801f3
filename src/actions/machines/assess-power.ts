import type {Action} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import type {CostChange} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {isNegative, isPositive, sumRates} from '../../domain/money.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {availability} from '../../domain/stock.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Alternative, Assessment} from '../assessment.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {mayBeWorking, workLines} from '../machine-activity.ts';
import {typedAnswer} from '../question.ts';
import {contractLines} from './contract-lines.ts';
import {holdsOwnSession, ownSessionLines} from './own-machine.ts';
import {
  dependsOnStock,
  isInterrupting,
  keepsAddress,
  powerCostChange,
  type Switching,
  type Way,
  type WayOf,
} from './power-ways.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';

/** What switching a machine means: what happens, what it costs, what could be lost. */
export function assessPower(
  action: Switching,
  machine: VirtualMachine,
  known: AssessmentInput,
  wayOf: WayOf,
): Assessment {
  const way = wayOf(action);
  assert(way !== undefined, `${action.kind} does not switch a machine`);
  const effect = powerCostChange(action, way, machine, known);
  const cutsWork = way.isInterrupting && (mayBeWorking(known, machine) || holdsOwnSession(machine, known));
  return {
    happens: [[{text: way.happens(machine, keepsAddress(action))}]],
    costs: costLines(action, way, effect, machine, known),
    warnings: warningLines(action, way, machine, known),
    undo: way.undo(losesAddress(action, machine)).one,
    answer: cutsWork || losesAddress(action, machine) ? typedAnswer(machine.name, machine.id) : {kind: 'key'},
    alternatives: cheaperChoice(action, machine, known, wayOf),
  };
}

export function losesAddress(action: Action, {floatingIp}: VirtualMachine): boolean {
  if (floatingIp === undefined) return false;
  return action.kind === 'vm.delete' || (action.kind === 'vm.hibernate' && action.retainsIp !== true);
}

export const STOPPING_SAVES_NOTHING = 'SHUTOFF is billed like ACTIVE: stopping saves nothing.';

/** So it is documented; a person's settings may know otherwise. */
export function stoppingSavesNothing({preferences: {prices}}: Pick<AssessmentInput, 'preferences'>): boolean {
  return billingInStatus('SHUTOFF', prices) === billingInStatus('ACTIVE', prices);
}

function costLines(
  action: Switching,
  way: Way,
  effect: CostChange,
  machine: VirtualMachine,
  known: AssessmentInput,
): readonly Line[] {
  return [
    ...(action.kind === 'vm.stop' ? stopLines(effect, machine, known) : []),
    [
      {text: `now ${formatRate(effect.before)}`, tone: 'money'},
      {text: `  after ${formatRate(effect.after)}`, tone: 'money'},
      {text: `  (${formatSavings(effect.savings, effect.savingIsUncertain)})`, tone: 'dim'},
    ],
    ...(action.kind === 'vm.restore' ? newAddressLines(effect, machine, known) : []),
    ...(way.isReboot === true ? [] : remainingVolumeLines(machine, known)),
    ...(effect.isListPrice ? [LIST_PRICE] : []),
  ];
}

/** Of a machine whose full rate is nowhere metered. */
export const LIST_PRICE: Line = [{text: 'The full rate is the published price, not a metered one.', tone: 'dim'}];

/** What stopping does to the bill depends on what the present state is billed. */
function stopLines({before, savings}: CostChange, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  if (savings !== undefined && isNegative(savings)) {
    const text = `${machine.statusText} is billed ${formatRate(before)} and SHUTOFF in full: stopping costs more.`;
    return [[{text, tone: 'warning'}]];
  }
  const isFull = billingInStatus(machine.status, known.preferences.prices) === 'full';
  return isFull && stoppingSavesNothing(known) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'}]] : [];
}

/** A machine that was hibernated without its address gets another one. */
function newAddressLines({after}: CostChange, {floatingIp}: VirtualMachine, known: AssessmentInput): readonly Line[] {
  if (floatingIp !== undefined) return [];
  const {publicIp} = known.preferences.prices;
  const then = after === undefined ? '' : `: ${formatRate(sumRates([after, publicIp]))} then`;
  return [[{text: `A new public address may be given, billed at ${formatRate(publicIp)}${then}.`, tone: 'warning'}]];
}

/** Everything that makes the action risky now. */
function warningLines(action: Switching, way: Way, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  return [
    ...(isInterrupting(way) ? [...ownSessionLines(machine, known), ...workLines(known, machine)] : []),
    ...diskLines(action, machine),
    ...stockLines(way, machine, known),
    ...contractLines(machine, known),
    ...hibernationLines(action, machine),
  ];
}

function diskLines(action: Switching, machine: VirtualMachine): readonly Line[] {
  const ephemeralGb = machine.flavor?.ephemeralDiskGb ?? 0;
  if (action.kind !== 'vm.hibernate' || ephemeralGb === 0) return [];
  return [[{text: `${formatGigabytes(ephemeralGb)} of ephemeral disk will be lost.`, tone: 'danger'}]];
}

function stockLines(way: Way, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  if (!dependsOnStock(way)) return [];
  const name = machine.flavor?.name ?? say`its flavor`;
  switch (stockOf(machine, known)) {
    case undefined:
      return [[{text: `Whether ${name} is in stock for a restore is unknown.`, tone: 'warning'}]];
    case true:
      return [[{text: `${name} is in stock now; that can change.`}]];
    case false:
      return [[{text: `${name} is out of stock: restoring it may not work.`, tone: 'danger'}]];
  }
}

/** Whether the machine's flavor can be had in its region now; undefined where that is not known, or told both ways. */
export function stockOf(machine: VirtualMachine, {store}: AssessmentInput): boolean | undefined {
  const offered = offeredFlavor(machine, {store});
  if (offered === undefined) return undefined;
  const available = availability(offered, lastValue(store.get(stocksFeed))?.records ?? []);
  return available === 'available' ? true : available === 'none' ? false : undefined;
}

/** The machine's flavor as its region offers it; undefined where it is not offered any more, or not read yet. */
export function offeredFlavor(
  {flavor, regionName}: VirtualMachine,
  {store}: Pick<AssessmentInput, 'store'>,
): Flavor | undefined {
  return lastValue(store.get(flavorsFeed))?.records.find(
    candidate => candidate.name === flavor?.name && (regionName === undefined || candidate.regionName === regionName),
  );
}

function hibernationLines(action: Switching, machine: VirtualMachine): readonly Line[] {
  if (action.kind !== 'vm.hibernate' || machine.flavor?.gpuCount !== 0) return [];
  return [[{text: 'The service usually refuses to hibernate machines without a GPU.', tone: 'warning'}]];
}

/** Someone who stops a machine to save money meant to hibernate it. */
function cheaperChoice(
  action: Switching,
  machine: VirtualMachine,
  known: AssessmentInput,
  wayOf: WayOf,
): readonly Alternative[] {
  if (action.kind !== 'vm.stop') return [];
  const hibernate: Switching = {kind: 'vm.hibernate', id: machine.id, retainsIp: true};
  const way = wayOf(hibernate);
  if (way === undefined) return [];
  const effect = powerCostChange(hibernate, way, machine, known);
  const saves = safeText(formatSavings(effect.savings, effect.savingIsUncertain));
  const title = () => say`hibernate instead: ${safeText(formatRate(effect.after))}, ${saves}`;
  return [{key: 'tab', candidates: [{action: hibernate, subject: machine}], title}];
}

/** The price and the catch, in the few words a menu has. */
export function powerConsequence(
  action: Switching,
  machine: VirtualMachine,
  known: AssessmentInput,
  wayOf: WayOf,
): string {
  const way = wayOf(action);
  assert(way !== undefined, `${action.kind} does not switch a machine`);
  const effect = powerCostChange(action, way, machine, known);
  const {before, after, savings, savingIsUncertain} = effect;
  if (savings === undefined) return 'cost not known';
  const saves = formatSavings(savings, savingIsUncertain);
  const change = `${formatRate(before)} to ${formatRate(after)}`;
  if (action.kind === 'vm.stop') {
    if (isPositive(savings)) return saves;
    return isNegative(savings) ? change : `SHUTOFF, still ${formatRate(after)}`;
  }
  if (action.kind === 'vm.hibernate') return losesAddress(action, machine) ? `${saves}, IP lost` : saves;
  return savings.numerator === 0n ? 'no change in cost' : change;
}
