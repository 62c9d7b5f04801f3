import * as z from 'zod';
import {present} from '../api/fields.ts';
import {
  createFirewall as createEndpoint,
  deleteFirewall as deleteEndpoint,
  setFirewallAttachments as setAttachmentsEndpoint,
} from '../api/firewalls.ts';
import {type Inverse, NOTHING} from '../domain/action.ts';
import {
  goalsOf,
  isSameSet,
  membershipEvidence,
  presentIn,
  stateAt,
  unreadAttachmentsReason,
} from '../domain/attachment-state.ts';
import type {Firewall, FirewallSpec} from '../domain/firewall.ts';
import {countedWords, listedWords, numberedWords} from '../domain/listed-words.ts';
import {nameInWords, type SafeText, say} from '../domain/safe-text.ts';
import {ruleWords} from '../domain/security-rule.ts';
import type {NamedFacts} from '../domain/shown-facts.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {environmentsFeed} from '../state/environments.ts';
import {firewallsFeed} from '../state/firewalls.ts';
import {machineFeed, machinesFeed, observedMachines} from '../state/machines.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {attachmentsRisk} from './question/access-lines.ts';
import {recordsOf} from './creation/choices.ts';
import {environmentFacts} from './creation/facts.ts';
import {actionMaking, actionOn, deletion, stateProgress} from './define.ts';
import {attachmentsForm, attachReason, newFirewallForm} from './forms/firewall-forms.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import {environment, firewall, machine, text} from './parameters.ts';
import {descriptionLines, typedAnswer} from './question/question.ts';
import {diffLines} from './forms/set-form.ts';

const firewallSpec: z.ZodType<FirewallSpec> = z
  .object({name: text, environmentId: environment, description: text.optional()})
  .transform(present);

export const createFirewall = actionMaking({
  kind: 'firewall.create',
  creation: {isInEnvironment: true, form: newFirewallForm},
  parameters: z.object({spec: firewallSpec}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create firewall`,
  overdueAfterMs: 5 * MINUTE_MS,
  // Names are unique within an environment; without one in the record, the name alone decides.
  isMade: ({spec}, {name, environmentId = spec.environmentId}) =>
    name === spec.name && environmentId === spec.environmentId,
  progress: firewall => stateProgress(firewall, {going: ['CREATING'], made: ['SUCCESS']}),
  reads: () => [environmentsFeed],
  namedOthers: ({spec}, known) => environmentFacts(known, spec.environmentId),
  quotes: () => [environmentsFeed],
  assess: ({spec}, known) => {
    const environment = recordsOf(known, environmentsFeed).find(({id}) => id === spec.environmentId);
    return {
      title: say`create firewall ${nameInWords(spec.name)}`,
      happens: [
        [
          {
            text: `A firewall in ${environment?.name ?? `environment #${spec.environmentId}`} that allows all outgoing and no incoming traffic, attached to no machine.`,
          },
        ],
        ...descriptionLines(spec),
      ],
      costs: [[{text: 'free', tone: 'money'}]],
      undo: {words: 'delete it again', by: 'firewall.delete'},
      answer: {kind: 'key'},
    };
  },
});

export const deleteFirewall = actionOn({
  kind: 'firewall.delete',
  keys: [{key: 'X', title: say`delete`, help: 'Deletes the firewall with its rules; asks for its full name.'}],
  parameters: z.object({id: firewall}),
  endpoint: deleteEndpoint,
  command: {words: ['firewall', 'delete'], summary: 'delete firewalls and their rules, permanently'},
  ...deletion('firewall', 5 * MINUTE_MS, (firewall: Firewall) => {
    const {length} = presentIn(firewall);
    if (length === 0 && firewall.hasUnreadAttachments === true) return say`what it is attached to is unknown`;
    return length === 0 ? undefined : say`it is attached to ${countedWords(length, say`machine`)}; detach it first`;
  }),
  namedFacts: (_action, firewall) => ruleFacts(firewall),
  assess: (_action, {id, name, rules, hasUnreadRules}) => ({
    title: say`delete firewall ${nameInWords(name)}  #${id}`,
    happens: [
      [
        {
          text: `It is deleted permanently, with ${hasUnreadRules === true ? 'its rules, which could not all be read' : formatCounted(rules.length, 'rule')}.`,
          tone: 'danger',
        },
      ],
    ],
    costs: [[{text: 'saves nothing: firewalls are free', tone: 'dim'}]],
    undo: 'none: it would have to be created again, rule by rule',
    answer: typedAnswer(name, id),
  }),
});

