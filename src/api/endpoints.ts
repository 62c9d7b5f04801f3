import {me, organization} from './account.ts';
import {credit, usage} from './billing.ts';
import {clusterEvents, clusterVersions, getCluster, listClusters, masterFlavors} from './clusters.ts';
import {contracts} from './contracts.ts';
import type {Endpoint} from './endpoint.ts';
import {addFirewallRule, getFirewall, listFirewalls, removeFirewallRule, ruleProtocols} from './firewalls.ts';
import {flavors} from './flavors.ts';
import {
  addMachineRule,
  getVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  listVirtualMachines,
  removeMachineRule,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
  virtualMachineEvents,
  virtualMachineMetrics,
} from './virtual-machines.ts';

/** Every endpoint skydeck speaks, in the order of the interface table. Tests walk it and the README's table is made from it. */
export const ENDPOINTS: readonly Endpoint[] = [
  organization,
  me,
  listClusters,
  getCluster,
  masterFlavors,
  clusterVersions,
  clusterEvents,
  flavors,
  listVirtualMachines,
  getVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
  virtualMachineMetrics,
  virtualMachineEvents,
  addMachineRule,
  removeMachineRule,
  listFirewalls,
  getFirewall,
  addFirewallRule,
  removeFirewallRule,
  ruleProtocols,
  contracts,
  usage,
  credit,
];
