import {describe, expect, it} from 'vitest';
import {firewallId} from '../../src/domain/firewall.ts';
import {holderOf, holdersOf, outgoingLosses, outgoingWarnings} from '../../src/domain/outgoing-traffic.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleTerms} from '../../src/domain/security-rule.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {aFirewall} from '../panes/a-catalogue.ts';
import {aRule} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

/** The rule that the service makes for every machine. */
const ANY: RuleTerms = {
  direction: 'egress',
  protocol: 'any',
  etherType: 'IPv4',
  remoteIpPrefix: '0.0.0.0/0',
  portRangeMin: 1,
  portRangeMax: 65_535,
};
const ANY_V6: RuleTerms = {...ANY, etherType: 'IPv6'};
const tcp = (port: number, rest: RuleTerms = {}): RuleTerms => ({
  ...ANY,
  protocol: 'tcp',
  portRangeMin: port,
  portRangeMax: port,
  ...rest,
});
const DNS = tcp(53, {protocol: 'udp', remoteIpPrefix: '10.0.0.2/32'});

describe('outgoingLosses', () => {
  it.each<[string, RuleTerms, readonly RuleTerms[], readonly string[]]>([
    [
      'the last rule of its family',
      ANY,
      [ANY_V6, {...tcp(22), direction: 'ingress'}],
      ['all outgoing IPv4 traffic: DNS, HTTPS, package updates and everything else'],
    ],
    [
      'the last rule of IPv6',
      ANY_V6,
      [ANY],
      ['all outgoing IPv6 traffic: DNS, HTTPS, package updates and everything else'],
    ],
    [
      'one that allows everything beside one that allows HTTPS',
      ANY,
      [tcp(443)],
      ['outgoing DNS, HTTP, NTP, SSH and all else that no other rule allows to 0.0.0.0/0'],
    ],
    ['HTTPS alone', tcp(443), [DNS], ['outgoing HTTPS to 0.0.0.0/0']],
    ['DNS to one resolver', DNS, [tcp(443)], ['outgoing DNS to 10.0.0.2/32']],
    [
      'a range of ports',
      {...tcp(1), portRangeMax: 1024},
      [],
      ['outgoing HTTPS, HTTP, SSH and all else that no other rule allows to 0.0.0.0/0'],
    ],
    [
      'a port without a name',
      tcp(9000, {remoteIpPrefix: '10.1.0.0/16'}),
      [],
      ['what only egress tcp/9000 10.1.0.0/16 allows'],
    ],
    ['a rule that a wider one covers', tcp(443), [ANY], []],
    ['a copy of itself', ANY, [{...ANY}], []],
    ['a rule for incoming traffic', {...ANY, direction: 'ingress'}, [], []],
    [
      'a rule without a family',
      {direction: 'egress', protocol: 'any', remoteIpPrefix: '0.0.0.0/0'},
      [],
      ['what only egress any 0.0.0.0/0 allows'],
    ],
  ] as const)('by removing %s', (_name, gone, staying, expected) => {
    expect(outgoingLosses([gone], staying)).toEqual(expected);
  });
});

describe('the machines of a rule', () => {
  const id = firewallId(5);
  const egress = aRule({id: 9, direction: safeText('egress'), portRangeMin: 443, portRangeMax: 443});
  const attachment = (machine: number, status?: string) => ({
    machineId: virtualMachineId(machine),
    machineName: safeText(`web-${machine}`),
    ...(status === undefined ? {} : {status: safeText(status)}),
  });
  const one = aVirtualMachine({id: 1, name: safeText('web-1')});
  const two = aVirtualMachine({id: 2, name: safeText('web-2')});
  const firewall = aFirewall({
    id,
    rules: [egress],
    attachments: [attachment(1), attachment(2), attachment(3, 'DETACHED')],
  });
  const other = aFirewall({id: 6, rules: [egress], attachments: [attachment(2)]});

  it('have the rules of all their firewalls', () => {
    expect(holderOf(two, [firewall, other]).otherRules).toEqual([egress, egress]);
    expect(holderOf(one, [other]).otherRules).toEqual([]);
  });

  it('are those that its firewall is still attached to, with the rules they have from elsewhere', () => {
    const known = {
      machines: [{...one, rules: [egress]}, two],
      firewalls: [firewall, other],
    };
    expect(holdersOf(firewall, {machines: [], firewalls: [firewall]})).toEqual([
      {name: 'web-1', otherRules: []},
      {name: 'web-2', otherRules: []},
    ]);
    expect(holdersOf(firewall, known)).toEqual([
      {name: 'web-1', otherRules: [egress]},
      {name: 'web-2', otherRules: [egress]},
    ]);
  });

  it('are named when only some of them lose something', () => {
    const gone = [tcp(443)];
    const changes = [
      {machineName: safeText('web-1'), gone, staying: [ANY]},
      {machineName: safeText('web-2'), gone, staying: []},
    ];
    expect(outgoingWarnings(changes)).toEqual(['This stops on machine web-2: outgoing HTTPS to 0.0.0.0/0.']);
    expect(outgoingWarnings([{gone, staying: []}])).toEqual(['This stops: outgoing HTTPS to 0.0.0.0/0.']);
  });

  it('include machines not read when not all attachments could be read', () => {
    expect(
      holdersOf({...firewall, attachments: [], hasUnreadAttachments: true}, {machines: [], firewalls: []}),
    ).toEqual([{name: 'machines not read', otherRules: []}]);
  });
});
