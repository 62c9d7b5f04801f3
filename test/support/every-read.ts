import {me, organization, permissions, roles} from '../../src/api/account.ts';
import * as billing from '../../src/api/billing.ts';
import type {Answer} from '../../src/api/client.ts';
import * as clusters from '../../src/api/clusters.ts';
import {contracts, getContract} from '../../src/api/contracts.ts';
import {dashboard} from '../../src/api/dashboard.ts';
import type {ReadEndpoint} from '../../src/api/endpoint.ts';
import {getEnvironment, listEnvironments, machineQuota} from '../../src/api/environments.ts';
import {getFirewall, listFirewalls, ruleProtocols} from '../../src/api/firewalls.ts';
import {flavors} from '../../src/api/flavors.ts';
import {gpus} from '../../src/api/gpus.ts';
import {getImage, images} from '../../src/api/images.ts';
import {listKeyPairs, supportedKeyTypes} from '../../src/api/key-pairs.ts';
import * as storage from '../../src/api/object-storage.ts';
import {calculatePrice, priceBook} from '../../src/api/price-book.ts';
import {regions} from '../../src/api/regions.ts';
import {stocks} from '../../src/api/stocks.ts';
import * as jobs from '../../src/api/machine-jobs.ts';
import * as machines from '../../src/api/virtual-machines.ts';
import {getVolume, listVolumes, volumeTypes} from '../../src/api/volumes.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs} from '../../src/domain/time.ts';
import type {VirtualMachineId} from '../../src/domain/virtual-machine.ts';
import type {Contract} from './contract.ts';

const NAME = safeText('nobody-has-this-name');
/** Longer than a console or a log takes to be ready. */
const JOB_MS = 60_000;

/** Reads every endpoint of the interface once, each for an existing resource. Returns the answers by endpoint id. */
export async function readEverything(
  contract: Contract,
  {now, pass}: {readonly now: number; readonly pass: (ms: number) => void},
): Promise<ReadonlyMap<string, Answer<unknown>>> {
  const answers = new Map<string, Answer<unknown>>();
  async function first<P, R>(endpoint: ReadEndpoint<P, R>, params: P): Promise<R> {
    const answer = await contract.read(endpoint, params);
    answers.set(endpoint.id, answer);
    const [record] = answer.records;
    if (record === undefined) throw new Error(`${endpoint.id} gave no record.`);
    return record;
  }

  await readAccount(first);
  await readCatalogue(first);
  await readResources(first);
  await readClusters(first);
  const machine = await first(machines.listVirtualMachines, {});
  await readMachine(contract, first, pass, machine.id);
  await readMoney(first, now, machine.id);
  await readStorage(first);
  return answers;
}

type First = <P, R>(endpoint: ReadEndpoint<P, R>, params: P) => Promise<R>;

async function readAccount(first: First): Promise<void> {
  await first(organization, {});
  await first(me, {});
  await first(permissions, {});
  await first(roles, {});
  await first(dashboard, {});
}

async function readCatalogue(first: First): Promise<void> {
  await first(regions, {});
  await first(gpus, {});
  await first(stocks, {});
  await first(priceBook, {});
  await first(flavors, {});
  await first(getImage, {id: (await first(images, {})).id});
  await first(supportedKeyTypes, {});
  await first(ruleProtocols, {});
  await first(volumeTypes, {});
}

async function readResources(first: First): Promise<void> {
  await first(listKeyPairs, {});
  const {id} = await first(listEnvironments, {});
  await first(getEnvironment, {id});
  await first(machineQuota, {id});
  await first(getFirewall, {id: (await first(listFirewalls, {})).id});
  await first(getVolume, {id: (await first(listVolumes, {})).id});
  await first(getContract, {id: (await first(contracts, {})).id});
}

async function readClusters(first: First): Promise<void> {
  const {id} = await first(clusters.listClusters, {});
  await first(clusters.getCluster, {id});
  await first(clusters.clusterEvents, {id});
  await first(clusters.nodeGroups, {id});
  await first(clusters.clusterNodes, {id});
  await first(clusters.masterFlavors, {});
  await first(clusters.clusterVersions, {});
  await first(clusters.clusterNameAvailability, {name: NAME});
}

async function readMachine(
  contract: Contract,
  first: First,
  pass: (ms: number) => void,
  id: VirtualMachineId,
): Promise<void> {
  await first(machines.getVirtualMachine, {id});
  await first(machines.virtualMachineMetrics, {id, duration: '1h'});
  await first(machines.virtualMachineEvents, {id});
  await first(machines.machineNameAvailability, {name: NAME, count: 2});
  const console = (await contract.sendOnce(jobs.requestConsole, {id})).result;
  const log = (await contract.sendOnce(jobs.requestLogs, {id, lineCount: 20})).result;
  pass(JOB_MS);
  if (console?.kind !== 'console-job' || log?.kind !== 'log-request') throw new Error('The jobs have no ids.');
  await first(jobs.console, {id, jobId: console.jobId});
  await first(jobs.machineLogs, {id, requestId: log.requestId});
}

async function readMoney(first: First, now: number, id: VirtualMachineId): Promise<void> {
  const period = {startsAt: epochMs(now - 86_400_000), endsAt: epochMs(now)};
  for (const isDeleted of [true, false]) await first(billing.usage, {isDeleted});
  await first(billing.credit, {});
  await first(billing.lastDayCost, {});
  await first(billing.billingHistory, {period});
  await first(billing.machineHistory, {period});
  await first(billing.machineHistoryDetail, {period, id});
  await first(billing.machineHistoryGraph, {period, id});
  await first(calculatePrice, {resourceType: 'virtual-machine', id});
}

async function readStorage(first: First): Promise<void> {
  await first(storage.accessKeys, {});
  await first(storage.storageHealth, {});
  await first(storage.storageRegions, {});
  const {name, regionName = safeText('')} = await first(storage.buckets, {});
  await first(storage.getBucket, {name, regionName});
}
