import {describe, expect, it} from 'vitest';
import {setFirewalls} from '../../../src/actions/machines/firewalls.ts';
import {attachVolumesTo, detachVolumesFrom} from '../../../src/actions/machines/volumes.ts';
import {parseSshConnection} from '../../../src/domain/own-connection.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import type {VolumeAttachment} from '../../../src/domain/virtual-machine.ts';
import {volumeId} from '../../../src/domain/volume.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {formValues, openForm} from '../../../src/ui/form.ts';
import {aCatalogue, aFirewall, aVolume, CANADA, factText, NORWAY, write} from '../../panes/a-catalogue.ts';
import {aRule, NOT_IN_FORCE} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {formOf} from './form-of.ts';

const attachVolumesForm = formOf(attachVolumesTo);
const detachVolumesForm = formOf(detachVolumesFrom);
const firewallsForm = formOf(setFirewalls);

function attached(volumeId: number): VolumeAttachment {
  return {volumeId, name: safeText(`disk-${volumeId}`), sizeGb: 100, status: safeText('ATTACHED')};
}

describe('the volumes of a machine', () => {
  it('that can be attached are the free ones of its environment, and all selected ones go in one call', () => {
    const known = aCatalogue();
    write(known, volumesFeed, [
      aVolume({id: 1}),
      aVolume({id: 2}),
      aVolume({id: 3, status: 'IN_USE'}),
      aVolume({id: 4, environmentName: CANADA.name}),
    ]);
    const form = attachVolumesForm(aVirtualMachine({id: 7, environmentName: NORWAY.name}), known.scene);
    expect(form.fields[0]?.choices).toEqual(['disk-1 #1 100 GB', 'disk-2 #2 100 GB']);
    const {question} = form.check({volumes: 'disk-1 #1 100 GB\ndisk-2 #2 100 GB'});
    expect(question?.steps[0].action).toEqual({kind: 'vm.attach-volumes', id: 7, volumeIds: [1, 2]});
    expect(factText(question, 'What happens')).toContain('+ disk-1 #1 100 GB\n+ disk-2 #2 100 GB');
    expect(form.check({volumes: ''})).toMatchObject({
      mistakes: {volumes: 'select one with space'},
      question: undefined,
    });
  });

  it('are not attached when the list has the id of one twice', () => {
    const known = aCatalogue();
    const volumes = {records: [aVolume({id: 1}), aVolume({id: 2})], quarantined: []};
    known.store.writeValue(volumesFeed, {...volumes, repeatedIds: ['2']}, monotonicMs(0));
    const form = attachVolumesForm(aVirtualMachine({environmentName: NORWAY.name}), known.scene);
    expect(form.check({volumes: 'disk-1 #1 100 GB'}).mistakes).toEqual({});
    expect(form.check({volumes: 'disk-1 #1 100 GB\ndisk-2 #2 100 GB'})).toMatchObject({
      mistakes: {volumes: 'the list has volume #2 twice, so which one is meant is unknown'},
      question: undefined,
    });
  });

  it('are at most ten, including those already attached', () => {
    const known = aCatalogue();
    write(known, volumesFeed, [aVolume({id: 1}), aVolume({id: 2})]);
    const volumes = [11, 12, 13, 14, 15, 16, 17, 18, 19].map(attached);
    const form = attachVolumesForm(aVirtualMachine({environmentName: NORWAY.name, volumes}), known.scene);
    expect(form.check({volumes: 'disk-1 #1 100 GB'}).mistakes).toEqual({});
    expect(form.check({volumes: 'disk-1 #1 100 GB\ndisk-2 #2 100 GB'}).mistakes).toEqual({
      volumes: '11 volumes, at most 10 on a machine',
    });
  });

  it('are detached without those that are protected', () => {
    const volumes = [attached(1), {...attached(2), isProtected: true}];
    const machine = aVirtualMachine({id: 7, environmentName: NORWAY.name, status: 'SHUTOFF', volumes});
    expect(detachVolumesForm(machine, aCatalogue().scene).fields[0]?.choices).toEqual(['disk-1 #1 100 GB']);
    const sent = (...ids: readonly number[]) =>
      detachVolumesFrom.precondition(detachVolumesFrom.with({id: machine.id, volumeIds: ids.map(volumeId)}), {
        startedAt: monotonicMs(0),
        records: [machine],
        isWhole: true,
      });
    expect(sent(1)).toBeUndefined();
    expect(sent(1, 2)).toBe('the attachment of disk-2 #2 is protected');
  });

  it('are detached from a running machine only after its name was typed', () => {
    const volumes = [attached(1), attached(2)];
    const asked = (status: 'ACTIVE' | 'SHUTOFF') =>
      detachVolumesForm(aVirtualMachine({id: 7, status, volumes}), aCatalogue().scene).check({
        volumes: 'disk-2 #2 100 GB',
      }).question;
    expect(asked('ACTIVE')?.answer).toMatchObject({kind: 'text'});
    expect(factText(asked('ACTIVE'), 'Warnings')).toContain('unmount them first');
    expect(asked('SHUTOFF')?.answer).toEqual({kind: 'key'});
    expect(asked('SHUTOFF')?.steps[0].action).toEqual({kind: 'vm.detach-volumes', id: 7, volumeIds: [2]});
  });
});

