import type {KnownKind} from '../../../src/actions/actions.ts';
import type {PowerAction} from '../../../src/actions/machines/power.ts';
import type {Action} from '../../../src/domain/action.ts';

import {clusterId} from '../../../src/domain/cluster.ts';
import {environmentId} from '../../../src/domain/environment.ts';
import {type FirewallId, firewallId} from '../../../src/domain/firewall.ts';
import type {Confirmed} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {RuleSpec} from '../../../src/domain/security-rule.ts';
import {type VirtualMachineId, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import type {Cloud} from './cloud.ts';
import {MORE_STAGES} from './more-stages.ts';
import type {Prepare, Stage} from './stage.ts';

const text = safeText;
/** Longer than any change takes at the simulator's quick pace. */
const SETTLED_MS = 40_000;
/** Behind a public address, on a flavor that can hibernate. */
const MACHINE = 'infer-01';
const ADDRESSLESS = 'eval-02';
const FIREWALL = 'web';
const CLUSTER = 'serve';
const CALLBACK = text('https://hooks.example/simulated');
const RULE: RuleSpec = {
  direction: 'ingress',
  protocol: text('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: text('10.0.0.0/8'),
  portRangeMin: 9443,
  portRangeMax: 9443,
};
const RULE_BODY = {
  direction: 'ingress',
  protocol: 'tcp',
  ethertype: 'IPv4',
  remote_ip_prefix: '10.0.0.0/8',
  port_range_min: 9443,
  port_range_max: 9443,
};

export const STAGES: {readonly [Kind in KnownKind]?: Prepare} = {
  ...MORE_STAGES,
  'vm.start': cloud => power(cloud, {kind: 'vm.start'}, ['SHUTOFF', 'ACTIVE'], 'stop'),
  'vm.stop': cloud => power(cloud, {kind: 'vm.stop'}, ['ACTIVE', 'SHUTOFF']),
  'vm.hard-reboot': async cloud => ({
    ...(await power(cloud, {kind: 'vm.hard-reboot'}, ['ACTIVE', 'ACTIVE'])),
    provedBy: 'ourselves',
  }),
  'vm.hibernate': cloud => power(cloud, {kind: 'vm.hibernate', retainsIp: true}, ['ACTIVE', 'HIBERNATED']),
  'vm.restore': cloud => power(cloud, {kind: 'vm.restore'}, ['HIBERNATED', 'ACTIVE'], 'hibernate'),
  'vm.add-rule': cloud =>
    onMachine(cloud, id => ({
      action: {kind: 'vm.add-rule', id, rule: RULE},
      isReached: ({security_rules: rules}) => rules.some(rule => isWanted(rule) && rule.status === 'SUCCESS'),
    })),
  'vm.remove-rule': async cloud => {
    const {id} = await machineNamed(cloud, MACHINE);
    await cloud.ask('POST', `${MACHINES}/${id}/sg-rules`, {body: RULE_BODY});
    await cloud.time.advance(SETTLED_MS);
    return onMachine(cloud, (machine, {security_rules: rules}) => ({
      action: {kind: 'vm.remove-rule', id: machine, ruleId: rules.find(isWanted)?.id ?? 0, rule: RULE},
      isReached: now => !now.security_rules.some(isWanted),
    }));
  },
  'vm.create': async cloud => {
    const {image, keypair} = await machineNamed(cloud, MACHINE);
    const name = text('made-01');
    const spec = {
      name,
      environmentName: text('production-ca'),
      flavorName: text('n1-cpu-small'),
      keyPairName: text(keypair.name),
      imageName: text(image.name),
      count: 1,
    };
    const isReached = async () => (await machines(cloud)).some(each => each.name === name && each.status === 'ACTIVE');
    return {confirmed: {action: {kind: 'vm.create', spec}, subjectName: name}, isReached};
  },
  'vm.delete': async cloud => {
    const {id, name} = await machineNamed(cloud, MACHINE);
    const confirmed = {action: {kind: 'vm.delete', id: virtualMachineId(id)}, subjectName: text(name)} as const;
    return {confirmed, isReached: async () => !(await machines(cloud)).some(each => each.id === id), ...rebooting(id)};
  },
  'vm.resize': cloud =>
    onMachine(cloud, id => ({
      action: {kind: 'vm.resize', id, flavorName: text('n3-L40x2')},
      isReached: ({flavor, status}) => flavor.name === 'n3-L40x2' && status === 'ACTIVE',
    })),
  'vm.set-labels': cloud =>
    onMachine(cloud, (id, {labels}) => ({
      action: {kind: 'vm.set-labels', id, labels: [text('night'), text('team-a')]},
      replaced: labels,
      isReached: now => [...now.labels].sort().join() === 'night,team-a',
    })),
  'vm.attach-ip': cloud =>
    onMachine(
      cloud,
      id => ({action: {kind: 'vm.attach-ip', id}, isReached: ({floating_ip: address}) => Boolean(address)}),
      ADDRESSLESS,
    ),
  'vm.detach-ip': cloud =>
    onMachine(cloud, id => ({action: {kind: 'vm.detach-ip', id}, isReached: ({floating_ip: address}) => !address})),
  'vm.set-callback': cloud =>
    onMachine(cloud, id => ({
      action: {kind: 'vm.set-callback', id, url: CALLBACK, isUpdate: false},
      isReached: ({callback_url: url}) => url === CALLBACK,
    })),
  'vm.remove-callback': async cloud => {
    const {id} = await machineNamed(cloud, MACHINE);
    await cloud.ask('POST', `${MACHINES}/${id}/attach-callback`, {body: {url: CALLBACK}});
    return onMachine(cloud, machine => ({
      action: {kind: 'vm.remove-callback', id: machine},
      isReached: ({callback_url: url}) => !url,
    }));
  },
  'vm.set-firewalls': async cloud => {
    const spare = await spareFirewall(cloud);
    const {id, name} = await machineNamed(cloud, MACHINE);
    const held = (await firewalls(cloud)).filter(firewall => holds(firewall, id)).map(each => firewallId(each.id));
    const wanted: readonly FirewallId[] = [firewallId(spare.id), ...held.slice(1)];
    const confirmed: Confirmed = {
      action: {kind: 'vm.set-firewalls', id: virtualMachineId(id), firewallIds: wanted},
      subjectName: text(name),
      replaced: held.map(String),
    };
    const isReached = async () => {
      const all = (await firewalls(cloud)).map(each => [each.id, statusOn(each, id)] as const);
      return all.every(([wall, status]) => status === (wanted.includes(firewallId(wall)) ? 'SUCCESS' : undefined));
    };
    return {confirmed, isReached, ...rebooting(id)};
  },
  'vm.request-console': cloud =>
    onMachine(cloud, id => ({action: {kind: 'vm.request-console', id}, isReached: () => true, provedBy: 'ourselves'})),
  'vm.request-logs': cloud =>
    onMachine(cloud, id => ({
      action: {kind: 'vm.request-logs', id, lineCount: 100},
      isReached: () => true,
      provedBy: 'ourselves',
    })),
  'cluster.create': async cloud => {
    const {keypair} = await machineNamed(cloud, MACHINE);
    const name = text('made');
    const spec = {
      name,
      environmentName: text('production-ca'),
      keyPairName: text(keypair.name),
      kubernetesVersion: text('1.35.1'),
      masterFlavorName: text('n1-cpu-medium'),
      nodeGroups: [{name: text('workers'), flavorName: text('n3-L40x1'), count: 1}],
    };
    const isReached = async () => (await clusters(cloud)).some(each => each.name === name && each.status === 'ACTIVE');
    return {confirmed: {action: {kind: 'cluster.create', spec}, subjectName: name}, isReached};
  },
  'cluster.delete': async cloud => {
    const {id, name} = await clusterNamed(cloud);
    const confirmed = {action: {kind: 'cluster.delete', id: clusterId(id)}, subjectName: text(name)} as const;
    return {confirmed, isReached: async () => !(await clusters(cloud)).some(each => each.id === id)};
  },
  'cluster.reconcile': async cloud => {
    const {id, name} = await clusterNamed(cloud);
    const confirmed = {action: {kind: 'cluster.reconcile', id: clusterId(id)}, subjectName: text(name)} as const;
    const isReached = async () => (await clusterNamed(cloud)).status === 'ACTIVE';
    return {confirmed, isReached, provedBy: 'anybody'};
  },
  'firewall.create': async cloud => {
    const {environment} = await firewallNamed(cloud, FIREWALL);
    const name = text('made');
    const action: Action = {kind: 'firewall.create', spec: {name, environmentId: environmentId(environment.id)}};
    const isReached = async () =>
      (await firewalls(cloud)).some(each => each.name === name && each.status === 'SUCCESS');
    return {confirmed: {action, subjectName: name}, isReached};
  },
  'firewall.delete': async cloud => {
    const {id, name} = await spareFirewall(cloud);
    const confirmed = {action: {kind: 'firewall.delete', id: firewallId(id)}, subjectName: text(name)} as const;
    return {confirmed, isReached: async () => !(await firewalls(cloud)).some(each => each.id === id)};
  },
  'firewall.add-rule': cloud =>
    onFirewall(cloud, id => ({
      action: {kind: 'firewall.add-rule', id, rule: RULE},
      isReached: ({rules}) => rules.some(rule => isWanted(rule) && rule.status === 'SUCCESS'),
    })),
  'firewall.remove-rule': async cloud => {
    const {id} = await firewallNamed(cloud, FIREWALL);
    await cloud.ask('POST', `${FIREWALLS}/${id}/firewall-rules`, {body: RULE_BODY});
    await cloud.time.advance(SETTLED_MS);
    return onFirewall(cloud, (firewall, {rules}) => ({
      action: {kind: 'firewall.remove-rule', id: firewall, ruleId: rules.find(isWanted)?.id ?? 0, rule: RULE},
      isReached: now => !now.rules.some(isWanted),
    }));
  },
  'firewall.set-attachments': cloud =>
    onFirewall(cloud, (id, {attachments}) => {
      const held = attachments.map(({vm}) => vm.id);
      const wanted = held.slice(1);
      return {
        action: {kind: 'firewall.set-attachments', id, machineIds: wanted.map(virtualMachineId)},
        replaced: held.map(String),
        isReached: now => now.attachments.map(({vm}) => vm.id).join() === wanted.join(),
      };
    }),
};

const MACHINES = '/core/virtual-machines';
const FIREWALLS = '/core/firewalls';

type WireRule = {readonly id: number; readonly status: string; readonly port_range_min: number | null};
type WireMachine = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly labels: readonly string[];
  readonly flavor: {readonly name: string};
  readonly image: {readonly name: string};
  readonly keypair: {readonly name: string};
  readonly floating_ip: string | null;
  readonly callback_url: string | null;
  readonly security_rules: readonly WireRule[];
};
type WireFirewall = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly environment: {readonly id: number};
  readonly rules: readonly WireRule[];
  readonly attachments: readonly {readonly status: string; readonly vm: {readonly id: number}}[];
};
type WireCluster = {readonly id: number; readonly name: string; readonly status: string};

