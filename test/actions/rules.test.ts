import {describe, expect, it} from 'vitest';
import {recordOf, unmetPrecondition} from '../../src/actions/actions.ts';
import {securityRule, toSecurityRule} from '../../src/api/rule-records.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleTerms} from '../../src/domain/security-rule.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import type {SecurityRule} from '../../src/domain/virtual-machine.ts';
import {aFirewall, aMachine, machine, wall} from './some-things.ts';

const text = safeText;
const seen = (subject: CloudResource): Observation<CloudResource> => ({
  startedAt: monotonicMs(1),
  records: [subject],
  isWhole: true,
});
const OUTWARD: RuleTerms = {
  direction: 'egress',
  protocol: 'any',
  etherType: 'IPv6',
  remoteIpPrefix: '::/0',
  portRangeMin: 1,
  portRangeMax: 65_535,
};

/** What would undo the removal of a rule, on a firewall and on a machine. */
function undosOf(rule: RuleTerms) {
  const [firewall, vm] = [seen(aFirewall()), seen(aMachine())];
  return [
    recordOf({kind: 'firewall.remove-rule'}).undo(
      {kind: 'firewall.remove-rule', id: wall, ruleId: 9, rule},
      firewall,
      firewall,
    ),
    recordOf({kind: 'vm.remove-rule'}).undo({kind: 'vm.remove-rule', id: machine, ruleId: 9, rule}, vm, vm),
  ];
}

