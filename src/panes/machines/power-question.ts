import type {PowerAct} from '../../domain/act.ts';
import {unreachable} from '../../domain/assert.ts';
import {type ActEffect, actEffect, billingInStatus} from '../../domain/cost.ts';
import {verbOf} from '../../domain/describe-operation.ts';
import {isPositive} from '../../domain/money.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed} from '../../state/feeds.ts';
import {formatGigabytes, formatPercent, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {callsFact} from '../act-question.ts';
import {type Fact, type Question, typedAnswer} from '../command.ts';
import {nameLines} from '../name-lines.ts';
import type {Scene} from '../pane.ts';
import {disabledReasonOf} from './power-reason.ts';
import {activityOf, presentRate} from './rows.ts';

/** What is asked before a power operation is sent: what happens, what it costs, what could be lost. */
export function powerQuestion(act: PowerAct, machine: VirtualMachine, scene: Scene): Question {
  const effect = actEffect(act, machine, presentRate(scene, machine.id), scene.preferences.prices);
  const isWorking = interruptsWork(act, machine, scene);
  const losesAddress = act.kind === 'vm.hibernate' && !act.retainsIp && machine.floatingIp !== undefined;
  return {
    title: say`${verbOf(act.kind)} ${machine.name}  #${machine.id}`,
    facts: [
      {label: 'What happens', lines: [[{text: happening(act, machine)}]]},
      {label: 'What it costs', lines: costLines(act, effect, scene)},
      ...careFacts(act, machine, scene),
      callsFact([act]),
      {label: 'Undo', lines: [[{text: undoText(act)}]]},
    ],
    answer: isWorking || losesAddress ? typedAnswer(machine.name, machine.id) : {kind: 'key'},
    alternatives: cheaperChoice(act, machine, scene),
    steps: [{act, subjectName: machine.name, status: machine.status}],
  };
}

function happening(act: PowerAct, machine: VirtualMachine): string {
  switch (act.kind) {
    case 'vm.start':
      return 'It boots and becomes ACTIVE. Disks and addresses are as they were.';
    case 'vm.stop':
      return 'It shuts down and becomes SHUTOFF. Disks and addresses stay.';
    case 'vm.hard-reboot':
      return 'The power is cut and it boots again; what was not written to disk is lost.';
    case 'vm.hibernate':
      return machine.floatingIp === undefined || act.retainsIp
        ? 'It becomes HIBERNATED and gives its hardware back. Root disk and addresses stay.'
        : `It becomes HIBERNATED; its address ${machine.floatingIp} is given away for ever.`;
    case 'vm.restore':
      return 'It becomes ACTIVE again, if the service has its hardware free.';
    default:
      return unreachable(act);
  }
}

export const STOPPING_SAVES_NOTHING = 'SHUTOFF is billed like ACTIVE: stopping saves nothing.';

/** So it is documented; a person's settings may know otherwise. */
export function stoppingSavesNothing({preferences: {prices}}: Pick<Scene, 'preferences'>): boolean {
  return billingInStatus('SHUTOFF', prices) === billingInStatus('ACTIVE', prices);
}

function costLines(act: PowerAct, effect: ActEffect, scene: Scene): readonly Line[] {
  const change: Line = [
    {text: `now ${formatRate(effect.before)}`, tone: 'money'},
    {text: `  after ${formatRate(effect.after)}`, tone: 'money'},
    {text: `  (${formatSavings(effect.savings)})`, tone: 'dim'},
  ];
  return [
    ...(act.kind === 'vm.stop' && stoppingSavesNothing(scene)
      ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'} as const]]
      : []),
    change,
    ...(effect.isListPrice
      ? [[{text: 'The full rate is a published price, not one that was metered.', tone: 'dim'} as const]]
      : []),
    ...(effect.savingIsUncertain && effect.savings !== undefined && isPositive(effect.savings)
      ? [[{text: 'It is under a contract: the saving is anything from $0 to that.', tone: 'warning'} as const]]
      : []),
  ];
}

/** Everything that makes the act risky now; no fact where there is nothing to say. */
function careFacts(act: PowerAct, machine: VirtualMachine, scene: Scene): readonly Fact[] {
  const lines = [
    ...workLines(act, machine, scene),
    ...diskLines(act, machine),
    ...stockLines(act, machine, scene),
    ...hibernationLines(act, machine),
    ...nameLines(machine.name),
  ];
  const isWarning = lines.some(line => line.some(({tone}) => tone === 'danger' || tone === 'warning'));
  return lines.length === 0 ? [] : [{label: isWarning ? 'Needs care' : 'Right now', lines}];
}

function isInterrupting(act: PowerAct): boolean {
  return act.kind !== 'vm.start' && act.kind !== 'vm.restore';
}

function interruptsWork(act: PowerAct, machine: VirtualMachine, scene: Scene): boolean {
  return isInterrupting(act) && activityOf(scene, machine)?.isWorking === 'yes';
}

function workLines(act: PowerAct, machine: VirtualMachine, scene: Scene): readonly Line[] {
  if (!isInterrupting(act) || machine.status !== 'ACTIVE') return [];
  const activity = activityOf(scene, machine);
  if (activity === undefined || activity.isWorking === 'unknown') {
    return [[{text: 'Whether it is working right now is unknown: no metrics yet.', tone: 'warning'}]];
  }
  const cpu = `cpu ${formatPercent(activity.cpu.latest)}, memory ${formatPercent(activity.memory.latest)}`;
  return activity.isWorking === 'yes'
    ? [[{text: `It is WORKING right now: ${cpu}.`, tone: 'danger'}]]
    : [[{text: `It is quiet: ${cpu}. The interface tells nothing of the GPU.`}]];
}

function diskLines(act: PowerAct, machine: VirtualMachine): readonly Line[] {
  const ephemeralGb = machine.flavor?.ephemeralDiskGb ?? 0;
  if (act.kind !== 'vm.hibernate' || ephemeralGb === 0) return [];
  return [[{text: `${formatGigabytes(ephemeralGb)} of ephemeral disk are lost.`, tone: 'danger'}]];
}

/** Giving hardware back is only as good as the chance to get it again. */
function stockLines(act: PowerAct, machine: VirtualMachine, scene: Scene): readonly Line[] {
  if (act.kind !== 'vm.hibernate' && act.kind !== 'vm.restore') return [];
  const {flavor, regionName} = machine;
  const name = flavor?.name ?? say`its flavor`;
  const offered = lastValue(scene.store.get(flavorsFeed))?.records.find(
    candidate => candidate.name === flavor?.name && (regionName === undefined || candidate.regionName === regionName),
  );
  if (offered?.isInStock === undefined) {
    return [[{text: `Whether ${name} is free to come back to is unknown.`, tone: 'warning'}]];
  }
  return offered.isInStock
    ? [[{text: `${name} is in stock now; that can change.`}]]
    : [[{text: `${name} is out of stock: restoring it may not work.`, tone: 'danger'}]];
}

function hibernationLines(act: PowerAct, machine: VirtualMachine): readonly Line[] {
  if (act.kind !== 'vm.hibernate' || machine.flavor?.gpuCount !== 0) return [];
  return [[{text: 'The service usually refuses to hibernate machines without a GPU.', tone: 'warning'}]];
}

function undoText(act: PowerAct): string {
  switch (act.kind) {
    case 'vm.start':
      return 'stop it again (p x)';
    case 'vm.stop':
      return 'start it again (p s)';
    case 'vm.hard-reboot':
      return 'none';
    case 'vm.hibernate':
      return 'restore it (p u), while its flavor is in stock';
    case 'vm.restore':
      return 'hibernate it again (p h)';
    default:
      return unreachable(act);
  }
}

/** Someone who stops a machine to save money meant to hibernate it. */
function cheaperChoice(act: PowerAct, machine: VirtualMachine, scene: Scene): Question['alternatives'] {
  if (act.kind !== 'vm.stop') return [];
  const hibernate: PowerAct = {kind: 'vm.hibernate', id: machine.id, retainsIp: true};
  if (disabledReasonOf(hibernate, machine, scene) !== undefined) return [];
  const {after, savings} = actEffect(hibernate, machine, presentRate(scene, machine.id), scene.preferences.prices);
  const title = say`hibernate instead: ${safeText(formatRate(after))}, saves ${safeText(formatRate(savings))}`;
  return [{key: 'tab', title, question: powerQuestion(hibernate, machine, scene)}];
}
