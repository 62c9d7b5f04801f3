import {describe, expect, it} from 'vitest';
import {recordOf} from '../../src/actions/actions.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleTerms} from '../../src/domain/security-rule.ts';
import {monotonicMs} from '../../src/domain/time.ts';
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

  it('cannot be undone when the service made the rule and would not accept it', () => {
    for (const undo of undosOf({...OUTWARD, remoteIpPrefix: '0.0.0.0/0'})) {
      expect(undo).toBe('the service does not accept an IPv6 rule for 0.0.0.0/0');
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
});
