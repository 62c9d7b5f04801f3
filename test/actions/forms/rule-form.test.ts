import {describe, expect, it} from 'vitest';
import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import type {Form, FormCheck} from '../../../src/actions/forms/form.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import {addRuleForm, editRuleForm, narrowRulesForm, type OpenRules} from '../../../src/actions/forms/rule-form.ts';
import {removeRuleFrom} from '../../../src/actions/rules.ts';
import {type Firewall, firewallId} from '../../../src/domain/firewall.ts';
import {parseSshConnection} from '../../../src/domain/own-connection.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {type SecurityRule, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {protocolsFeed} from '../../../src/state/firewalls.ts';
import {createStore} from '../../../src/state/store.ts';
import {chooseByLetter, formValues, openForm} from '../../../src/ui/form.ts';
import type {FormValues} from '../../../src/ui/form-field.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aFirewall} from '../../panes/a-catalogue.ts';
import {aKnownScene, aRule, NOT_IN_FORCE} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';

const ID = firewallId(7);
const OFFICE: FormValues = {
  preset: 'none',
  direction: 'ingress',
  protocol: 'tcp',
  etherType: 'IPv4',
  ports: '8080',
  prefix: '198.51.100.0/24',
};

const EVERY_PORT: SecurityRule = {
  id: 501,
  direction: safeText('ingress'),
  protocol: safeText('tcp'),
  etherType: safeText('IPv4'),
  remoteIpPrefix: safeText('198.51.100.0/24'),
};

function anOwner(rules: readonly SecurityRule[] = []): Firewall {
  const attachments = [1, 2].map(id => ({machineId: virtualMachineId(id), machineName: safeText(`web-${id}`)}));
  return aFirewall({id: 7, name: safeText('bastion'), rules, attachments});
}

function aSession(rest: Partial<Scene> = {}): Scene {
  return aKnownScene({}, rest);
}

function removal(rules: readonly SecurityRule[], rule: SecurityRule, scene = aSession()): Question {
  const owner = anOwner(rules);
  const question = questionFor([candidate(removeRuleFrom(owner, rule.id ?? 0, rule), owner, scene)], scene);
  if (question === undefined) throw new Error('nothing is asked');
  return question;
}

function added(values: FormValues, rules: readonly SecurityRule[] = []): FormCheck {
  return addRuleForm(anOwner(rules), aSession()).check({...OFFICE, ...values});
}

function notes({notes}: FormCheck): readonly string[] {
  return notes.map(textOf);
}

function asOpened({fields}: Form): FormValues {
  return formValues(openForm(fields));
}

