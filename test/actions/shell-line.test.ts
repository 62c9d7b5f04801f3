import {execFileSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {commandLine, commandOf, curlOf} from '../../src/actions/shell-line.ts';
import type {Action} from '../../src/domain/action.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {keyPairId} from '../../src/domain/key-pair.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {volumeId} from '../../src/domain/volume.ts';

const VM = virtualMachineId(7);
const RULE = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('10.0.0.0/8'),
  portRangeMin: 8000,
  portRangeMax: 8100,
} as const;

describe('commandOf', () => {
  it.each<[Action, string]>([
    [{kind: 'vm.stop', id: VM}, 'skydeck vm stop 7'],
    [{kind: 'vm.hibernate', id: VM, retainsIp: true}, 'skydeck vm hibernate 7 --retain-ip'],
    [{kind: 'vm.hibernate', id: VM, retainsIp: false}, 'skydeck vm hibernate 7 --release-ip'],
    [{kind: 'vm.set-labels', id: VM, labels: [safeText('a b'), safeText('c')]}, "skydeck vm label 7 --set 'a b,c'"],
    [{kind: 'vm.attach-ip', id: VM}, 'skydeck ip attach 7'],
    [
      {kind: 'firewall.add-rule', id: firewallId(5), rule: RULE},
      'skydeck rule add --firewall 5 --cidr 10.0.0.0/8 --port 8000-8100 --protocol tcp --direction ingress --ethertype IPv4',
    ],
    [{kind: 'vm.remove-rule', id: VM, ruleId: 9, rule: RULE}, 'skydeck rule remove 9 --vm 7'],
    [{kind: 'key-pair.rename', id: keyPairId(3), name: safeText('on call')}, "skydeck key-pair rename 3 'on call'"],
    [{kind: 'volume.delete', id: volumeId(4)}, 'skydeck volume delete 4'],
    [
      {kind: 'bucket.delete', name: safeText('logs'), regionName: safeText('CANADA-1')},
      'skydeck bucket delete logs --region CANADA-1',
    ],
    [
      {kind: 'vm.set-firewalls', id: VM, firewallIds: [firewallId(5), firewallId(6)]},
      `skydeck api POST /core/virtual-machines/7/attach-firewalls --body '{"firewalls":[5,6]}'`,
    ],
  ])('of %j is %s', (action, expected) => {
    expect(commandOf(action)).toBe(expected);
  });
});

describe('curlOf', () => {
  it('leaves the key in the environment, and quotes the body', () => {
    expect(curlOf({kind: 'key-pair.rename', id: keyPairId(3), name: safeText("o'call")})).toBe(
      'curl --fail-with-body --request PUT "$SKYDECK_BASE_URL"/core/keypair/3 --header "api_key: $SKYDECK_API_KEY" ' +
        `--header 'content-type: application/json' --data '{"name":"o'\\''call"}'`,
    );
  });
});

describe('a copied line', () => {
  it('gives a shell exactly the words it was made of', () => {
    const word = fc.string({unit: 'grapheme-ascii', minLength: 1, maxLength: 20});
    fc.assert(
      fc.property(fc.array(word, {minLength: 1, maxLength: 4}), words => {
        const line = commandLine(words).replace(/^skydeck /, '');
        const told = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${line}`], {encoding: 'utf8'});
        expect(told).toBe(words.map(each => `${each}\n`).join(''));
      }),
      {numRuns: 30},
    );
  });
});
