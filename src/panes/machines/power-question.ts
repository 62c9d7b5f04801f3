import type {Act, PowerAct} from '../../domain/act.ts';
import {unreachable} from '../../domain/assert.ts';
import {type ActEffect, actEffect, billingInStatus} from '../../domain/cost.ts';
import {verbOf} from '../../domain/describe-operation.ts';
import {isNegative, sumRates} from '../../domain/money.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {callsFact} from '../act-question.ts';
import {type Fact, type Question, typedAnswer} from '../command.ts';
import {isWorking, workLines} from '../machine-activity.ts';
import {nameLines} from '../name-lines.ts';
import type {Scene} from '../pane.ts';
import {contractLines} from './contract-lines.ts';
import {holdsOwnSession, ownSessionLines} from './own-machine.ts';
import {disabledReasonOf} from './power-reason.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';
import {presentRate} from './rows.ts';

/** What is asked before a power operation is sent: what happens, what it costs, what could be lost. */
export function powerQuestion(act: PowerAct, machine: VirtualMachine, scene: Scene): Question {
  const effect = actEffect(act, machine, presentRate(scene, machine.id), scene.preferences.prices);
  const cutsWork = isInterrupting(act) && (isWorking(scene, machine) === 'yes' || holdsOwnSession(machine, scene));
  const losesAddress = act.kind === 'vm.hibernate' && !act.retainsIp && machine.floatingIp !== undefined;
  return {
    title: say`${verbOf(act.kind)} ${machine.name}  #${machine.id}`,
    facts: [
      {label: 'What happens', lines: [[{text: happening(act, machine)}]]},
      {label: 'What it costs', lines: costLines(act, effect, machine, scene)},
      ...careFacts(act, machine, scene),
      callsFact([act]),
      {label: 'Undo', lines: [[{text: undoText(act, machine)}]]},
    ],
    answer: cutsWork || losesAddress ? typedAnswer(machine.name, machine.id) : {kind: 'key'},
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

function costLines(act: PowerAct, effect: ActEffect, machine: VirtualMachine, scene: Scene): readonly Line[] {
  return [
    ...(act.kind === 'vm.stop' ? stopLines(effect, machine, scene) : []),
    [
      {text: `now ${formatRate(effect.before)}`, tone: 'money'},
      {text: `  after ${formatRate(effect.after)}`, tone: 'money'},
      {text: `  (${formatSavings(effect.savings, effect.savingIsUncertain)})`, tone: 'dim'},
    ],
    ...(act.kind === 'vm.restore' ? newAddressLines(effect, machine, scene) : []),
    ...(act.kind === 'vm.hard-reboot' ? [] : remainingVolumeLines(machine, scene)),
    ...(effect.isListPrice ? [LIST_PRICE] : []),
  ];
}

/** Of a machine whose full rate is nowhere metered. */
export const LIST_PRICE: Line = [{text: 'The full rate is a published price, not one that was metered.', tone: 'dim'}];

/** What stopping does to the bill depends on what the present state is billed. */
function stopLines({before, savings}: ActEffect, machine: VirtualMachine, scene: Scene): readonly Line[] {
  if (savings !== undefined && isNegative(savings)) {
    const text = `${machine.statusText} is billed ${formatRate(before)} and SHUTOFF in full: stopping costs more.`;
    return [[{text, tone: 'warning'}]];
  }
  const isFull = billingInStatus(machine.status, scene.preferences.prices) === 'full';
  return isFull && stoppingSavesNothing(scene) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'}]] : [];
}

/** A machine that was hibernated without its address gets another one. */
function newAddressLines({after}: ActEffect, {floatingIp}: VirtualMachine, scene: Scene): readonly Line[] {
  if (floatingIp !== undefined) return [];
  const {publicIp} = scene.preferences.prices;
  const then = after === undefined ? '' : `: ${formatRate(sumRates([after, publicIp]))} then`;
  return [[{text: `A new public address may be given, billed at ${formatRate(publicIp)}${then}.`, tone: 'warning'}]];
}

/** Everything that makes the act risky now; no fact where there is nothing to say. */
function careFacts(act: PowerAct, machine: VirtualMachine, scene: Scene): readonly Fact[] {
  const lines = [
    ...(isInterrupting(act) ? [...ownSessionLines(machine, scene), ...workLines(scene, machine)] : []),
    ...diskLines(act, machine),
    ...stockLines(act, machine, scene),
    ...contractLines(machine, scene),
    ...hibernationLines(act, machine),
    ...nameLines(machine.name),
  ];
  const isWarning = lines.some(line => line.some(({tone}) => tone === 'danger' || tone === 'warning'));
  return lines.length === 0 ? [] : [{label: isWarning ? 'Needs care' : 'Right now', lines}];
}

export function isInterrupting(act: Act): boolean {
  return act.kind !== 'vm.start' && act.kind !== 'vm.restore';
}

function diskLines(act: PowerAct, machine: VirtualMachine): readonly Line[] {
  const ephemeralGb = machine.flavor?.ephemeralDiskGb ?? 0;
  if (act.kind !== 'vm.hibernate' || ephemeralGb === 0) return [];
  return [[{text: `${formatGigabytes(ephemeralGb)} of ephemeral disk are lost.`, tone: 'danger'}]];
}

/** Giving hardware back is only as good as the chance to get it again. */
function stockLines(act: PowerAct, machine: VirtualMachine, scene: Scene): readonly Line[] {
  if (act.kind !== 'vm.hibernate' && act.kind !== 'vm.restore') return [];
  const name = machine.flavor?.name ?? say`its flavor`;
  switch (stockOf(machine, scene)) {
    case undefined:
      return [[{text: `Whether ${name} is free to come back to is unknown.`, tone: 'warning'}]];
    case true:
      return [[{text: `${name} is in stock now; that can change.`}]];
    case false:
      return [[{text: `${name} is out of stock: restoring it may not work.`, tone: 'danger'}]];
  }
}

/** Whether the machine's flavor can be had in its region now; undefined where that is not known. */
export function stockOf({flavor, regionName}: VirtualMachine, {store}: Scene): boolean | undefined {
  return lastValue(store.get(flavorsFeed))?.records.find(
    candidate => candidate.name === flavor?.name && (regionName === undefined || candidate.regionName === regionName),
  )?.isInStock;
}

function hibernationLines(act: PowerAct, machine: VirtualMachine): readonly Line[] {
  if (act.kind !== 'vm.hibernate' || machine.flavor?.gpuCount !== 0) return [];
  return [[{text: 'The service usually refuses to hibernate machines without a GPU.', tone: 'warning'}]];
}

function undoText(act: PowerAct, {floatingIp}: Pick<VirtualMachine, 'floatingIp'>): string {
  switch (act.kind) {
    case 'vm.start':
      return 'stop it again (p x)';
    case 'vm.stop':
      return 'start it again (p s)';
    case 'vm.hard-reboot':
      return 'none';
    case 'vm.hibernate':
      return act.retainsIp || floatingIp === undefined
        ? 'restore it (p u), while its flavor is in stock'
        : 'restore it (p u), while its flavor is in stock; another address is given then';
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
  const effect = actEffect(hibernate, machine, presentRate(scene, machine.id), scene.preferences.prices);
  const saves = safeText(formatSavings(effect.savings, effect.savingIsUncertain));
  const title = say`hibernate instead: ${safeText(formatRate(effect.after))}, ${saves}`;
  return [{key: 'tab', title, question: powerQuestion(hibernate, machine, scene)}];
}
