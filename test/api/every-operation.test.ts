import {expect, onTestFinished, test} from 'vitest';
import * as clusters from '../../src/api/clusters.ts';
import type {OperationEndpoint} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import * as environments from '../../src/api/environments.ts';
import * as firewalls from '../../src/api/firewalls.ts';
import * as keyPairs from '../../src/api/key-pairs.ts';
import * as storage from '../../src/api/object-storage.ts';
import * as jobs from '../../src/api/machine-jobs.ts';
import * as machines from '../../src/api/virtual-machines.ts';
import * as volumes from '../../src/api/volumes.ts';
import {clusterId} from '../../src/domain/cluster.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {keyPairId} from '../../src/domain/key-pair.ts';
import {accessKeyId} from '../../src/domain/object-storage.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import type {RuleSpec} from '../../src/domain/security-rule.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {BASE_PATH, ROUTES} from '../../src/simulator/http/app.ts';
import {openApiOf} from '../../src/simulator/http/openapi.ts';
import {startSimulator} from '../../src/simulator/http/server.ts';
import {publicKeyFor} from '../../src/simulator/world/key-pairs.ts';
import {wireExample} from './wire-example.ts';
import {found} from '../simulator/a-simulator.ts';
import {type Contract, contractWith, keyPathsOf} from '../support/contract.ts';
import {reportCounted} from '../support/measured.ts';
import {type JsonSchema, mistakesIn} from '../support/json-schema.ts';

// The program's own client takes an account through its life on the simulator, with every operation of the interface.

const IMAGE = safeText('Ubuntu Server 24.04 LTS R570 CUDA 12.8');
const SSH: RuleSpec = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('203.0.113.0/24'),
  portRangeMin: 22,
  portRangeMax: 22,
};
const JSON_TYPE = 'application/json';
const OPERATIONS = ENDPOINTS.filter(({effect}) => effect === 'operation');
type Content = {readonly content: Readonly<Record<string, {readonly schema: JsonSchema}>>};
type Told = {readonly requestBody?: Content; readonly responses: Readonly<Record<string, Content>>};
/** Longer than anything takes on the simulator. */
const LONG_MS = 30 * 60_000;

type Place = Contract & {
  readonly settle: () => void;
  readonly make: <P>(endpoint: OperationEndpoint<P>, params: P) => Promise<number>;
};

test('every operation of the interface works on the simulator, in an environment created for it', async () => {
  const place = await aPlace();
  const {sendOnce, read, make, settle} = place;
  const environment = {
    id: environmentId(
      await make(environments.createEnvironment, {spec: {name: say`fresh`, regionName: say`CANADA-1`}}),
    ),
  };
  await sendOnce(environments.renameEnvironment, {...environment, name: say`fresher`});
  expect((await read(environments.getEnvironment, environment)).records).toMatchObject([{name: 'fresher'}]);
  const keyPair = await aKeyPair(place);
  await firewallAndMachine(place, environment.id);
  await aCluster(place);
  settle();
  await sendOnce(keyPairs.deleteKeyPair, {id: keyPair});
  expect((await read(environments.machineQuota, environment)).records).toMatchObject([{currentCount: 0}]);
  await sendOnce(environments.deleteEnvironment, environment);
  const {records} = await read(environments.listEnvironments, {});
  expect(records.map(({name}) => name)).not.toContain('fresher');
  await theStorage(place);

  const operations = OPERATIONS.map(({id}) => id);
  expect(operations.filter(id => place.bodies.has(id))).toEqual(operations);
  // Every field that the documents show in a reply is there.
  for (const id of operations) {
    const played = (place.bodies.get(id) ?? []).flatMap(keyPathsOf);
    expect([id, keyPathsOf(JSON.parse(wireExample(id))).filter(path => !played.includes(path))]).toEqual([id, []]);
  }
  // Requests and replies match the simulator's own OpenAPI document.
  const {paths, components} = openApiOf(ROUTES, BASE_PATH);
  for (const {id, method, template} of OPERATIONS) {
    const told = toldOf(paths, method, template);
    const request = told.requestBody?.content[JSON_TYPE]?.schema;
    const mistakes = (place.sent.get(id) ?? []).flatMap(body =>
      request === undefined ? isNothing(body) : mistakesIn(body, request),
    );
    expect([id, mistakes]).toEqual([id, []]);
    const reply = found(Object.values(told.responses), () => true, `success of ${id}`).content[JSON_TYPE]?.schema ?? {};
    const odd = (place.bodies.get(id) ?? []).flatMap(body => mistakesIn(body, reply, components.schemas));
    expect([id, odd]).toEqual([id, []]);
    reportCounted('operations compared', 1);
  }
});

/** The operation of a template, whatever the names of its path parameters. */
function toldOf(paths: Readonly<Record<string, object>>, method: string, template: string): Told {
  const shapeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  const [, operations] = found(Object.entries(paths), ([path]) => shapeOf(path) === shapeOf(template), template);
  const [, told] = found(Object.entries(operations), ([name]) => name === method.toLowerCase(), method);
  return told;
}

function isNothing(body: unknown): string[] {
  return body === undefined ? [] : ['a body that the document does not have'];
}

