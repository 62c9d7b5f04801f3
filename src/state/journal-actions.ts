import * as z from 'zod';
import {present} from '../api/fields.ts';
import type {Action, ActionKind} from '../domain/action.ts';
import {clusterId, DEPLOYMENT_MODES} from '../domain/cluster.ts';
import {environmentId} from '../domain/environment.ts';
import {firewallId} from '../domain/firewall.ts';
import {imageId} from '../domain/image.ts';
import {keyPairId} from '../domain/key-pair.ts';
import {accessKeyId} from '../domain/object-storage.ts';
import {redactedUrl} from '../domain/redacted-url.ts';
import {safeText} from '../domain/safe-text.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {volumeId} from '../domain/volume.ts';

/** An action as it may be kept: start-up scripts stay out, and of callback addresses only where they lead. */
export function journalled(action: Action): object {
  if (action.kind === 'vm.set-callback') return {...action, url: redactedUrl(action.url)};
  if (action.kind !== 'vm.create' && action.kind !== 'volume.create') return action;
  const {callbackUrl} = action.spec;
  const spec = callbackUrl === undefined ? action.spec : {...action.spec, callbackUrl: redactedUrl(callbackUrl)};
  return {...action, spec: 'userData' in spec && spec.userData !== undefined ? {...spec, userData: KEPT_OUT} : spec};
}

/** Whether the action holds what must not be kept, which the service may repeat in what it says of it. */
export function holdsSecret(action: Action): boolean {
  if (action.kind === 'vm.set-callback') return true;
  if (action.kind === 'volume.create') return action.spec.callbackUrl !== undefined;
  return action.kind === 'vm.create' && (action.spec.callbackUrl !== undefined || action.spec.userData !== undefined);
}

const KEPT_OUT = '[kept out]';

const number = z.number().int().positive();
const machine = number.transform(virtualMachineId);
const firewall = number.transform(firewallId);
const cluster = number.transform(clusterId);
const volume = number.transform(volumeId);
const keyPair = number.transform(keyPairId);
const environment = number.transform(environmentId);
const accessKey = number.transform(accessKeyId);
const text = z.string().transform(each => safeText(each));
const flag = z.boolean();
const port = z.number().int();

const ruleSpec = z
  .object({
    direction: z.enum(['ingress', 'egress']),
    protocol: text,
    etherType: z.enum(['IPv4', 'IPv6']),
    remoteIpPrefix: text,
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);
const ruleTerms = z
  .object({
    direction: text.optional(),
    protocol: text.optional(),
    etherType: text.optional(),
    remoteIpPrefix: text.optional(),
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);
const machineSpec = z
  .object({
    name: text,
    environmentName: text,
    flavorName: text,
    keyPairName: text,
    count: number,
    imageName: text.optional(),
    volumeName: text.optional(),
    createsBootableVolume: flag.optional(),
    assignsFloatingIp: flag.optional(),
    randomizesPorts: flag.optional(),
    labels: z.array(text).optional(),
    callbackUrl: text.optional(),
    rules: z.array(ruleSpec).optional(),
  })
  .transform(present);
const nodeGroupSpec = z
  .object({name: text, flavorName: text, count: number, minCount: number.optional(), maxCount: number.optional()})
  .transform(present);
const clusterSpec = z
  .object({
    name: text,
    environmentName: text,
    keyPairName: text,
    kubernetesVersion: text,
    masterFlavorName: text,
    masterCount: number.optional(),
    deploymentMode: z.enum(DEPLOYMENT_MODES).optional(),
    nodeGroups: z.array(nodeGroupSpec),
  })
  .transform(present);
const firewallSpec = z
  .object({name: text, environmentId: environment, description: text.optional()})
  .transform(present);
const volumeSpec = z
  .object({
    name: text,
    environmentName: text,
    sizeGb: number,
    volumeType: text,
    description: text.optional(),
    imageId: number.transform(imageId).optional(),
    callbackUrl: text.optional(),
  })
  .transform(present);
const accessKeySpec = z.object({regionName: text, description: text.optional()}).transform(present);

export const journalledAction = z.discriminatedUnion('kind', [
  action('vm.start', {id: machine}),
  action('vm.stop', {id: machine}),
  action('vm.hard-reboot', {id: machine}),
  action('vm.hibernate', {id: machine, retainsIp: flag}),
  action('vm.restore', {id: machine}),
  action('vm.add-rule', {id: machine, rule: ruleSpec}),
  action('vm.remove-rule', {id: machine, ruleId: z.number(), rule: ruleTerms}),
  action('vm.create', {spec: machineSpec}),
  action('vm.delete', {id: machine}),
  action('vm.resize', {id: machine, flavorName: text}),
  action('vm.set-labels', {id: machine, labels: z.array(text)}),
  action('vm.attach-ip', {id: machine}),
  action('vm.detach-ip', {id: machine}),
  action('vm.set-callback', {id: machine, url: text, isUpdate: flag}),
  action('vm.remove-callback', {id: machine}),
  action('vm.attach-volumes', {id: machine, volumeIds: z.array(volume)}),
  action('vm.detach-volumes', {id: machine, volumeIds: z.array(volume)}),
  action('vm.set-firewalls', {id: machine, firewallIds: z.array(firewall)}),
  action('vm.request-console', {id: machine}),
  action('vm.request-logs', {id: machine, lineCount: number}),
  action('cluster.create', {spec: clusterSpec}),
  action('cluster.delete', {id: cluster}),
  action('cluster.reconcile', {id: cluster}),
  action('firewall.create', {spec: firewallSpec}),
  action('firewall.delete', {id: firewall}),
  action('firewall.add-rule', {id: firewall, rule: ruleSpec}),
  action('firewall.remove-rule', {id: firewall, ruleId: z.number(), rule: ruleTerms}),
  action('firewall.set-attachments', {id: firewall, machineIds: z.array(machine)}),
  action('volume.create', {spec: volumeSpec}),
  action('volume.delete', {id: volume}),
  action('key-pair.import', {spec: z.object({name: text, environmentName: text, publicKey: text})}),
  action('key-pair.rename', {id: keyPair, name: text}),
  action('key-pair.delete', {id: keyPair}),
  action('environment.create', {spec: z.object({name: text, regionName: text})}),
  action('environment.rename', {id: environment, name: text}),
  action('environment.delete', {id: environment}),
  action('access-key.create', {spec: accessKeySpec}),
  action('access-key.delete', {id: accessKey}),
  action('bucket.delete', {name: text, regionName: text}),
]);

function action<Kind extends ActionKind, Fields extends z.core.$ZodLooseShape>(kind: Kind, fields: Fields) {
  return z.object({kind: z.literal(kind), ...fields});
}
