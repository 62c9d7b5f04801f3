import {describe, expect, it} from 'vitest';
import {
  addFirewallRule,
  createFirewall,
  deleteFirewall,
  getFirewall,
  listFirewalls,
  removeFirewallRule,
  ruleProtocols,
  setFirewallAttachments,
} from '../../src/api/firewalls.ts';
import {securityRule, toSecurityRule} from '../../src/api/rule-records.ts';
import {addMachineRule, removeMachineRule} from '../../src/api/virtual-machines.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {FIREWALL_STATUSES, firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleSpec} from '../../src/domain/security-rule.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {readExample, readResult} from './wire-example.ts';

describe('listFirewalls', () => {
  it('reads firewalls with their rules and machines', () => {
    expect(readExample(listFirewalls)).toStrictEqual({
      records: [
        {
          id: 31207,
          name: 'edge',
          description: 'What the internet may reach',
          environmentId: 84001,
          environmentName: 'default-CANADA-1',
          regionName: 'CANADA-1',
          status: 'SUCCESS',
          statusText: 'SUCCESS',
          createdAt: Date.UTC(2026, 3, 1, 9),
          rules: [
            {
              id: 871,
              direction: 'ingress',
              protocol: 'tcp',
              etherType: 'IPv4',
              remoteIpPrefix: '0.0.0.0/0',
              portRangeMin: 22,
              portRangeMax: 22,
              status: 'SUCCESS',
              createdAt: Date.UTC(2026, 3, 1, 9, 0, 5),
            },
            {
              id: 872,
              direction: 'egress',
              protocol: 'any',
              etherType: 'IPv6',
              remoteIpPrefix: '0.0.0.0/0',
              portRangeMin: 1,
              portRangeMax: 65535,
              status: 'SUCCESS',
              createdAt: Date.UTC(2026, 3, 1, 9, 0, 5),
            },
          ],
          attachments: [{machineId: 793001, machineName: 'trainer-1', status: 'SUCCESS'}],
        },
      ],
      quarantined: [],
    });
  });

  it('reads other spellings, drops only malformed parts, and quarantines only firewalls without a usable id', () => {
    expect(readExample(listFirewalls, 'firewalls.list.odd-spellings')).toStrictEqual({
      records: [
        {
          id: 5,
          name: '',
          environmentName: 'by-name-alone',
          status: 'SUCCESS',
          statusText: 'success',
          rules: [{id: 9, direction: 'ingress', protocol: 'icmp', status: 'pending'}],
          hasUnreadRules: true,
          attachments: [{machineName: 'gone'}, {machineName: ''}],
          hasUnreadAttachments: true,
        },
        {
          id: 6,
          name: 'odd␊name',
          status: 'UNKNOWN',
          statusText: 'MELTING',
          rules: [],
          hasUnreadRules: true,
          attachments: [],
          hasUnreadAttachments: true,
        },
      ],
      quarantined: [{fields: ['id']}, {fields: ['the record itself']}],
    });
  });

  it.each(FIREWALL_STATUSES)('knows the state %s in upper and lower case', status => {
    for (const spelling of [status, status.toLowerCase()]) {
      expect(listFirewalls.record({id: 1, status: spelling})).toMatchObject({value: {status, statusText: spelling}});
    }
  });
});

describe('getFirewall', () => {
  it('reads a new firewall, which has neither rules nor machines yet', () => {
    expect(getFirewall.path({id: firewallId(31208)})).toBe('/core/firewalls/31208');
    expect(readExample(getFirewall)).toStrictEqual({
      records: [
        {
          id: 31208,
          name: 'fresh',
          environmentId: 84002,
          environmentName: 'default-NORWAY-1',
          regionName: 'NORWAY-1',
          status: 'CREATING',
          statusText: 'CREATING',
          createdAt: Date.UTC(2026, 4, 3, 11, 22, 33),
          rules: [],
          hasUnreadRules: true,
          attachments: [],
          hasUnreadAttachments: true,
        },
      ],
      quarantined: [],
    });
  });
});

describe('ruleProtocols', () => {
  it('reads names, and quarantines what is not a name', () => {
    expect(readExample(ruleProtocols)).toStrictEqual({
      records: ['any', 'icmp', 'ipv6-icmp', 'tcp', 'udp', 'vrrp'],
      quarantined: [{fields: ['the record itself']}],
    });
  });
});