describe('a new rule', () => {
  it.each([
    ['203.0.113.9 50022 192.0.2.7 22', 'CIDR: me = 203.0.113.9, your own public address'],
    ['', 'CIDR: an address or a network, e.g. 203.0.113.7/32; me works only in an SSH session'],
  ])('explains how to enter our own address with SSH_CONNECTION=%j', (connection, words) => {
    const form = addRuleForm(anOwner(), aSession({ownConnection: parseSshConnection(connection)}));
    expect(notes(form.check({...OFFICE, prefix: ''}))).toEqual([words]);
  });

  it.each<[string, FormValues, string]>([
    ['no direction', {direction: ''}, 'direction'],
    ['an unknown direction', {direction: 'sideways'}, 'direction'],
    ['a protocol that the service does not have', {protocol: 'quic'}, 'protocol'],
    ['an unknown family', {etherType: 'IPv5'}, 'etherType'],
    ['no network', {prefix: ''}, 'prefix'],
    ['a prefix length that does not exist', {prefix: '198.51.100.0/33'}, 'prefix'],
    ['a network of the other family', {prefix: '2001:db8::/32'}, 'prefix'],
    ['port zero', {ports: '0'}, 'ports'],
    ['a port beyond the last', {ports: '65536'}, 'ports'],
    ['a word as a port', {ports: 'ssh'}, 'ports'],
    ['a range without an end', {ports: '8000-'}, 'ports'],
    ['a range without a start', {ports: '-8000'}, 'ports'],
    ['a reversed range', {ports: '8100-8000'}, 'ports'],
    ['ports of a protocol without ports', {protocol: 'icmp', ports: '22'}, 'ports'],
  ])('with %s is a mistake in its field alone', (_, values, field) => {
    const checked = added(values);
    expect(Object.keys(checked.mistakes)).toEqual([field]);
    expect(checked.question).toBeUndefined();
  });

  it('shows the mistakes of several fields at once', () => {
    expect(Object.keys(added({prefix: '', ports: 'x', direction: ''}).mistakes).sort()).toEqual([
      'direction',
      'ports',
      'prefix',
    ]);
  });

  it.each<[string, FormValues, object]>([
    ['one port', {ports: '22'}, {portRangeMin: 22, portRangeMax: 22}],
    ['a range', {ports: '8000-8100'}, {portRangeMin: 8000, portRangeMax: 8100}],
    ['a range with blanks', {ports: ' 8000 - 8100 '}, {portRangeMin: 8000, portRangeMax: 8100}],
    ['no ports, meaning all', {ports: ''}, {}],
    ['a protocol without ports', {protocol: 'icmp', ports: ''}, {protocol: 'icmp'}],
  ])('with %s leads to a question of one step', (_, values, expected) => {
    const {mistakes, question} = added(values);
    expect(mistakes).toEqual({});
    const base = {direction: 'ingress', protocol: 'tcp', etherType: 'IPv4', remoteIpPrefix: '198.51.100.0/24'};
    expect(question?.steps).toEqual([
      {action: {kind: 'firewall.add-rule', id: ID, rule: {...base, ...expected}}, subjectName: 'bastion'},
    ]);
    expect(question?.answer).toEqual({kind: 'key'});
    expect(factText(question, 'What happens')).toContain('Applies to 2 machines.');
    expect(factText(question, 'Calls')).toContain('1: POST /core/firewalls/7/firewall-rules');
  });

  it.each<[string, Partial<SecurityRule>]>([
    ['exactly', {}],
    ['in capitals', {direction: safeText('INGRESS'), protocol: safeText('TCP'), etherType: safeText('ipv4')}],
    ['with host bits', {remoteIpPrefix: safeText('198.51.100.77/24')}],
  ])('that already exists, %s, is a mistake', (_, rest) => {
    const there = aRule({remoteIpPrefix: safeText('198.51.100.0/24'), portRangeMin: 8080, portRangeMax: 8080, ...rest});
    const checked = added({}, [there]);
    expect(checked.mistakes).toEqual({prefix: 'The same rule is already there: nothing to add.'});
    expect(checked.question).toBeUndefined();
  });

  it.each([
    ['DELETING', 'The same rule is being removed: wait until it is gone.'],
    ['FAILED', 'The same rule failed: remove it first.'],
    ['pending', 'The same rule is not in force yet: wait.'],
  ])('that exists and is %s says what to do about that one', (status, mistake) => {
    const there = aRule({
      remoteIpPrefix: safeText('198.51.100.0/24'),
      portRangeMin: 8080,
      portRangeMax: 8080,
      status: safeText(status),
    });
    expect(added({}, [there])).toMatchObject({mistakes: {prefix: mistake}, question: undefined});
  });

  it('is reported as open to the whole internet only when it is', () => {
    const warning = 'It opens this to the whole internet.';
    expect(notes(added({prefix: '0.0.0.0/0'}))).toContain(warning);
    expect(notes(added({prefix: '::/0', etherType: 'IPv6'}))).toContain(warning);
    expect(notes(added({}))).not.toContain(warning);
    expect(notes(added({prefix: '0.0.0.0/0', direction: 'egress'}))).not.toContain(warning);
  });

  it('is reported as without effect when a wider rule exists, and as making a narrower one redundant', () => {
    const wide = aRule({remoteIpPrefix: safeText('198.51.0.0/16'), portRangeMin: 1, portRangeMax: 65_535});
    expect(notes(added({}, [wide]))).toEqual([
      'The new rule adds nothing: ingress tcp/1-65535 198.51.0.0/16 already allows it.',
    ]);
    // Beside a rule that lets everybody in it is what stays once that is removed.
    const open = aRule({id: 9, portRangeMin: 1, portRangeMax: 65_535});
    expect(notes(added({}, [open]))).toEqual([
      'The new rule adds nothing until ingress tcp/1-65535 0.0.0.0/0 is removed.',
    ]);
    expect(notes(added({}, [open, wide]))).toEqual([
      'The new rule adds nothing: ingress tcp/1-65535 198.51.0.0/16 already allows it.',
    ]);
    const every = aRule({id: 10, protocol: safeText('any'), portRangeMin: 1, portRangeMax: 65_535});
    expect(notes(added({}, [open, every]))).toEqual([
      'The new rule adds nothing until ingress tcp/1-65535 0.0.0.0/0, ingress any/1-65535 0.0.0.0/0 are removed.',
    ]);
    const narrow = aRule({remoteIpPrefix: safeText('198.51.100.7/32'), portRangeMin: 8080, portRangeMax: 8080});
    expect(notes(added({}, [narrow]))).toEqual(['It makes ingress tcp/8080 198.51.100.7/32 redundant.']);
    const beside = aRule({remoteIpPrefix: safeText('203.0.113.0/24')});
    expect(notes(added({}, [beside]))).toEqual([]);
  });

  it('shows its notes in the question too', () => {
    const {question} = added({prefix: '0.0.0.0/0'});
    expect(factText(question, 'Warnings')).toContain('It opens this to the whole internet.');
    expect(factText(added({}).question, 'Warnings')).toBe('');
  });
});

