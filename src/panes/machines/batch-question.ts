import {type Act, isPowerAct, type PowerAct} from '../../domain/act.ts';
import {assert} from '../../domain/assert.ts';
import {actEffect} from '../../domain/cost.ts';
import {type Rate, subtractRates, sumRates} from '../../domain/money.ts';
import {nameRemarks, type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {requestOf} from '../../state/act-requests.ts';
import type {PlanStep} from '../../state/plan.ts';
import {formatCounted, formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Question} from '../command.ts';
import type {Scene} from '../pane.ts';
import {STOPPING_SAVES_NOTHING, stoppingSavesNothing} from './power-question.ts';
import {activityOf, presentRate} from './rows.ts';

/** A machine of the batch with its act, or the reason why the batch passes it over. */
export type BatchItem = {readonly machine: VirtualMachine; readonly act: Act; readonly reason: SafeText | undefined};

/** What a list of machines may take of the dialog; the rest is counted. */
const OTHER_ROWS = 16;

/**
 * What is asked before the same is done to many: each call, the money of all, what deserves care, and whom it passes
 * over. It is answered by the verb and the count, so that nobody confirms another number than was read.
 */
export function batchQuestion(verb: SafeText, items: readonly BatchItem[], scene: Scene): Question | undefined {
  const sent = items.filter(({reason}) => reason === undefined);
  const passed = items.filter(({reason}) => reason !== undefined);
  const [first, ...rest] = sent.map(stepOf);
  if (first === undefined) return undefined;
  const care = careLines(sent, passed, scene);
  return {
    title: say`${verb} ${sent.length} machines`,
    facts: [
      {label: 'What happens', lines: callLines(sent, scene)},
      {label: 'What it costs', lines: [costLine(sent, scene)]},
      ...(care.length === 0 ? [] : [{label: 'Needs care', lines: care}]),
      {
        label: 'Calls',
        lines: [
          [{text: `${sent.length}, one after the other; it stops at the first whose outcome is unknown`, tone: 'dim'}],
        ],
      },
    ],
    answer: {kind: 'text', what: 'words', expected: say`${verb} ${sent.length}`},
    alternatives: [],
    steps: [first, ...rest],
    mode: 'batch',
  };
}

/** Why a batch has nothing to do: the first machine's reason stands for all. */
export function batchReason(items: readonly BatchItem[]): SafeText | undefined {
  if (items.length === 0) return say`there is no machine under the cursor`;
  return items.some(({reason}) => reason === undefined) ? undefined : items[0]?.reason;
}

function stepOf({machine, act}: BatchItem): PlanStep {
  return {act, subjectName: machine.name, status: machine.status};
}

function callLines(sent: readonly BatchItem[], scene: Scene): readonly Line[] {
  const room = Math.max(2, scene.size.rows - OTHER_ROWS);
  const shown = sent.length <= room ? sent : sent.slice(0, room - 1);
  const lines = shown.map(({machine, act}): Line => {
    const {method, path} = requestOf(act);
    return [
      {text: `${machine.name} #${machine.id} `, tone: 'strong'},
      {text: `${machine.statusText}  ${method} ${path.replace(/^.*(?=\/\d+)/, '…')}`, tone: 'dim'},
    ];
  });
  const hidden = sent.length - shown.length;
  return hidden === 0
    ? lines
    : [...lines, [{text: `and ${hidden} more; D, then this act, lists every call`, tone: 'dim'}]];
}

function costLine(sent: readonly BatchItem[], scene: Scene): Line {
  const changes = sent.map(({machine, act}) => changeOf(act, machine, scene));
  const known = changes.filter(change => change !== undefined);
  const unknown = changes.length - known.length;
  if (known.length === 0) return [{text: 'What it changes is not known.', tone: 'warning'}];
  const before = sumRates(known.map(change => change.before));
  const after = sumRates(known.map(change => change.after));
  return [
    {text: `now ${formatRate(before)}  after ${formatRate(after)}`, tone: 'money'},
    {text: `  (${formatSavings(subtractRates(before, after))})`, tone: 'dim'},
    {text: unknown === 0 ? '' : `  without ${formatCounted(unknown, 'machine')} of unknown price`, tone: 'warning'},
  ];
}

function changeOf(act: Act, machine: VirtualMachine, scene: Scene): {before: Rate; after: Rate} | undefined {
  const rate = presentRate(scene, machine.id);
  if (act.kind === 'vm.delete') return rate === undefined ? undefined : {before: rate, after: sumRates([])};
  const {before, after} = actEffect(powerAct(act), machine, rate, scene.preferences.prices);
  return before === undefined || after === undefined ? undefined : {before, after};
}

function careLines(sent: readonly BatchItem[], passed: readonly BatchItem[], scene: Scene): readonly Line[] {
  const interrupts = sent.filter(({act}) => act.kind !== 'vm.start' && act.kind !== 'vm.restore');
  const working = interrupts.filter(({machine}) => activityOf(scene, machine)?.isWorking === 'yes');
  const odd = sent.filter(({machine}) => nameRemarks(machine.name).length > 0);
  const lost = sent.filter(({act}) => act.kind === 'vm.hibernate' || act.kind === 'vm.delete');
  const ephemeralGb = lost.reduce((sum, {machine}) => sum + (machine.flavor?.ephemeralDiskGb ?? 0), 0);
  const addresses = sent.filter(({machine, act}) => losesAddress(act, machine));
  return [
    ...(working.length === 0
      ? []
      : [warning(`${namesOf(working)} ${working.length === 1 ? 'is' : 'are'} WORKING right now.`)]),
    ...(odd.length === 0 ? [] : [warning(`${namesOf(odd)}: ${ODD_NAMES}`)]),
    ...(ephemeralGb === 0 ? [] : [warning(`${formatGigabytes(ephemeralGb)} of ephemeral disk are lost.`)]),
    ...(addresses.length === 0 ? [] : [warning(`The addresses of ${namesOf(addresses)} are given away for ever.`)]),
    ...(sent.some(({act}) => act.kind === 'vm.delete')
      ? [warning('There is no copy; volumes stay and stay billed.')]
      : []),
    ...(sent[0]?.act.kind === 'vm.stop' && stoppingSavesNothing(scene) ? [warning(STOPPING_SAVES_NOTHING)] : []),
    ...passed
      .slice(0, MAX_PASSED)
      .map(({machine, reason}): Line => [{text: `passed over: ${machine.name}: ${reason}`}]),
    ...(passed.length > MAX_PASSED ? [[{text: `and ${passed.length - MAX_PASSED} more are passed over`}]] : []),
  ];
}

const ODD_NAMES = 'hidden characters or alphabets that look alike are in the name; compare the ids.';
const MAX_PASSED = 3;
const MAX_NAMES = 4;

function warning(text: string): Line {
  return [{text, tone: 'danger'}];
}

function losesAddress(act: Act, {floatingIp}: VirtualMachine): boolean {
  if (floatingIp === undefined) return false;
  return act.kind === 'vm.delete' || (act.kind === 'vm.hibernate' && !act.retainsIp);
}

function namesOf(items: readonly BatchItem[]): string {
  const names = items.slice(0, MAX_NAMES).map(({machine}) => machine.name);
  const more = items.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

/** A batch is of power acts or of deletions. */
function powerAct(act: Act): PowerAct {
  assert(isPowerAct(act), 'a batch of acts that are neither power nor deletion');
  return act;
}
