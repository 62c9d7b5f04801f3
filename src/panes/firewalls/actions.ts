import {presentIn} from '../../actions/access-lines.ts';
import {cannotActionReason} from '../../actions/action-question.ts';
import {candidate, questionFor} from '../../actions/ask.ts';
import {emptyReason, environmentNamed, environmentsOf, recordsOf} from '../../actions/creation-choices.ts';
import {createFirewall, setAttachments} from '../../actions/firewalls.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {checkName} from '../../actions/name-check.ts';
import {setForm} from '../../actions/set-form.ts';
import {unreadAttachmentsReason} from '../../domain/attachment-state.ts';
import type {Firewall, FirewallSpec} from '../../domain/firewall.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Scene} from '../pane.ts';

export function newFirewallForm(scene: Scene): Form {
  return {
    title: say`new firewall`,
    fields: fieldsFor(scene),
    fieldsFor: () => fieldsFor(scene),
    wants: () => [{feed: environmentsFeed, priority: 1}],
    check: values => checkFirewall(values, scene),
  };
}

function fieldsFor(scene: Scene): readonly FormField[] {
  const environments = environmentsOf(scene).map(({name}) => name);
  return [
    {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
    {
      key: 'environment',
      label: 'environment',
      initial: '',
      choices: environments,
      hint: environments.length === 0 ? emptyReason(scene, environmentsFeed, 'environments') : 'for its machines only',
    },
    {key: 'description', label: 'description', initial: '', hint: 'may be empty'},
  ];
}

function checkFirewall(values: FormValues, scene: Scene): FormCheck {
  const environment = environmentNamed(scene, values.environment);
  const nameMistake = checkName(
    values.name ?? '',
    recordsOf(scene, firewallsFeed).map(({name}) => name),
  );
  const mistakes = {
    ...(nameMistake === undefined ? {} : {name: nameMistake}),
    ...(environment === undefined ? {environment: emptyReason(scene, environmentsFeed, 'environments')} : {}),
  };
  if (environment === undefined || nameMistake !== undefined) return {mistakes, notes: [], question: undefined};
  const description = (values.description ?? '').trim();
  const spec: FirewallSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentId: environment.id,
    ...(description === '' ? {} : {description: safeText(description)}),
  };
  const question = questionFor([candidate(createFirewall.with({spec}), undefined, scene)], scene);
  return {mistakes, notes: [[{text: 'Its rules are added once it is there (tab, n).', tone: 'dim'}]], question};
}

/** Why its machines cannot be chosen: the whole set goes out, so the whole set has to be known. */
export function attachReason(firewall: Firewall, scene: Scene): SafeText | undefined {
  const cannot = cannotActionReason(scene, setAttachments.with({id: firewall.id, machineIds: []}));
  if (cannot !== undefined) return cannot;
  const unread = unreadAttachmentsReason(firewall);
  if (unread !== undefined) return unread;
  const listing = lastValue(scene.store.get(machinesFeed));
  if (listing === undefined) return say`the machines are not read yet`;
  return candidatesFor(firewall, scene).length === 0 ? say`its environment has no machines` : undefined;
}

type Candidate = {readonly id: VirtualMachine['id']; readonly name: SafeText};

/** The machines it can be attached to, and those it is attached to whatever they are. */
export function attachmentsForm(firewall: Firewall, scene: Scene): Form {
  const {id, name} = firewall;
  const options = candidatesFor(firewall, scene);
  const standing = options.filter(option => presentIn(firewall).some(({machineId}) => machineId === option.id));
  return setForm<Candidate>({
    title: say`machines of ${name}  #${id}`,
    label: 'machines',
    options,
    standing,
    wordOf: machine => `${machine.name} #${machine.id}`,
    wants: [{feed: machinesFeed, priority: 1}],
    question: wanted => {
      const action = setAttachments.with({id, machineIds: wanted.map(machine => machine.id)});
      return questionFor([candidate(action, firewall, scene)], scene);
    },
  });
}

function candidatesFor(firewall: Firewall, scene: Scene): readonly Candidate[] {
  const attached = presentIn(firewall).flatMap(({machineId: id, machineName: name}) =>
    id === undefined ? [] : [{id, name}],
  );
  const others = recordsOf(scene, machinesFeed).filter(
    machine =>
      machine.environmentName !== undefined &&
      machine.environmentName === firewall.environmentName &&
      (machine.status === 'ACTIVE' || machine.status === 'SHUTOFF') &&
      !attached.some(({id}) => id === machine.id),
  );
  return [...attached, ...others.map(({id, name}) => ({id, name}))];
}
