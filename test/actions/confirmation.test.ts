import {describe, expect, it} from 'vitest';
import {confirmationOf, recordOf, type ShownSubject} from '../../src/actions/actions.ts';
import {securityRule, toSecurityRule} from '../../src/api/rule-records.ts';
import {type Action, type ActionKind, subjectOf} from '../../src/domain/action.ts';
import {assert} from '../../src/domain/assert.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {type Confirmed, newOperation, staleReason} from '../../src/domain/operation.ts';
import {type SafeText, safeText} from '../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {undoOf} from '../../src/domain/undo.ts';
import {type ActionCase, EVERY_ACTION, EVERY_CASE, type World} from './every-action.ts';
import {
  aCluster,
  aFirewall,
  aMachine,
  bucket,
  disk,
  inForce,
  keyPair,
  machine,
  other,
  otherDisk,
} from './some-things.ts';

function shown({confirmed: {action}}: ActionCase, world: World): ShownSubject {
  const [subject] = world[subjectOf(action).type] ?? [];
  return {subject, firewalls: world.firewall};
}

describe('confirmationOf', () => {
  it.each(EVERY_CASE)('%s carries the name, and the set that it would replace, as shown', (_kind, each) => {
    const {status: _shown, facts: _facts, ...rest} = confirmationOf(each.confirmed.action, shown(each, each.start));
    const {status: _expected, ...expected} = each.confirmed;
    const isSetOfLabels = each.confirmed.action.kind === 'vm.set-labels';
    expect(rest).toEqual(isSetOfLabels ? {...expected, replaced: ['dev']} : expected);
  });

  it('carries what the question says of sizes and prices', () => {
    const {confirmed} = EVERY_ACTION['bucket.delete'];
    const subject = {...bucket, objectCount: 3, sizeBytes: 4096, createdAt: epochMs(1000)};
    expect(confirmationOf(confirmed.action, {subject}).facts).toEqual({
      objectCount: 3,
      sizeBytes: 4096,
      createdAt: 1000,
    });
  });

  it('carries the status if the resource has one', () => {
    const {confirmed} = EVERY_ACTION['vm.stop'];
    expect(confirmationOf(confirmed.action, {subject: aMachine({status: 'ERROR'})}).status).toBe('ERROR');
    const keyPair = EVERY_ACTION['key-pair.delete'];
    expect(confirmationOf(keyPair.confirmed.action, shown(keyPair, keyPair.start))).not.toHaveProperty('status');
  });
});