/** A machine in the state the action needs, brought there as a person would have. */
async function power(
  cloud: Cloud,
  kind: {readonly kind: PowerAction['kind']; readonly retainsIp?: boolean},
  [from, to]: readonly [string, string],
  before?: string,
): Promise<Stage> {
  const {id, name} = await machineNamed(cloud, MACHINE);
  if (before !== undefined) {
    await cloud.ask('GET', `${MACHINES}/${id}/${before}?retain_ip=true`);
    await cloud.time.advance(SETTLED_MS);
  }
  const machine = virtualMachineId(id);
  const action: PowerAction =
    kind.kind === 'vm.hibernate' ? {kind: kind.kind, id: machine, retainsIp: true} : {kind: kind.kind, id: machine};
  return {
    confirmed: {action, subjectName: text(name), status: from},
    isReached: async () => (await machineAt(cloud, id)).status === to,
    ...rebooting(id),
  };
}

/** What a person can do to nearly every machine, and what changes no record of it for good. */
function rebooting(id: number): Pick<Stage, 'disturbance'> {
  return {disturbance: ['GET', `${MACHINES}/${id}/hard-reboot`]};
}

type Told<R> = Pick<Confirmed, 'action'> & {
  readonly replaced?: readonly string[];
  readonly isReached: (now: R) => boolean;
  readonly provedBy?: Stage['provedBy'];
};

