import * as z from 'zod';
import {present} from '../../api/fields.ts';
import {safeText} from '../../domain/safe-text.ts';
import {secret} from '../../domain/secret.ts';
import type {RuleSpec} from '../../domain/security-rule.ts';
import type {MachineSpec} from '../../domain/virtual-machine.ts';
import {flag, number, ruleSpec, text} from '../parameters.ts';

// New machines: as a form or a command describes them, and as the journal keeps them.

export const machineSpec: z.ZodType<MachineSpec> = z
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

/** What was typed or chosen; empty is the same as absent. */
type GivenMachines = Pick<MachineSpec, 'count' | 'createsBootableVolume' | 'assignsFloatingIp' | 'randomizesPorts'> & {
  readonly name: string;
  readonly environment: string;
  readonly flavor: string;
  readonly keyPair: string;
  readonly image?: string | undefined;
  readonly volume?: string | undefined;
  readonly labels: readonly string[];
  readonly userData?: string | undefined;
  readonly callbackUrl?: string | undefined;
  readonly rules: readonly RuleSpec[];
};

export function machineSpecOf(given: GivenMachines): MachineSpec {
  const {name, environment, flavor, keyPair, image, volume, labels, userData, callbackUrl, rules, ...choices} = given;
  const text = (each: string | undefined) => (each === undefined || each === '' ? undefined : safeText(each));
  return present({
    name: safeText(name),
    environmentName: safeText(environment),
    flavorName: safeText(flavor),
    keyPairName: safeText(keyPair),
    imageName: text(image),
    volumeName: text(volume),
    ...choices,
    labels: labels.length === 0 ? undefined : [...new Set(labels)].map(each => safeText(each)),
    userData: userData === undefined || userData === '' ? undefined : secret(userData),
    callbackUrl: text(callbackUrl),
    rules: rules.length === 0 ? undefined : rules,
  });
}
