import type {KnownKind} from '../../src/actions/actions.ts';
import {ACTIONS} from '../../src/actions/actions.ts';
import type {Action} from '../../src/domain/action.ts';
import type {CloudResource, CloudResources, ResourceType} from '../../src/domain/cloud-resource.ts';
import {clusterId} from '../../src/domain/cluster.ts';
import {environmentId} from '../../src/domain/environment.ts';
import type {Firewall} from '../../src/domain/firewall.ts';
import type {Confirmed} from '../../src/domain/operation.ts';
import type {OperationResult} from '../../src/domain/operation-result.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {
  aCluster,
  accessKey,
  aFirewall,
  aMachine,
  aVolume,
  bucket,
  disk,
  environment,
  going,
  inForce,
  keyPair,
  machine,
  other,
  otherDisk,
  otherWall,
  pending,
  rule,
  wall,
} from './some-things.ts';

/** All resources of each type, at one moment. */
export type World = {readonly [Type in ResourceType]?: readonly CloudResources[Type][]};

/** One action with the worlds it passes through: before it, in transition, and when it is done. */
export type ActionCase = {
  /** Its one request, as the API documentation writes it. */
  readonly request: string;
  readonly confirmed: Confirmed;
  readonly start: World;
  readonly through?: World;
  readonly end: World;
  /** The result in the answer. */
  readonly result?: OperationResult;
  /** The kind of the action that undoes it, or a pattern of the reason why none does. */
  readonly undo: KnownKind | RegExp;
  /** It ends in its starting state, so only a transition proves it. */
  readonly endsWhereItBegan?: true;
  /** Only the answer shows its outcome. */
  readonly endsWithReply?: true;
};

const text = safeText;

function power(
  request: string,
  action: Action,
  [from, through, to]: readonly [Status, Status, Status],
  undo: KnownKind | RegExp,
): ActionCase {
  return {
    request,
    confirmed: {action, subjectName: text('gpu-7'), status: from},
    start: {vm: [aMachine({status: from})]},
    through: {vm: [aMachine({status: through})]},
    end: {vm: [aMachine({status: to})]},
    undo,
  };
}
type Status = VirtualMachine['status'];

function onMachine(
  request: string,
  action: Action,
  change: {from?: Partial<VirtualMachine>; through?: Partial<VirtualMachine>; to: Partial<VirtualMachine>},
  undo: KnownKind | RegExp,
): ActionCase {
  return {
    request,
    confirmed: {action, subjectName: text('gpu-7')},
    start: {vm: [aMachine(change.from)]},
    ...(change.through === undefined ? {} : {through: {vm: [aMachine(change.through)]}}),
    end: {vm: [aMachine(change.to)]},
    undo,
  };
}

/** What the action names besides its subject. */
function beside(others: World, {start, through, end, ...rest}: ActionCase): ActionCase {
  const withOthers = (world: World): World => ({...others, ...world});
  return {
    ...rest,
    start: withOthers(start),
    ...(through === undefined ? {} : {through: withOthers(through)}),
    end: withOthers(end),
  };
}

function gone<Type extends ResourceType>(
  request: string,
  type: Type,
  action: Action,
  name: string,
  subject: CloudResources[Type],
  through?: CloudResources[Type],
): ActionCase {
  const world = (things: readonly CloudResource[]) => ({[type]: things});
  return {
    request,
    confirmed: {action, subjectName: text(name)},
    start: world([subject]),
    ...(through === undefined ? {} : {through: world([through])}),
    end: world([]),
    undo: /a deletion cannot be undone/,
  };
}

function made<Type extends ResourceType>(
  request: string,
  type: Type,
  action: Action,
  name: string,
  made: CloudResources[Type],
  through?: CloudResources[Type],
  rest: Partial<ActionCase> = {},
): ActionCase {
  const world = (things: readonly CloudResource[]) => ({[type]: things});
  return {
    request,
    confirmed: {action, subjectName: text(name)},
    start: world([]),
    ...(through === undefined ? {} : {through: world([through])}),
    end: world([made]),
    undo: /can only be deleted/,
    ...rest,
  };
}

function attached(status: string, ...ids: readonly (typeof disk)[]): Partial<VirtualMachine> {
  return {volumes: ids.map(id => ({volumeId: id, name: text('data'), status: text(status)}))};
}

function holding(status: string, ...ids: readonly number[]): Pick<Firewall, 'attachments'> {
  const attachments = ids.map(id => ({
    machineId: virtualMachineId(id),
    machineName: text(`gpu-${id}`),
    status: text(status),
  }));
  return {attachments};
}

