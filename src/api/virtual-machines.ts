import * as z from 'zod';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {
  MACHINE_STATUSES,
  type MachineEvent,
  type MachineFlavor,
  type MachineStatus,
  type SecurityRule,
  type VirtualMachine,
  type VirtualMachineId,
  type VolumeAttachment,
  virtualMachineId,
} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead, type OperationVerb, type Query, type Reading} from './endpoint.ts';
import {
  amount,
  count,
  flag,
  isObject,
  labels,
  list,
  moment,
  nameOf,
  part,
  present,
  readText,
  recordOf,
  reference,
  requiredId,
  text,
  under,
} from './fields.ts';
import {hasSeries, readMetrics} from './metric-rows.ts';

const MACHINE = '/core/virtual-machines/{id}';
/** Ten requests for 10,000 machines, and each page parses within a frame. */
const PAGE_SIZE = 1000;
const NO_TEXT = safeText('');

type OneMachine = {readonly id: VirtualMachineId};

const flavorPart = part({
  id: reference,
  name: text,
  cpu: count,
  ram: amount,
  disk: amount,
  ephemeral: amount,
  gpu: text,
  gpu_count: count,
  features: part({no_hibernation: flag}),
});

const volumePart = z.object({
  status: text,
  device: text,
  volume: part({id: reference, name: text, volume_type: text, size: amount}),
});

const rulePart = z.object({
  id: reference,
  direction: text,
  protocol: text,
  ethertype: text,
  remote_ip_prefix: text,
  port_range_min: count,
  port_range_max: count,
  status: text,
});

const machineRecord = z.object({
  id: requiredId,
  name: text,
  status: text,
  power_state: text,
  vm_state: text,
  environment: z.transform(readEnvironment),
  image: nameOf,
  os: text,
  keypair: nameOf,
  flavor: flavorPart,
  fixed_ip: text,
  floating_ip: text,
  floating_ip_status: text,
  volume_attachments: list(volumePart),
  security_rules: list(rulePart),
  labels,
  contract_id: reference,
  cluster_id: reference,
  callback_url: text,
  locked: flag,
  is_snapshotting: flag,
  created_at: moment,
});

const eventRecord = z.object({
  time: moment,
  type: text,
  reason: text,
  message: text,
  user_id: reference,
});

/** The whole fleet, oldest first. Both paging parameters go out, since without them the service pages by ten. */
export const listVirtualMachines = defineRead<object, VirtualMachine>({
  id: 'virtual-machines.list',
  template: '/core/virtual-machines',
  collect: body => under(body, 'instances', 'instance'),
  record: recordOf(machineRecord, toMachine),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getVirtualMachine = defineRead<OneMachine, VirtualMachine>({
  id: 'virtual-machines.get',
  template: MACHINE,
  collect: body => under(body, 'instance', 'instances'),
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
  template: `${MACHINE}/events`,
  collect: body => under(body, 'instance_events'),
  record: readEvent,
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
    status: toStatus(parsed.status ?? ''),
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
    labels: parsed.labels ?? [],
    contractId: parsed.contract_id,
    clusterId: parsed.cluster_id,
    callbackUrl: parsed.callback_url,
    isLocked: parsed.locked,
    isSnapshotting: parsed.is_snapshotting,
    createdAt: parsed.created_at,
  });
}

/** The service writes one state as `PRE_ACTIVE`, `PRE-ACTIVE` and in lower case. */
function toStatus(word: string): MachineStatus {
  const normalised = word.toUpperCase().replaceAll(/[- ]/g, '_');
  return MACHINE_STATUSES.find(status => status === normalised) ?? 'UNKNOWN';
}

function toMachineFlavor(parsed: NonNullable<z.output<typeof flavorPart>>): MachineFlavor {
  return present({
    id: parsed.id,
    name: parsed.name ?? NO_TEXT,
    cpuCount: parsed.cpu,
    ramGb: parsed.ram,
    rootDiskGb: parsed.disk,
    ephemeralDiskGb: parsed.ephemeral,
    gpuModel: parsed.gpu,
    gpuCount: parsed.gpu_count,
    hasNoHibernation: parsed.features?.no_hibernation,
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

function toSecurityRule(parsed: z.output<typeof rulePart>): SecurityRule {
  return present({
    id: parsed.id,
    direction: parsed.direction,
    protocol: parsed.protocol,
    etherType: parsed.ethertype,
    remoteIpPrefix: parsed.remote_ip_prefix,
    portRangeMin: parsed.port_range_min,
    portRangeMax: parsed.port_range_max,
    status: parsed.status,
  });
}

/** The region is only there where the environment comes as an object. */
function readEnvironment(value: unknown): {readonly name?: SafeText; readonly region?: SafeText} {
  return isObject(value)
    ? present({name: readText(value.name), region: readText(value.region)})
    : present({name: readText(value)});
}

/** An event has no id; one that says neither why nor what is no event. */
const toEvent = recordOf(eventRecord, parsed => parsed);
function readEvent(raw: unknown): Reading<MachineEvent> {
  const parsed = toEvent(raw);
  if (!parsed.ok) return parsed;
  const {time, type, reason, message, user_id} = parsed.value;
  if (reason === undefined && message === undefined) return {ok: false, fields: [say`reason`, say`message`]};
  return {
    ok: true,
    value: present({
      occurredAt: time,
      type,
      reason: reason ?? NO_TEXT,
      message: message ?? NO_TEXT,
      userId: user_id,
    }),
  };
}
