import {describe, expect, it} from 'vitest';
import {candidate, questionFor, reasonAgainst} from '../../../src/actions/question/question-for.ts';
import {deleteFirewall} from '../../../src/actions/firewalls.ts';
import type {Form} from '../../../src/actions/forms/form.ts';
import type {Firewall} from '../../../src/domain/firewall.ts';
import {parseSshConnection} from '../../../src/domain/own-connection.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {type SecurityRule, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {textOf} from '../../../src/ui/text.ts';
import {formValues, openForm} from '../../../src/ui/form.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {aCatalogue, aFirewall, CANADA, factText, NORWAY, write} from '../a-catalogue.ts';
import {aRule} from '../a-known-scene.ts';
import {creationForm, onSubject} from '../a-read-scene.ts';

const READ_AT = monotonicMs(100_000);

function attachedTo(...ids: readonly number[]): Firewall['attachments'] {
  return ids.map(id => ({machineId: virtualMachineId(id), machineName: safeText(`gpu-${id}`)}));
}

function machinesForm(firewall: Firewall, scene: Scene): Form {
  const outcome = onSubject('firewall', 'set-attachments', firewall, scene).run();
  if (outcome.kind !== 'form') throw new Error(`no form but ${outcome.kind}`);
  return outcome.form;
}

function machinesReason(firewall: Firewall, scene: Scene) {
  return onSubject('firewall', 'set-attachments', firewall, scene).reason;
}

function withMachines() {
  const known = aCatalogue();
  const machines = [
    aVirtualMachine({id: 1, environmentName: NORWAY.name}),
    aVirtualMachine({id: 2, environmentName: NORWAY.name, status: 'SHUTOFF'}),
    aVirtualMachine({id: 3, environmentName: NORWAY.name, status: 'HIBERNATED'}),
    aVirtualMachine({id: 4, environmentName: CANADA.name}),
  ];
  known.store.writeValue(machinesFeed, aListing(machines), READ_AT);
  return known;
}

describe('a new firewall', () => {
  const {scene, store} = aCatalogue();
  write({store}, firewallsFeed, [aFirewall({name: safeText('edge')})]);
  const form = creationForm('firewall', scene);

  it('is created in an environment, by its id', () => {
    const {question} = form.check({name: ' office ', environment: 'prod-ca', description: ''});
    expect(question?.steps).toEqual([
      {
        action: {kind: 'firewall.create', spec: {name: 'office', environmentId: 12}},
        subjectName: 'office',
        facts: {others: new Map([['environment #12', 'prod-ca in CANADA-1']])},
      },
    ]);
    expect(question?.answer).toEqual({kind: 'key'});
  });

  it.each([
    [{name: '', environment: 'prod-no'}, 'name'],
    [{name: 'edge', environment: 'prod-no'}, 'name'],
    [{name: 'x'.repeat(51), environment: 'prod-no'}, 'name'],
    [{name: 'office', environment: ''}, 'environment'],
  ])('is refused with %j', (values, field) => {
    expect(Object.keys(form.check(values).mistakes)).toEqual([field]);
    expect(form.check(values).question).toBeUndefined();
  });

  it('may have a name that a firewall of another environment has', () => {
    write({store}, firewallsFeed, [aFirewall({name: safeText('edge'), environmentId: 12})]);
    expect(form.check({name: 'edge', environment: 'prod-no'}).mistakes).toEqual({});
    expect(form.check({name: 'edge', environment: 'prod-ca'}).mistakes).toEqual({name: 'this name is already taken'});
  });
});

