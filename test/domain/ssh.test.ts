import {describe, expect, test} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {environmentWithoutKey, sshLine} from '../../src/domain/ssh.ts';

const MACHINE = {
  name: safeText('gpu-1'),
  floatingIp: safeText('203.0.113.7'),
  fixedIp: safeText('10.0.1.4'),
  imageName: safeText('Ubuntu Server 24.04 LTS R570 CUDA 12.8'),
  osName: safeText('Ubuntu'),
};

describe('sshLine', () => {
  test.each([
    ['takes the public address and the user of the image', {}, {}, ['ssh', '--', 'ubuntu@203.0.113.7']],
    [
      'takes the private address without a public one',
      {floatingIp: safeText('')},
      {},
      ['ssh', '--', 'ubuntu@10.0.1.4'],
    ],
    ['takes a given user', {}, {user: '_ana-2'}, ['ssh', '--', '_ana-2@203.0.113.7']],
    [
      'puts the command after the host, word by word',
      {},
      {command: ['-oProxyCommand=x', 'a b']},
      ['ssh', '--', 'ubuntu@203.0.113.7', '-oProxyCommand=x', 'a b'],
    ],
    [
      'takes the user of the operating system when the image name does not show one',
      {imageName: safeText('infer-base'), osName: safeText('Debian')},
      {},
      ['ssh', '--', 'debian@203.0.113.7'],
    ],
    [
      'writes an IPv6 address in its short form',
      {floatingIp: safeText('2001:DB8:0::1')},
      {},
      ['ssh', '--', 'ubuntu@2001:db8::1'],
    ],
  ])('%s', (_title, machine, options, words) => {
    expect(sshLine({...MACHINE, ...machine}, options)).toEqual({ok: true, words});
  });

  test.each([
    '-oProxyCommand=x',
    'gpu-1.example.org',
    '203.0.113.7 -p1',
    '203.0.113.7/24',
    ' 203.0.113.7',
    '0x7f.1',
    '1.2.3',
  ])('refuses the address %j', address => {
    const line = sshLine({...MACHINE, floatingIp: safeText(address)});
    expect(line).toMatchObject({ok: false, about: 'machine', reason: expect.stringContaining('not an IP address')});
  });

  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ])('refuses %j, which would run the command on this computer', address => {
    const reason = expect.stringContaining("is this computer's own");
    expect(sshLine({...MACHINE, floatingIp: safeText(address)})).toMatchObject({ok: false, about: 'machine', reason});
  });

  test.each(['-l', 'Ana', 'ana@b', 'ana b', '', '1a', 'ana;x'])('refuses the user %j', user => {
    expect(sshLine(MACHINE, {user})).toMatchObject({ok: false, about: 'user'});
  });

  test('says that a machine has no address or that its user is not known', () => {
    const {floatingIp: _public, fixedIp: _private, ...nowhere} = MACHINE;
    expect(sshLine(nowhere)).toMatchObject({about: 'machine', reason: 'gpu-1 has no address'});
    const {imageName: _image, osName: _os, ...bare} = MACHINE;
    expect(sshLine(bare)).toMatchObject({about: 'user', reason: expect.stringContaining('--user')});
  });
});

test('keeps the key out of an environment, whatever the variable is called', () => {
  const environment = {PATH: '/bin', SKYDECK_API_KEY: 'other', COPY: 'x KEY y', EMPTY: undefined};
  const redact = (text: string) => text.replaceAll('KEY', '[redacted]');
  expect(environmentWithoutKey(environment, redact)).toEqual({PATH: '/bin', EMPTY: undefined});
});

test.each([
  ['/usr/bin:.:/bin', '/usr/bin:/bin'],
  [':/usr/bin', '/usr/bin'],
  ['/usr/bin::bin:', '/usr/bin'],
  ['.', undefined],
  ['', undefined],
])('lets no program be taken from the current folder with the PATH %j', (path, kept) => {
  expect(environmentWithoutKey({PATH: path}, text => text).PATH).toBe(kept);
});
