import * as z from 'zod';
import {attachmentState} from '../domain/attachment-state.ts';
import type {FirewallId} from '../domain/firewall.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {parseIpPrefix} from '../domain/ip-prefix.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {
  MACHINE_STATUSES,
  type MachineEvent,
  type MachineSpec,
  type VirtualMachine,
  type VirtualMachineId,
  type VolumeAttachment,
  virtualMachineId,
} from '../domain/virtual-machine.ts';
import type {VolumeId} from '../domain/volume.ts';
import {defineOperation, defineRead, type Query} from './endpoint.ts';
import {readEvent} from './event-records.ts';
import {
  count,
  field,
  flag,
  gigabytes,
  isObject,
  labelSet,
  moment,
  nameOf,
  part,
  present,
  readText,
  recordOf,
  reference,
  requiredId,
  shortText,
  text,
  under,
  wholeList,
} from './fields.ts';
import {withoutSecrets} from './hidden-fields.ts';
import {hasSeries, readMetrics} from './metric-rows.ts';
import {nameAvailability} from './name-availability.ts';
import {creation} from './operation-results.ts';
import {environment, knownStatus, machineFlavor, toMachineFlavor} from './resource-parts.ts';
import {ruleBody, securityRules, toSecurityRules} from './rule-records.ts';

const MACHINE = '/core/virtual-machines/{id}';
/** Ten requests for 10,000 machines, and each page parses within a frame. */
const PAGE_SIZE = 1000;
const NO_TEXT = safeText('');

type OneMachine = {readonly id: VirtualMachineId};
type SomeVolumes = OneMachine & {readonly volumeIds: readonly VolumeId[]};
type Callback = OneMachine & {readonly url: SafeText};

const volumePart = z.object({
  status: shortText,
  device: shortText,
  protected: flag,
  volume: part({id: reference, name: shortText, volume_type: shortText, size: gigabytes}),
});

/** Null or empty text is no address; anything else but an address, such as no field, may hide one. */
const publicAddress = field((value: unknown) => {
  const isNone = value === null || value === '';
  const isAddress = typeof value === 'string' && parseIpPrefix(value) !== undefined;
  return {text: shortText.parse(value), isRead: isNone || isAddress};
});

/** Null or empty text is no callback; anything else but text, such as no field, may hide one. */
const callback = field((value: unknown) => ({
  url: text.parse(value === '' ? null : value),
  isRead: value === null || value === '' || text.parse(value) !== undefined,
}));

/** Null or zero is no contract; anything else but an id, such as no field, may hide one. */
const contract = field((value: unknown) => ({
  id: reference.parse(value),
  isRead: value === null || count.parse(value) !== undefined,
}));

/**
 * Null or empty text is no node, and anything else one, even if it is no id that can be read. A record without the field
 * says neither.
 */
const nodeCluster = field((value: unknown) => {
  const id = reference.parse(value);
  const isSent = value !== undefined;
  return {id, isSent, isUnread: isSent && id === undefined && value !== null && value !== ''};
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
  floating_ip: publicAddress,
  floating_ip_status: shortText,
  /** Always a list. Where there is none in its place, there may be some. */
  volume_attachments: wholeList(volumePart),
  security_rules: securityRules,
  labels: labelSet,
  contract_id: contract,
  cluster_id: nodeCluster,
  callback_url: callback,
  locked: flag,
  port_randomization: flag,
  is_snapshotting: flag,
  created_at: moment,
});

/**
 * The whole fleet, oldest first. Both paging parameters are sent, because without them the service returns pages of
 * ten.
 */
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

/** The windows the service supports; without one it returns everything it has recorded. */
export const METRIC_DURATIONS = ['1h', '2h', '4h', '6h', '12h', '1d', '3d', '7d', '15d', '30d'] as const;
export type MetricDuration = (typeof METRIC_DURATIONS)[number];

/** One record: the machine's series. Rows that cannot be parsed are dropped and counted. */
export const virtualMachineMetrics = defineRead<OneMachine & {readonly duration?: MetricDuration}, MachineMetrics>({
  id: 'virtual-machines.metrics',
  template: `${MACHINE}/metrics`,
  query: ({duration}) => ({duration}),
  collect: body => (hasSeries(body) ? [body] : undefined),
  keepsNumbersOnly: true,
  tooLongAdvice: ({id, duration}) => {
    if (duration !== METRIC_DURATIONS[0]) return say`; ask for a shorter window`;
    const command = say`skydeck api GET /core/virtual-machines/${id}/metrics -q duration=1h`;
    return say`; 1h is the shortest window; ${command} prints the answer as it is`;
  },
  record: readMetrics,
});