describe('the fields', () => {
  it('begin with a tcp ingress rule that still needs a network', () => {
    const form = addRuleForm(anOwner(), aSession());
    expect(asOpened(form)).toEqual({...OFFICE, ports: '', prefix: ''});
    expect(Object.keys(form.check(asOpened(form)).mistakes)).toEqual(['prefix']);
  });

  it('show our own public address, and accept "me" for it', () => {
    const known = aSession({ownConnection: parseSshConnection('198.51.100.9 51022 10.0.0.4 22')});
    const form = addRuleForm(anOwner(), known);
    expect(form.fields.find(({key}) => key === 'prefix')?.hint).toBe('me = 198.51.100.9');
    expect(notes(form.check({...OFFICE, prefix: ''}))).toEqual(['CIDR: me = 198.51.100.9, your own public address']);
    const {question} = form.check({...OFFICE, prefix: 'me'});
    expect(question?.steps[0].action).toMatchObject({rule: {remoteIpPrefix: '198.51.100.9/32'}});
    const elsewhere = addRuleForm(anOwner(), aSession());
    expect(elsewhere.fields.find(({key}) => key === 'prefix')?.hint).toBe('a network or an address');
    expect(elsewhere.check({...OFFICE, prefix: 'me'}).mistakes).toEqual({
      prefix:
        'me is the client address in SSH_CONNECTION, and there is no public one here; type your address, e.g. 203.0.113.7/32',
    });
  });

  it('are filled in by a preset, which leaves the network empty', () => {
    const form = addRuleForm(anOwner(), aSession());
    const chosen = chooseByLetter(openForm(form.fields), 's');
    expect(formValues(chosen)).toMatchObject({preset: 'ssh', direction: 'ingress', protocol: 'tcp', ports: '22'});
    expect(formValues(chosen).prefix).toBe('');
  });

  it('offer the protocols of the service once they were read, and the documented ones before', () => {
    const choices = (form: Form) => form.fields.find(({key}) => key === 'protocol')?.choices;
    const store = createStore();
    const scene = aSession({store});
    expect(choices(addRuleForm(anOwner(), scene))).toEqual(expect.arrayContaining(['any', 'tcp', 'udp', 'icmp']));
    store.writeValue(protocolsFeed, {records: [safeText('quic')], quarantined: []}, monotonicMs(1));
    const form = addRuleForm(anOwner(), scene);
    expect(choices(form)).toEqual(['quic']);
    expect(form.check({...OFFICE, protocol: 'quic', ports: ''}).mistakes).toEqual({});
    expect(Object.keys(form.check(OFFICE).mistakes)).toEqual(['protocol']);
  });
});

describe('an edited rule', () => {
  const ssh = aRule({remoteIpPrefix: safeText('198.51.100.0/24')});
  const other = aRule({id: 502, remoteIpPrefix: safeText('203.0.113.0/24')});
  const form = editRuleForm(anOwner([ssh, other]), ssh, aSession());

  it('opens with the values of the rule', () => {
    expect(asOpened(form)).toEqual({...OFFICE, ports: '22'});
  });

  it.each<[string, SecurityRule, string]>([
    ['a range', aRule({portRangeMin: 8000, portRangeMax: 8100}), '8000-8100'],
    ['a range without an end', {...EVERY_PORT, portRangeMin: 80}, '80'],
    ['no ports', EVERY_PORT, ''],
    ['a protocol without ports', aRule({protocol: safeText('icmp'), portRangeMin: 8, portRangeMax: 0}), ''],
  ])('opens with the ports of %s', (_, rule, ports) => {
    expect(asOpened(editRuleForm(anOwner(), rule, aSession())).ports).toBe(ports);
  });

  it.each<[string, FormValues]>([
    ['untouched', {}],
    ['only written differently', {prefix: '198.51.100.9/24', ports: '22-22'}],
  ])('leads to no question while it is %s', (_, values) => {
    const checked = form.check({...asOpened(form), ...values});
    expect(checked).toMatchObject({mistakes: {}, question: undefined});
    expect(notes(checked)).toEqual(['Nothing is changed yet.']);
  });

  it('is a mistake when it becomes another rule that already exists', () => {
    const checked = form.check({...asOpened(form), prefix: '203.0.113.0/24'});
    expect(checked.mistakes).toEqual({prefix: 'The same rule is already there: remove this one instead.'});
    expect(checked.question).toBeUndefined();
  });

  it.each([
    ['DELETING', 'The same rule is being removed: wait until it is gone.'],
    ['ERROR', 'The same rule failed: remove it first.'],
  ])('does not replace itself by one that is %s', (status, mistake) => {
    const going = {...other, status: safeText(status)};
    const edited = editRuleForm(anOwner([ssh, going]), ssh, aSession());
    expect(edited.check({...asOpened(edited), prefix: '203.0.113.0/24'}).mistakes).toEqual({prefix: mistake});
    const standing = aRule({id: 503, remoteIpPrefix: safeText('203.0.113.0/24'), status: safeText('SUCCESS')});
    const both = editRuleForm(anOwner([ssh, going, standing]), ssh, aSession());
    expect(both.check({...asOpened(both), prefix: '203.0.113.0/24'}).mistakes).toEqual({
      prefix: 'The same rule is already there: remove this one instead.',
    });
  });

  it('is added before the old one is removed, and each step says how things stand if it is not done', () => {
    const {question} = form.check({...asOpened(form), ports: '2222'});
    const rule = {
      direction: 'ingress',
      protocol: 'tcp',
      etherType: 'IPv4',
      remoteIpPrefix: '198.51.100.0/24',
      portRangeMin: 2222,
      portRangeMax: 2222,
    };
    expect(question?.steps.map(({action}) => action)).toEqual([
      {kind: 'firewall.add-rule', id: ID, rule},
      {kind: 'firewall.remove-rule', id: ID, ruleId: 501, rule: ssh},
    ]);
    const [add, remove] = question?.steps ?? [];
    expect(factText(question, 'Undo')).toBe('edit it back (z)');
    expect(add?.ifNotDone).toMatch(/^bastion: .*old one is unchanged$/);
    expect(remove?.ifNotDone).toBe('bastion: both rules are there now, X in the list of rules removes the old one');
    expect(factText(question, 'What happens')).toContain(
      '+ ingress tcp/2222 198.51.100.0/24\n− ingress tcp/22 198.51.100.0/24',
    );
    expect(factText(question, 'What happens')).toContain('The old rule is removed once the new one is in force.');
    expect(factText(question, 'Calls')).toMatch(/1: POST .*firewall-rules\n2: DELETE .*firewall-rules\/501/);
  });

  it('quotes a firewall name that reads like the words of the deck, in its title too', () => {
    const named = {...anOwner([ssh]), name: safeText('web #1: confirmed')};
    const renamed = editRuleForm(named, ssh, aSession());
    expect(renamed.check({...asOpened(renamed), ports: '2222'}).question?.title).toBe(
      'edit rule on "web #1: confirmed"  #7',
    );
  });
});

