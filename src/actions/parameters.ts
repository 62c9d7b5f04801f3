import * as z from 'zod';
import {present} from '../api/fields.ts';
import {clusterId} from '../domain/cluster.ts';
import {environmentId} from '../domain/environment.ts';
import {firewallId} from '../domain/firewall.ts';
import {keyPairId} from '../domain/key-pair.ts';
import {accessKeyId} from '../domain/object-storage.ts';
import {safeText} from '../domain/safe-text.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {volumeId} from '../domain/volume.ts';

// The parameters of actions as schemas: declared once, and used to read the journal back.

export const number = z.number().int().positive();
export const text = z.string().transform(each => safeText(each));
export const flag = z.boolean();
export const machine = number.transform(virtualMachineId);
export const firewall = number.transform(firewallId);
export const cluster = number.transform(clusterId);
export const volume = number.transform(volumeId);
export const keyPair = number.transform(keyPairId);
export const environment = number.transform(environmentId);
export const accessKey = number.transform(accessKeyId);

const port = z.number().int();
export const ruleSpec = z
  .object({
    direction: z.enum(['ingress', 'egress']),
    protocol: text,
    etherType: z.enum(['IPv4', 'IPv6']),
    remoteIpPrefix: text,
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);
