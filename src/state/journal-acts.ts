import {z} from 'zod';
import {present} from '../api/fields.ts';
import type {Act, ActKind} from '../domain/act.ts';
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

/** An act as it may be kept: start-up scripts stay out, and of callback addresses only where they lead. */
export function journalled(act: Act): object {
  if (act.kind === 'vm.set-callback') return {...act, url: redactedUrl(act.url)};
  if (act.kind !== 'vm.create' && act.kind !== 'volume.create') return act;
  const {callbackUrl} = act.spec;
  const spec = callbackUrl === undefined ? act.spec : {...act.spec, callbackUrl: redactedUrl(callbackUrl)};
  return {...act, spec: 'userData' in spec && spec.userData !== undefined ? {...spec, userData: KEPT_OUT} : spec};
}

/** Whether the act holds what must not be kept, which the service may repeat in what it says of it. */
export function holdsSecret(act: Act): boolean {
  if (act.kind === 'vm.set-callback') return true;
  if (act.kind === 'volume.create') return act.spec.callbackUrl !== undefined;
  return act.kind === 'vm.create' && (act.spec.callbackUrl !== undefined || act.spec.userData !== undefined);
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

export const journalledAct = z.discriminatedUnion('kind', [
  act('vm.start', {id: machine}),
  act('vm.stop', {id: machine}),
  act('vm.hard-reboot', {id: machine}),
  act('vm.hibernate', {id: machine, retainsIp: flag}),
  act('vm.restore', {id: machine}),
  act('vm.add-rule', {id: machine, rule: ruleSpec}),
  act('vm.remove-rule', {id: machine, ruleId: z.number(), rule: ruleTerms}),
  act('vm.create', {spec: machineSpec}),
  act('vm.delete', {id: machine}),
  act('vm.resize', {id: machine, flavorName: text}),
  act('vm.set-labels', {id: machine, labels: z.array(text)}),
  act('vm.attach-ip', {id: machine}),
  act('vm.detach-ip', {id: machine}),
  act('vm.set-callback', {id: machine, url: text, isUpdate: flag}),
  act('vm.remove-callback', {id: machine}),
  act('vm.attach-volumes', {id: machine, volumeIds: z.array(volume)}),
  act('vm.detach-volumes', {id: machine, volumeIds: z.array(volume)}),
  act('vm.set-firewalls', {id: machine, firewallIds: z.array(firewall)}),
  act('vm.request-console', {id: machine}),
  act('vm.request-logs', {id: machine, lineCount: number}),
  act('cluster.create', {spec: clusterSpec}),
  act('cluster.delete', {id: cluster}),
  act('cluster.reconcile', {id: cluster}),
  act('firewall.create', {spec: firewallSpec}),
  act('firewall.delete', {id: firewall}),
  act('firewall.add-rule', {id: firewall, rule: ruleSpec}),
  act('firewall.remove-rule', {id: firewall, ruleId: z.number(), rule: ruleTerms}),
  act('firewall.set-attachments', {id: firewall, machineIds: z.array(machine)}),
  act('volume.create', {spec: volumeSpec}),
  act('volume.delete', {id: volume}),
  act('key-pair.import', {spec: z.object({name: text, environmentName: text, publicKey: text})}),
  act('key-pair.rename', {id: keyPair, name: text}),
  act('key-pair.delete', {id: keyPair}),
  act('environment.create', {spec: z.object({name: text, regionName: text})}),
  act('environment.rename', {id: environment, name: text}),
  act('environment.delete', {id: environment}),
  act('access-key.create', {spec: accessKeySpec}),
  act('access-key.delete', {id: accessKey}),
  act('bucket.delete', {name: text, regionName: text}),
]);

function act<Kind extends ActKind, Fields extends z.core.$ZodLooseShape>(kind: Kind, fields: Fields) {
  return z.object({kind: z.literal(kind), ...fields});
}
