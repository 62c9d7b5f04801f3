import type {Action} from '../../domain/action.ts';
import type {CostChange} from '../../domain/cost.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {isNegative, isPositive, subtractRates, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {formatCounted, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Alternative, ManyAssessment, Wording} from '../assessment.ts';
import {type AssessmentInput, costNow} from '../assessment-input.ts';
import {someNames} from '../names.ts';
import {nextLines, STOPPING_SAVES_NOTHING, stoppingSavesNothing} from './assess-power.ts';
import {isAddressLost, type MachineCandidate, manyWarnings} from './many-warnings.ts';
import {type PowerTransition, powerCostChange, restoresHardware} from './power-transition.ts';
import {allRemainingVolumeLines} from './remaining-volumes.ts';

/** Several machines that the same action switches or deletes. */
export type ManyMachines = {
  readonly sent: readonly MachineCandidate[];
  /** Absent for a deletion. */
  readonly transition: PowerTransition | undefined;
};

/** What switching or deleting several machines means: the total cost, and what a person must know first. */
export function assessManyMachines(many: ManyMachines, known: AssessmentInput, wording: Wording): ManyAssessment {
  const {transition} = many;
  const losesAny = many.sent.some(each => isAddressLost(each, transition));
  return {
    ...(transition !== undefined && losesAny ? {verb: say`hibernate, drop IP`} : {}),
    costs: costLines(many, known, wording),
    warnings: manyWarnings(many, known, wording),
    undo: transition === undefined ? 'none: there is no copy of them' : transition.undo(losesAny).many,
    alternatives: cheaperChoice(many, known),
  };
}

function costLines(many: ManyMachines, known: AssessmentInput, wording: Wording): readonly Line[] {
  const {sent, transition} = many;
  const machines = sent.map(({subject: machine}) => machine);
  // Start and reboot do not change the bill.
  const changesBill = transition?.target !== 'ACTIVE' || restoresHardware(transition);
  return [
    ...(transition?.target === 'SHUTOFF' ? stopLines(sent, transition, known) : []),
    ...changeLines(many, known, wording),
    ...(transition === undefined ? [] : nextLines(machines, transition, known)),
    ...(changesBill ? allRemainingVolumeLines(machines, known, wording) : []),
    ...(transition !== undefined && restoresHardware(transition) ? newAddressLines(sent, known) : []),
  ];
}

function changeLines({sent, transition}: ManyMachines, known: AssessmentInput, wording: Wording): readonly Line[] {
  const changes = sent.map(each => changeOf(each, transition, known));
  const {before, after, savings, isUncertain, unknownCount} = totalOf(changes);
  if (before === undefined) return [[{text: 'Its effect on cost is unknown.', tone: 'warning'}]];
  const listedCount = changes.filter(({savings: each, isListPrice}) => each !== undefined && isListPrice).length;
  return [
    [
      {text: `now ${formatRate(before)}  after ${formatRate(after)}`, tone: 'money'},
      {text: `  (${formatSavings(savings, isUncertain)})`, tone: 'dim'},
      {
        text: unknownCount === 0 ? '' : `  without ${formatCounted(unknownCount, 'machine')} of unknown price`,
        tone: 'warning',
      },
    ],
    ...(listedCount === 0 || wording === 'short'
      ? []
      : [[{text: `The full rate of ${listedCount} is a published price, not metered.`, tone: 'dim'} as const]]),
  ];
}

/** Totals of what is known; nothing if nothing is. */
function totalOf(changes: readonly CostChange[]) {
  const known = changes.filter(({savings}) => savings !== undefined);
  const unknownCount = changes.length - known.length;
  if (known.length === 0) {
    return {before: undefined, after: undefined, savings: undefined, isUncertain: false, unknownCount};
  }
  const before = sumRates(known.map(change => change.before ?? ZERO_RATE));
  const after = sumRates(known.map(change => change.after ?? ZERO_RATE));
  const isUncertain = known.some(
    ({savings, savingIsUncertain}) => savingIsUncertain && savings !== undefined && isPositive(savings),
  );
  return {before, after, savings: subtractRates(before, after), isUncertain, unknownCount};
}

function changeOf(
  {subject: machine, action}: MachineCandidate,
  transition: PowerTransition | undefined,
  known: AssessmentInput,
): CostChange {
  if (transition !== undefined) return powerCostChange(action, transition, machine, known);
  const {rate, isListPrice} = costNow(machine, known);
  const savingIsUncertain = machine.contractId !== undefined;
  return {before: rate, after: ZERO_RATE, savings: rate, savingIsUncertain, isListPrice};
}

/** How stopping changes the bill depends on how the present state is billed. */
function stopLines(
  sent: readonly MachineCandidate[],
  transition: PowerTransition,
  known: AssessmentInput,
): readonly Line[] {
  const dearer = sent.filter(each => {
    const {savings} = changeOf(each, transition, known);
    return savings !== undefined && isNegative(savings);
  });
  const isAnyFull = sent.some(
    ({subject: machine}) => billingInStatus(machine.status, known.preferences.prices) === 'full',
  );
  const names = someNames(dearer.map(({subject: machine}) => machine));
  return [
    ...(isAnyFull && stoppingSavesNothing(known) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'} as const]] : []),
    ...(dearer.length === 0
      ? []
      : [
          [
            {
              text: `Stopping costs more for machines that are not billed in full now: ${names}`,
              tone: 'warning',
            } as const,
          ],
        ]),
  ];
}

function newAddressLines(sent: readonly MachineCandidate[], {preferences}: AssessmentInput): readonly Line[] {
  const count = sent.filter(({subject: machine}) => machine.floatingIp === undefined).length;
  if (count === 0) return [];
  const each = formatRate(preferences.prices.publicIp);
  return [[{text: `${count} may be given a new public address, billed at ${each} each.`, tone: 'warning'}]];
}

/** A person who stops machines to save money probably means hibernate. */
function cheaperChoice({sent, transition}: ManyMachines, known: AssessmentInput): readonly Alternative[] {
  const cheaper = transition?.cheaper;
  if (cheaper === undefined) return [];
  const candidates = sent.map(
    ({subject}): MachineCandidate => ({action: cheaper.action(subject.id), subject, reason: undefined}),
  );
  const title = (able: readonly Action[]) => {
    const hibernated = candidates.filter(({action}) => able.includes(action));
    const {after, savings, isUncertain} = totalOf(hibernated.map(each => changeOf(each, cheaper.transition, known)));
    const which = able.length === sent.length ? say`${able.length}` : say`${able.length} of ${sent.length}`;
    const cost = say`${safeText(formatRate(after))}, ${safeText(formatSavings(savings, isUncertain))}`;
    return say`hibernate ${which} instead: ${cost}`;
  };
  return [{key: 'tab', candidates, title}];
}
