import type {FirewallId} from '../domain/firewall.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, safeLines} from '../domain/safe-text.ts';
import {type Secret, secret} from '../domain/secret.ts';
import type {MachineConsole, MachineLog, MachineSpec, VirtualMachineId} from '../domain/virtual-machine.ts';
import type {VolumeId} from '../domain/volume.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {inside, isObject, present, readNumber, readText} from './fields.ts';
import {nameAvailability} from './name-availability.ts';
import {created} from './operation-results.ts';
import {ruleBody} from './rule-records.ts';

const MACHINE = '/core/virtual-machines/{id}';

type OneMachine = {readonly id: VirtualMachineId};
type SomeVolumes = OneMachine & {readonly volumeIds: readonly VolumeId[]};
type Callback = OneMachine & {readonly url: SafeText};

/** One request makes `count` machines, and a second one makes as many again: there is no protection against that. */
export const createVirtualMachines = defineOperation<{readonly spec: MachineSpec}>({
  id: 'virtual-machines.create',
  method: 'POST',
  template: '/core/virtual-machines',
  body: ({spec}) => creationBody(spec),
  result: created('instances', 'instance'),
});

/** Refused while the machine is being created. */
export const deleteVirtualMachine = defineOperation<OneMachine>({
  id: 'virtual-machines.delete',
  method: 'DELETE',
  template: MACHINE,
});

/** The service has switched this off and refuses it with 400. */
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

/** Takes a new public address; there is none to choose. */
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

/** Ten volumes at most, and each must be available. */
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

/** Takes the full set of firewalls: one that is not named is detached. */
export const setMachineFirewalls = defineOperation<OneMachine & {readonly firewallIds: readonly FirewallId[]}>({
  id: 'virtual-machines.set-firewalls',
  method: 'POST',
  template: `${MACHINE}/attach-firewalls`,
  body: ({firewallIds}) => ({firewalls: firewallIds}),
});

/** Starts a job and changes nothing. The id of the job stands in the path that the reply names. */
export const requestConsole = defineOperation<OneMachine>({
  id: 'virtual-machines.request-console',
  method: 'GET',
  template: `${MACHINE}/request-console`,
  isAccepted: body => consoleJob(body) !== undefined,
  result: consoleJob,
});

/** What opens the console. It takes the service some seconds, during which it answers in undocumented ways. */
export const console = defineRead<OneMachine & {readonly jobId: string}, MachineConsole>({
  id: 'virtual-machines.console',
  template: `${MACHINE}/console/{jobId}`,
  isOneTime: true,
  collect: consoleOf,
  record: raw => {
    const url = isObject(raw) && isSecret(raw.vnc_url) ? raw.vnc_url : undefined;
    return {ok: true, value: url === undefined ? {status: 'pending'} : {status: 'ready', url}};
  },
  readsFailure: pendingReply,
});

/** Starts a job and changes nothing. */
export const requestLogs = defineOperation<OneMachine & {readonly lineCount: number}>({
  id: 'virtual-machines.request-logs',
  method: 'POST',
  template: `${MACHINE}/logs`,
  body: ({lineCount}) => ({length: lineCount}),
  isAccepted: body => logRequest(body) !== undefined,
  result: logRequest,
});

/** The log that was asked for. Until it is there, the service answers 200 with `status: false`. */
export const machineLogs = defineRead<OneMachine & {readonly requestId: number | string}, MachineLog>({
  id: 'virtual-machines.logs',
  template: `${MACHINE}/logs`,
  query: ({requestId}) => ({request_id: requestId}),
  collect: body => (isObject(body) && (body.status === false || 'logs' in body) ? [body] : undefined),
  record: raw => ({ok: true, value: toLog(isObject(raw) ? raw.logs : undefined)}),
  readsFailure: pendingReply,
});

/** With a count, whether as many can be made under names that begin with this one. */
export const machineNameAvailability = nameAvailability<{readonly name: SafeText; readonly count?: number}>({
  id: 'virtual-machines.name-availability',
  template: '/core/virtual-machines/name-availability/{name}',
  query: ({count}) => ({count}),
});

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

/** A 2xx that says false and gives no reason only means that the answer is not there yet. */
function pendingReply(httpStatus: number, body: unknown): unknown {
  const isPending = httpStatus < 300 && isObject(body) && body.error_reason === undefined;
  return isPending ? body : undefined;
}

/** The URL is a credential, so it becomes a secret before it stands in anything that is printed. */
function consoleOf(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body)) return undefined;
  if (body.status === false) return [{vnc_url: undefined}];
  if (!('vnc_url' in body)) return undefined;
  const url = inside(body, 'vnc_url')?.vnc_url ?? body.vnc_url;
  return [{vnc_url: typeof url === 'string' && url !== '' ? secret(url) : undefined}];
}

function isSecret(value: unknown): value is Secret {
  return isObject(value) && typeof value.reveal === 'function';
}

function consoleJob(body: unknown): OperationResult | undefined {
  const path = isObject(body) && typeof body.url === 'string' ? body.url : '';
  const jobId = /\/console\/(?!\.{1,2}\/?$)([^/?#%\s]+)\/?$/.exec(path)?.[1];
  return jobId === undefined ? undefined : {kind: 'console-job', jobId};
}

function logRequest(body: unknown): OperationResult | undefined {
  const id = isObject(body) ? body.request_id : undefined;
  const requestId = readNumber(id) ?? readText(id);
  return requestId === undefined ? undefined : {kind: 'log-request', requestId};
}

function callbackResult(body: unknown): OperationResult | undefined {
  const url = isObject(body) ? readText(body.url) : undefined;
  return url === undefined ? undefined : {kind: 'callback', url};
}

/** One text, or a list of lines. The line break that a log ends with opens no further line. */
function toLog(logs: unknown): MachineLog {
  const texts = (Array.isArray(logs) ? logs : [logs]).filter(each => typeof each === 'string');
  return texts.length === 0
    ? {status: 'pending'}
    : {status: 'ready', lines: texts.flatMap(text => safeLines(text.replace(/\r?\n$/, '')))};
}
