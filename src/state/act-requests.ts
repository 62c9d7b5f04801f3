import type {OperationClient, OperationReply} from '../api/client.ts';
import {createCluster, deleteCluster, reconcileCluster} from '../api/clusters.ts';
import {type Endpoint, queryText} from '../api/endpoint.ts';
import {createEnvironment, deleteEnvironment, renameEnvironment} from '../api/environments.ts';
import {
  addFirewallRule,
  createFirewall,
  deleteFirewall,
  removeFirewallRule,
  setFirewallAttachments,
} from '../api/firewalls.ts';
import {deleteKeyPair, importKeyPair, renameKeyPair} from '../api/key-pairs.ts';
import {createAccessKey, deleteAccessKey, deleteBucket} from '../api/object-storage.ts';
import {
  attachCallback,
  attachFloatingIp,
  attachVolumes,
  createVirtualMachines,
  deleteCallback,
  deleteVirtualMachine,
  detachFloatingIp,
  detachVolumes,
  requestConsole,
  requestLogs,
  resizeVirtualMachine,
  setMachineFirewalls,
  setMachineLabels,
  updateCallback,
} from '../api/virtual-machine-operations.ts';
import {
  addMachineRule,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  removeMachineRule,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
} from '../api/virtual-machines.ts';
import {createVolume, deleteVolume} from '../api/volumes.ts';
import type {Act, ActKind, ActOf} from '../domain/act.ts';
import {assert} from '../domain/assert.ts';
import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import type {ThingType} from '../domain/thing.ts';

type ActRequest<A extends Act> = {fire(client: OperationClient, act: A): Promise<Result<OperationReply>>};

/** The one request of each act; an act's own fields are its parameters. */
const ACT_REQUESTS: {readonly [Kind in ActKind]: ActRequest<ActOf<Kind>>} = {
  'vm.start': {fire: (client, act) => client.fire(startVirtualMachine, act)},
  'vm.stop': {fire: (client, act) => client.fire(stopVirtualMachine, act)},
  'vm.hard-reboot': {fire: (client, act) => client.fire(hardRebootVirtualMachine, act)},
  'vm.hibernate': {fire: (client, act) => client.fire(hibernateVirtualMachine, act)},
  'vm.restore': {fire: (client, act) => client.fire(restoreVirtualMachine, act)},
  'vm.add-rule': {fire: (client, act) => client.fire(addMachineRule, act)},
  'vm.remove-rule': {fire: (client, act) => client.fire(removeMachineRule, act)},
  'vm.create': {fire: (client, act) => client.fire(createVirtualMachines, act)},
  'vm.delete': {fire: (client, act) => client.fire(deleteVirtualMachine, act)},
  'vm.resize': {fire: (client, act) => client.fire(resizeVirtualMachine, act)},
  'vm.set-labels': {fire: (client, act) => client.fire(setMachineLabels, act)},
  'vm.attach-ip': {fire: (client, act) => client.fire(attachFloatingIp, act)},
  'vm.detach-ip': {fire: (client, act) => client.fire(detachFloatingIp, act)},
  'vm.set-callback': {fire: (client, act) => client.fire(act.isUpdate ? updateCallback : attachCallback, act)},
  'vm.remove-callback': {fire: (client, act) => client.fire(deleteCallback, act)},
  'vm.attach-volumes': {fire: (client, act) => client.fire(attachVolumes, act)},
  'vm.detach-volumes': {fire: (client, act) => client.fire(detachVolumes, act)},
  'vm.set-firewalls': {fire: (client, act) => client.fire(setMachineFirewalls, act)},
  'vm.request-console': {fire: (client, act) => client.fire(requestConsole, act)},
  'vm.request-logs': {fire: (client, act) => client.fire(requestLogs, act)},
  'cluster.create': {fire: (client, act) => client.fire(createCluster, act)},
  'cluster.delete': {fire: (client, act) => client.fire(deleteCluster, act)},
  'cluster.reconcile': {fire: (client, act) => client.fire(reconcileCluster, act)},
  'firewall.create': {fire: (client, act) => client.fire(createFirewall, act)},
  'firewall.delete': {fire: (client, act) => client.fire(deleteFirewall, act)},
  'firewall.add-rule': {fire: (client, act) => client.fire(addFirewallRule, act)},
  'firewall.remove-rule': {fire: (client, act) => client.fire(removeFirewallRule, act)},
  'firewall.set-attachments': {fire: (client, act) => client.fire(setFirewallAttachments, act)},
  'volume.create': {fire: (client, act) => client.fire(createVolume, act)},
  'volume.delete': {fire: (client, act) => client.fire(deleteVolume, act)},
  'key-pair.import': {fire: (client, act) => client.fire(importKeyPair, act)},
  'key-pair.rename': {fire: (client, act) => client.fire(renameKeyPair, act)},
  'key-pair.delete': {fire: (client, act) => client.fire(deleteKeyPair, act)},
  'environment.create': {fire: (client, act) => client.fire(createEnvironment, act)},
  'environment.rename': {fire: (client, act) => client.fire(renameEnvironment, act)},
  'environment.delete': {fire: (client, act) => client.fire(deleteEnvironment, act)},
  'access-key.create': {fire: (client, act) => client.fire(createAccessKey, act)},
  'access-key.delete': {fire: (client, act) => client.fire(deleteAccessKey, act)},
  'bucket.delete': {fire: (client, act) => client.fire(deleteBucket, act)},
};

/** The one place where an act becomes a request. */
export function fireAct(client: OperationClient, act: Act): Promise<Result<OperationReply>> {
  const request: ActRequest<Act> = ACT_REQUESTS[act.kind];
  return request.fire(client, act);
}

/** A request as a person reads it: what a question shows, a dry run lists and a copied command repeats. */
export type ActCall = {
  readonly method: string;
  /** Relative to the base URL, with its query. */
  readonly path: string;
  /** What goes out as JSON; undefined for a request without a body. */
  readonly body: unknown;
};

/** The types of things that can be made. */
export type CreatedType = Exclude<ThingType, 'bucket'>;

/** How a new thing of each type is asked for: what a role has to allow before a form is worth filling in. */
export const CREATION_CALLS: Readonly<Record<CreatedType, Pick<ActCall, 'method' | 'path'>>> = {
  vm: callOf(createVirtualMachines),
  cluster: callOf(createCluster),
  firewall: callOf(createFirewall),
  volume: callOf(createVolume),
  'key-pair': callOf(importKeyPair),
  environment: callOf(createEnvironment),
  'access-key': callOf(createAccessKey),
};

function callOf({method, template}: Pick<Endpoint, 'method' | 'template'>): Pick<ActCall, 'method' | 'path'> {
  return {method, path: template};
}

/** The one request an act would become, without sending it. The body can hold what is not for every eye. */
export function requestOf(act: Act): ActCall {
  let call: ActCall | undefined;
  const listener: OperationClient = {
    fire: (endpoint, params) => {
      const path = endpoint.path(params) + queryText(endpoint.query(params));
      call = {method: endpoint.method, path, body: endpoint.body(params)};
      return Promise.resolve(UNSENT);
    },
  };
  void fireAct(listener, act);
  assert(call !== undefined, `${act.kind} has no request`);
  return call;
}

const UNSENT: Result<never> = {ok: false, failure: {kind: 'not-sent', detail: say`only looked at`}};