/** The machine's whole history, in the service's order. */
export const virtualMachineEvents = defineRead<OneMachine, MachineEvent>({
  id: 'virtual-machines.events',
  comesInPieces: true,
  template: `${MACHINE}/events`,
  collect: body => under(body, 'instance_events'),
  record: readEvent,
});

/** With a count: whether that many machines can be created under names that begin with this one. */
export const machineNameAvailability = nameAvailability<{readonly name: SafeText; readonly count?: number}>({
  id: 'virtual-machines.name-availability',
  template: '/core/virtual-machines/name-availability/{name}',
  query: ({count}) => ({count}),
});

/** Lets traffic through to this machine only. The rule is pending at first; a duplicate is refused with 409. */
export const addMachineRule = defineOperation<OneMachine & {readonly rule: RuleSpec}>({
  id: 'virtual-machines.add-rule',
  method: 'POST',
  template: `${MACHINE}/sg-rules`,
  body: ({rule}) => ruleBody(rule),
  ...creation('security_rule', 'firewall_rule'),
});

export const removeMachineRule = defineOperation<OneMachine & {readonly ruleId: number}>({
  id: 'virtual-machines.remove-rule',
  method: 'DELETE',
  template: `${MACHINE}/sg-rules/{ruleId}`,
});

/** One request creates `count` machines, and sending it again creates as many again: nothing protects against that. */
export const createVirtualMachines = defineOperation<{readonly spec: MachineSpec}>({
  id: 'virtual-machines.create',
  method: 'POST',
  template: '/core/virtual-machines',
  body: ({spec}) => creationBody(spec),
  ...creation('instances', 'instance'),
});

/** Refused while the machine is being created. */
export const deleteVirtualMachine = defineOperation<OneMachine>({
  id: 'virtual-machines.delete',
  method: 'DELETE',
  template: MACHINE,
});

/** The provider has switched this off for most accounts and refuses it with 400. */
export const resizeVirtualMachine = defineOperation<OneMachine & {readonly flavorName: SafeText}>({
  id: 'virtual-machines.resize',
  method: 'POST',
  template: `${MACHINE}/resize`,
  body: ({flavorName}) => ({flavor_name: flavorName}),
});

/** Takes the full set of labels. */
export const setMachineLabels = defineOperation<OneMachine & {readonly labels: readonly SafeText[]}>({
  id: 'virtual-machines.set-labels',
  method: 'PUT',
  template: `${MACHINE}/label`,
  body: ({labels}) => ({labels}),
});

/** Attaches a new public address; it cannot be chosen. */
export const attachFloatingIp = defineOperation<OneMachine>({
  id: 'virtual-machines.attach-floatingip',
  method: 'POST',
  template: `${MACHINE}/attach-floatingip`,
});

/** Releases the public address permanently. One document lists this under the path that stops the machine. */
export const detachFloatingIp = defineOperation<OneMachine>({
  id: 'virtual-machines.detach-floatingip',
  method: 'POST',
  template: `${MACHINE}/detach-floatingip`,
});

export const attachCallback = defineOperation<Callback>({
  id: 'virtual-machines.attach-callback',
  method: 'POST',
  template: `${MACHINE}/attach-callback`,
  body: ({url}) => ({url}),
  result: callbackResult,
});

export const updateCallback = defineOperation<Callback>({
  id: 'virtual-machines.update-callback',
  method: 'PUT',
  template: `${MACHINE}/update-callback`,
  body: ({url}) => ({url}),
  result: callbackResult,
});

export const deleteCallback = defineOperation<OneMachine>({
  id: 'virtual-machines.delete-callback',
  method: 'DELETE',
  template: `${MACHINE}/delete-callback`,
});

/** Ten volumes at most, all of them available. */
export const attachVolumes = defineOperation<SomeVolumes>({
  id: 'virtual-machines.attach-volumes',
  method: 'POST',
  template: `${MACHINE}/attach-volumes`,
  body: ({volumeIds}) => ({volume_ids: volumeIds}),
});