/** The full set: any machine left out is detached. */
export const setAttachments = actionOn({
  kind: 'firewall.set-attachments',
  keys: [
    {
      key: 'i',
      title: say`machines`,
      help: 'Sets the machines it is attached to.',
      reason: attachReason,
      form: attachmentsForm,
    },
  ],
  parameters: z.object({id: firewall, machineIds: z.array(machine).readonly()}),
  endpoint: setAttachmentsEndpoint,
  verb: say`set machines`,
  words: ({machineIds}) => say`set ${numberedWords(say`machine`, machineIds)} on`,
  overdueAfterMs: 5 * MINUTE_MS,
  replaced: ({id}, {records}) => {
    const firewall = records.find(each => each.id === id);
    return firewall === undefined ? [] : machinesOf(firewall).map(String);
  },
  precondition: ({machineIds}, firewall) =>
    unreadAttachmentsReason(firewall) ??
    (isSameSet(machineIds, machinesOf(firewall))
      ? say`it is attached to these machines already, and to no others`
      : undefined),
  evidence: ({machineIds}, firewall, {before, hasSeenTransition}) => {
    if (unreadAttachmentsReason(firewall) !== undefined) return NOTHING;
    const was = before?.records[0];
    return membershipEvidence({
      goals: goalsOf(machineIds, [...(was === undefined ? [] : machinesOf(was)), ...machinesOf(firewall)]),
      now: machine => stateAt(firewall, machine),
      before: was && (machine => stateAt(was, machine)),
      hasSeenTransition,
    });
  },
  undo: ({id, machineIds}, was): Inverse => ({
    action: setAttachments.with({id, machineIds: machinesOf(was)}),
    words: formerMachineWords(was),
    replaced: machineIds.map(String),
  }),
  commandWords: () => undefined,
  reads: () => [machinesFeed, firewallsFeed],
  refusal: elsewhereReason,
  // They decide what is opened and what is cut off.
  namedFacts: (_action, firewall) => ruleFacts(firewall),
  namedOthers: ({machineIds}, firewall, known) => {
    const names = machineNames(firewall, known);
    const touched = new Set([...machineIds, ...machinesOf(firewall)]);
    return new Map(
      [...touched].map(id => {
        const name = names.get(id);
        return [say`machine #${id}`, name && nameInWords(name)];
      }),
    );
  },
  rereads: ({machineIds}, replaced) =>
    machineIds
      .filter(id => !replaced.includes(`${id}`))
      .slice(0, MAX_REREAD)
      .map(machineFeed),
  assess: ({id, machineIds}, firewall, known) => {
    const {lines, cutsOff} = attachmentsRisk(firewall, machineIds, known);
    const names = machineNames(firewall, known);
    const wordsOf = (ids: readonly VirtualMachineId[]) =>
      ids.map(each => `${nameInWords(names.get(each) ?? say``)} #${each}`.trim());
    const leavingCount = machinesOf(firewall).filter(each => !machineIds.includes(each)).length;
    return {
      title: say`set machines of firewall ${nameInWords(firewall.name)}  #${id}`,
      happens: [
        ...diffLines(wordsOf(machinesOf(firewall)), wordsOf(machineIds)),
        [{text: `It will be attached to ${formatCounted(machineIds.length, 'machine')}.`, tone: 'dim'}],
      ],
      warnings: [...lines, ...leavingLines(firewall, leavingCount)],
      undo: {words: 'restore the previous attachments'},
      answer: cutsOff ? typedAnswer(firewall.name, id) : {kind: 'key'},
    };
  },
});

/** Of so many machines that join, the names are read again before sending; of others, they are compared as last read. */
const MAX_REREAD = 5;

/** The service refuses machines of another environment than the firewall's. */
function elsewhereReason(
  firewall: Firewall,
  {store}: AssessmentInput,
  {machineIds}: {readonly machineIds: readonly VirtualMachineId[]},
): SafeText | undefined {
  const {environmentName} = firewall;
  const standing = machinesOf(firewall);
  const misplaced = observedMachines(store)?.find(
    machine =>
      machineIds.includes(machine.id) &&
      !standing.includes(machine.id) &&
      environmentName !== undefined &&
      machine.environmentName !== undefined &&
      machine.environmentName !== environmentName,
  );
  if (misplaced === undefined || environmentName === undefined) return undefined;
  const {name, id, environmentName: place = say``} = misplaced;
  return say`${nameInWords(name)} #${id} is in ${nameInWords(place)}, the firewall in ${nameInWords(environmentName)}`;
}

/** All of its rules, by their ids, and that these are all of them. */
export function ruleFacts({rules, hasUnreadRules}: Pick<Firewall, 'rules' | 'hasUnreadRules'>): NamedFacts {
  return new Map([
    ...rules.map(
      rule => [say`rule ${rule.id === undefined ? ruleWords(rule) : say`#${rule.id}`}`, ruleWords(rule)] as const,
    ),
    [say`the full list of rules`, hasUnreadRules === true ? undefined : say`read`],
  ]);
}

function machineNames(
  firewall: Firewall,
  {store}: Pick<AssessmentInput, 'store'>,
): ReadonlyMap<VirtualMachineId | undefined, SafeText> {
  return new Map([
    ...firewall.attachments.map(({machineId, machineName}) => [machineId, machineName] as const),
    ...(observedMachines(store) ?? []).map(({id, name}) => [id, name] as const),
  ]);
}

function leavingLines({rules}: Firewall, count: number): readonly Line[] {
  if (count === 0 || rules.length === 0) return [];
  const text = 'Traffic that only its rules allow no longer reaches the detached machines.';
  return [[{text, tone: 'warning'}]];
}

export const FIREWALLS = [createFirewall, setAttachments, deleteFirewall] as const;

function formerMachineWords(was: Firewall): SafeText {
  const machines = presentIn(was).filter(({machineId}) => machineId !== undefined);
  if (machines.length === 0) return say`detaches it from all machines again`;
  return say`attaches it to ${listedWords(
    say`machine`,
    machines.map(({machineId, machineName}) => say`${nameInWords(machineName)} #${machineId ?? 0}`),
  )} alone`;
}

function machinesOf(firewall: Firewall): readonly VirtualMachineId[] {
  return [...new Set(presentIn(firewall).flatMap(({machineId}) => machineId ?? []))];
}