describe('a rule without an id', () => {
  const {id: _, ...open} = aRule({remoteIpPrefix: safeText('0.0.0.0/0'), status: safeText('SUCCESS')});
  const narrow = aRule({id: 502, remoteIpPrefix: safeText('198.51.100.7/32'), status: safeText('SUCCESS')});
  const prefix = 'The service gave ingress tcp/22 0.0.0.0/0 no id, so it cannot be replaced.';

  it.each([
    ['is there already', [open, narrow]],
    ['is not there yet', [open]],
  ])('is not replaced, as only its id removes it, whether the narrow rule %s', (_what, rules) => {
    const owner = anOwner(rules);
    const values = {...OFFICE, ports: '22', prefix: '198.51.100.7/32'};
    for (const form of [editRuleForm(owner, open, aSession()), narrowRulesForm([{owner, rules: [open]}], aSession())]) {
      expect(form?.check(values)).toMatchObject({mistakes: {prefix}, question: undefined});
    }
    const other = {owner: {...anOwner([aRule({id: 600})]), id: firewallId(8)}, rules: [aRule({id: 600})]};
    const many = narrowRulesForm([{owner, rules: [open]}, other], aSession());
    expect(many?.check({prefix: values.prefix})).toMatchObject({mistakes: {prefix}, question: undefined});
  });
});

