import * as account from './account.ts';
import * as billing from './billing.ts';
import * as clusters from './clusters.ts';
import * as contracts from './contracts.ts';
import * as dashboard from './dashboard.ts';
import type {Endpoint} from './endpoint.ts';
import * as environments from './environments.ts';
import * as firewalls from './firewalls.ts';
import * as flavors from './flavors.ts';
import * as gpus from './gpus.ts';
import * as images from './images.ts';
import * as keyPairs from './key-pairs.ts';
import * as machineJobs from './machine-jobs.ts';
import * as objectStorage from './object-storage.ts';
import * as priceBook from './price-book.ts';
import * as regions from './regions.ts';
import * as stocks from './stocks.ts';
import * as machines from './virtual-machines.ts';
import * as volumes from './volumes.ts';

/** Every endpoint skydeck speaks, in the order of the interface table. Tests walk it and the README's table is made from it. */
export const ENDPOINTS: readonly Endpoint[] = [
  account.organization,
  account.me,
  account.permissions,
  account.roles,
  clusters.listClusters,
  clusters.createCluster,
  clusters.getCluster,
  clusters.deleteCluster,
  clusters.reconcileCluster,
  clusters.nodeGroups,
  clusters.clusterNodes,
  clusters.masterFlavors,
  clusters.clusterVersions,
  clusters.clusterEvents,
  clusters.clusterNameAvailability,
  flavors.flavors,
  images.images,
  images.getImage,
  environments.listEnvironments,
  environments.createEnvironment,
  environments.getEnvironment,
  environments.renameEnvironment,
  environments.deleteEnvironment,
  environments.machineQuota,
  regions.regions,
  gpus.gpus,
  stocks.stocks,
  dashboard.dashboard,
  machines.createVirtualMachines,
  machines.listVirtualMachines,
  machines.getVirtualMachine,
  machines.startVirtualMachine,
  machines.stopVirtualMachine,
  machines.hardRebootVirtualMachine,
  machines.hibernateVirtualMachine,
  machines.restoreVirtualMachine,
  machines.resizeVirtualMachine,
  machines.deleteVirtualMachine,
  machines.setMachineLabels,
  machines.virtualMachineMetrics,
  machines.virtualMachineEvents,
  machines.addMachineRule,
  machines.removeMachineRule,
  machines.attachFloatingIp,
  machines.detachFloatingIp,
  machines.attachCallback,
  machines.updateCallback,
  machines.deleteCallback,
  machines.attachVolumes,
  machines.detachVolumes,
  machines.setMachineFirewalls,
  machineJobs.requestConsole,
  machineJobs.console,
  machineJobs.requestLogs,
  machineJobs.machineLogs,
  machines.machineNameAvailability,
  keyPairs.listKeyPairs,
  keyPairs.importKeyPair,
  keyPairs.renameKeyPair,
  keyPairs.deleteKeyPair,
  keyPairs.supportedKeyTypes,
  firewalls.listFirewalls,
  firewalls.getFirewall,
  firewalls.createFirewall,
  firewalls.deleteFirewall,
  firewalls.addFirewallRule,
  firewalls.removeFirewallRule,
  firewalls.setFirewallAttachments,
  firewalls.ruleProtocols,
  volumes.listVolumes,
  volumes.getVolume,
  volumes.createVolume,
  volumes.deleteVolume,
  volumes.volumeTypes,
  contracts.contracts,
  contracts.getContract,
  priceBook.priceBook,
  priceBook.calculatePrice,
  billing.usage,
  billing.credit,
  billing.lastDayCost,
  billing.billingHistory,
  billing.machineHistory,
  billing.machineHistoryDetail,
  billing.machineHistoryGraph,
  objectStorage.accessKeys,
  objectStorage.createAccessKey,
  objectStorage.deleteAccessKey,
  objectStorage.buckets,
  objectStorage.getBucket,
  objectStorage.deleteBucket,
  objectStorage.storageHealth,
  objectStorage.storageRegions,
];