export const detachVolumes = defineOperation<SomeVolumes>({
  id: 'virtual-machines.detach-volumes',
  method: 'POST',
  template: `${MACHINE}/detach-volumes`,
  body: ({volumeIds}) => ({volume_ids: volumeIds}),
});

/** Takes the full set of firewalls: any firewall left out is detached. */
export const setMachineFirewalls = defineOperation<OneMachine & {readonly firewallIds: readonly FirewallId[]}>({
  id: 'virtual-machines.set-firewalls',
  method: 'POST',
  template: `${MACHINE}/attach-firewalls`,
  body: ({firewallIds}) => ({firewalls: firewallIds}),
});

export const startVirtualMachine = powerOperation<OneMachine>('start');
export const stopVirtualMachine = powerOperation<OneMachine>('stop');
export const hardRebootVirtualMachine = powerOperation<OneMachine>('hard-reboot');
/** Unless told to retain it, the service releases the public IP and restores the machine with another one. */
export const hibernateVirtualMachine = powerOperation<OneMachine & {readonly retainsIp: boolean}>(
  'hibernate',
  ({retainsIp}) => ({retain_ip: retainsIp}),
);
export const restoreVirtualMachine = powerOperation<OneMachine>('hibernate-restore');

function powerOperation<Params extends OneMachine>(verb: string, query: (params: Params) => Query = () => ({})) {
  return defineOperation<Params>({
    id: `virtual-machines.${verb}`,
    method: 'GET',
    template: `${MACHINE}/${verb}`,
    query,
  });
}

function creationBody(spec: MachineSpec): object {
  return present({
    name: spec.name,
    environment_name: spec.environmentName,
    flavor_name: spec.flavorName,
    key_name: spec.keyPairName,
    count: spec.count,
    image_name: spec.imageName,
    volume_name: spec.volumeName,
    create_bootable_volume: spec.createsBootableVolume,
    assign_floating_ip: spec.assignsFloatingIp,
    enable_port_randomization: spec.randomizesPorts,
    labels: spec.labels,
    user_data: spec.userData?.reveal(),
    callback_url: spec.callbackUrl,
    security_rules: spec.rules?.map(ruleBody),
  });
}

function callbackResult(body: unknown): OperationResult | undefined {
  const url = isObject(body) ? readText(body.url) : undefined;
  return url === undefined ? undefined : {kind: 'callback', url};
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
    floatingIp: parsed.floating_ip.text,
    hasUnreadAddress: parsed.floating_ip.isRead ? undefined : (true as const),
    floatingIpStatus: parsed.floating_ip_status,
    ...toVolumeAttachments(parsed.volume_attachments),
    ...toSecurityRules(parsed.security_rules),
    labels: parsed.labels?.words ?? [],
    hasUnreadLabels: parsed.labels?.isWhole === true ? undefined : (true as const),
    contractId: parsed.contract_id.id,
    hasUnreadContract: parsed.contract_id.isRead ? undefined : (true as const),
    clusterId: parsed.cluster_id.id,
    hasUnreadCluster: parsed.cluster_id.isUnread ? (true as const) : undefined,
    isNodeUnknown: parsed.cluster_id.isSent ? undefined : (true as const),
    callbackUrl: parsed.callback_url.url,
    hasUnreadCallback: parsed.callback_url.isRead ? undefined : (true as const),
    isLocked: parsed.locked,
    hasRandomizedPorts: parsed.port_randomization,
    isSnapshotting: parsed.is_snapshotting,
    createdAt: parsed.created_at,
  });
}

/** A present attachment without the id of its volume is as good as unread. */
function toVolumeAttachments(parsed: z.output<typeof machineRecord>['volume_attachments']) {
  const volumes = parsed.elements.map(toVolumeAttachment);
  const isWhole =
    parsed.isWhole &&
    volumes.every(({volumeId, status}) => volumeId !== undefined || attachmentState(status) === 'gone');
  return {volumes, hasUnreadVolumes: isWhole ? undefined : (true as const)};
}

function toVolumeAttachment(parsed: z.output<typeof volumePart>): VolumeAttachment {
  return present({
    volumeId: parsed.volume?.id,
    name: parsed.volume?.name ?? NO_TEXT,
    volumeType: parsed.volume?.volume_type,
    sizeGb: parsed.volume?.size,
    status: parsed.status,
    device: parsed.device,
    isProtected: parsed.protected,
  });
}