describe('a rule to be removed', () => {
  const ssh = aRule({remoteIpPrefix: safeText('198.51.100.0/24')});

  it('leads to one step with its id and its terms', () => {
    const question = removal([ssh], ssh);
    expect(question.steps).toEqual([
      {action: {kind: 'firewall.remove-rule', id: ID, ruleId: 501, rule: ssh}, subjectName: 'bastion'},
    ]);
    expect(question.answer).toEqual({kind: 'key'});
    expect(factText(question, 'What happens')).toBe('− ingress tcp/22 198.51.100.0/24\nApplies to 2 machines.');
    expect(factText(question, 'Calls')).toContain('DELETE /core/firewalls/7/firewall-rules/501');
  });

  it('warns of a port that nothing can connect to, on the machines where no other rule allows it', () => {
    const closed = 'afterwards: no other known IPv4 rule allows it.';
    expect(factText(removal([ssh], ssh), 'Warnings')).toBe(
      `Nothing can connect to tcp/22 on machines web-1, web-2 ${closed}`,
    );
    // The first machine has a rule of its own, for other addresses.
    const own = aRule({id: 77, remoteIpPrefix: safeText('203.0.113.0/24')});
    const machines = [aVirtualMachine({id: 1, rules: [own]}), aVirtualMachine({id: 2})];
    const scene = aKnownScene({machines, firewalls: []});
    expect(factText(removal([ssh], ssh, scene), 'Warnings')).toBe(
      `Nothing can connect to tcp/22 on machine web-2 ${closed}`,
    );
    // Both machines are reachable through another firewall.
    const office = aFirewall({id: 8, rules: [own], attachments: anOwner().attachments});
    const guarded = aKnownScene({machines, firewalls: [office]});
    expect(factText(removal([ssh], ssh, guarded), 'Warnings')).toBe('');
    const [alone] = [aVirtualMachine({id: 3, name: safeText('web-3'), rules: [ssh]})];
    const question = questionFor([candidate(removeRuleFrom(alone, 501, ssh), alone, aSession())], aSession());
    expect(factText(question, 'Warnings')).toBe(`Nothing can connect to tcp/22 on machine web-3 ${closed}`);
    expect(question?.answer).toEqual({kind: 'key'});
  });

  it('is reported as changing nothing when another rule allows the same', () => {
    const wide = aRule({id: 503});
    const question = removal([ssh, wide], ssh);
    expect(factText(question, 'Warnings')).toBe('ingress tcp/22 0.0.0.0/0 still allows the same.');
    expect(factText(removal([ssh, wide], wide), 'Warnings')).toBe('');
    // One that does not allow it yet does not still allow it.
    const pending = {...wide, status: safeText('pending')};
    expect(factText(removal([ssh, pending], ssh), 'Warnings')).toBe('');
  });

  it.each(NOT_IN_FORCE)('shuts out our own session if the only other rule for it is %j', status => {
    const wide = aRule({id: 503});
    const ownConnection = parseSshConnection('198.51.100.9 51022 10.0.0.4 22');
    const question = removal([{...ssh, status: safeText(status)}, wide], wide, aSession({ownConnection}));
    expect(factText(question, 'Warnings')).toContain(
      'Your own SSH session comes from 198.51.100.9 to port 22: no remaining rule here allows it.',
    );
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'bastion'});
    const kept = removal([ssh, wide], wide, aSession({ownConnection}));
    expect(kept.answer).toEqual({kind: 'key'});
  });

  it.each(['DELETING', 'FAILED'])('is not reported as changing nothing if the wider rule is %s', status => {
    const wide = aRule({id: 503, status: safeText(status)});
    expect(factText(removal([ssh, wide], ssh), 'Warnings')).not.toContain('still allow');
    const machines = [1, 2].map(id => aVirtualMachine({id}));
    const others = [aFirewall({id: 8, rules: [wide], attachments: anOwner().attachments})];
    const scene = aKnownScene({firewalls: others, machines});
    expect(factText(removal([ssh], ssh, scene), 'Warnings')).not.toContain('still allow');
  });
});

describe('an egress rule to be removed', () => {
  const everything = aRule({
    id: 9,
    direction: safeText('egress'),
    protocol: safeText('any'),
    portRangeMin: 1,
    portRangeMax: 65_535,
  });
  const https = aRule({id: 10, direction: safeText('egress'), portRangeMin: 443, portRangeMax: 443});

  it('says what stops working, and requires the name as the answer', () => {
    const question = removal([everything], everything);
    expect(factText(question, 'Warnings')).toBe(
      'This stops on machines web-1, web-2: all outgoing IPv4 traffic: DNS, HTTPS, package updates and everything else.',
    );
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'bastion'});
  });

  it('is answered by a key when another rule, here or elsewhere, allows the same', () => {
    const covered = removal([everything, https], https);
    expect(covered.answer).toEqual({kind: 'key'});
    const {attachments} = anOwner();
    const machines = [1, 2].map(id => aVirtualMachine({id}));
    const others = [aFirewall({id: 8, rules: [everything], attachments})];
    const elsewhere = removal([https], https, aKnownScene({firewalls: others, machines}));
    expect(elsewhere.answer).toEqual({kind: 'key'});
    expect(factText(elsewhere, 'Warnings')).toBe('Other rules of the same machines still allow the same.');
    const unused = {...anOwner([https]), attachments: []};
    const scene = aSession();
    const question = questionFor([candidate(removeRuleFrom(unused, 10, https), unused, scene)], scene);
    expect(question?.answer).toEqual({kind: 'key'});
  });

  it('gives the same warning when an edit narrows it', () => {
    const form = editRuleForm(anOwner([https]), https, aSession());
    const {question} = form.check({...asOpened(form), ports: '8443'});
    expect(factText(question, 'Warnings')).toContain(
      'This stops on machines web-1, web-2: outgoing HTTPS to 0.0.0.0/0.',
    );
    expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'bastion'});
  });
});

function factText(question: FormCheck['question'], label: string): string {
  const fact = question?.facts.find(candidate => candidate.label === label);
  return (fact?.lines ?? []).map(textOf).join('\n');
}