async function aKeyPair({sendOnce, read, make}: Place) {
  const publicKey = safeText(publicKeyFor('round', 'ssh-ed25519'));
  const spec = {name: say`mine`, environmentName: say`fresher`, publicKey};
  const id = keyPairId(await make(keyPairs.importKeyPair, {spec}));
  await sendOnce(keyPairs.renameKeyPair, {id, name: say`ours`});
  const {records} = await read(keyPairs.listKeyPairs, {});
  expect(records.find(keyPair => keyPair.id === id)).toMatchObject({
    name: 'ours',
    environmentName: 'fresher',
    publicKey,
  });
  return id;
}

async function firewallAndMachine(place: Place, environment: ReturnType<typeof environmentId>): Promise<void> {
  const {sendOnce, read, make, settle} = place;
  const spec = {name: say`office`, environmentId: environment, description: say`where people sit`};
  const firewall = {id: firewallId(await make(firewalls.createFirewall, {spec}))};
  settle();
  const ruleId = await make(firewalls.addFirewallRule, {...firewall, rule: SSH});
  const volume = await aVolume(place);
  const machine = await aMachine(place);
  await sendOnce(firewalls.setFirewallAttachments, {...firewall, machineIds: [machine.id]});
  await sendOnce(machines.attachVolumes, {...machine, volumeIds: [volume.id]});
  settle();
  expect((await read(firewalls.getFirewall, firewall)).records).toMatchObject([
    {status: 'SUCCESS', attachments: [{machineId: machine.id}], environmentName: 'fresher'},
  ]);
  expect((await read(volumes.getVolume, volume)).records).toMatchObject([{status: 'IN_USE'}]);
  await sendOnce(machines.setMachineFirewalls, {...machine, firewallIds: []});
  await operate(place, machine);
  await sendOnce(machines.detachVolumes, {...machine, volumeIds: [volume.id]});
  settle();
  await sendOnce(machines.deleteVirtualMachine, machine);
  await sendOnce(volumes.deleteVolume, volume);
  await sendOnce(firewalls.removeFirewallRule, {...firewall, ruleId});
  settle();
  await sendOnce(firewalls.deleteFirewall, firewall);
  settle();
  const left = await read(machines.listVirtualMachines, {});
  expect(left.records.some(({id}) => id === machine.id)).toBe(false);
  expect((await read(volumes.listVolumes, {})).records.some(({id}) => id === volume.id)).toBe(false);
  expect((await read(firewalls.listFirewalls, {})).records.some(({id}) => id === firewall.id)).toBe(false);
}

async function aVolume({make, read, settle}: Place) {
  const spec = {name: say`weights`, environmentName: say`fresher`, sizeGb: 40, volumeType: say`Cloud-SSD`};
  const volume = {id: volumeId(await make(volumes.createVolume, {spec}))};
  settle();
  expect((await read(volumes.getVolume, volume)).records).toMatchObject([
    {name: 'weights', environmentName: 'fresher', sizeGb: 40, status: 'AVAILABLE', isBootable: false},
  ]);
  return volume;
}

async function aMachine({make, read, settle}: Place) {
  const spec = {
    name: say`fresh-1`,
    environmentName: say`fresher`,
    flavorName: say`n3-L40x1`,
    keyPairName: say`ours`,
    imageName: IMAGE,
    count: 1,
    labels: [say`made=now`],
    rules: [SSH],
  };
  const machine = {id: virtualMachineId(await make(machines.createVirtualMachines, {spec}))};
  settle();
  expect((await read(machines.getVirtualMachine, machine)).records).toMatchObject([
    {name: 'fresh-1', status: 'ACTIVE', environmentName: 'fresher', labels: ['made=now']},
  ]);
  return machine;
}

/** Everything that can be done to a machine between its creation and its deletion. */
async function operate(place: Place, machine: {readonly id: ReturnType<typeof virtualMachineId>}): Promise<void> {
  const {sendOnce, read, make, settle} = place;
  const now = async () => (await read(machines.getVirtualMachine, machine)).records[0];
  for (const [endpoint, status] of [
    [machines.stopVirtualMachine, 'SHUTOFF'],
    [machines.startVirtualMachine, 'ACTIVE'],
    [machines.hardRebootVirtualMachine, 'ACTIVE'],
  ] as const) {
    await sendOnce(endpoint, machine);
    settle();
    expect(await now()).toMatchObject({status});
  }
  await sendOnce(machines.hibernateVirtualMachine, {...machine, retainsIp: false});
  settle();
  expect(await now()).toMatchObject({status: 'HIBERNATED'});
  await sendOnce(machines.restoreVirtualMachine, machine);
  settle();
  await sendOnce(machines.resizeVirtualMachine, {...machine, flavorName: say`n3-L40x2`});
  settle();
  expect(await now()).toMatchObject({status: 'ACTIVE', flavor: {name: 'n3-L40x2'}});
  await sendOnce(machines.setMachineLabels, {...machine, labels: [say`a`, say`b`]});
  await sendOnce(machines.attachFloatingIp, machine);
  settle();
  expect(await now()).toMatchObject({labels: ['a', 'b'], floatingIp: expect.stringMatching(/^198\.18\./)});
  await sendOnce(machines.detachFloatingIp, machine);
  settle();
  expect((await now())?.floatingIp).toBeUndefined();
  const ruleId = await make(machines.addMachineRule, {...machine, rule: {...SSH, portRangeMin: 80, portRangeMax: 81}});
  settle();
  await sendOnce(machines.removeMachineRule, {...machine, ruleId});
  await sendOnce(machines.attachCallback, {...machine, url: say`http://127.0.0.1:9/first`});
  await sendOnce(machines.updateCallback, {...machine, url: say`http://127.0.0.1:9/second`});
  await sendOnce(machines.deleteCallback, machine);
  await consoleAndLogs(place, machine);
}

