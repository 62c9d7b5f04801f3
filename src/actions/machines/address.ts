import * as z from 'zod';
import {attachFloatingIp, detachFloatingIp} from '../../api/virtual-machines.ts';
import {type Evidence, elsewhere, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../../domain/action.ts';
import {attachmentState} from '../../domain/attachment-state.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {formatRate} from '../../ui/format.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {addedCost, endedCost, unitPrice} from '../creation/cost.ts';
import {actionOn} from '../define.ts';
import {machine} from '../parameters.ts';
import {typedAnswer} from '../question/question.ts';
import {ATTACHING_OVERDUE_AFTER_MS, nodeReason, stateReason} from './subject.ts';

const attachAddress = actionOn({
  kind: 'vm.attach-ip',
  comparesNames: true,
  parameters: z.object({id: machine}),
  endpoint: attachFloatingIp,
  keys: [
    {
      menu: 'edit',
      key: 'i',
      title: say`attach address`,
      help: 'Attaches a new public address.',
      consequence: () => 'a new public address, billed by the hour',
    },
  ],
  command: {
    words: ['ip', 'attach'],
    summary: 'attach a public address, chosen and billed by the service',
  },
  assess: assessAttachAddress,
  reads: () => [priceBookFeed],
  quotes: () => [priceBookFeed],
  costChange: (_action, _machine, known) => addedCost(unitPrice(known, 'publicIp').rate),
  verb: say`attach address`,
  words: () => say`attach a public address to`,
  change: 'address attached',
  overdueAfterMs: ATTACHING_OVERDUE_AFTER_MS,
  precondition: (_action, machine) =>
    nodeReason(machine) ??
    (hasAddress(machine)
      ? say`it already has the address ${addressOf(machine)}`
      : (unreadReason(machine) ?? stateReason(machine))),
  evidence: (_action, machine, {hasSeenTransition}) => addressEvidence(machine, hasAddress(machine), hasSeenTransition),
  undo: ({id}, _was, is): Inverse => ({
    action: detachAddress.with({id}),
    words: say`detaches the address ${addressOf(is)}; it is lost`,
    namedFacts: addressFact(is),
  }),
});

const detachAddress = actionOn({
  kind: 'vm.detach-ip',
  comparesNames: true,
  parameters: z.object({id: machine}),
  endpoint: detachFloatingIp,
  keys: [
    {
      menu: 'edit',
      key: 'I',
      title: say`detach address`,
      help: 'Releases the public address, permanently.',
      consequence: ([{floatingIp}]) => `${floatingIp ?? 'it'} is lost permanently`,
    },
  ],
  command: {
    words: ['ip', 'detach'],
    summary: 'release the public address of machines, permanently',
  },
  assess: assessDetachAddress,
  costChange: (_action, _machine, known) => endedCost(unitPrice(known, 'publicIp').rate),
  verb: say`detach address`,
  words: () => say`detach the public address of`,
  change: 'address detached',
  namedFacts: (_action, machine) => addressFact(machine),
  overdueAfterMs: ATTACHING_OVERDUE_AFTER_MS,
  precondition: (_action, machine) =>
    nodeReason(machine) ??
    (hasAddress(machine) ? stateReason(machine) : (unreadReason(machine) ?? say`it has no public address`)),
  evidence: (_action, machine, {hasSeenTransition}) =>
    addressEvidence(machine, !hasAddress(machine), hasSeenTransition),
  undo: ({id}, was): Inverse => ({
    action: attachAddress.with({id}),
    words: say`attaches another address; ${addressOf(was)} is lost`,
  }),
});

export const MACHINE_ADDRESS = [attachAddress, detachAddress] as const;

function hasAddress({floatingIp, floatingIpStatus}: VirtualMachine): boolean {
  return floatingIp !== undefined && attachmentState(floatingIpStatus) === 'attached';
}

function unreadReason({hasUnreadAddress}: VirtualMachine): SafeText | undefined {
  return hasUnreadAddress === true ? say`its public address could not be read` : undefined;
}

function addressOf({floatingIp}: VirtualMachine): SafeText {
  return floatingIp ?? say`it had`;
}

/** The address that would be lost or kept; that there is none is a fact too. */
export function addressFact({floatingIp, hasUnreadAddress}: VirtualMachine): NamedFacts {
  return new Map([[say`its address`, floatingIp ?? (hasUnreadAddress === true ? undefined : say`none`)]]);
}

function addressEvidence(machine: VirtualMachine, isThere: boolean, hasSeenTransition: boolean): Evidence {
  const {floatingIpStatus} = machine;
  const state = attachmentState(floatingIpStatus);
  if (state === 'changing') return TRANSITION;
  if (state === 'failed') return elsewhere(say`the address is ${floatingIpStatus ?? say`failed`}`);
  if (machine.hasUnreadAddress === true) return NOTHING;
  if (isThere) return TARGET;
  return hasSeenTransition ? elsewhere(say`the address is as it was before`) : UNCHANGED;
}

function assessAttachAddress(_action: object, _machine: VirtualMachine, known: AssessmentInput): Assessment {
  const {rate, source} = unitPrice(known, 'publicIp');
  return {
    happens: [[{text: 'It gets a new public address, chosen by the service.'}]],
    costs: [
      [
        {text: `adds ${formatRate(rate)}`, tone: 'money'},
        {text: `  ${source}`, tone: 'dim'},
      ],
    ],
    warnings: [[{text: 'Its rules and firewalls decide who gets in.'}]],
    undo: {words: 'detach it again', caveat: '; the address is lost then'},
    answer: {kind: 'key'},
  };
}

function assessDetachAddress(
  _action: object,
  {id, name, floatingIp}: VirtualMachine,
  {preferences}: AssessmentInput,
): Assessment {
  const {publicIp} = preferences.prices;
  const address = floatingIp ?? 'Its address';
  return {
    happens: [[{text: `${address} is released permanently: it cannot be recovered.`, tone: 'danger'}]],
    costs: [[{text: `saves ${formatRate(publicIp)}`, tone: 'money'}]],
    undo: 'none: another address can be attached, not this one',
    answer: typedAnswer(name, id),
  };
}