describe('a change that touches our own SSH session', () => {
  const ownConnection = parseSshConnection('198.51.100.9 51022 10.0.0.4 22');
  const scene = aSession({ownConnection});

  it('is warned about and requires the name when nothing else lets us in', () => {
    const question = removal([EVERY_PORT], EVERY_PORT, scene);
    expect(JSON.stringify(question.facts)).toContain('Your own SSH session comes from 198.51.100.9 to port 22');
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'bastion'});
  });

  it('is confirmed by a key when another rule lets us in or there is no such session', () => {
    const other: SecurityRule = {
      ...EVERY_PORT,
      id: 502,
      status: safeText('SUCCESS'),
      remoteIpPrefix: safeText('0.0.0.0/0'),
    };
    expect(removal([EVERY_PORT, other], EVERY_PORT, scene).answer).toEqual({kind: 'key'});
    expect(removal([EVERY_PORT], EVERY_PORT).answer).toEqual({kind: 'key'});
  });

  it('is also warned about when an edit would remove the old rule', () => {
    const form = editRuleForm(anOwner([EVERY_PORT]), EVERY_PORT, scene);
    const {question} = form.check({...OFFICE, ports: '443'});
    expect(JSON.stringify(question?.facts)).toContain('Your own SSH session');
    expect(question?.answer.kind).toBe('text');
  });
});

describe('a port that stays open to the world', () => {
  const ssh = aRule({id: 501});
  const attachments = anOwner().attachments.slice(0, 1);
  const edge = aFirewall({id: 8, name: safeText('edge'), rules: [aRule({id: 601})], attachments});
  const web = aVirtualMachine({id: 1, name: safeText('web-1'), rules: [ssh]});
  const scene = aKnownScene({machines: [web, aVirtualMachine({id: 2})], firewalls: [edge]});
  const warnings = (question: FormCheck['question']) => factText(question, 'Warnings');

  function narrowedOn(open: readonly OpenRules[], known = scene): FormCheck['question'] {
    return narrowRulesForm(open, known)?.check({prefix: '198.51.100.7/32', ...(open.length > 1 ? {} : PORT)}).question;
  }
  const PORT = {...OFFICE, prefix: '198.51.100.7/32', ports: '22'};

  it('is named with the firewall that leaves it open, when a rule of the machine is narrowed or removed', () => {
    const stays = 'tcp/22 stays open: edge #8 allows 0.0.0.0/0.';
    expect(warnings(narrowedOn([{owner: web, rules: [ssh]}]))).toBe(stays);
    expect(warnings(questionFor([candidate(removeRuleFrom(web, 501, ssh), web, scene)], scene))).toBe(stays);
    // Open through all ports just as well; not through another port, family or network, or on another machine.
    const through = (rule: SecurityRule, on = attachments) => {
      const firewalls = [{...edge, rules: [rule], attachments: on}];
      return warnings(narrowedOn([{owner: web, rules: [ssh]}], aKnownScene({machines: [web], firewalls})));
    };
    expect(through(aRule({portRangeMin: 1, portRangeMax: 65_535}))).toBe(
      'tcp/1-65535 stays open: edge #8 allows 0.0.0.0/0.',
    );
    expect(through(aRule({portRangeMin: 23, portRangeMax: 23}))).toBe('');
    expect(through(aRule({etherType: safeText('IPv6'), remoteIpPrefix: safeText('::/0')}))).toBe('');
    expect(through(aRule({remoteIpPrefix: safeText('10.0.0.0/8')}))).toBe('');
    expect(through(aRule(), anOwner().attachments.slice(1))).toBe('');
  });

  it('is named with the state of a rule that failed, which may be in force, or that is being removed, until it is', () => {
    const inState = (...states: readonly string[]) => {
      const firewalls = states.map((status, index) =>
        aFirewall({
          id: 8 + index,
          name: safeText(`edge-${index}`),
          rules: [aRule({id: 601 + index, status: safeText(status)})],
          attachments,
        }),
      );
      return warnings(narrowedOn([{owner: web, rules: [ssh]}], aKnownScene({machines: [web], firewalls})));
    };
    expect(inState('ERROR')).toBe('tcp/22 may stay open: edge-0 #8 allows 0.0.0.0/0 (ERROR).');
    expect(inState('DELETING')).toBe('tcp/22 stays open for now: edge-0 #8 allows 0.0.0.0/0 (DELETING).');
    expect(inState('SUCCESS', 'DELETING', 'SUCCESS')).toBe(
      'tcp/22 stays open: edge-0 #8, edge-2 #10 allow 0.0.0.0/0.\ntcp/22 stays open for now: edge-1 #9 allows 0.0.0.0/0 (DELETING).',
    );
  });

  it('is only removed when the narrow rule is there already, as after a removal that failed', () => {
    const there = aRule({id: 502, remoteIpPrefix: safeText('198.51.100.7/32')});
    const form = narrowRulesForm([{owner: anOwner([ssh, there]), rules: [ssh]}], scene);
    const checked = form?.check(PORT);
    expect(checked?.mistakes).toEqual({});
    expect(checked?.notes.map(textOf)).toContain('The same rule is already there: this one is only removed.');
    expect(checked?.question?.steps.map(({action}) => action)).toMatchObject([
      {kind: 'firewall.remove-rule', id: 7, ruleId: 501},
    ]);
    const going = {...there, status: safeText('DELETING')};
    const later = narrowRulesForm([{owner: anOwner([ssh, going]), rules: [ssh]}], scene)?.check(PORT);
    expect(later?.mistakes).toEqual({prefix: 'The same rule is being removed: wait until it is gone.'});
    expect(later?.question).toBeUndefined();
  });

  it('is named with the machines on which it stays open, when a rule of a firewall is narrowed', () => {
    const owner = anOwner([ssh]);
    expect(warnings(narrowedOn([{owner, rules: [ssh]}]))).toBe(
      'tcp/22 stays open on web-1: its own rule, edge #8 allow 0.0.0.0/0.',
    );
  });

  it('is named if another rule of the same machine or firewall leaves a part of it open', () => {
    const range = aRule({id: 501, portRangeMin: 20, portRangeMax: 30});
    const lone = aVirtualMachine({id: 1, name: safeText('web-1'), rules: [range, aRule({id: 502})]});
    const alone = aKnownScene({machines: [lone], firewalls: []});
    const ownStays = 'tcp/22 stays open: its own rule allows 0.0.0.0/0.';
    const addsNothing = 'The new rule adds nothing until ingress tcp/22 0.0.0.0/0 is removed.';
    expect(warnings(narrowedOn([{owner: lone, rules: [range]}], alone))).toBe(`${ownStays}\n${addsNothing}`);
    expect(warnings(questionFor([candidate(removeRuleFrom(lone, 501, range), lone, alone)], alone))).toBe(ownStays);
    const firewall = aFirewall({id: 8, name: safeText('edge'), rules: [range, aRule({id: 502})], attachments});
    const shared = aKnownScene({machines: [aVirtualMachine({id: 1})], firewalls: [firewall]});
    expect(warnings(narrowedOn([{owner: firewall, rules: [range]}], shared))).toBe(
      `tcp/22 stays open on web-1: edge #8 allows 0.0.0.0/0.\n${addsNothing}`,
    );
    // Nothing is left if both are narrowed.
    expect(warnings(narrowedOn([{owner: lone, rules: lone.rules}], alone))).toBe('');
  });

  it('is not reported for rules that are narrowed with the same answer', () => {
    const owner = anOwner([ssh]);
    const both = [
      {owner, rules: owner.rules},
      {owner: edge, rules: edge.rules},
    ];
    const machines = [aVirtualMachine({id: 1}), aVirtualMachine({id: 2})];
    const question = narrowedOn(both, aKnownScene({machines, firewalls: [owner, edge]}));
    expect(question?.title).toContain('edit 2 rules');
    expect(warnings(question)).toBe('');
  });
});