describe('deleting a firewall', () => {
  const {scene} = aCatalogue();
  const asked = (firewall: Firewall) =>
    questionFor([candidate(deleteFirewall.with({id: firewall.id}), firewall, scene)], scene);
  const reason = (firewall: Firewall) => reasonAgainst(deleteFirewall.with({id: firewall.id}), firewall, scene);

  it('says how many rules are deleted with it, and requires the full name', () => {
    const question = asked(aFirewall({name: safeText('edge'), rules: [aRule(), aRule({id: 502})]}));
    expect(factText(question, 'What happens')).toContain('with 2 rules');
    expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'edge'});
    expect(question?.steps[0].action).toEqual({kind: 'firewall.delete', id: 5});
  });

  it('does not count rules that could not all be read', () => {
    const happens = (rules: readonly SecurityRule[]) =>
      factText(asked(aFirewall({rules, hasUnreadRules: true})), 'What happens');
    expect(happens([aRule()])).toBe('It is deleted permanently, with its rules, which could not all be read.');
    expect(happens([])).toBe('It is deleted permanently, with its rules, which could not all be read.');
  });

  it('is refused beforehand while it is attached', () => {
    expect(reason(aFirewall({attachments: attachedTo(1, 2)}))).toBe('it is attached to 2 machines; detach it first');
    expect(reason(aFirewall())).toBeUndefined();
    expect(reason(aFirewall({status: 'DELETING', statusText: safeText('DELETING')}))).toMatch(/^already/);
  });
});

describe('the machines of a firewall', () => {
  it('begin with those it is attached to, whatever their state, and offer those of its environment that can be attached', () => {
    const form = machinesForm(aFirewall({attachments: attachedTo(3)}), withMachines().scene);
    expect(form.fields[0]?.choices).toEqual(['gpu-3 #3', 'gpu-1 #1', 'gpu-2 #2']);
    expect(formValues(openForm(form.fields))).toEqual({set: 'gpu-3 #3'});
  });

  it('show how many of all are offered and why, and what each one is', () => {
    const form = machinesForm(aFirewall({attachments: attachedTo(3)}), withMachines().scene);
    const [field] = form.fields;
    // gpu-4 is in another environment.
    const reach = '3 of 4 machines: those of prod-no that are ACTIVE or SHUTOFF, and those it is attached to';
    expect(form.check({set: 'gpu-3 #3'}).notes.map(textOf)).toContain(reach);
    expect(field?.facts?.titles).toEqual(['STATE', 'FLAVOR', '$/h']);
    expect(field?.facts?.of('gpu-3 #3')[0]).toBe('HIBERNATED');
  });

  it('are sent as a whole set, with the current set to be checked again before sending', () => {
    const edge = aFirewall({rules: [aRule()], attachments: attachedTo(1, 3)});
    const form = machinesForm(edge, withMachines().scene);
    const added = form.check({set: 'gpu-1 #1\ngpu-3 #3\ngpu-2 #2'}).question;
    expect(added?.steps[0]).toMatchObject({
      action: {kind: 'firewall.set-attachments', id: 5, machineIds: [1, 3, 2]},
      replaced: ['1', '3'],
    });
    expect(factText(added, 'What happens')).toBe('+ gpu-2 #2\nIt will be attached to 3 machines.');
    const removed = form.check({set: 'gpu-3 #3'}).question;
    expect(removed?.steps[0].action).toMatchObject({machineIds: [3]});
    expect(factText(removed, 'What happens')).toContain('− gpu-1 #1');
    expect(factText(removed, 'Warnings')).toContain('no longer reaches the detached machines');
  });

  it('are not sent when the list of machines has the id of one twice', () => {
    const known = withMachines();
    const machines = [1, 2].map(id => aVirtualMachine({id, environmentName: NORWAY.name}));
    known.store.writeValue(machinesFeed, {...aListing(machines), repeatedIds: ['2']}, READ_AT);
    const form = machinesForm(aFirewall(), known.scene);
    expect(form.check({set: 'gpu-1 #1'}).question).toBeDefined();
    expect(form.check({set: 'gpu-1 #1\ngpu-2 #2'})).toMatchObject({
      mistakes: {set: 'the list has machine #2 twice, so which one is meant is unknown'},
      question: undefined,
    });
  });

  it('show what nothing can connect to afterwards when the detached machine has no other rule for it', () => {
    const known = withMachines();
    const ssh = aRule({remoteIpPrefix: safeText('198.51.100.0/24')});
    const edge = aFirewall({rules: [ssh], attachments: attachedTo(1, 3)});
    const alone = machinesForm(edge, known.scene).check({set: 'gpu-3 #3'}).question;
    expect(factText(alone, 'Warnings')).toContain(
      'Nothing can connect to tcp/22 on machine gpu-1 afterwards: no other known IPv4 rule allows it.',
    );
    // It may be intended and can be undone by a key, so no name is required.
    expect(alone?.answer).toEqual({kind: 'key'});
    write(known, firewallsFeed, [edge, aFirewall({id: 6, rules: [ssh], attachments: attachedTo(1)})]);
    const guarded = machinesForm(edge, known.scene).check({set: 'gpu-3 #3'}).question;
    expect(factText(guarded, 'Warnings')).not.toContain('Nothing can connect');
  });

  it('cannot be edited when one is not known well enough to be sent again', () => {
    const {scene} = withMachines();
    const nameless = aFirewall({attachments: [{machineName: safeText('gpu-?')}]});
    const unread = 'its machines could not be read completely, so changing them could detach some';
    expect(machinesReason(nameless, scene)).toBe(unread);
    expect(machinesReason(aFirewall({hasUnreadAttachments: true}), scene)).toBe(unread);
    expect(machinesReason(aFirewall(), scene)).toBeUndefined();
    expect(machinesReason(aFirewall({environmentName: safeText('elsewhere')}), scene)).toBe(
      'its environment has no machines',
    );
    expect(machinesReason(aFirewall(), aCatalogue().scene)).toBe('the machines are not read yet');
  });
});