async function consoleAndLogs(
  {sendOnce, read, settle}: Place,
  machine: {readonly id: ReturnType<typeof virtualMachineId>},
): Promise<void> {
  const {result: way} = await sendOnce(jobs.requestConsole, machine);
  const {result: order} = await sendOnce(jobs.requestLogs, {...machine, lineCount: 5});
  if (way?.kind !== 'console-job' || order?.kind !== 'log-request') throw new Error('The jobs have no ids.');
  const console = async () => (await read(jobs.console, {...machine, jobId: way.jobId})).records;
  const logs = async () => (await read(jobs.machineLogs, {...machine, requestId: order.requestId})).records;
  expect([await console(), await logs()]).toEqual([[{status: 'pending'}], [{status: 'pending'}]]);
  settle();
  expect(await console()).toMatchObject([{status: 'ready'}]);
  const [log] = await logs();
  expect(log?.status === 'ready' && log.lines.length).toBe(5);
}

async function aCluster({sendOnce, read, make, settle}: Place): Promise<void> {
  const spec = {
    name: say`fresh-cluster`,
    environmentName: say`fresher`,
    keyPairName: say`ours`,
    kubernetesVersion: (await read(clusters.clusterVersions, {})).records[0]?.version ?? say`none`,
    masterFlavorName: say`n1-cpu-medium`,
    nodeGroups: [{name: say`gpu`, flavorName: say`n3-L40x1`, count: 2, minCount: 1, maxCount: 3}],
  };
  const cluster = {id: clusterId(await make(clusters.createCluster, {spec}))};
  settle();
  expect((await read(clusters.getCluster, cluster)).records).toMatchObject([
    {name: 'fresh-cluster', status: 'ACTIVE', environmentName: 'fresher', nodeGroups: [{name: 'gpu', count: 2}]},
  ]);
  const nodes = (await read(clusters.clusterNodes, cluster)).records;
  // Two masters by default, two workers, and the two nodes that face the internet.
  expect(nodes.map(({role}) => role).toSorted()).toEqual([
    'bastion',
    'load-balancer',
    'master',
    'master',
    'worker',
    'worker',
  ]);
  await sendOnce(clusters.reconcileCluster, cluster);
  settle();
  await sendOnce(clusters.deleteCluster, cluster);
  settle();
  expect((await read(clusters.listClusters, {})).records.some(({id}) => id === cluster.id)).toBe(false);
}

async function theStorage({sendOnce, read}: Place): Promise<void> {
  const [bucket] = (await read(storage.buckets, {})).records;
  if (bucket?.regionName === undefined) throw new Error('There is no bucket in a region.');
  const {name, regionName} = bucket;
  const {result} = await sendOnce(storage.createAccessKey, {spec: {regionName, description: say`for the round`}});
  if (result?.kind !== 'access-key') throw new Error('The reply has no key.');
  expect((await read(storage.accessKeys, {})).records).toContainEqual(
    expect.objectContaining({id: result.id, accessKey: result.accessKey, description: 'for the round'}),
  );
  await sendOnce(storage.deleteAccessKey, {id: accessKeyId(result.id)});
  await sendOnce(storage.deleteBucket, {name, regionName});
  expect((await read(storage.buckets, {})).records.map(each => each.name)).not.toContain(name);
}

async function aPlace(): Promise<Place> {
  let wallNow = Date.UTC(2026, 10, 20, 20);
  const simulator = await startSimulator({rateLimitPerMinute: 'off', allowsResize: true, wallClock: () => wallNow});
  onTestFinished(() => simulator.close());
  const contract = contractWith(simulator);
  // Whatever is accepted must be among the simulator's executions, since many tests count by those.
  const sendOnce: Contract['sendOnce'] = async (endpoint, params) => {
    const before = simulator.executions().length;
    const reply = await contract.sendOnce(endpoint, params);
    expect([endpoint.id, simulator.executions().length > before]).toEqual([endpoint.id, true]);
    return reply;
  };
  return {
    ...contract,
    sendOnce,
    settle: () => {
      wallNow += LONG_MS;
    },
    make: async (endpoint, params) => {
      const {result} = await sendOnce(endpoint, params);
      const [id] = result?.kind === 'created' ? result.ids : [];
      if (id === undefined) throw new Error(`${endpoint.id} made nothing.`);
      return id;
    },
  };
}
