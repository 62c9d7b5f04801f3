import * as z from 'zod';
import {setMachineFirewalls} from '../../api/virtual-machines.ts';
import {type Inverse, NOTHING} from '../../domain/action.ts';
import {
  type AttachmentState,
  goalsOf,
  isAttached,
  isSameSet,
  membershipEvidence,
  stateAt,
} from '../../domain/attachment-state.ts';
import type {Firewall, FirewallId} from '../../domain/firewall.ts';
import {listedWords, numberedWords} from '../../domain/listed-words.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {firewallsFeed, observedFirewalls} from '../../state/firewalls.ts';
import {firewallsRisk, unreadFirewall} from '../question/access-lines.ts';
import type {Ask, Form} from '../forms/form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {recordsOf} from '../creation/choices.ts';
import {actionOn} from '../define.ts';
import {ruleFacts} from '../firewalls.ts';
import {firewall, machine} from '../parameters.ts';
import {typedAnswer} from '../question/question.ts';
import {diffLines, setForm} from '../forms/set-form.ts';
import {ATTACHING_OVERDUE_AFTER_MS, unreadyReason} from './subject.ts';

/** The full set: any firewall left out is detached. */
export const setFirewalls = actionOn({
  kind: 'vm.set-firewalls',
  comparesNames: true,
  parameters: z.object({id: machine, firewallIds: z.array(firewall).readonly()}),
  endpoint: setMachineFirewalls,
  keys: [
    {
      name: 'firewalls',
      menu: 'edit',
      key: 'f',
      title: say`firewalls`,
      help: 'Sets the firewalls of the machine.',
      reason: (machine, known) => unreadyReason(machine) ?? firewallsReason(machine, known),
      form: firewallsForm,
    },
  ],
  reads: () => [firewallsFeed],
  // The check before sending reads all firewalls.
  namedOthers: ({id, firewallIds}, _machine, {store}) => {
    const touched = observedFirewalls(store)?.filter(
      firewall => firewallIds.includes(firewall.id) || isAttached(firewall, id),
    );
    return touched && new Map(touched.flatMap(factsOfFirewall));
  },
  assess: assessFirewalls,
  verb: say`set firewalls`,
  words: ({firewallIds}) => say`set ${numberedWords(say`firewall`, firewallIds)} on`,
  overdueAfterMs: ATTACHING_OVERDUE_AFTER_MS,
  alsoReads: 'firewalls',
  replaced: ({id}, {firewalls = []}) => firewallsOn(id, firewalls).map(String),
  precondition: ({id, firewallIds}, machine, {firewalls}) => {
    if (firewalls === undefined) return say`its firewalls could not be read`;
    const unread = unreadFirewall(machine, firewalls);
    if (unread !== undefined) return unread;
    if (isSameSet(firewallIds, firewallsOn(id, firewalls))) return say`it already has exactly these firewalls`;
    return unreadyReason(machine);
  },
  evidence: ({id, firewallIds}, machine, {before, hasSeenTransition}, {firewalls}) => {
    if (firewalls === undefined || unreadFirewall(machine, firewalls) !== undefined) return NOTHING;
    const was = before?.firewalls;
    return membershipEvidence({
      goals: goalsOf(firewallIds, [...firewallsOn(id, was ?? []), ...firewallsOn(id, firewalls)]),
      now: stateAmong(firewalls, id),
      before: was === undefined ? undefined : stateAmong(was, id),
      hasSeenTransition,
    });
  },
  undo: ({id, firewallIds}, _was, _is, observations): Inverse | SafeText => {
    const {firewalls} = observations.was;
    if (firewalls === undefined) return say`its previous firewalls are unknown`;
    const before = firewallsOn(id, firewalls);
    return {
      action: setFirewalls.with({id, firewallIds: before}),
      words: formerFirewallWords(firewalls.filter(firewall => before.includes(firewall.id))),
      replaced: firewallIds.map(String),
    };
  },
  commandWords: () => undefined,
});