describe('a firewall that our own SSH session comes through', () => {
  const ownConnection = parseSshConnection('198.51.100.9 51022 10.0.0.4 22');
  const gate = aFirewall({id: 5, name: safeText('gate'), rules: [aRule()], attachments: attachedTo(1, 2)});

  it('requires its name before it is detached from a machine where nothing else lets us in', () => {
    const {scene} = withMachines();
    const asked = machinesForm(gate, {...scene, ownConnection}).check({set: 'gpu-2 #2'}).question;
    expect(factText(asked, 'Warnings')).toContain(
      'Your own SSH session comes from 198.51.100.9 to port 22: no remaining rule on gpu-1 allows it.',
    );
    expect(asked?.answer).toEqual({kind: 'text', what: 'name', expected: 'gate'});
    expect(machinesForm(gate, scene).check({set: 'gpu-2 #2'}).question?.answer).toEqual({kind: 'key'});
  });

  it('is confirmed by a key when the machine has another way in', () => {
    const known = withMachines();
    write(known, firewallsFeed, [gate, aFirewall({id: 6, rules: [aRule()], attachments: attachedTo(1)})]);
    const scene = {...known.scene, ownConnection};
    expect(machinesForm(gate, scene).check({set: 'gpu-2 #2'}).question?.answer).toEqual({kind: 'key'});
    expect(machinesForm(gate, scene).check({set: 'gpu-1 #1'}).question?.answer).toMatchObject({kind: 'text'});
  });

  it('says what stops working on machines that lose the last rule for outgoing traffic', () => {
    const out = aRule({
      direction: safeText('egress'),
      protocol: safeText('any'),
      portRangeMin: 1,
      portRangeMax: 65_535,
    });
    const egress = {...gate, rules: [out]};
    const asked = machinesForm(egress, withMachines().scene).check({set: 'gpu-2 #2'}).question;
    expect(factText(asked, 'Warnings')).toContain(
      'This stops on machine gpu-1: all outgoing IPv4 traffic: DNS, HTTPS, package updates and everything else.',
    );
    expect(asked?.answer).toEqual({kind: 'text', what: 'name', expected: 'gate'});
    const known = withMachines();
    write(known, firewallsFeed, [egress, aFirewall({id: 6, rules: [out], attachments: attachedTo(1)})]);
    const other = machinesForm(egress, known.scene).check({set: 'gpu-2 #2'}).question;
    expect(factText(other, 'Warnings')).not.toContain('This stops');
    expect(other?.answer).toEqual({kind: 'key'});
  });

  it('warns of what it opens to everyone when a machine is added', () => {
    const form = machinesForm({...gate, attachments: attachedTo(1)}, withMachines().scene);
    const {question} = form.check({set: 'gpu-1 #1\ngpu-2 #2'});
    expect(factText(question, 'Warnings')).toBe('gate becomes open to the internet: ingress tcp/22 0.0.0.0/0.');
  });
});