describe('the removal of a rule', () => {
  it('is undone by adding the rule as it was', () => {
    for (const undo of undosOf(OUTWARD)) {
      expect(undo).toMatchObject({action: {rule: {...OUTWARD, remoteIpPrefix: text('::/0')}}});
    }
  });

  it('is undone for the IPv6 rule that everything starts with too, if the service accepts it', () => {
    for (const undo of undosOf({...OUTWARD, remoteIpPrefix: '0.0.0.0/0'})) {
      expect(undo).toMatchObject({
        action: {rule: {...OUTWARD, remoteIpPrefix: '0.0.0.0/0'}},
        words: 'adds egress any/1-65535 0.0.0.0/0 IPv6, if the service accepts it',
      });
    }
  });

  it.each([
    'direction',
    'protocol',
    'etherType',
    'remoteIpPrefix',
  ] as const)('cannot be undone when the %s of the rule is unknown', term => {
    const {[term]: _unknown, ...rest} = OUTWARD;
    for (const undo of undosOf(rest)) expect(undo).toBe('the old rule is not fully known');
  });

  const SSH: RuleTerms = {
    direction: 'ingress',
    protocol: 'tcp',
    etherType: 'IPv4',
    remoteIpPrefix: '10.0.0.0/8',
    portRangeMin: 22,
    portRangeMax: 22,
  };
  const {portRangeMin: _min, portRangeMax: _max, ...ALL_PORTS} = SSH;
  const {remoteIpPrefix: _prefix, ...UNREAD} = SSH;
  const {direction: _direction, ...UNDIRECTED} = SSH;

  /** Why the rule #9 is not removed from a firewall and from a machine with these rules, if it is not. */
  function reasonsFor(removed: RuleTerms, ...now: readonly RuleTerms[]) {
    const rules = now.map(terms => ({id: 9, status: text('SUCCESS'), ...terms}) as SecurityRule);
    return [
      unmetPrecondition(
        {kind: 'firewall.remove-rule', id: wall, ruleId: 9, rule: removed},
        {
          subject: aFirewall({rules}),
        },
      ),
      unmetPrecondition({kind: 'vm.remove-rule', id: machine, ruleId: 9, rule: removed}, {subject: aMachine({rules})}),
    ];
  }

  it.each<[string, RuleTerms, string]>([
    ['other ports', {...SSH, portRangeMin: 443, portRangeMax: 443}, 'ingress tcp/443 10.0.0.0/8'],
    ['all ports', ALL_PORTS, 'ingress tcp 10.0.0.0/8'],
    ['another prefix', {...SSH, remoteIpPrefix: '0.0.0.0/0'}, 'ingress tcp/22 0.0.0.0/0'],
    ['another protocol', {...SSH, protocol: 'udp'}, 'ingress udp/22 10.0.0.0/8'],
    ['another direction', {...SSH, direction: 'egress'}, 'egress tcp/22 10.0.0.0/8'],
    ['another family', {...SSH, etherType: 'IPv6'}, 'ingress tcp/22 10.0.0.0/8 IPv6'],
    ['a prefix that cannot be read', UNREAD, 'ingress tcp/22 unknown'],
  ])('is not sent when the rule of that id has %s', (_name, now, words) => {
    for (const reason of reasonsFor(SSH, now)) expect(reason).toBe(`rule #9 is now ${words}`);
  });

  it('is sent when the rule is the same, however it is spelt', () => {
    const spelt = {...SSH, direction: 'INGRESS', etherType: 'ipv4', remoteIpPrefix: '10.1.2.3/8'};
    for (const now of [SSH, spelt]) for (const reason of reasonsFor(SSH, now)) expect(reason).toBeUndefined();
    for (const reason of reasonsFor(UNREAD, UNREAD)) expect(reason).toBeUndefined();
  });

  /** The rule as the service sends it, with these ends of its range of ports. */
  const sent = (protocol: string, ends: object): SecurityRule =>
    toSecurityRule(
      securityRule.parse({
        ...{id: 9, direction: 'ingress', protocol, ethertype: 'IPv4', remote_ip_prefix: '10.0.0.0/8'},
        ...{status: 'SUCCESS', ...ends},
      }),
    );

  it.each<[string, object, object]>([
    ['tcp', {port_range_min: 22, port_range_max: 22}, {port_range_min: 22, port_range_max: 'x'}],
    ['tcp', {port_range_min: 22, port_range_max: 22}, {port_range_min: 22, port_range_max: null}],
    ['tcp', {port_range_min: 22, port_range_max: 22}, {port_range_min: null, port_range_max: 22}],
    ['udp', {port_range_min: 1, port_range_max: 65_535}, {port_range_min: 'x', port_range_max: 'y'}],
    ['any', {}, {port_range_max: 'x'}],
    ['icmp', {port_range_min: 8, port_range_max: null}, {port_range_min: 8, port_range_max: {}}],
  ])('is not sent when an end of the range of the %s rule %j cannot be read any more: %j', (protocol, was, is) => {
    const [shown, now] = [sent(protocol, was), sent(protocol, is)];
    for (const reason of reasonsFor(shown, shown)) expect(reason).toBeUndefined();
    for (const reason of reasonsFor(shown, now)) {
      expect(reason).toBe(`rule #9 is now ingress ${protocol}/unknown 10.0.0.0/8`);
    }
    for (const undo of undosOf(now)) expect(undo).toBe('the old rule is not fully known');
  });

  it('keeps in the journal that the ports of the rule are unknown', () => {
    const action = {
      kind: 'firewall.remove-rule',
      id: wall,
      ruleId: 9,
      rule: sent('tcp', {port_range_max: 'x'}),
    } as const;
    expect(recordOf(action).parse(JSON.parse(JSON.stringify(action)))).toMatchObject({rule: {hasUnreadPorts: true}});
  });

  it('is neither confirmed nor failed while the ports of the rule cannot be read', () => {
    const now = [{...sent('tcp', {port_range_max: 'x'}), status: text('DELETING')}];
    const action = {kind: 'firewall.remove-rule', id: wall, ruleId: 9, rule: SSH} as const;
    const history = {confirmedAt: epochMs(0), hasSeenTransition: false};
    expect(recordOf(action).evidence(action, seen(aFirewall({rules: now})), history)).toEqual({kind: 'transition'});
  });

  it('is not sent a second time while the rule is being removed', () => {
    const going = {...SSH, status: 'DELETING'};
    for (const reason of reasonsFor(SSH, going)) expect(reason).toBe('it is being removed already');
  });

  it('is not sent when two rules have that id', () => {
    const web = {...SSH, portRangeMin: 443, portRangeMax: 443};
    for (const twins of [
      [SSH, web],
      [web, SSH],
      [SSH, SSH],
    ]) {
      for (const reason of reasonsFor(SSH, ...twins)) expect(reason).toBe('there are 2 rules #9');
    }
  });

  it.each([
    'firewall.remove-rule',
    'vm.remove-rule',
  ] as const)('%s is not confirmed by another rule of that id', kind => {
    const now = [{id: 9, ...SSH, portRangeMin: 443, portRangeMax: 443, status: text('DELETING')}] as SecurityRule[];
    const isWall = kind === 'firewall.remove-rule';
    const action = {kind, id: isWall ? wall : machine, ruleId: 9, rule: SSH};
    const is = seen(isWall ? aFirewall({rules: now}) : aMachine({rules: now}));
    const evidence = recordOf(action).evidence(action, is, {confirmedAt: epochMs(0), hasSeenTransition: false});
    expect(evidence).toEqual({kind: 'elsewhere', detail: 'rule #9 is now ingress tcp/443 10.0.0.0/8'});
  });

  const KINDS = ['firewall.remove-rule', 'vm.remove-rule'] as const;
  type Owned = {readonly rules: readonly SecurityRule[]; readonly hasUnreadRules?: true};

  /** What reading these rules says about the removal of rule #9, with what was read of them before it was sent. */
  function evidenceOf(kind: (typeof KINDS)[number], now: Owned, before?: Owned) {
    const isWall = kind === 'firewall.remove-rule';
    const observed = (owned: Owned) => seen(isWall ? aFirewall(owned) : aMachine(owned));
    const action = {kind, id: isWall ? wall : machine, ruleId: 9, rule: SSH};
    const is = observed(now);
    const evidence = recordOf(action).evidence(action, is, {
      confirmedAt: epochMs(0),
      hasSeenTransition: false,
      ...(before === undefined ? {} : {before: observed(before)}),
    });
    return {evidence, reason: unmetPrecondition(action, {subject: is.records[0]})};
  }

  const rule = (id: number, terms = SSH) => ({id, status: text('SUCCESS'), ...terms}) as SecurityRule;

  describe.each(KINDS)('%s', kind => {
    it.each<[string, Owned]>([
      ['that could not be read', {rules: [], hasUnreadRules: true}],
      ['of which the id of one could not be read', {rules: [SSH as SecurityRule]}],
      ['of which nothing of one could be read', {rules: [{}]}],
    ])('is neither sent for nor confirmed by rules %s', (_, owned) => {
      expect(evidenceOf(kind, owned, {rules: [rule(9)]})).toEqual({
        evidence: {kind: 'nothing'},
        reason: 'its rules could not be read completely',
      });
    });

    it.each<[string, RuleTerms]>([
      ['the same', SSH],
      ['the same in another spelling', {...SSH, direction: 'INGRESS', remoteIpPrefix: '10.1.2.3/8'}],
    ])('is contradicted by a rule that is %s and was not there before', (_, terms) => {
      const {evidence} = evidenceOf(kind, {rules: [rule(12, terms)]}, {rules: [rule(9)]});
      expect(evidence).toEqual({kind: 'elsewhere', detail: 'the same rule is listed as #12'});
    });

    it('is confirmed beside the same rule that was there before, and beside others', () => {
      const web = {...SSH, portRangeMin: 443, portRangeMax: 443};
      const {evidence} = evidenceOf(kind, {rules: [rule(12), rule(13, web)]}, {rules: [rule(9), rule(12)]});
      expect(evidence).toEqual({kind: 'target'});
      expect(evidenceOf(kind, {rules: []}, {rules: [rule(9)]}).evidence).toEqual({kind: 'target'});
    });

    it.each<[string, RuleTerms]>([
      ['without ports', ALL_PORTS],
      ['without a prefix', UNREAD],
      ['with a prefix that is none', {...SSH, remoteIpPrefix: 'there'}],
      ['without a direction', UNDIRECTED],
      ['with a number for its protocol', {...SSH, protocol: '6'}],
      ['without any term', {}],
    ])('is not confirmed beside a rule %s that was not there before: it may be the same', (_, terms) => {
      const before = {rules: [rule(9), rule(14)]};
      expect(evidenceOf(kind, {rules: [rule(12, terms), rule(14)]}, before).evidence).toEqual({kind: 'nothing'});
      expect(evidenceOf(kind, {rules: [rule(14, terms)]}, before).evidence).toEqual({kind: 'target'});
    });

    it.each<[string, Owned]>([
      ['the rules could not be read', {rules: [], hasUnreadRules: true}],
      ['the ports of a new one could not be read', {rules: [{...rule(12, ALL_PORTS), hasUnreadPorts: true}]}],
    ])('leaves it open whether one was added while %s', (_, now) => {
      const isWall = kind === 'firewall.remove-rule';
      const action = {
        kind: isWall ? 'firewall.add-rule' : 'vm.add-rule',
        id: isWall ? wall : machine,
        rule: SSH,
      } as const;
      const observed = (owned: Owned) => seen(isWall ? aFirewall(owned) : aMachine(owned));
      const history = {confirmedAt: epochMs(0), hasSeenTransition: false, before: observed({rules: []})};
      const told = (owned: Owned) => recordOf(action).evidence(action as never, observed(owned), history);
      expect(told(now)).toEqual({kind: 'nothing'});
      expect(told({rules: []})).toEqual({kind: 'unchanged'});
      expect(told({rules: [rule(12)]})).toEqual({kind: 'target'});
    });

    it('is not confirmed beside the same rule when it is not known whether that was there before', () => {
      expect(evidenceOf(kind, {rules: [rule(12)]}).evidence).toEqual({kind: 'nothing'});
      expect(evidenceOf(kind, {rules: []}).evidence).toEqual({kind: 'target'});
    });
  });
});
