import type {Action} from '../../domain/action.ts';
import {type CostChange, currentRate} from '../../domain/cost.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {isNegative, isPositive, subtractRates, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {formatCounted, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Alternative, ManyAssessment, Wording} from '../assessment.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {presentRate} from '../assessment-input.ts';
import {someNames} from '../some-names.ts';
import {losesAddress, STOPPING_SAVES_NOTHING, stoppingSavesNothing} from './assess-power.ts';
import {type MachineCandidate, manyWarnings} from './many-warnings.ts';
import {powerCostChange, type WayOf} from './power-ways.ts';
import {allRemainingVolumeLines} from './remaining-volumes.ts';

/** What switching or deleting several machines means: the money of all, and what a person must know first. */
export function assessManyMachines(
  sent: readonly MachineCandidate[],
  known: AssessmentInput,
  wording: Wording,
  wayOf: WayOf,
): ManyAssessment {
  const losesAny = sent.some(({action, subject}) => losesAddress(action, subject));
  return {
    ...(losesAny && sent[0]?.action.kind === 'vm.hibernate' ? {verb: say`hibernate, drop IP`} : {}),
    costs: costLines(sent, known, wording, wayOf),
    warnings: manyWarnings(sent, known, wording, wayOf),
    undo: undoText(sent, wayOf),
    alternatives: cheaperChoice(sent, known, wayOf),
  };
}

function costLines(
  sent: readonly MachineCandidate[],
  known: AssessmentInput,
  wording: Wording,
  wayOf: WayOf,
): readonly Line[] {
  const machines = sent.map(({subject: machine}) => machine);
  const volumes = allRemainingVolumeLines(machines, known, wording);
  const keepsVolumesInSight = sent.some(({action}) => wayOf(action)?.isReboot !== true && action.kind !== 'vm.start');
  return [
    ...stopLines(sent, known, wayOf),
    ...changeLines(sent, known, wording, wayOf),
    ...(keepsVolumesInSight ? volumes : []),
    ...newAddressLines(sent, known),
  ];
}

function changeLines(
  sent: readonly MachineCandidate[],
  known: AssessmentInput,
  wording: Wording,
  wayOf: WayOf,
): readonly Line[] {
  const effects = sent.map(item => effectOf(item, known, wayOf));
  const {before, after, savings, isUncertain, unknownCount} = totalOf(effects);
  if (before === undefined) return [[{text: 'Its effect on cost is unknown.', tone: 'warning'}]];
  const listedCount = effects.filter(({savings: each, isListPrice}) => each !== undefined && isListPrice).length;
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

/** The sums over what is known; nothing where nothing is. */
function totalOf(effects: readonly CostChange[]) {
  const known = effects.filter(({savings}) => savings !== undefined);
  const unknownCount = effects.length - known.length;
  if (known.length === 0) {
    return {before: undefined, after: undefined, savings: undefined, isUncertain: false, unknownCount};
  }
  const before = sumRates(known.map(effect => effect.before ?? ZERO_RATE));
  const after = sumRates(known.map(effect => effect.after ?? ZERO_RATE));
  const isUncertain = known.some(
    ({savings, savingIsUncertain}) => savingIsUncertain && savings !== undefined && isPositive(savings),
  );
  return {before, after, savings: subtractRates(before, after), isUncertain, unknownCount};
}

function effectOf({subject: machine, action}: MachineCandidate, known: AssessmentInput, wayOf: WayOf): CostChange {
  const way = wayOf(action);
  if (way !== undefined) return powerCostChange(action, way, machine, known);
  const {rate, isListPrice} = currentRate(machine, presentRate(known, machine.id), known.preferences.prices);
  const savingIsUncertain = machine.contractId !== undefined;
  return {before: rate, after: ZERO_RATE, savings: rate, savingIsUncertain, isListPrice};
}

/** What stopping does to the bill depends on what the present state is billed. */
function stopLines(sent: readonly MachineCandidate[], known: AssessmentInput, wayOf: WayOf): readonly Line[] {
  const stops = sent.filter(({action}) => action.kind === 'vm.stop');
  const dearer = stops.filter(item => {
    const {savings} = effectOf(item, known, wayOf);
    return savings !== undefined && isNegative(savings);
  });
  const isAnyFull = stops.some(
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
  const count = sent.filter(
    ({action, subject: machine}) => action.kind === 'vm.restore' && machine.floatingIp === undefined,
  ).length;
  if (count === 0) return [];
  const each = formatRate(preferences.prices.publicIp);
  return [[{text: `${count} may be given a new public address, billed at ${each} each.`, tone: 'warning'}]];
}

function undoText(sent: readonly MachineCandidate[], wayOf: WayOf): string {
  const [first] = sent;
  const way = first === undefined ? undefined : wayOf(first.action);
  if (way === undefined) return 'none: there is no copy of them';
  return way.undo(sent.some(({action, subject}) => losesAddress(action, subject))).many;
}

/** Someone who stops machines to save money meant to hibernate them. */
function cheaperChoice(
  sent: readonly MachineCandidate[],
  known: AssessmentInput,
  wayOf: WayOf,
): readonly Alternative[] {
  if (sent[0]?.action.kind !== 'vm.stop') return [];
  const candidates = sent.map(({subject}): MachineCandidate => {
    return {action: {kind: 'vm.hibernate', id: subject.id, retainsIp: true}, subject, reason: undefined};
  });
  const title = (able: readonly Action[]) => {
    const hibernated = candidates.filter(({action}) => able.includes(action));
    const {after, savings, isUncertain} = totalOf(hibernated.map(each => effectOf(each, known, wayOf)));
    const which = able.length === sent.length ? say`${able.length}` : say`${able.length} of ${sent.length}`;
    const effect = say`${safeText(formatRate(after))}, ${safeText(formatSavings(savings, isUncertain))}`;
    return say`hibernate ${which} instead: ${effect}`;
  };
  return [{key: 'tab', candidates, title}];
}