describe('several rules open to the world', () => {
  const ssh = aRule({id: 501, status: safeText('SUCCESS')});
  const notebook = aRule({id: 502, portRangeMin: 8888, portRangeMax: 8888});
  const six = aRule({id: 503, etherType: safeText('IPv6'), remoteIpPrefix: safeText('::/0')});
  const owner = anOwner([ssh, notebook]);
  const machine = aVirtualMachine({id: 7, name: safeText('web-7'), rules: [ssh]});
  const office = {prefix: '198.51.100.0/24'};

  function narrowed(open: readonly OpenRules[], values: FormValues = office, scene = aSession()): FormCheck {
    const form = narrowRulesForm(open, scene);
    if (form === undefined) throw new Error('no form');
    expect(form.fields.map(({key}) => key)).toEqual(['prefix']);
    return form.check(values);
  }

  function steps({question}: FormCheck): readonly string[] {
    return (question?.steps ?? []).map(({action}) => {
      const {kind, ruleId, rule} = action as {kind: string; ruleId?: number; rule: SecurityRule};
      return `${kind} ${ruleId ?? `${rule.protocol}/${rule.portRangeMin} ${rule.remoteIpPrefix}`}`;
    });
  }

  it('are replaced one by one by the same rules for one address, each old one after its new one', () => {
    const checked = narrowed([{owner, rules: [ssh, notebook]}]);
    expect(steps(checked)).toEqual([
      'firewall.add-rule tcp/22 198.51.100.0/24',
      'firewall.remove-rule 501',
      'firewall.add-rule tcp/8888 198.51.100.0/24',
      'firewall.remove-rule 502',
    ]);
    const {question} = checked;
    // A chain goes on only after a confirmed step, and stops at one whose outcome is unknown.
    expect(question?.purpose).toEqual({kind: 'begin', mode: 'chain'});
    expect(question?.title).toBe('edit 2 rules on bastion  #7');
    expect(factText(question, 'What happens')).toBe(
      [
        '+ ingress tcp/22 198.51.100.0/24',
        '+ ingress tcp/8888 198.51.100.0/24',
        '− ingress tcp/22 0.0.0.0/0',
        '− ingress tcp/8888 0.0.0.0/0',
        'Applies to 2 machines.',
        'One after the other: each old rule is removed once its new one is in force.',
        'It stops at the first one that fails or stays unknown: the rest is unchanged and you are told.',
      ].join('\n'),
    );
    expect(question?.steps.map(({ifNotDone}) => ifNotDone)).toEqual([
      'bastion: ingress tcp/22 198.51.100.0/24 is not in force, ingress tcp/22 0.0.0.0/0 is unchanged; 0 of 2 rules are replaced',
      'bastion: ingress tcp/22 0.0.0.0/0 is still there; 0 of 2 rules are replaced',
      'bastion: ingress tcp/8888 198.51.100.0/24 is not in force, ingress tcp/8888 0.0.0.0/0 is unchanged; 1 of 2 rules are replaced',
      'bastion: ingress tcp/8888 0.0.0.0/0 is still there; 1 of 2 rules are replaced',
    ]);
  });

  it('of a firewall and a machine are one question that lists both, by name', () => {
    const checked = narrowed([
      {owner, rules: [ssh]},
      {owner: machine, rules: [ssh]},
    ]);
    expect(steps(checked)).toEqual([
      'firewall.add-rule tcp/22 198.51.100.0/24',
      'firewall.remove-rule 501',
      'vm.add-rule tcp/22 198.51.100.0/24',
      'vm.remove-rule 501',
    ]);
    expect(checked.question?.title).toBe('edit 2 rules on bastion, web-7');
    expect(factText(checked.question, 'What happens')).toMatch(
      /^bastion {2}#7\n\+ .*\n− .*\nApplies to 2 machines\.\nweb-7 {2}#7\n\+ .*\n− .*\nApplies to this machine\.\n/,
    );
  });

  it('of both families take the family of the address, with one new rule where they would be the same', () => {
    const both = anOwner([ssh, six]);
    expect(steps(narrowed([{owner: both, rules: [ssh, six]}]))).toEqual([
      'firewall.add-rule tcp/22 198.51.100.0/24',
      'firewall.remove-rule 501',
      'firewall.remove-rule 503',
    ]);
  });

  it('are only removed where the narrow rule is in force, and refused while it is not', () => {
    const there = aRule({id: 504, remoteIpPrefix: safeText('198.51.100.0/24'), status: safeText('SUCCESS')});
    const withIt = anOwner([ssh, notebook, there]);
    expect(steps(narrowed([{owner: withIt, rules: [ssh, notebook]}]))).toEqual([
      'firewall.remove-rule 501',
      'firewall.add-rule tcp/8888 198.51.100.0/24',
      'firewall.remove-rule 502',
    ]);
    const pending = anOwner([ssh, notebook, {...there, status: safeText('PENDING')}]);
    expect(narrowed([{owner: pending, rules: [ssh, notebook]}])).toMatchObject({
      mistakes: {prefix: 'ingress tcp/22 198.51.100.0/24 is not in force yet: wait.'},
      question: undefined,
    });
  });

  it.each([
    ['0.0.0.0/0', 'That is the whole internet.'],
    ['', 'required'],
  ])('are not replaced by %j', (prefix, mistake) => {
    const checked = narrowed([{owner, rules: [ssh, notebook]}], {prefix});
    expect(checked.question).toBeUndefined();
    expect(checked.mistakes).toEqual({prefix: mistake});
    expect(notes(checked)).toContain('Now on bastion: ingress tcp/22 0.0.0.0/0, ingress tcp/8888 0.0.0.0/0.');
  });

  it('require the name of the owner that would shut out our own session, whichever of them it is', () => {
    const scene = aSession({ownConnection: parseSshConnection('203.0.113.9 51022 10.0.0.4 22')});
    const lab = aFirewall({id: 8, name: safeText('lab'), rules: [notebook], attachments: owner.attachments});
    const open = [
      {owner: lab, rules: [notebook]},
      {owner: machine, rules: [ssh]},
    ];
    const cut = narrowed(open, office, scene);
    expect(factText(cut.question, 'Warnings')).toContain('Your own SSH session comes from 203.0.113.9 to port 22');
    expect(cut.question?.answer).toEqual({kind: 'text', what: 'name', expected: 'web-7'});
    expect(notes(cut).join('\n')).toContain('Your own SSH session');
    const kept = narrowed(open, {prefix: 'me'}, scene);
    expect(factText(kept.question, 'Warnings')).not.toContain('Your own SSH session');
    expect(kept.question?.answer).toEqual({kind: 'key'});
  });
});