describe('what the question of one kind of action says', () => {
  const text = safeText;

  /** Why the check before sending stops an action that was confirmed when its subject was otherwise. */
  function reasonFor(action: Action, was: CloudResource, is: CloudResource): SafeText | undefined {
    const confirmed = confirmationOf(action, {subject: was});
    return checked(confirmed, is);
  }

  function checked(confirmed: Confirmed, is: CloudResource): SafeText | undefined {
    const operation = newOperation({id: 'op-1', confirmedAt: epochMs(0)}, confirmed, recordOf(confirmed.action));
    return staleReason(operation, reading(is, 2));
  }

  function reading(subject: CloudResource, at: number): Observation<CloudResource> {
    return {startedAt: monotonicMs(at), isWhole: true, records: [subject]};
  }

  const withAddress = (address: string) => aMachine({floatingIp: text(address), floatingIpStatus: text('ATTACHED')});

  it.each<[string, Action, string | undefined]>([
    ['is released', {kind: 'vm.detach-ip', id: machine}, 'its address is now 203.0.113.4'],
    [
      'is released by hibernating',
      {kind: 'vm.hibernate', id: machine, retainsIp: false},
      'its address is now 203.0.113.4',
    ],
    ['is lost with its machine', {kind: 'vm.delete', id: machine}, 'its address is now 203.0.113.4'],
    ['stays while hibernating', {kind: 'vm.hibernate', id: machine, retainsIp: true}, 'its address is now 203.0.113.4'],
    ['stays while stopping', {kind: 'vm.stop', id: machine}, undefined],
  ])('an address that %s must be the one shown', (_name, action, reason) => {
    const was = withAddress('198.51.100.17');
    expect(reasonFor(action, was, was)).toBeUndefined();
    expect(reasonFor(action, was, withAddress('203.0.113.4'))).toBe(reason);
  });

  it.each<[string, CloudResource, CloudResource, Action, string | undefined]>([
    [
      'lost',
      aMachine(),
      withAddress('203.0.113.4'),
      {kind: 'vm.delete', id: machine},
      'its address is now 203.0.113.4',
    ],
    [
      'released',
      aMachine(),
      withAddress('203.0.113.4'),
      {kind: 'vm.hibernate', id: machine, retainsIp: false},
      'its address is now 203.0.113.4',
    ],
    [
      'kept',
      withAddress('198.51.100.17'),
      aMachine(),
      {kind: 'vm.hibernate', id: machine, retainsIp: true},
      'its address is now none',
    ],
    ['of no concern', aMachine(), withAddress('203.0.113.4'), {kind: 'vm.stop', id: machine}, undefined],
  ])('an address that comes or goes meanwhile is not %s unsaid', (_name, was, is, action, reason) => {
    expect(reasonFor(action, was, was)).toBeUndefined();
    expect(reasonFor(action, was, is)).toBe(reason);
  });

  const onDisks = (rootDiskGb: number | undefined, ephemeralDiskGb: number | undefined) =>
    aMachine({
      flavor: {
        name: safeText('n3-A100x4'),
        ...(rootDiskGb === undefined ? {} : {rootDiskGb}),
        ...(ephemeralDiskGb === undefined ? {} : {ephemeralDiskGb}),
      },
    });

  it.each<[string, Action, VirtualMachine, string | undefined]>([
    ['a larger root disk', {kind: 'vm.delete', id: machine}, onDisks(9000, 3200), 'its root disk is now 9,000 GB'],
    [
      'a larger ephemeral disk',
      {kind: 'vm.delete', id: machine},
      onDisks(100, 9_000_000),
      'its ephemeral disk is now 9,000,000 GB',
    ],
    [
      'a disk that is not told any more',
      {kind: 'vm.delete', id: machine},
      onDisks(100, undefined),
      'its ephemeral disk is not known any more',
    ],
    [
      'a larger ephemeral disk, lost by hibernating',
      {kind: 'vm.hibernate', id: machine, retainsIp: true},
      onDisks(100, 6400),
      'its ephemeral disk is now 6,400 GB',
    ],
    ['a root disk that stays', {kind: 'vm.hibernate', id: machine, retainsIp: true}, onDisks(9000, 3200), undefined],
    ['the disks of one that stops', {kind: 'vm.stop', id: machine}, onDisks(9000, 6400), undefined],
  ])('%s is seen before what is on it is lost', (_name, action, is, reason) => {
    expect(reasonFor(action, onDisks(100, 3200), is)).toBe(reason);
  });

  it('a firewall is not deleted while it is unknown what it is attached to', () => {
    const firewall = aFirewall();
    const action: Action = {kind: 'firewall.delete', id: firewall.id};
    expect(reasonFor(action, firewall, firewall)).toBeUndefined();
    expect(reasonFor(action, firewall, {...firewall, hasUnreadAttachments: true})).toBe(
      'what it is attached to is unknown',
    );
  });

  it('the address that is lost by undoing must be the one shown', () => {
    const {confirmed} = EVERY_ACTION['vm.attach-ip'];
    const begun = newOperation({id: 'op-1', confirmedAt: epochMs(0)}, confirmed, recordOf(confirmed.action));
    const was = withAddress('198.51.100.17');
    const undo = undoOf({...begun, phase: 'CONFIRMED', before: reading(aMachine(), 0), after: reading(was, 1)});
    if (undo.kind === 'impossible') throw new Error(undo.reason);
    const asked = {...undo.confirmed, status: 'ACTIVE'};
    expect(checked(asked, was)).toBeUndefined();
    expect(checked(asked, withAddress('203.0.113.4'))).toBe('its address is now 203.0.113.4');
  });

  const DETACH = {kind: 'vm.detach-volumes', id: machine, volumeIds: [disk]} as const;
  const holding = (...volumes: readonly (readonly [id: number, name: string, sizeGb?: number])[]) =>
    aMachine({
      status: 'SHUTOFF',
      volumes: volumes.map(([volumeId, name, sizeGb]) => ({
        volumeId,
        name: text(name),
        status: text('ATTACHED'),
        ...(sizeGb === undefined ? {} : {sizeGb}),
      })),
    });

  it.each<[string, CloudResource, string | undefined]>([
    ['another name', holding([disk, 'prod-db', 100]), 'volume #50 is now prod-db'],
    ['another size', holding([disk, 'data', 500]), 'the size of volume #50 is now 500 GB'],
    ['a second name', holding([disk, 'prod-db', 100], [disk, 'data', 100]), 'volume #50 is now prod-db and data'],
    ['no known size', holding([disk, 'data']), 'the size of volume #50 is not known any more'],
    ['another volume beside it', holding([disk, 'data', 100], [otherDisk, 'more', 5]), undefined],
    ['been detached', holding(), 'one of the volumes is not attached to it'],
  ])('a volume that is detached must be the one shown: it has %s', (_name, is, reason) => {
    const was = holding([disk, 'data', 100]);
    expect(reasonFor(DETACH, was, was)).toBeUndefined();
    expect(reasonFor(DETACH, was, is)).toBe(reason);
  });

  it('the volume that undoing detaches must be the one shown', () => {
    const action = {kind: 'vm.attach-volumes', id: machine, volumeIds: [disk]} as const;
    const [without, was] = [holding(), holding([disk, 'data', 100])];
    const begun = newOperation(
      {id: 'op-1', confirmedAt: epochMs(0)},
      confirmationOf(action, {subject: without}),
      recordOf(action),
    );
    const undo = undoOf({...begun, phase: 'CONFIRMED', before: reading(without, 0), after: reading(was, 1)});
    if (undo.kind === 'impossible') throw new Error(undo.reason);
    // Nothing is mounted in a machine that does not run.
    expect(undo.words).toBe('detaches volume data #50');
    const running = reading({...was, status: 'ACTIVE'}, 1);
    expect(undoOf({...begun, phase: 'CONFIRMED', before: reading(without, 0), after: running})).toMatchObject({
      words: 'detaches volume data #50; unmount it in the machine first',
    });
    const asked = {...undo.confirmed, status: 'SHUTOFF'};
    expect(checked(asked, was)).toBeUndefined();
    expect(checked(asked, holding([disk, 'prod-db', 100]))).toBe('volume #50 is now prod-db');
  });

  const [wall, web, world] = [
    aFirewall({rules: [inForce]}),
    {...inForce, portRangeMin: 443, portRangeMax: 443},
    {...inForce, remoteIpPrefix: text('0.0.0.0/0')},
  ];
  const node = {role: 'worker', roleText: text('worker'), status: 'ACTIVE', statusText: text('ACTIVE')} as const;
  const nodeOn = (name: string, id: number) => ({...node, machineName: text(name), machineId: virtualMachineId(id)});
  const groupOf = (name: string, id: number) => ({id, name: text(name), firewallIds: []});
  const [aKey, otherKey] = [
    {...keyPair, fingerprint: text('aa:01')},
    {...keyPair, fingerprint: text('bb:02')},
  ];
  const hooked = (url: string) => aMachine({callbackUrl: text(url)});

  it.each<[ActionKind, CloudResource, CloudResource, RegExp]>([
    ['firewall.delete', wall, {...wall, rules: [inForce, other]}, /^rule #1 was added meanwhile$/],
    ['firewall.delete', wall, {...wall, rules: []}, /^rule #9 was removed meanwhile$/],
    ['firewall.delete', wall, {...wall, rules: [web]}, /^rule #9 is now ingress tcp\/443 10\.0\.0\.0\/8$/],
    ['firewall.delete', wall, {...wall, rules: [world]}, /^rule #9 is now ingress tcp\/22 0\.0\.0\.0\/0$/],
    ['cluster.delete', aCluster({nodes: [node]}), aCluster({nodes: [node, node]}), /^its number of nodes is now 2$/],
    [
      'cluster.delete',
      aCluster({nodes: [nodeOn('k8s-w-2', 12), nodeOn('k8s-w-1', 11)]}),
      aCluster({nodes: [nodeOn('k8s-w-1', 11), nodeOn('k8s-w-3', 13)]}),
      /^the list of its nodes is now k8s-w-1 #11, k8s-w-3 #13$/,
    ],
    [
      'cluster.delete',
      aCluster({nodes: [node], nodeGroups: [groupOf('training', 4)]}),
      aCluster({nodes: [node], nodeGroups: [groupOf('serving', 5), groupOf('training', 4)]}),
      /^the list of its node groups is now serving #5, training #4$/,
    ],
    ['key-pair.delete', aKey, otherKey, /^its fingerprint is now bb:02$/],
    [
      'key-pair.delete',
      {...keyPair, publicKey: text('ssh-ed25519 AAAA')},
      {...keyPair, publicKey: text('ssh-ed25519 BBBB')},
      /^its public key is now ssh-ed25519 BBBB$/,
    ],
    // What follows the host can be a password.
    [
      'vm.remove-callback',
      hooked('https://hooks.example/CANARY-a'),
      hooked('https://hooks.example/CANARY-b'),
      /^its callback is now hooks\.example\/…[0-9a-f]{8}$/,
    ],
  ])('of %s must still be so', (kind, was, is, reason) => {
    assert('id' in was, 'it has an id');
    const action = {kind, id: was.id};
    expect(reasonFor(action, was, was)).toBeUndefined();
    expect(reasonFor(action, was, is)).toMatch(reason);
  });

  it('is not sent to one of two with the same id, or the same name in one region', () => {
    const [one, two] = [keyPair, {...keyPair, publicKey: text('ssh-ed25519 BBBB')}];
    const asked = confirmationOf({kind: 'key-pair.delete', id: one.id}, {subject: one});
    const operation = newOperation({id: 'op-1', confirmedAt: epochMs(0)}, asked, recordOf(asked.action));
    const reason = `the list has the id ${one.id} twice, so which one is meant is unknown`;
    expect(staleReason(operation, {...reading(one, 2), records: [one, two]})).toBe(reason);
    expect(staleReason(operation, {...reading(one, 2), repeatedIds: [`${one.id}`]})).toBe(reason);
    expect(staleReason(operation, {...reading(one, 2), repeatedIds: ['6']})).toBeUndefined();
    const ofBucket = EVERY_ACTION['bucket.delete'].confirmed;
    const deletion = newOperation({id: 'op-2', confirmedAt: epochMs(0)}, ofBucket, recordOf(ofBucket.action));
    const named = 'the list has this name twice, so which one is meant is unknown';
    expect(staleReason(deletion, {...reading(bucket, 2), records: [bucket, bucket]})).toBe(named);
  });

  const bare = aMachine();
  const ruleAt = (ports: object) =>
    toSecurityRule(
      securityRule.parse({
        ...{id: 9, direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4', remote_ip_prefix: '10.0.0.0/8'},
        ...{status: 'SUCCESS', ...ports},
      }),
    );

  it.each<[ActionKind, CloudResource, CloudResource, string]>([
    [
      'vm.detach-ip',
      withAddress('198.51.100.17'),
      aMachine({hasUnreadAddress: true}),
      'its public address could not be read',
    ],
    ['vm.delete', bare, aMachine({hasUnreadAddress: true}), 'its address is not known any more'],
    ['vm.delete', bare, aMachine({hasUnreadVolumes: true}), 'the full list of its volumes is not known any more'],
    [
      'vm.delete',
      aMachine({contractId: 7}),
      aMachine({hasUnreadContract: true}),
      'whether it is under a contract is not known any more',
    ],
    ['firewall.delete', wall, {...wall, hasUnreadRules: true}, 'the full list of rules is not known any more'],
    [
      'firewall.delete',
      aFirewall({rules: [ruleAt({port_range_min: 22, port_range_max: 22})]}),
      aFirewall({rules: [ruleAt({port_range_min: 22, port_range_max: 'x'})]}),
      'rule #9 is now ingress tcp/unknown 10.0.0.0/8',
    ],
    ['cluster.delete', aCluster({nodes: [node]}), aCluster(), 'its number of nodes is not known any more'],
    [
      'cluster.delete',
      aCluster({nodes: [node]}),
      aCluster({nodes: [node], hasUnreadNodes: true}),
      'its number of nodes is not known any more',
    ],
    [
      'cluster.delete',
      aCluster({nodes: [nodeOn('k8s-w-1', 11)]}),
      aCluster({nodes: [node]}),
      'the list of its nodes is not known any more',
    ],
    [
      'cluster.delete',
      aCluster({nodes: [node], nodeGroups: [groupOf('training', 4)]}),
      aCluster({nodes: [node]}),
      'the list of its node groups is not known any more',
    ],
    ['key-pair.delete', aKey, keyPair, 'its fingerprint is not known any more'],
    ['vm.remove-callback', hooked('https://hooks.example/a'), bare, 'it has no callback'],
  ])('of %s must still be known, unless it never was', (kind, was, is, reason) => {
    assert('id' in was, 'it has an id');
    const action = {kind, id: was.id};
    expect(reasonFor(action, was, was)).toBeUndefined();
    expect(reasonFor(action, was, is)).toBe(reason);
    expect(reasonFor(action, is, is) ?? '').not.toContain('not known');
  });

  it.each<[string, CloudResource, string | undefined]>([
    ['more volumes', holding([disk, 'data', 100], [otherDisk, 'more', 5]), 'volume #51 was added meanwhile'],
    ['fewer volumes', holding(), 'volume #50 was removed meanwhile'],
    ['another volume', holding([disk, 'prod-db', 100]), 'volume #50 is now prod-db'],
  ])('of the volumes that stay must still be so: a machine with %s is not deleted', (_name, is, reason) => {
    const was = holding([disk, 'data', 100]);
    expect(reasonFor({kind: 'vm.delete', id: machine}, was, was)).toBeUndefined();
    expect(reasonFor({kind: 'vm.delete', id: machine}, was, is)).toBe(reason);
  });
});
