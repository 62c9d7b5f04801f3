import {badRequest} from '../answer.ts';
import {MACHINE_NAME_LIMIT, type MachineOrder} from '../machine-creation.ts';
import type {RuleFields} from '../rules.ts';
import {
  type BodyFields,
  callbackUrl,
  type FieldRule,
  fieldErrors,
  flag,
  integer,
  isObject,
  listOf,
  readBody,
  text,
} from './body-fields.ts';
import {readRule} from './rule-request.ts';

export type OrderReading =
  | {readonly isValid: true; readonly order: MachineOrder}
  | {readonly isValid: false; readonly refusal: Response};

const NAME_LIMIT = 250;
const USER_DATA_LIMIT = 65_535;
const LARGEST_COUNT = 250;
const PROFILE: Readonly<Record<string, FieldRule>> = {
  name: {check: text(MACHINE_NAME_LIMIT), isRequired: true},
  description: {check: text(NAME_LIMIT, 0)},
};

const FIELDS: Readonly<Record<string, FieldRule>> = {
  name: {check: text(MACHINE_NAME_LIMIT), isRequired: true},
  environment_name: {check: text(NAME_LIMIT), isRequired: true},
  flavor_name: {check: text(NAME_LIMIT), isRequired: true},
  key_name: {check: text(NAME_LIMIT), isRequired: true},
  count: {check: integer(1, LARGEST_COUNT), isRequired: true},
  image_name: {check: text(NAME_LIMIT)},
  volume_name: {check: text(NAME_LIMIT)},
  create_bootable_volume: {check: flag},
  assign_floating_ip: {check: flag},
  enable_port_randomization: {check: flag},
  security_rules: {check: listOf(value => (isObject(value) ? undefined : 'must be an object'))},
  user_data: {check: text(USER_DATA_LIMIT, 0)},
  callback_url: {check: callbackUrl},
  labels: {check: listOf(text(NAME_LIMIT))},
  profile: {check: profileError},
  flavor: {check: value => (isObject(value) ? undefined : 'must be an object')},
};

/**
 * Reads what new machines are to be like. What is in `user_data` and in `profile` has no effect that this interface
 * would ever show, so both are checked and then forgotten.
 */
export function readMachineOrder(body: unknown): OrderReading {
  const reading = readBody(body, FIELDS);
  if (!reading.isValid) return reading;
  const {fields} = reading;
  if (fields.has('flavor')) return {isValid: false, refusal: badRequest('Custom flavors are not available to you.')};
  const rules: RuleFields[] = [];
  for (const rule of fields.list('security_rules')) {
    const ruleReading = readRule(rule);
    if (!ruleReading.isValid) return ruleReading;
    rules.push(ruleReading.fields);
  }
  return {isValid: true, order: orderOf(fields, rules)};
}

function orderOf(fields: BodyFields, rules: readonly RuleFields[]): MachineOrder {
  return {
    name: fields.text('name') ?? '',
    count: fields.number('count') ?? 1,
    environmentName: fields.text('environment_name') ?? '',
    flavorName: fields.text('flavor_name') ?? '',
    keyPairName: fields.text('key_name') ?? '',
    imageName: fields.text('image_name'),
    volumeName: fields.text('volume_name'),
    createsBootableVolume: fields.flag('create_bootable_volume') ?? false,
    assignsPublicIp: fields.flag('assign_floating_ip') ?? false,
    // The service does this unless it is told not to.
    isPortRandomized: fields.flag('enable_port_randomization') ?? true,
    rules,
    labels: fields.texts('labels'),
    callbackUrl: fields.text('callback_url'),
  };
}

function profileError(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object';
  const [first] = Object.entries(fieldErrors(new Map(Object.entries(value)), PROFILE));
  return first === undefined ? undefined : `${first[0]} ${first[1]}`;
}
