import {expect, it} from 'vitest';
import {incomingWarnings} from '../../src/domain/incoming-traffic.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleTerms} from '../../src/domain/security-rule.ts';

const SSH: RuleTerms = {
  direction: 'ingress',
  protocol: 'tcp',
  etherType: 'IPv4',
  remoteIpPrefix: '0.0.0.0/0',
  portRangeMin: 22,
  portRangeMax: 22,
};
const {portRangeMin: _min, portRangeMax: _max, ...EVERY_PORT} = SSH;
const OFFICE: RuleTerms = {...SSH, remoteIpPrefix: '198.51.100.0/24'};
const ANY: RuleTerms = {...EVERY_PORT, protocol: 'any'};

const warnings = (gone: RuleTerms, staying: readonly RuleTerms[]) =>
  incomingWarnings([{machineName: safeText('web-1'), gone: [gone], staying}]);

it.each<[string, RuleTerms, readonly RuleTerms[], string]>([
  ['the only rule for SSH', SSH, [], 'tcp/22'],
  ['the rule for SSH beside one for HTTPS', SSH, [{...SSH, portRangeMin: 443, portRangeMax: 443}], 'tcp/22'],
  ['the rule for SSH beside one for udp', SSH, [{...EVERY_PORT, protocol: 'udp'}], 'tcp/22'],
  ['the rule for SSH beside an outgoing one', SSH, [{...ANY, direction: 'egress'}], 'tcp/22'],
  ['the rule for SSH beside one for IPv6', SSH, [{...SSH, etherType: 'IPv6'}], 'tcp/22'],
  ['the rule for SSH beside one whose ports are unknown', SSH, [{...EVERY_PORT, hasUnreadPorts: true}], 'tcp/22'],
  ['a range', {...SSH, portRangeMin: 6000, portRangeMax: 6100}, [SSH], 'tcp/6000-6100'],
  ['all of tcp', EVERY_PORT, [], 'any tcp port'],
  ['everything', ANY, [], 'any port'],
])('warns of the port that nothing can connect to without %s', (_name, gone, staying, port) => {
  expect(warnings(gone, staying)).toEqual([
    `Nothing can connect to ${port} on machine web-1 afterwards: no other known IPv4 rule allows it.`,
  ]);
});

it.each<[string, RuleTerms, readonly RuleTerms[]]>([
  ['some addresses are still allowed', SSH, [OFFICE]],
  ['a rule for all ports stays', SSH, [EVERY_PORT]],
  ['a rule for everything stays', SSH, [ANY]],
  ['a rule for a part of it stays', EVERY_PORT, [SSH]],
  ['the rule is for outgoing traffic', {...SSH, direction: 'egress'}, []],
  ['the rule is for icmp, which has no ports', {...EVERY_PORT, protocol: 'icmp'}, []],
])('gives no warning when %s', (_name, gone, staying) => {
  expect(warnings(gone, staying)).toEqual([]);
});

it('lists the machines that lose the same access together, and no others', () => {
  const machine = (name: string, staying: readonly RuleTerms[]) => ({
    machineName: safeText(name),
    gone: [SSH],
    staying,
  });
  expect(incomingWarnings([machine('web-1', []), machine('web-2', [OFFICE]), machine('web-3', [])])).toEqual([
    'Nothing can connect to tcp/22 on machines web-1, web-3 afterwards: no other known IPv4 rule allows it.',
  ]);
});