/** Its name and its rules, which decide what is opened and what is cut off. */
function factsOfFirewall(firewall: Firewall): readonly (readonly [SafeText, SafeText | undefined])[] {
  const {id, name} = firewall;
  const rules = [...ruleFacts(firewall)].map(([rule, words]) => [say`${rule} of firewall #${id}`, words] as const);
  return [[say`firewall #${id}`, nameInWords(name)], ...rules];
}

function formerFirewallWords(firewalls: readonly Firewall[]): SafeText {
  if (firewalls.length === 0) return say`removes all firewalls again`;
  return say`restores ${listedWords(
    say`firewall`,
    firewalls.map(({id, name}) => say`${nameInWords(name)} #${id}`),
  )}`;
}

function firewallsOn(machine: VirtualMachineId, firewalls: readonly Firewall[]): readonly FirewallId[] {
  return firewalls.filter(firewall => isAttached(firewall, machine)).map(({id}) => id);
}

function stateAmong(firewalls: readonly Firewall[], machine: VirtualMachineId): (id: FirewallId) => AttachmentState {
  return id => {
    const firewall = firewalls.find(each => each.id === id);
    return firewall === undefined ? 'gone' : stateAt(firewall, machine);
  };
}

/** The full set of the machine's firewalls: any left out is detached. */
function assessFirewalls(
  {firewallIds}: {readonly firewallIds: readonly Firewall['id'][]},
  machine: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const {id, name} = machine;
  const firewalls = observedFirewalls(known.store) ?? [];
  const {lines, cutsOff} = firewallsRisk(machine, firewallIds, known);
  const wordOf = (firewall: Firewall['id']) =>
    `${nameInWords(firewalls.find(each => each.id === firewall)?.name ?? say`firewall`)} #${firewall}`;
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return {
    title: say`set firewalls of ${nameInWords(name)}  #${id}`,
    happens: diffLines(
      standing.map(each => wordOf(each.id)),
      firewallIds.map(wordOf),
    ),
    warnings: [
      ...lines,
      ...(firewallIds.length === 0 ? [[{text: 'It has no firewall then.', tone: 'warning'} as const]] : []),
    ],
    undo: {words: 'restore the previous firewalls'},
    answer: cutsOff ? typedAnswer(name, id) : {kind: 'key'},
  };
}

type FirewallsParameters = {readonly id: VirtualMachineId; readonly firewallIds: readonly FirewallId[]};

/** The full set of the machine's firewalls, as the service requires: any left out is detached. */
function firewallsForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<FirewallsParameters>): Form {
  const {id, name} = machine;
  const firewalls = firewallsFor(machine, known);
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return setForm<Firewall>({
    title: say`firewalls of ${nameInWords(name)}  #${id}`,
    label: 'firewalls',
    options: firewalls,
    standing,
    wordOf: firewall => `${firewall.name} #${firewall.id}`,
    wants: [{feed: firewallsFeed, priority: 1}],
    question: wanted => ask({id, firewallIds: wanted.map(each => each.id)}),
  });
}

/** The full set is sent, so it must be known completely. */
function firewallsReason(machine: VirtualMachine, known: AssessmentInput): SafeText | undefined {
  const listing = lastValue(known.store.get(firewallsFeed));
  if (listing === undefined) return say`its firewalls are not read yet`;
  if (listing.incompleteReason !== undefined) return say`the list of firewalls is incomplete`;
  if (listing.quarantined.length > 0) return say`not all firewalls could be read`;
  const unread = unreadFirewall(machine, listing.records);
  if (unread !== undefined) return unread;
  return firewallsFor(machine, known).length === 0 ? say`its environment has no firewalls` : undefined;
}

function firewallsFor(machine: VirtualMachine, known: AssessmentInput): readonly Firewall[] {
  return recordsOf(known, firewallsFeed).filter(
    firewall =>
      isAttached(firewall, machine.id) ||
      (firewall.environmentName !== undefined && firewall.environmentName === machine.environmentName),
  );
}