describe('operations on rules', () => {
  const https: RuleSpec = {
    direction: 'ingress',
    protocol: safeText('tcp'),
    etherType: 'IPv4',
    remoteIpPrefix: safeText('0.0.0.0/0'),
    portRangeMin: 443,
    portRangeMax: 443,
  };
  const firewall = firewallId(31207);
  const machine = virtualMachineId(793001);

  it('sends a rule with the field names of the service', () => {
    const expected = {
      direction: 'ingress',
      protocol: 'tcp',
      ethertype: 'IPv4',
      remote_ip_prefix: '0.0.0.0/0',
      port_range_min: 443,
      port_range_max: 443,
    };
    expect(addFirewallRule.body({id: firewall, rule: https})).toStrictEqual(expected);
    expect(addMachineRule.body({id: machine, rule: https})).toStrictEqual(expected);
  });

  it('leaves out ports that are not given', () => {
    const {direction, etherType, remoteIpPrefix} = https;
    const rule: RuleSpec = {direction, etherType, remoteIpPrefix, protocol: safeText('icmp')};
    expect(addFirewallRule.body({id: firewall, rule})).toStrictEqual({
      direction: 'ingress',
      protocol: 'icmp',
      ethertype: 'IPv4',
      remote_ip_prefix: '0.0.0.0/0',
    });
  });

  it('addresses the firewall or the machine, and names the rule to remove', () => {
    expect([addFirewallRule.method, removeFirewallRule.method]).toEqual(['POST', 'DELETE']);
    expect([addMachineRule.method, removeMachineRule.method]).toEqual(['POST', 'DELETE']);
    expect(addFirewallRule.path({id: firewall, rule: https})).toBe('/core/firewalls/31207/firewall-rules');
    expect(removeFirewallRule.path({id: firewall, ruleId: 871})).toBe('/core/firewalls/31207/firewall-rules/871');
    expect(addMachineRule.path({id: machine, rule: https})).toBe('/core/virtual-machines/793001/sg-rules');
    expect(removeMachineRule.path({id: machine, ruleId: 9})).toBe('/core/virtual-machines/793001/sg-rules/9');
    expect(removeFirewallRule.body({id: firewall, ruleId: 871})).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])('does not remove a rule without a usable id: %s', ruleId => {
    expect(() => removeFirewallRule.path({id: firewall, ruleId})).toThrow('ruleId is not a positive integer');
    expect(() => removeMachineRule.path({id: machine, ruleId})).toThrow('ruleId is not a positive integer');
  });

  it('gives the id of the new rule, whichever field has it', () => {
    expect(readResult(addFirewallRule)).toStrictEqual({kind: 'created', ids: [873]});
    expect(readResult(addFirewallRule, 'firewalls.add-rule.odd-spellings')).toStrictEqual({
      kind: 'created',
      ids: [874],
    });
    expect(readResult(addMachineRule, 'firewalls.add-rule')).toStrictEqual({kind: 'created', ids: [873]});
  });
});

describe('operations on firewalls', () => {
  const id = firewallId(31209);

  it('create one with the id of its environment, and give its own id', () => {
    const spec = {name: safeText('inner'), environmentId: environmentId(84001)};
    expect(createFirewall.body({spec})).toStrictEqual({name: 'inner', environment_id: 84001});
    const described = {...spec, description: safeText('Between the nodes')};
    expect(createFirewall.body({spec: described})).toMatchObject({description: 'Between the nodes'});
    expect(readResult(createFirewall)).toStrictEqual({kind: 'created', ids: [31209], name: 'inner'});
  });

  it('send the full set of machines, even an empty one', () => {
    const machineIds = [virtualMachineId(793001), virtualMachineId(793002)];
    expect(setFirewallAttachments.path({id, machineIds})).toBe('/core/firewalls/31209/update-attachments');
    expect(setFirewallAttachments.body({id, machineIds})).toStrictEqual({vms: [793001, 793002]});
    expect(setFirewallAttachments.body({id, machineIds: []})).toStrictEqual({vms: []});
  });

  it('delete one by its id', () => {
    expect([deleteFirewall.method, deleteFirewall.path({id})]).toEqual(['DELETE', '/core/firewalls/31209']);
  });
});

describe('securityRule', () => {
  const ports = (protocol: string, ends: object) => {
    const {portRangeMin, portRangeMax, hasUnreadPorts} = toSecurityRule(securityRule.parse({protocol, ...ends}));
    return [portRangeMin, portRangeMax, hasUnreadPorts];
  };

  it.each<[string, object, readonly unknown[]]>([
    ['tcp', {}, [undefined, undefined, undefined]],
    ['tcp', {port_range_min: null, port_range_max: null}, [undefined, undefined, undefined]],
    ['tcp', {port_range_min: '22', port_range_max: 22}, [22, 22, undefined]],
    ['tcp', {port_range_min: 22, port_range_max: 'x'}, [undefined, undefined, true]],
    ['tcp', {port_range_min: -1, port_range_max: -1}, [undefined, undefined, true]],
    ['tcp', {port_range_max: 22}, [undefined, undefined, true]],
    ['any', {port_range_min: 1, port_range_max: null}, [undefined, undefined, true]],
    // A type of icmp without a code.
    ['icmp', {port_range_min: 8, port_range_max: null}, [8, undefined, undefined]],
    ['icmp', {port_range_min: 8, port_range_max: []}, [undefined, undefined, true]],
  ])('knows the ports of %s with %j only if both ends can be read', (protocol, ends, expected) => {
    expect(ports(protocol, ends)).toEqual(expected);
  });
});