describe('the firewalls of a machine', () => {
  const machine = aVirtualMachine({id: 7, environmentName: NORWAY.name});
  const on = [{machineId: machine.id, machineName: machine.name}];
  const known = aCatalogue();
  write(known, firewallsFeed, [
    aFirewall({id: 1, attachments: on}),
    aFirewall({id: 2}),
    aFirewall({id: 3, environmentName: CANADA.name}),
    aFirewall({id: 4, attachments: [{...on[0], machineName: machine.name, status: safeText('DETACHED')}]}),
  ]);
  const form = firewallsForm(machine, known.scene);

  it('begin with the attached ones, so that adding one detaches none', () => {
    expect(formValues(openForm(form.fields))).toEqual({set: 'fw-1 #1'});
    expect(form.fields[0]?.choices).toEqual(['fw-1 #1', 'fw-2 #2', 'fw-4 #4']);
    const {question} = form.check({set: 'fw-1 #1\nfw-2 #2'});
    expect(question?.steps[0]).toMatchObject({
      action: {kind: 'vm.set-firewalls', id: 7, firewallIds: [1, 2]},
      replaced: ['1'],
    });
    expect(factText(question, 'What happens')).toBe('+ fw-2 #2');
  });

  it('show which are removed, and warn when none is left', () => {
    const {question} = form.check({set: ''});
    expect(question?.steps[0].action).toMatchObject({firewallIds: []});
    expect(factText(question, 'What happens')).toBe('− fw-1 #1');
    expect(factText(question, 'Warnings')).toContain('It has no firewall then.');
    expect(form.check({set: 'fw-1 #1'}).question).toBeUndefined();
  });

  it('require the name when a removed one has the last rule for outgoing traffic, and say what stops', () => {
    const out = aRule({
      direction: safeText('egress'),
      protocol: safeText('any'),
      portRangeMin: 1,
      portRangeMax: 65_535,
    });
    const closed = aCatalogue();
    write(closed, firewallsFeed, [aFirewall({id: 1, rules: [out], attachments: on}), aFirewall({id: 2})]);
    const {question} = firewallsForm(machine, closed.scene).check({set: 'fw-2 #2'});
    expect(factText(question, 'Warnings')).toBe(
      'This stops on machine gpu-7: all outgoing IPv4 traffic: DNS, HTTPS, package updates and everything else.',
    );
    expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'gpu-7'});
    const own = {...machine, rules: [out]};
    expect(firewallsForm(own, closed.scene).check({set: 'fw-2 #2'}).question?.answer).toEqual({kind: 'key'});
  });

  describe('with our own SSH session coming in through one of them', () => {
    const ownConnection = parseSshConnection('198.51.100.9 51022 10.0.0.4 22');
    const opened = aCatalogue();
    write(opened, firewallsFeed, [
      aFirewall({id: 1, rules: [aRule()], attachments: on}),
      aFirewall({id: 2, rules: [aRule({portRangeMin: 443, portRangeMax: 443})]}),
      aFirewall({id: 3, rules: [aRule({remoteIpPrefix: safeText('198.51.100.0/24')})]}),
    ]);
    const scene = {...opened.scene, ownConnection};

    it('require the name when no remaining one allows it, and say what the new one opens to everyone', () => {
      const {question} = firewallsForm(machine, scene).check({set: 'fw-2 #2'});
      expect(factText(question, 'Warnings')).toBe(
        'Your own SSH session comes from 198.51.100.9 to port 22: no remaining rule on gpu-7 allows it.\n' +
          'Nothing can connect to tcp/22 on machine gpu-7 afterwards: no other known IPv4 rule allows it.\n' +
          'fw-2 becomes open to the internet: ingress tcp/443 0.0.0.0/0.',
      );
      expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'gpu-7'});
    });

    it('are confirmed by a key when another firewall or a rule of the machine allows it', () => {
      expect(firewallsForm(machine, scene).check({set: 'fw-3 #3'}).question?.answer).toEqual({kind: 'key'});
      const own = {...machine, rules: [aRule()]};
      expect(firewallsForm(own, scene).check({set: ''}).question?.answer).toEqual({kind: 'key'});
    });

    it.each(NOT_IN_FORCE)('require the name when the only remaining rule for it is %j', status => {
      const going = aRule({status: safeText(status)});
      const own = {...machine, rules: [going]};
      expect(firewallsForm(own, scene).check({set: ''}).question?.answer.kind).toBe('text');
      const narrow = aCatalogue();
      write(narrow, firewallsFeed, [
        aFirewall({id: 1, rules: [aRule()], attachments: on}),
        aFirewall({id: 2, rules: [going]}),
      ]);
      const {question} = firewallsForm(machine, {...narrow.scene, ownConnection}).check({set: 'fw-2 #2'});
      expect(question?.answer.kind).toBe('text');
    });
  });
});
