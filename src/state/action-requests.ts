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
import type {Action, ActionKind, ActionOf} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import type {ThingType} from '../domain/thing.ts';

type ActionRequest<A extends Action> = {fire(client: OperationClient, action: A): Promise<Result<OperationReply>>};

/** The one request of each action; an action's own fields are its parameters. */
const ACTION_REQUESTS: {readonly [Kind in ActionKind]: ActionRequest<ActionOf<Kind>>} = {
  'vm.start': {fire: (client, action) => client.fire(startVirtualMachine, action)},
  'vm.stop': {fire: (client, action) => client.fire(stopVirtualMachine, action)},
  'vm.hard-reboot': {fire: (client, action) => client.fire(hardRebootVirtualMachine, action)},
  'vm.hibernate': {fire: (client, action) => client.fire(hibernateVirtualMachine, action)},
  'vm.restore': {fire: (client, action) => client.fire(restoreVirtualMachine, action)},
  'vm.add-rule': {fire: (client, action) => client.fire(addMachineRule, action)},
  'vm.remove-rule': {fire: (client, action) => client.fire(removeMachineRule, action)},
  'vm.create': {fire: (client, action) => client.fire(createVirtualMachines, action)},
  'vm.delete': {fire: (client, action) => client.fire(deleteVirtualMachine, action)},
  'vm.resize': {fire: (client, action) => client.fire(resizeVirtualMachine, action)},
  'vm.set-labels': {fire: (client, action) => client.fire(setMachineLabels, action)},
  'vm.attach-ip': {fire: (client, action) => client.fire(attachFloatingIp, action)},
  'vm.detach-ip': {fire: (client, action) => client.fire(detachFloatingIp, action)},
  'vm.set-callback': {fire: (client, action) => client.fire(action.isUpdate ? updateCallback : attachCallback, action)},
  'vm.remove-callback': {fire: (client, action) => client.fire(deleteCallback, action)},
  'vm.attach-volumes': {fire: (client, action) => client.fire(attachVolumes, action)},
  'vm.detach-volumes': {fire: (client, action) => client.fire(detachVolumes, action)},
  'vm.set-firewalls': {fire: (client, action) => client.fire(setMachineFirewalls, action)},
  'vm.request-console': {fire: (client, action) => client.fire(requestConsole, action)},
  'vm.request-logs': {fire: (client, action) => client.fire(requestLogs, action)},
  'cluster.create': {fire: (client, action) => client.fire(createCluster, action)},
  'cluster.delete': {fire: (client, action) => client.fire(deleteCluster, action)},
  'cluster.reconcile': {fire: (client, action) => client.fire(reconcileCluster, action)},
  'firewall.create': {fire: (client, action) => client.fire(createFirewall, action)},
  'firewall.delete': {fire: (client, action) => client.fire(deleteFirewall, action)},
  'firewall.add-rule': {fire: (client, action) => client.fire(addFirewallRule, action)},
  'firewall.remove-rule': {fire: (client, action) => client.fire(removeFirewallRule, action)},
  'firewall.set-attachments': {fire: (client, action) => client.fire(setFirewallAttachments, action)},
  'volume.create': {fire: (client, action) => client.fire(createVolume, action)},
  'volume.delete': {fire: (client, action) => client.fire(deleteVolume, action)},
  'key-pair.import': {fire: (client, action) => client.fire(importKeyPair, action)},
  'key-pair.rename': {fire: (client, action) => client.fire(renameKeyPair, action)},
  'key-pair.delete': {fire: (client, action) => client.fire(deleteKeyPair, action)},
  'environment.create': {fire: (client, action) => client.fire(createEnvironment, action)},
  'environment.rename': {fire: (client, action) => client.fire(renameEnvironment, action)},
  'environment.delete': {fire: (client, action) => client.fire(deleteEnvironment, action)},
  'access-key.create': {fire: (client, action) => client.fire(createAccessKey, action)},
  'access-key.delete': {fire: (client, action) => client.fire(deleteAccessKey, action)},
  'bucket.delete': {fire: (client, action) => client.fire(deleteBucket, action)},
};

/** The one place where an action becomes a request. */
export function fireAction(client: OperationClient, action: Action): Promise<Result<OperationReply>> {
  const request: ActionRequest<Action> = ACTION_REQUESTS[action.kind];
  return request.fire(client, action);
}

/** A request as a person reads it: what a question shows, a dry run lists and a copied command repeats. */
export type ActionCall = {
  readonly method: string;
  /** Relative to the base URL, with its query. */
  readonly path: string;
  /** What goes out as JSON; undefined for a request without a body. */
  readonly body: unknown;
};

/** The types of things that can be made. */
export type CreatedType = Exclude<ThingType, 'bucket'>;

/** How a new thing of each type is asked for: what a role has to allow before a form is worth filling in. */
export const CREATION_CALLS: Readonly<Record<CreatedType, Pick<ActionCall, 'method' | 'path'>>> = {
  vm: callOf(createVirtualMachines),
  cluster: callOf(createCluster),
  firewall: callOf(createFirewall),
  volume: callOf(createVolume),
  'key-pair': callOf(importKeyPair),
  environment: callOf(createEnvironment),
  'access-key': callOf(createAccessKey),
};

function callOf({method, template}: Pick<Endpoint, 'method' | 'template'>): Pick<ActionCall, 'method' | 'path'> {
  return {method, path: template};
}

/** The one request an action would become, without sending it. The body can hold what is not for every eye. */
export function requestOf(action: Action): ActionCall {
  let call: ActionCall | undefined;
  const listener: OperationClient = {
    fire: (endpoint, params) => {
      const path = endpoint.path(params) + queryText(endpoint.query(params));
      call = {method: endpoint.method, path, body: endpoint.body(params)};
      return Promise.resolve(UNSENT);
    },
  };
  void fireAction(listener, action);
  assert(call !== undefined, `${action.kind} has no request`);
  return call;
}

const UNSENT: Result<never> = {ok: false, failure: {kind: 'not-sent', detail: say`only looked at`}};
