import {presentIn, unreadAttachmentsReason} from '../../domain/attachment-state.ts';
import type {Firewall, FirewallSpec} from '../../domain/firewall.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {compareNames} from '../../domain/row-order.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatCounted, formatRateFigure, UNKNOWN} from '../../ui/format.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import {environmentField, environmentMistake, environmentNamed, firstSteps, recordsOf} from '../creation/choices.ts';
import {repeatedAmong} from '../question/missing-names.ts';
import type {Ask, Form, FormCheck} from './form.ts';
import {type AssessmentInput, presentRate} from '../question/assessment-input.ts';
import {checkName, NAME_FIELD} from './form-values.ts';
import {setForm} from './set-form.ts';

type AskFirewall = Ask<{readonly spec: FirewallSpec}>;

export function newFirewallForm(known: AssessmentInput, ask: AskFirewall, environmentName?: string): Form {
  return {
    title: say`new firewall`,
    fields: fieldsFor(known, environmentName),
    fieldsFor: () => fieldsFor(known, environmentName),
    wants: () => [{feed: environmentsFeed, priority: 1}],
    check: values => checkFirewall(values, known, ask),
  };
}

function fieldsFor(known: AssessmentInput, begins: string | undefined): readonly FormField[] {
  return [
    NAME_FIELD,
    {...environmentField(known, environmentNamed(known, begins)), hint: 'for its machines only'},
    {key: 'description', label: 'description', initial: '', hint: 'may be empty'},
  ];
}

function checkFirewall(values: FormValues, known: AssessmentInput, ask: AskFirewall): FormCheck {
  const environment = environmentNamed(known, values.environment);
  const nameMistake = checkName(
    values.name ?? '',
    recordsOf(known, firewallsFeed)
      .filter(({environmentId = environment?.id}) => environmentId === environment?.id)
      .map(({name}) => name),
  );
  const environmentWanted = environmentMistake(known, environment);
  const mistakes = {
    ...(nameMistake === undefined ? {} : {name: nameMistake}),
    ...(environmentWanted === undefined ? {} : {environment: environmentWanted}),
  };
  if (environment === undefined || nameMistake !== undefined) {
    return {mistakes, notes: firstSteps(known, environment, {needsKeyPair: false}), question: undefined};
  }
  const description = (values.description ?? '').trim();
  const spec: FirewallSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentId: environment.id,
    ...(description === '' ? {} : {description: safeText(description)}),
  };
  const notes: FormCheck['notes'] = [[{text: 'Rules can be added once it is created (tab, n).', tone: 'dim'}]];
  return {mistakes, notes, question: ask({spec})};
}

/** Why its machines cannot be chosen: the full set is sent, so the full set must be known. */
export function attachReason(firewall: Firewall, known: AssessmentInput): SafeText | undefined {
  const unread = unreadAttachmentsReason(firewall);
  if (unread !== undefined) return unread;
  const listing = lastValue(known.store.get(machinesFeed));
  if (listing === undefined) return say`the machines are not read yet`;
  return candidatesFor(firewall, known).length === 0 ? say`its environment has no machines` : undefined;
}

type AskMachines = Ask<{readonly id: Firewall['id']; readonly machineIds: readonly VirtualMachine['id'][]}>;
type AttachableMachine = {
  readonly id: VirtualMachine['id'];
  readonly name: SafeText;
  readonly machine?: VirtualMachine;
};

/** The machines it can be attached to, and those it is attached to already. */
export function attachmentsForm(firewall: Firewall, known: AssessmentInput, ask: AskMachines): Form {
  const {id, name} = firewall;
  const options = candidatesFor(firewall, known);
  const standing = options.filter(option => presentIn(firewall).some(({machineId}) => machineId === option.id));
  return setForm<AttachableMachine>({
    title: say`machines of ${nameInWords(name)}  #${id}`,
    label: 'machines',
    options,
    standing,
    wordOf,
    facts: {
      titles: ['STATE', 'FLAVOR', '$/h'],
      texts: ['STATE', 'FLAVOR'],
      priceTitle: '$/h',
      of: choice => {
        const machine = options.find(option => wordOf(option) === choice)?.machine;
        if (machine === undefined) return [];
        return [machine.statusText, machine.flavor?.name ?? UNKNOWN, formatRateFigure(presentRate(known, machine.id))];
      },
    },
    reach: reachOf(firewall, options.length, known),
    wants: [{feed: machinesFeed, priority: 1}],
    mistake: wanted => repeatedAmong(known, machinesFeed, {what: say`machine`, ids: wanted.map(machine => machine.id)}),
    question: wanted => ask({id, machineIds: wanted.map(machine => machine.id)}),
  });
}

function wordOf({name, id}: AttachableMachine): string {
  return `${name} #${id}`;
}

function reachOf({environmentName}: Firewall, count: number, known: AssessmentInput): string {
  const all = recordsOf(known, machinesFeed).length;
  return `${count} of ${formatCounted(all, 'machine')}: those of ${environmentName ?? 'its environment'} that are ACTIVE or SHUTOFF, and those it is attached to`;
}

/** Attached machines first, then the others by name: sorting by cost would help nobody here. */
function candidatesFor(firewall: Firewall, known: AssessmentInput): readonly AttachableMachine[] {
  const machines = recordsOf(known, machinesFeed);
  const attached = presentIn(firewall).flatMap(({machineId: id, machineName: name}): readonly AttachableMachine[] => {
    if (id === undefined) return [];
    const machine = machines.find(each => each.id === id);
    return [machine === undefined ? {id, name} : {id, name, machine}];
  });
  const others = machines.filter(
    machine =>
      machine.environmentName !== undefined &&
      machine.environmentName === firewall.environmentName &&
      (machine.status === 'ACTIVE' || machine.status === 'SHUTOFF') &&
      !attached.some(({id}) => id === machine.id),
  );
  const byName = others.toSorted((left, right) => compareNames(left.name, right.name));
  return [...attached, ...byName.map(machine => ({id: machine.id, name: machine.name, machine}))];
}