/** One case of every kind; a new kind of action does not compile until it has a case here. */
export const EVERY_ACTION: {readonly [Kind in KnownKind]: ActionCase} = {
  'vm.start': power(
    'GET /core/virtual-machines/7/start',
    {kind: 'vm.start', id: machine},
    ['SHUTOFF', 'STARTING', 'ACTIVE'],
    'vm.stop',
  ),
  'vm.stop': power(
    'GET /core/virtual-machines/7/stop',
    {kind: 'vm.stop', id: machine},
    ['ACTIVE', 'STOPPING', 'SHUTOFF'],
    'vm.start',
  ),
  'vm.hard-reboot': {
    ...power(
      'GET /core/virtual-machines/7/hard-reboot',
      {kind: 'vm.hard-reboot', id: machine},
      ['ACTIVE', 'REBOOTING', 'ACTIVE'],
      /cannot be undone/,
    ),
    endsWhereItBegan: true,
  },
  'vm.hibernate': power(
    'GET /core/virtual-machines/7/hibernate?retain_ip=true',
    {kind: 'vm.hibernate', id: machine, retainsIp: true},
    ['ACTIVE', 'HIBERNATING', 'HIBERNATED'],
    'vm.restore',
  ),
  'vm.restore': power(
    'GET /core/virtual-machines/7/hibernate-restore',
    {kind: 'vm.restore', id: machine},
    ['HIBERNATED', 'RESTORING', 'ACTIVE'],
    'vm.hibernate',
  ),
  'vm.add-rule': onMachine(
    'POST /core/virtual-machines/7/sg-rules',
    {kind: 'vm.add-rule', id: machine, rule},
    {from: {rules: [other]}, through: {rules: [other, pending]}, to: {rules: [other, inForce]}},
    'vm.remove-rule',
  ),
  'vm.remove-rule': onMachine(
    'DELETE /core/virtual-machines/7/sg-rules/9',
    {kind: 'vm.remove-rule', id: machine, ruleId: 9, rule},
    {from: {rules: [other, inForce]}, through: {rules: [other, going]}, to: {rules: [other]}},
    'vm.add-rule',
  ),
  'vm.create': made(
    'POST /core/virtual-machines',
    'vm',
    {
      kind: 'vm.create',
      spec: {
        name: text('gpu-7'),
        environmentName: text('prod'),
        flavorName: text('n3-L40x1'),
        keyPairName: text('laptop'),
        count: 1,
        userData: secret('#cloud-config\npassword: CANARY-script'),
        callbackUrl: text('https://u:CANARY-password@hooks.example/CANARY-path?token=CANARY-query'),
      },
    },
    'gpu-7',
    aMachine(),
    aMachine({status: 'BUILD'}),
    {result: {kind: 'created', ids: [7]}},
  ),
  'vm.delete': gone(
    'DELETE /core/virtual-machines/7',
    'vm',
    {kind: 'vm.delete', id: machine},
    'gpu-7',
    aMachine(),
    aMachine({status: 'DELETING'}),
  ),
  'vm.resize': onMachine(
    'POST /core/virtual-machines/7/resize',
    {kind: 'vm.resize', id: machine, flavorName: text('n3-L40x2')},
    {from: {flavor: {name: text('n3-L40x1')}}, to: {flavor: {name: text('n3-L40x2')}}},
    'vm.resize',
  ),
  'vm.set-labels': {
    ...onMachine(
      'PUT /core/virtual-machines/7/label',
      {kind: 'vm.set-labels', id: machine, labels: [text('prod'), text('team-a')]},
      {from: {labels: [text('dev')]}, to: {labels: [text('team-a'), text('prod')]}},
      'vm.set-labels',
    ),
  },
  'vm.attach-ip': onMachine(
    'POST /core/virtual-machines/7/attach-floatingip',
    {kind: 'vm.attach-ip', id: machine},
    {
      from: {floatingIpStatus: text('NO FLOATING IP')},
      through: {floatingIpStatus: text('ATTACHING')},
      to: {floatingIp: text('185.0.2.1'), floatingIpStatus: text('ATTACHED')},
    },
    'vm.detach-ip',
  ),
  'vm.detach-ip': onMachine(
    'POST /core/virtual-machines/7/detach-floatingip',
    {kind: 'vm.detach-ip', id: machine},
    {
      from: {floatingIp: text('185.0.2.1'), floatingIpStatus: text('ATTACHED')},
      through: {floatingIp: text('185.0.2.1'), floatingIpStatus: text('DETACHING')},
      to: {floatingIpStatus: text('DETACHED')},
    },
    'vm.attach-ip',
  ),
  'vm.set-callback': {
    ...onMachine(
      'POST /core/virtual-machines/7/attach-callback',
      {kind: 'vm.set-callback', id: machine, url: text('https://hooks.example/CANARY-path'), isUpdate: false},
      {to: {callbackUrl: text('https://hooks.example/CANARY-path')}},
      'vm.remove-callback',
    ),
    result: {kind: 'callback', url: text('https://hooks.example/CANARY-path')},
  },
  'vm.remove-callback': onMachine(
    'DELETE /core/virtual-machines/7/delete-callback',
    {kind: 'vm.remove-callback', id: machine},
    {from: {callbackUrl: text('https://hooks.example/a')}, to: {}},
    'vm.set-callback',
  ),
  'vm.attach-volumes': beside(
    {volume: [aVolume(), aVolume({id: otherDisk})]},
    onMachine(
      'POST /core/virtual-machines/7/attach-volumes',
      {kind: 'vm.attach-volumes', id: machine, volumeIds: [disk, otherDisk]},
      {
        from: attached('DETACHED', disk),
        through: attached('ATTACHING', disk, otherDisk),
        to: attached('ATTACHED', disk, otherDisk),
      },
      'vm.detach-volumes',
    ),
  ),
  'vm.detach-volumes': onMachine(
    'POST /core/virtual-machines/7/detach-volumes',
    {kind: 'vm.detach-volumes', id: machine, volumeIds: [disk]},
    {
      from: attached('ATTACHED', disk, otherDisk),
      through: attached('DETACHING', disk),
      to: attached('ATTACHED', otherDisk),
    },
    'vm.attach-volumes',
  ),
  'vm.set-firewalls': {
    request: 'POST /core/virtual-machines/7/attach-firewalls',
    confirmed: {
      action: {kind: 'vm.set-firewalls', id: machine, firewallIds: [otherWall]},
      subjectName: text('gpu-7'),
      replaced: ['30'],
    },
    start: {vm: [aMachine()], firewall: [aFirewall(holding('SUCCESS', 7)), aFirewall({id: otherWall})]},
    through: {
      vm: [aMachine()],
      firewall: [aFirewall(holding('DETACHING', 7)), aFirewall({id: otherWall, ...holding('ATTACHING', 7)})],
    },
    end: {vm: [aMachine()], firewall: [aFirewall(), aFirewall({id: otherWall, ...holding('SUCCESS', 7)})]},
    undo: 'vm.set-firewalls',
  },
  'vm.request-console': {
    ...onMachine(
      'GET /core/virtual-machines/7/request-console',
      {kind: 'vm.request-console', id: machine},
      {to: {}},
      /changed nothing/,
    ),
    result: {kind: 'console-job', jobId: 'job-1'},
    endsWithReply: true,
  },
  'vm.request-logs': {
    ...onMachine(
      'POST /core/virtual-machines/7/logs',
      {kind: 'vm.request-logs', id: machine, lineCount: 100},
      {to: {}},
      /changed nothing/,
    ),
    result: {kind: 'log-request', requestId: '5'},
    endsWithReply: true,
  },
  'cluster.create': made(
    'POST /core/clusters',
    'cluster',
    {
      kind: 'cluster.create',
      spec: {
        name: text('k8s'),
        environmentName: text('prod'),
        keyPairName: text('laptop'),
        kubernetesVersion: text('1.35.1'),
        masterFlavorName: text('n1-cpu-medium'),
        nodeGroups: [{name: text('workers'), flavorName: text('n3-L40x1'), count: 2}],
      },
    },
    'k8s',
    aCluster(),
    aCluster({status: 'CREATING'}),
    {result: {kind: 'created', ids: [40]}},
  ),
  'cluster.delete': gone(
    'DELETE /core/clusters/40',
    'cluster',
    {kind: 'cluster.delete', id: clusterId(40)},
    'k8s',
    aCluster(),
    aCluster({status: 'DELETING'}),
  ),
  'cluster.reconcile': {
    request: 'POST /core/clusters/40/reconcile',
    confirmed: {action: {kind: 'cluster.reconcile', id: clusterId(40)}, subjectName: text('k8s')},
    start: {cluster: [aCluster()]},
    through: {cluster: [aCluster({isReconciling: true})]},
    end: {cluster: [aCluster()]},
    undo: /cannot be undone/,
    endsWhereItBegan: true,
  },
  'firewall.create': made(
    'POST /core/firewalls',
    'firewall',
    {kind: 'firewall.create', spec: {name: text('edge'), environmentId: environmentId(70)}},
    'edge',
    aFirewall(),
    aFirewall({status: 'CREATING'}),
    {result: {kind: 'created', ids: [30]}},
  ),
  'firewall.delete': gone(
    'DELETE /core/firewalls/30',
    'firewall',
    {kind: 'firewall.delete', id: wall},
    'edge',
    aFirewall(),
    aFirewall({status: 'DELETING'}),
  ),
  'firewall.add-rule': {
    request: 'POST /core/firewalls/30/firewall-rules',
    confirmed: {action: {kind: 'firewall.add-rule', id: wall, rule}, subjectName: text('edge')},
    start: {firewall: [aFirewall({rules: [other]})]},
    through: {firewall: [aFirewall({rules: [other, pending]})]},
    end: {firewall: [aFirewall({rules: [other, inForce]})]},
    undo: 'firewall.remove-rule',
  },
  'firewall.remove-rule': {
    request: 'DELETE /core/firewalls/30/firewall-rules/9',
    confirmed: {action: {kind: 'firewall.remove-rule', id: wall, ruleId: 9, rule}, subjectName: text('edge')},
    start: {firewall: [aFirewall({rules: [other, inForce]})]},
    through: {firewall: [aFirewall({rules: [other, going]})]},
    end: {firewall: [aFirewall({rules: [other]})]},
    undo: 'firewall.add-rule',
  },
  'firewall.set-attachments': beside(
    {vm: [aMachine({id: virtualMachineId(8), name: text('gpu-8')})]},
    {
      request: 'POST /core/firewalls/30/update-attachments',
      confirmed: {
        action: {kind: 'firewall.set-attachments', id: wall, machineIds: [virtualMachineId(8)]},
        subjectName: text('edge'),
        replaced: ['7'],
      },
      start: {firewall: [aFirewall(holding('SUCCESS', 7))]},
      through: {firewall: [aFirewall(holding('DETACHING', 7))]},
      end: {firewall: [aFirewall(holding('SUCCESS', 8))]},
      undo: 'firewall.set-attachments',
    },
  ),
  'volume.create': made(
    'POST /core/volumes',
    'volume',
    {
      kind: 'volume.create',
      spec: {
        name: text('data'),
        environmentName: text('prod'),
        sizeGb: 100,
        volumeType: text('Cloud-SSD'),
        callbackUrl: text('https://hooks.example/CANARY-path'),
      },
    },
    'data',
    aVolume(),
    aVolume({status: 'CREATING'}),
    {result: {kind: 'created', ids: [50]}},
  ),
  'volume.delete': gone(
    'DELETE /core/volumes/50',
    'volume',
    {kind: 'volume.delete', id: disk},
    'data',
    aVolume(),
    aVolume({status: 'DELETING'}),
  ),
  'key-pair.import': made(
    'POST /core/keypairs',
    'key-pair',
    {
      kind: 'key-pair.import',
      spec: {name: text('laptop'), environmentName: text('prod'), publicKey: text('ssh-ed25519 AAAA')},
    },
    'laptop',
    keyPair,
  ),
  'key-pair.rename': {
    request: 'PUT /core/keypair/60',
    confirmed: {action: {kind: 'key-pair.rename', id: keyPair.id, name: text('desk')}, subjectName: text('laptop')},
    start: {'key-pair': [keyPair]},
    end: {'key-pair': [{...keyPair, name: text('desk')}]},
    undo: 'key-pair.rename',
  },
  'key-pair.delete': gone(
    'DELETE /core/keypair/60',
    'key-pair',
    {kind: 'key-pair.delete', id: keyPair.id},
    'laptop',
    keyPair,
  ),
  'environment.create': made(
    'POST /core/environments',
    'environment',
    {kind: 'environment.create', spec: {name: text('prod'), regionName: text('NORWAY-1')}},
    'prod',
    environment,
  ),
  'environment.rename': {
    request: 'PUT /core/environments/70',
    confirmed: {
      action: {kind: 'environment.rename', id: environment.id, name: text('production')},
      subjectName: text('prod'),
    },
    start: {environment: [environment]},
    end: {environment: [{...environment, name: text('production')}]},
    undo: 'environment.rename',
  },
  'environment.delete': gone(
    'DELETE /core/environments/70',
    'environment',
    {kind: 'environment.delete', id: environment.id},
    'prod',
    environment,
  ),
  'access-key.create': made(
    'POST /object-storage/access-keys',
    'access-key',
    {kind: 'access-key.create', spec: {regionName: text('CANADA-1')}},
    'CANADA-1',
    accessKey,
    undefined,
    {result: {kind: 'access-key', id: accessKey.id, accessKey: text('AK80'), secretKey: secret('CANARY-secret-half')}},
  ),
  'access-key.delete': gone(
    'DELETE /object-storage/access-keys/80',
    'access-key',
    {kind: 'access-key.delete', id: accessKey.id},
    'AK80',
    accessKey,
  ),
  'bucket.delete': gone(
    'DELETE /object-storage/buckets/logs?region=CANADA-1',
    'bucket',
    {kind: 'bucket.delete', name: text('logs'), regionName: text('CANADA-1')},
    'logs',
    bucket,
  ),
};

export const EVERY_CASE: readonly (readonly [kind: KnownKind, each: ActionCase])[] = Object.entries(
  EVERY_ACTION,
).flatMap(([kind, each]) => (isKnownKind(kind) ? [[kind, each] as const] : []));

function isKnownKind(kind: string): kind is KnownKind {
  return ACTIONS.has(kind);
}
