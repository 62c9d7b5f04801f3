import * as z from 'zod';
import {safeText} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {
  MACHINE_STATUSES,
  type MachineEvent,
  type VirtualMachine,
  type VirtualMachineId,
  type VolumeAttachment,
  virtualMachineId,
} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead, type OperationVerb, type Query} from './endpoint.ts';
import {readEvent} from './event-records.ts';
import {
  flag,
  labelSet,
  list,
  moment,
  nameOf,
  part,
  present,
  recordOf,
  reference,
  requiredId,
  shortText,
  text,
  under,
  volumeSize,
} from './fields.ts';
import {withoutSecrets} from './hidden-fields.ts';
import {hasSeries, readMetrics} from './metric-rows.ts';
import {created} from './operation-results.ts';
import {environment, knownStatus, machineFlavor, toMachineFlavor} from './resource-parts.ts';
import {ruleBody, securityRule, toSecurityRule} from './rule-records.ts';

const MACHINE = '/core/virtual-machines/{id}';
/** Ten requests for 10,000 machines, and each page parses within a frame. */
const PAGE_SIZE = 1000;
const NO_TEXT = safeText('');

type OneMachine = {readonly id: VirtualMachineId};

const volumePart = z.object({
  status: shortText,
  device: shortText,
  volume: part({id: reference, name: shortText, volume_type: shortText, size: volumeSize}),
});

const machineRecord = z.object({
  id: requiredId,
  name: shortText,
  status: shortText,
  power_state: shortText,
  vm_state: shortText,
  environment,
  image: nameOf,
  os: shortText,
  keypair: nameOf,
  flavor: machineFlavor,
  fixed_ip: shortText,
  floating_ip: shortText,
  floating_ip_status: shortText,
  volume_attachments: list(volumePart),
  security_rules: list(securityRule),
  labels: labelSet,
  contract_id: reference,
  cluster_id: reference,
  callback_url: text,
  locked: flag,
  port_randomization: flag,
  is_snapshotting: flag,
  created_at: moment,
});

/** The whole fleet, oldest first. Both paging parameters go out, since without them the service pages by ten. */
export const listVirtualMachines = defineRead<object, VirtualMachine>({
  id: 'virtual-machines.list',
  template: '/core/virtual-machines',
  collect: body => withoutSecrets(under(body, 'instances', 'instance'), 'user_data'),
  record: recordOf(machineRecord, toMachine),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getVirtualMachine = defineRead<OneMachine, VirtualMachine>({
  id: 'virtual-machines.get',
  template: MACHINE,
  isById: true,
  collect: body => withoutSecrets(under(body, 'instance', 'instances'), 'user_data'),
  record: recordOf(machineRecord, toMachine),
});

/** The windows the service knows; without one it gives everything it has recorded. */
export const METRIC_DURATIONS = ['1h', '2h', '4h', '6h', '12h', '1d', '3d', '7d', '15d', '30d'] as const;
export type MetricDuration = (typeof METRIC_DURATIONS)[number];

/** One record: the machine's series. Rows that cannot be read are dropped from it and counted. */
export const virtualMachineMetrics = defineRead<OneMachine & {readonly duration?: MetricDuration}, MachineMetrics>({
  id: 'virtual-machines.metrics',
  template: `${MACHINE}/metrics`,
  query: ({duration}) => ({duration}),
  collect: body => (hasSeries(body) ? [body] : undefined),
  record: readMetrics,
});

/** The machine's whole history, in the order the service keeps it. */
export const virtualMachineEvents = defineRead<OneMachine, MachineEvent>({
  id: 'virtual-machines.events',
  comesInPieces: true,
  template: `${MACHINE}/events`,
  collect: body => under(body, 'instance_events'),
  record: readEvent,
});

/** Lets something through to this machine alone. The rule is pending at first; a duplicate is refused with 409. */
export const addMachineRule = defineOperation<OneMachine & {readonly rule: RuleSpec}>({
  id: 'virtual-machines.add-rule',
  method: 'POST',
  template: `${MACHINE}/sg-rules`,
  body: ({rule}) => ruleBody(rule),
  result: created('security_rule', 'firewall_rule'),
});

export const removeMachineRule = defineOperation<OneMachine & {readonly ruleId: number}>({
  id: 'virtual-machines.remove-rule',
  method: 'DELETE',
  template: `${MACHINE}/sg-rules/{ruleId}`,
});

export const startVirtualMachine = powerOperation<OneMachine>('start');
export const stopVirtualMachine = powerOperation<OneMachine>('stop');
export const hardRebootVirtualMachine = powerOperation<OneMachine>('hard-reboot');
/** Unless told to retain it, the service gives the public IP away and restores the machine with another one. */
export const hibernateVirtualMachine = powerOperation<OneMachine & {readonly retainsIp: boolean}>(
  'hibernate',
  ({retainsIp}) => ({retain_ip: retainsIp}),
);
export const restoreVirtualMachine = powerOperation<OneMachine>('hibernate-restore');

function powerOperation<Params extends OneMachine>(verb: OperationVerb, query: (params: Params) => Query = () => ({})) {
  return defineOperation<Params>({
    id: `virtual-machines.${verb}`,
    method: 'GET',
    template: `${MACHINE}/${verb}`,
    query,
  });
}

function toMachine(parsed: z.output<typeof machineRecord>): VirtualMachine {
  return present({
    id: virtualMachineId(parsed.id),
    name: parsed.name ?? NO_TEXT,
    status: knownStatus(MACHINE_STATUSES, parsed.status),
    statusText: parsed.status ?? NO_TEXT,
    powerState: parsed.power_state,
    vmState: parsed.vm_state,
    environmentName: parsed.environment?.name,
    regionName: parsed.environment?.region,
    imageName: parsed.image,
    osName: parsed.os,
    keyPairName: parsed.keypair,
    flavor: parsed.flavor && toMachineFlavor(parsed.flavor),
    fixedIp: parsed.fixed_ip,
    floatingIp: parsed.floating_ip,
    floatingIpStatus: parsed.floating_ip_status,
    volumes: (parsed.volume_attachments ?? []).map(toVolumeAttachment),
    rules: (parsed.security_rules ?? []).map(toSecurityRule),
    labels: parsed.labels?.words ?? [],
    hasUnreadLabels: parsed.labels?.isWhole === true ? undefined : (true as const),
    contractId: parsed.contract_id,
    clusterId: parsed.cluster_id,
    callbackUrl: parsed.callback_url,
    isLocked: parsed.locked,
    hasRandomizedPorts: parsed.port_randomization,
    isSnapshotting: parsed.is_snapshotting,
    createdAt: parsed.created_at,
  });
}

function toVolumeAttachment(parsed: z.output<typeof volumePart>): VolumeAttachment {
  return present({
    volumeId: parsed.volume?.id,
    name: parsed.volume?.name ?? NO_TEXT,
    volumeType: parsed.volume?.volume_type,
    sizeGb: parsed.volume?.size,
    status: parsed.status,
    device: parsed.device,
  });
}
