import type {Action} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import {billingInStatus, type CostChange, currentRate} from '../../domain/cost.ts';
import {isNegative, isPositive, subtractRates, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {PlanStep} from '../../state/plan.ts';
import {formatCounted, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {callOf} from '../actions.ts';
import type {Known} from '../known.ts';
import {presentRate} from '../known.ts';
import {isPowerAction, type PowerAction, powerCostChange} from '../machine-power.ts';
import type {Fact, Question} from '../question.ts';
import {someNames} from '../some-names.ts';
import {type BatchItem, careLines, losesAddress, passedLines, type Wording} from './batch-care.ts';
import {STOPPING_SAVES_NOTHING, stoppingSavesNothing} from './power-question.ts';
import {disabledReasonOf} from './power-reason.ts';
import {allRemainingVolumeLines} from './remaining-volumes.ts';

/** More calls than any terminal has rows are counted. */
const MAX_LISTED = 60;
/** With so many calls in sight the rest of the question keeps its names. */
const ENOUGH_LISTED = 4;

/** How much of the question is told in full. */
type Detail = {readonly listed: number; readonly wording: Wording; readonly isPassedCounted: boolean};

/**
 * What is asked before the same is done to many: each call, the money of all, what deserves care, and whom it passes
 * over. It is answered by the verb and the count, so that nobody confirms another number than was read.
 */
export function batchQuestion(verb: SafeText, items: readonly BatchItem[], scene: Known): Question | undefined {
  const sent = items.filter(({reason}) => reason === undefined);
  const passed = items.filter(({reason}) => reason !== undefined);
  const [first, ...rest] = sent.map(stepOf);
  if (first === undefined) return undefined;
  const [facts = [], ...shorterFacts] = factsByLength(sent, passed, scene);
  return {
    title: say`${verb} ${sent.length} machines`,
    facts,
    shorterFacts,
    answer: {kind: 'text', what: 'words', expected: say`${verb} ${sent.length}`},
    alternatives: cheaperChoice(sent, scene),
    steps: [first, ...rest],
    mode: 'batch',
  };
}

/** Why a batch has nothing to do: the first machine's reason stands for all. */
export function batchReason(items: readonly BatchItem[]): SafeText | undefined {
  if (items.length === 0) return say`there is no machine under the cursor`;
  return items.some(({reason}) => reason === undefined) ? undefined : items[0]?.reason;
}

function stepOf({machine, action}: BatchItem): PlanStep {
  return {action, subjectName: machine.name, status: machine.status};
}

/** The whole question first, then with less and less, down to what has room in 80×24. */
function factsByLength(
  sent: readonly BatchItem[],
  passed: readonly BatchItem[],
  scene: Known,
): readonly (readonly Fact[])[] {
  const all = Math.min(sent.length, MAX_LISTED);
  const enough = Math.min(all, ENOUGH_LISTED);
  const stages: readonly (Omit<Detail, 'listed'> & {readonly least: number})[] = [
    {wording: 'long', isPassedCounted: false, least: enough},
    {wording: 'long', isPassedCounted: true, least: enough},
    {wording: 'short', isPassedCounted: true, least: 1},
  ];
  return stages.flatMap(({least, ...stage}) => {
    const told = toldOf(sent, passed, scene, stage);
    return countdown(all, least).map(listed => [{label: 'What happens', lines: callLines(sent, listed)}, ...told]);
  });
}

function countdown(from: number, to: number): readonly number[] {
  return Array.from({length: from - to + 1}, (_, index) => from - index);
}

/** All but the list of calls. */
function toldOf(
  sent: readonly BatchItem[],
  passed: readonly BatchItem[],
  scene: Known,
  {wording, isPassedCounted}: Omit<Detail, 'listed'>,
): readonly Fact[] {
  const care = [...careLines(sent, scene, wording), ...passedLines(passed, isPassedCounted)];
  const isWarning = care.some(line => line.some(({tone}) => tone === 'danger' || tone === 'warning'));
  const end = wording === 'short' ? 'none repeated' : 'it stops at the first whose outcome is unknown';
  return [
    {label: 'What it costs', lines: costLines(sent, scene, wording)},
    ...(care.length === 0 ? [] : [{label: isWarning ? 'Needs care' : 'Right now', lines: care}]),
    {label: 'Calls', lines: [[{text: `${sent.length}, one after the other; ${end}`, tone: 'dim'}]]},
    {label: 'Undo', lines: [[{text: undoText(sent)}]]},
  ];
}

function callLines(sent: readonly BatchItem[], listed: number): readonly Line[] {
  const shown = sent.length <= listed ? sent : sent.slice(0, listed - 1);
  const lines = shown.map(({machine, action}): Line => {
    const {method, path} = callOf(action);
    return [
      {text: `${machine.name} #${machine.id} `, tone: 'strong'},
      {text: `${machine.statusText}  ${method} ${path.replace(/^.*(?=\/\d+)/, '…')}`, tone: 'dim'},
    ];
  });
  const hidden = sent.length - shown.length;
  if (hidden === 0) return lines;
  const which = shown.length === 0 ? `${hidden} calls` : `and ${hidden} more`;
  return [...lines, [{text: `${which}; D, then this action, lists every call`, tone: 'dim'}]];
}

function costLines(sent: readonly BatchItem[], scene: Known, wording: Wording): readonly Line[] {
  const machines = sent.map(({machine}) => machine);
  const volumes = allRemainingVolumeLines(machines, scene, wording);
  const keepsVolumesInSight = sent.some(({action}) => action.kind !== 'vm.hard-reboot' && action.kind !== 'vm.start');
  return [
    ...stopLines(sent, scene),
    ...changeLines(sent, scene, wording),
    ...(keepsVolumesInSight ? volumes : []),
    ...newAddressLines(sent, scene),
  ];
}

function changeLines(sent: readonly BatchItem[], scene: Known, wording: Wording): readonly Line[] {
  const effects = sent.map(item => effectOf(item, scene));
  const {before, after, savings, isUncertain, unknownCount} = totalOf(effects);
  if (before === undefined) return [[{text: 'What it changes is not known.', tone: 'warning'}]];
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

function effectOf({machine, action}: BatchItem, scene: Known): CostChange {
  const {prices} = scene.preferences;
  const metered = presentRate(scene, machine.id);
  if (action.kind !== 'vm.delete') return powerCostChange(powerAction(action), machine, metered, prices);
  const {rate, isListPrice} = currentRate(machine, metered, prices);
  const savingIsUncertain = machine.contractId !== undefined;
  return {before: rate, after: ZERO_RATE, savings: rate, savingIsUncertain, isListPrice};
}

/** What stopping does to the bill depends on what the present state is billed. */
function stopLines(sent: readonly BatchItem[], scene: Known): readonly Line[] {
  const stops = sent.filter(({action}) => action.kind === 'vm.stop');
  const dearer = stops.filter(item => {
    const {savings} = effectOf(item, scene);
    return savings !== undefined && isNegative(savings);
  });
  const isAnyFull = stops.some(({machine}) => billingInStatus(machine.status, scene.preferences.prices) === 'full');
  const names = someNames(dearer.map(({machine}) => machine));
  return [
    ...(isAnyFull && stoppingSavesNothing(scene) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'} as const]] : []),
    ...(dearer.length === 0
      ? []
      : [[{text: `Stopping makes dearer what is not billed in full now: ${names}`, tone: 'warning'} as const]]),
  ];
}

function newAddressLines(sent: readonly BatchItem[], {preferences}: Known): readonly Line[] {
  const count = sent.filter(
    ({action, machine}) => action.kind === 'vm.restore' && machine.floatingIp === undefined,
  ).length;
  if (count === 0) return [];
  const each = formatRate(preferences.prices.publicIp);
  return [[{text: `${count} may be given a new public address, billed at ${each} each.`, tone: 'warning'}]];
}

function undoText(sent: readonly BatchItem[]): string {
  switch (sent[0]?.action.kind) {
    case 'vm.start':
      return 'stop them again (p x)';
    case 'vm.stop':
      return 'start them again (p s)';
    case 'vm.hibernate':
      return sent.some(({action, machine}) => losesAddress(action, machine))
        ? 'restore them (p u), while in stock; other addresses are given then'
        : 'restore them (p u), while their flavors are in stock';
    case 'vm.restore':
      return 'hibernate them again (p h)';
    case 'vm.delete':
      return 'none: there is no copy of them';
    default:
      return 'none';
  }
}

/** Someone who stops machines to save money meant to hibernate them. */
function cheaperChoice(sent: readonly BatchItem[], scene: Known): Question['alternatives'] {
  if (sent[0]?.action.kind !== 'vm.stop') return [];
  const items = sent.map(({machine}): BatchItem => {
    const action: PowerAction = {kind: 'vm.hibernate', id: machine.id, retainsIp: true};
    return {machine, action, reason: disabledReasonOf(action, machine, scene)};
  });
  const question = batchQuestion(say`hibernate`, items, scene);
  if (question === undefined) return [];
  const able = items.filter(({reason}) => reason === undefined);
  const {after, savings, isUncertain} = totalOf(able.map(item => effectOf(item, scene)));
  const which = able.length === sent.length ? say`${able.length}` : say`${able.length} of ${sent.length}`;
  const effect = say`${safeText(formatRate(after))}, ${safeText(formatSavings(savings, isUncertain))}`;
  return [{key: 'tab', title: say`hibernate ${which} instead: ${effect}`, question}];
}

/** A batch is of power actions or of deletions. */
function powerAction(action: Action): PowerAction {
  assert(isPowerAction(action), 'a batch of actions that are neither power nor deletion');
  return action;
}