async function onMachine(
  cloud: Cloud,
  tell: (id: VirtualMachineId, machine: WireMachine) => Told<WireMachine>,
  name: string = MACHINE,
): Promise<Stage> {
  const machine = await machineNamed(cloud, name);
  const told = tell(virtualMachineId(machine.id), machine);
  return {...stageOf(told, machine.name, () => machineAt(cloud, machine.id)), ...rebooting(machine.id)};
}

async function onFirewall(
  cloud: Cloud,
  tell: (id: FirewallId, firewall: WireFirewall) => Told<WireFirewall>,
): Promise<Stage> {
  const firewall = await firewallNamed(cloud, FIREWALL);
  const told = tell(firewallId(firewall.id), firewall);
  const body = {...RULE_BODY, port_range_min: 7, port_range_max: 7};
  return {
    ...stageOf(told, firewall.name, () => firewallNamed(cloud, FIREWALL)),
    disturbance: ['POST', `${FIREWALLS}/${firewall.id}/firewall-rules`, body],
  };
}

function stageOf<R>({action, replaced, isReached, provedBy}: Told<R>, name: string, look: () => Promise<R>): Stage {
  return {
    confirmed: {action, subjectName: text(name), ...(replaced === undefined ? {} : {replaced})},
    isReached: async () => isReached(await look()),
    ...(provedBy === undefined ? {} : {provedBy}),
  };
}

