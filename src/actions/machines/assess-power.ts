import type {ActionParameters} from '../../domain/action.ts';
import {type CostChange, totalFurther} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {isNegative, isPositive, type Rate, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {availability} from '../../domain/stock.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {cannotHibernate, hasAddress, mayHaveAddress, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import {formatAfter, formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {contractSpan} from '../creation/cost.ts';
import type {Alternative, Assessment} from '../question/assessment.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {holdsOwnSession, mayBeWorking, ownSessionLines, workLines} from './activity.ts';
import {typedAnswer} from '../question/question.ts';
import {
  dependsOnStock,
  expectedRefusal,
  keepsAddress,
  losesDisk,
  type PowerTransition,
  type PriceSource,
  powerCostChange,
  priceSource,
  releasesHardware,
  restoresHardware,
  type Switching,
} from './power-transition.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';
import {contractLines} from './contract-lines.ts';

/** What switching a machine means: what happens, what it costs, what could be lost. */
export function assessPower(
  action: Switching,
  transition: PowerTransition,
  machine: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const change = powerCostChange(action, transition, machine, known);
  const cutsWork = transition.isInterrupting && (mayBeWorking(known, machine) || holdsOwnSession(machine, known));
  const lost = {address: losesAddress(action, machine), disk: losesDisk(transition, machine)};
  return {
    happens: [[{text: transition.happens(machine, keepsAddress(action))}]],
    costs: costLines(transition, change, machine, known),
    warnings: warningLines(transition, machine, known),
    undo: transition.undo(lost).one,
    answer: cutsWork || lost.address || lost.disk ? typedAnswer(machine.name, machine.id) : {kind: 'key'},
    alternatives: cheaperChoice(transition, machine, known),
  };
}

/** A power action that releases the address, if there is one. */
export function losesAddress(parameters: ActionParameters, machine: VirtualMachine): boolean {
  return mayHaveAddress(machine) && !keepsAddress(parameters);
}

export const STOPPING_SAVES_NOTHING = 'SHUTOFF is billed like ACTIVE: stopping saves nothing.';

/** As documented; a person's settings may override it. */
export function stoppingSavesNothing({preferences: {prices}}: Pick<AssessmentInput, 'preferences'>): boolean {
  return billingInStatus('SHUTOFF', prices) === billingInStatus('ACTIVE', prices);
}

function costLines(
  transition: PowerTransition,
  change: CostChange,
  machine: VirtualMachine,
  known: AssessmentInput,
): readonly Line[] {
  return [
    ...(transition.target === 'SHUTOFF' ? stopLines(change, machine, known) : []),
    [
      {text: `now ${formatRate(change.before)}`, tone: 'money'},
      {text: `  after ${formatAfter(change.after, change.furtherSavings)}`, tone: 'money'},
      {text: `  (${savingsWords(transition, machine, change)})`, tone: 'dim'},
      contractSpan(change.savings, change.savingIsUncertain && expectedRefusal(transition, machine) === undefined),
    ],
    ...unreadAddressLines([machine], [change], known),
    ...nextLines([machine], transition, known),
    ...(restoresHardware(transition) ? newAddressLines(change, machine, known) : []),
    ...(transition.isReboot === true ? [] : remainingVolumeLines(machine, known)),
    ...(change.isListPrice ? [unmeteredLine(priceSource(machine, known))] : []),
  ];
}

/** `saves $1.28/h`, or why that is not to be expected. */
export function savingsWords(
  transition: Parameters<typeof expectedRefusal>[0],
  machine: VirtualMachine,
  {savings, savingIsUncertain, furtherSavings}: CostChange,
): string {
  return expectedRefusal(transition, machine) ?? formatSavings(savings, savingIsUncertain, furtherSavings);
}

/** What addresses that could not be read may add to the later cost, where they count in it or make it unknown. */
export function unreadAddressLines(
  machines: readonly VirtualMachine[],
  changes: readonly CostChange[],
  {preferences: {prices}}: AssessmentInput,
): readonly Line[] {
  const {length} = machines.filter((machine, index) => {
    const change = changes[index];
    const isAtStake = change?.furtherSavings !== undefined || change?.after === undefined;
    return isAtStake && hasAddress(machine) === undefined;
  });
  if (length === 0) return [];
  const price = `billed at ${formatRate(prices.publicIp)}`;
  const text =
    machines.length === 1
      ? `Its public address could not be read: if it has one, that is ${price}.`
      : `The public address of ${length} could not be read: each that exists is ${price}.`;
  return [[{text, tone: 'dim'}]];
}

/** For a machine whose full rate is not metered anywhere. */
export function unmeteredLine(source: PriceSource): Line {
  return [{text: `The full rate is ${PRICE_WORDS[source]}, not a metered one.`, tone: 'dim'}];
}

const PRICE_WORDS: Readonly<Record<PriceSource, string>> = {
  published: 'the published price',
  listed: 'the price in the price list',
  own: 'the price in your settings',
  contract: 'the price of its contract',
};

/** How stopping changes the bill depends on how the present state is billed. */
function stopLines({before, savings}: CostChange, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  if (savings !== undefined && isNegative(savings)) {
    const text = `${machine.statusText} is billed ${formatRate(before)} and SHUTOFF in full: stopping costs more.`;
    return [[{text, tone: 'warning'}]];
  }
  const isFull = billingInStatus(machine.status, known.preferences.prices) === 'full';
  return isFull && stoppingSavesNothing(known) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'}]] : [];
}

/** A person who starts a machine to save money has to know that this is only the first half. */
export function nextLines(
  machines: readonly VirtualMachine[],
  transition: PowerTransition,
  known: AssessmentInput,
): readonly Line[] {
  const saved = known.isUndo === true ? undefined : savedNext(machines, transition, known);
  return saved === undefined ? [] : [[{text: `Starting alone saves nothing; hibernating next ${saved}.`}]];
}

/** What the next action saves; undefined if it saves nothing, is refused, or that is unknown. */
export function savedNext(
  machines: readonly VirtualMachine[],
  {next}: PowerTransition,
  known: AssessmentInput,
): SafeText | undefined {
  if (next === undefined) return undefined;
  const changes = machines
    .filter(machine => next.refusal?.(machine) === undefined && !cannotHibernate(machine))
    .map(machine => powerCostChange({retainsIp: true}, next, machine, known));
  const total = sumRates(changes.map(({savings = ZERO_RATE}) => savings));
  const isUncertain = changes.some(({savingIsUncertain}) => savingIsUncertain);
  return isPositive(total) ? safeText(formatSavings(total, isUncertain, totalFurther(changes))) : undefined;
}

/** A machine hibernated without its address gets another one. */
function newAddressLines({after}: CostChange, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  if (mayHaveAddress(machine)) return [];
  const {publicIp} = known.preferences.prices;
  const then = after === undefined ? '' : `: ${formatRate(sumRates([after, publicIp]))} then`;
  return [[{text: `A new public address may be given, billed at ${formatRate(publicIp)}${then}.`, tone: 'warning'}]];
}

/** Everything that makes the action risky now. */
function warningLines(transition: PowerTransition, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  const isHibernation = releasesHardware(transition);
  return [
    ...(transition.isInterrupting ? [...ownSessionLines(machine, known), ...workLines(known, machine)] : []),
    ...diskLines([machine], transition),
    ...(dependsOnStock(transition) ? stockLines(machine, known) : []),
    ...contractLines(machine, known),
    ...(isHibernation ? hibernationLines(machine) : []),
  ];
}

/** What is on ephemeral disks is lost with the hardware, also by a deletion, and is not there after a restore. */
export function diskLines(
  machines: readonly VirtualMachine[],
  transition: PowerTransition | 'deletion',
): readonly Line[] {
  const isLoss = transition === 'deletion' || releasesHardware(transition);
  if (!isLoss && !restoresHardware(transition)) return [];
  const knownGb = machines.reduce((sum, {flavor}) => sum + (flavor?.ephemeralDiskGb ?? 0), 0);
  if (isLoss) return knownGb === 0 ? [] : [[{text: `${formatGigabytes(knownGb)} ${WILL_BE} lost.`, tone: 'danger'}]];
  const isWhole = machines.every(({flavor}) => flavor?.ephemeralDiskGb !== undefined);
  if (knownGb === 0) {
    const whose = machines.length === 1 ? 'Its ephemeral disk' : 'Ephemeral disks';
    return isWhole ? [] : [[{text: `${whose}, if any, will be empty.`, tone: 'warning'}]];
  }
  const text = `${isWhole ? '' : 'At least '}${formatGigabytes(knownGb)} ${WILL_BE} empty.`;
  return [[{text, tone: 'warning'}]];
}

const WILL_BE = 'of ephemeral disk will be';

function stockLines(machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
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

/** Whether the machine's flavor is available in its region now; undefined if unknown, or if the service says both. */
export function stockOf(machine: VirtualMachine, {store}: AssessmentInput): boolean | undefined {
  const offered = offeredFlavor(machine, {store});
  if (offered === undefined) return undefined;
  const available = availability(offered, lastValue(store.get(stocksFeed))?.records ?? []);
  return available === 'available' ? true : available === 'none' ? false : undefined;
}

/** The machine's flavor as its region offers it; undefined if it is no longer offered, or not read yet. */
export function offeredFlavor(
  {flavor, regionName}: VirtualMachine,
  {store}: Pick<AssessmentInput, 'store'>,
): Flavor | undefined {
  return lastValue(store.get(flavorsFeed))?.records.find(
    candidate => candidate.name === flavor?.name && (regionName === undefined || candidate.regionName === regionName),
  );
}

function hibernationLines({flavor}: VirtualMachine): readonly Line[] {
  if (flavor?.gpuCount !== 0) return [];
  return [[{text: 'The service usually refuses to hibernate machines without a GPU.', tone: 'warning'}]];
}

/** A person who stops a machine to save money probably means hibernate. */
function cheaperChoice(
  {cheaper}: PowerTransition,
  machine: VirtualMachine,
  known: AssessmentInput,
): readonly Alternative[] {
  if (cheaper === undefined || cannotHibernate(machine)) return [];
  const action = cheaper.action(machine.id);
  const change = powerCostChange(action, cheaper.transition, machine, known);
  const {after, savings, savingIsUncertain, furtherSavings} = change;
  const saves = safeText(formatSavings(savings, savingIsUncertain, furtherSavings));
  const title = () => say`hibernate instead: ${safeText(formatAfter(after, furtherSavings))}, ${saves}`;
  return [{key: 'tab', candidates: [{action, subject: machine, reason: undefined}], title}];
}

/** The price and the catch, in the few words a menu has: of one machine, or of several together. */
export function powerConsequence(
  transition: PowerTransition,
  parameters: ActionParameters,
  machines: readonly VirtualMachine[],
  known: AssessmentInput,
): string {
  const refusals = machines.flatMap(machine => expectedRefusal(transition, machine) ?? []);
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === machines.length) return refusal;
  const able = machines.filter(machine => expectedRefusal(transition, machine) === undefined);
  const changes = able.map(machine => powerCostChange(parameters, transition, machine, known, machines));
  const savings = totalOf(changes.map(change => change.savings));
  const after = totalOf(changes.map(change => change.after));
  if (savings === undefined) return 'cost not known';
  const further = totalFurther(changes);
  const saves = formatSavings(
    savings,
    changes.some(({savingIsUncertain}) => savingIsUncertain),
    further,
  );
  const change = `${formatRate(totalOf(changes.map(({before}) => before)))} to ${formatAfter(after, further)}`;
  if (transition.target === 'SHUTOFF') {
    if (isPositive(savings)) return saves;
    if (isNegative(savings)) return change;
    // For several it leaves room for the next action, which saves something.
    return `${machines.length === 1 ? 'SHUTOFF, ' : ''}still ${formatRate(after)}`;
  }
  if (!releasesHardware(transition))
    return savings.numerator === 0n && further === undefined ? 'no change in cost' : change;
  const lostCount = able.filter(machine => losesAddress(parameters, machine)).length;
  const lost = lostCount === 0 ? '' : `, ${machines.length === 1 ? 'IP lost' : `${lostCount} IPs lost`}`;
  return `${saves}${lost}${refusal === undefined ? '' : `; ${refusals.length} ${refusal}`}`;
}

/** Undefined if any of them is: a sum of some would look like that of all. */
function totalOf(rates: readonly (Rate | undefined)[]): Rate | undefined {
  const known = rates.flatMap(rate => rate ?? []);
  return known.length < rates.length ? undefined : sumRates(known);
}
