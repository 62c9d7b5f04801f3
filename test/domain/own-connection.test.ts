import {describe, expect, it} from 'vitest';
import {cutsOff, mayRunOn, parseSshConnection, publicAddressOf} from '../../src/domain/own-connection.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleTerms} from '../../src/domain/security-rule.ts';

describe('parseSshConnection', () => {
  it.each([
    ['203.0.113.7 51022 10.0.0.4 22', {clientAddress: '203.0.113.7', serverPort: 22, serverAddress: '10.0.0.4'}],
    [
      '2001:db8::7 51022 2001:db8::1 2222',
      {clientAddress: '2001:db8::7', serverPort: 2222, serverAddress: '2001:db8::1'},
    ],
    ['fe80::1%eth0 51022 fe80::2%eth0 22', {clientAddress: 'fe80::1', serverPort: 22, serverAddress: 'fe80::2'}],
    ['203.0.113.7 51022 UNKNOWN 22', {clientAddress: '203.0.113.7', serverPort: 22}],
    ['', undefined],
    [undefined, undefined],
    ['UNKNOWN 1 UNKNOWN 22', undefined],
    ['203.0.113.7 51022 10.0.0.4', undefined],
    ['203.0.113.7 51022 10.0.0.4 99999', undefined],
    ['203.0.113.0/24 1 10.0.0.4 22', undefined],
  ])('reads %j', (text, expected) => {
    expect(parseSshConnection(text)).toEqual(expected);
  });
});

describe('publicAddressOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['172.32.0.1', '172.32.0.1'],
    ['2001:db8::7', '2001:db8::7'],
    ['10.1.2.3', undefined],
    ['172.31.255.255', undefined],
    ['192.168.1.9', undefined],
    ['100.64.0.1', undefined],
    ['127.0.0.1', undefined],
    ['fd12::1', undefined],
    ['fe80::1', undefined],
    ['::1', undefined],
  ])('of %s is %s', (address, expected) => {
    expect(publicAddressOf({clientAddress: safeText(address), serverPort: 22})).toBe(expected);
  });
});

describe('mayRunOn', () => {
  const own = {clientAddress: safeText('203.0.113.7'), serverPort: 22};
  const machine = {fixedIp: safeText('10.0.0.4'), floatingIp: safeText('198.51.100.4')};

  it.each([
    ['10.0.0.4', true],
    ['198.51.100.4', true],
    ['10.0.0.5', false],
  ])('at the server address %s: %s', (address, expected) => {
    expect(mayRunOn({...own, serverAddress: safeText(address)}, machine)).toBe(expected);
  });

  it('is false when an address is not known', () => {
    expect(mayRunOn(own, machine)).toBe(false);
    expect(mayRunOn({...own, serverAddress: safeText('10.0.0.4')}, {})).toBe(false);
  });
});

describe('cutsOff', () => {
  const own = parseSshConnection('203.0.113.7 51022 10.0.0.4 22');
  const ssh = (prefix: string, port = 22): RuleTerms => ({
    direction: 'ingress',
    protocol: 'tcp',
    etherType: 'IPv4',
    remoteIpPrefix: prefix,
    portRangeMin: port,
    portRangeMax: port,
  });

  const unread = (prefix: string): RuleTerms => {
    const {portRangeMin: _min, portRangeMax: _max, ...terms} = ssh(prefix);
    return {...terms, hasUnreadPorts: true};
  };

  it.each<[string, RuleTerms[], RuleTerms[], boolean]>([
    ['is true when the only way in is removed', [ssh('203.0.113.0/24')], [], true],
    [
      'is true when the rule for all addresses is removed and the other is not for ours',
      [ssh('0.0.0.0/0')],
      [ssh('198.51.100.0/24')],
      true,
    ],
    ['is false when another rule lets us in', [ssh('0.0.0.0/0')], [ssh('203.0.113.7/32')], false],
    ['is false when the removed rule never let us in', [ssh('198.51.100.0/24')], [], false],
    ['is false when the removed rule is for another port', [ssh('203.0.113.0/24', 443)], [], false],
    ['is true when the ports of the removed rule are unknown', [unread('203.0.113.0/24')], [], true],
    [
      'is true when the ports of the remaining rule are unknown',
      [ssh('203.0.113.0/24')],
      [unread('203.0.113.0/24')],
      true,
    ],
    [
      'is true when the remaining rule is for outgoing traffic',
      [ssh('203.0.113.0/24')],
      [{...ssh('203.0.113.0/24'), direction: 'egress'}],
      true,
    ],
  ])('%s', (_case, gone, staying, expected) => {
    expect(own).toBeDefined();
    if (own !== undefined) expect(cutsOff(own, {gone, staying})).toBe(expected);
  });
});