/** A firewall that holds for nothing, beside the one that stands for most. */
async function spareFirewall(cloud: Cloud): Promise<WireFirewall> {
  const {environment} = await firewallNamed(cloud, FIREWALL);
  await cloud.ask('POST', FIREWALLS, {body: {name: 'spare', description: '', environment_id: environment.id}});
  await cloud.time.advance(SETTLED_MS);
  return firewallNamed(cloud, 'spare');
}

async function machines(cloud: Cloud): Promise<readonly WireMachine[]> {
  return (await cloud.ask<{instances: readonly WireMachine[]}>('GET', MACHINES)).instances;
}

async function machineNamed(cloud: Cloud, name: string): Promise<WireMachine> {
  return found(await machines(cloud), name);
}

async function machineAt(cloud: Cloud, id: number): Promise<WireMachine> {
  return (await cloud.ask<{instance: WireMachine}>('GET', `${MACHINES}/${id}`)).instance;
}

async function firewalls(cloud: Cloud): Promise<readonly WireFirewall[]> {
  return (await cloud.ask<{firewalls: readonly WireFirewall[]}>('GET', FIREWALLS)).firewalls;
}

async function firewallNamed(cloud: Cloud, name: string): Promise<WireFirewall> {
  return found(await firewalls(cloud), name);
}

async function clusters(cloud: Cloud): Promise<readonly WireCluster[]> {
  return (await cloud.ask<{clusters: readonly WireCluster[]}>('GET', '/core/clusters')).clusters;
}

async function clusterNamed(cloud: Cloud): Promise<WireCluster> {
  return found(await clusters(cloud), CLUSTER);
}

function found<R extends {readonly name: string}>(records: readonly R[], name: string): R {
  const record = records.find(each => each.name === name);
  if (record === undefined) throw new Error(`The simulated cloud has no ${name}.`);
  return record;
}

function isWanted(rule: WireRule): boolean {
  return rule.port_range_min === RULE.portRangeMin;
}

function holds(firewall: WireFirewall, machine: number): boolean {
  return firewall.attachments.some(({vm}) => vm.id === machine);
}

function statusOn({attachments}: WireFirewall, machine: number): string | undefined {
  return attachments.find(({vm}) => vm.id === machine)?.status;
}
