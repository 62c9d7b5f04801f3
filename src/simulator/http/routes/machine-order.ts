import {MACHINE_NAME_LIMIT, type MachineRequest} from '../../world/machine-creation.ts';
import type {RuleFields} from '../../world/rules.ts';
import {badRequest} from '../answer.ts';
import {type Fields, readBody} from '../body.ts';
import {
  CALLBACK_URL,
  EXISTING_NAME,
  FLAG,
  fields,
  listOf,
  type ObjectSchema,
  RECORD,
  RECORDS,
  type Schema,
} from '../schema.ts';
import {RULE, readRule} from './rule-request.ts';

export type OrderReading =
  | {readonly isValid: true; readonly order: MachineRequest}
  | {readonly isValid: false; readonly refusal: Response};

const LARGEST_COUNT = 250;
const NAME: Schema = {type: 'string', minLength: 1, maxLength: MACHINE_NAME_LIMIT};
const DESCRIPTION: Schema = {type: 'string', maxLength: 250};
const REQUIRED = {
  name: NAME,
  environment_name: EXISTING_NAME,
  flavor_name: EXISTING_NAME,
  key_name: EXISTING_NAME,
  count: {type: 'integer', minimum: 1, maximum: LARGEST_COUNT},
} as const;
const OPTIONAL = {
  image_name: EXISTING_NAME,
  volume_name: EXISTING_NAME,
  create_bootable_volume: FLAG,
  assign_floating_ip: FLAG,
  enable_port_randomization: FLAG,
  user_data: {type: 'string', maxLength: 65_535},
  callback_url: CALLBACK_URL,
  labels: listOf(EXISTING_NAME),
  profile: fields({name: NAME}, {description: DESCRIPTION}),
  flavor: RECORD,
} as const;
/** Rules are read one by one, as those are that are added to a machine. */
const FIELDS = fields(REQUIRED, {...OPTIONAL, security_rules: RECORDS});

/** What new machines are to be like, as the OpenAPI document tells it. */
export const MACHINE_ORDER: ObjectSchema = fields(REQUIRED, {...OPTIONAL, security_rules: listOf(RULE)});

/**
 * Reads what new machines are to be like. What is in `user_data` and in `profile` has no effect that this interface
 * would ever show, so both are checked and then forgotten.
 */
export function readMachineOrder(body: unknown): OrderReading {
  const reading = readBody(body, FIELDS);
  if (!reading.isValid) return reading;
  const sent = reading.fields;
  if (sent.has('flavor')) return {isValid: false, refusal: badRequest('Custom flavors are not available to you.')};
  const rules: RuleFields[] = [];
  for (const rule of sent.list('security_rules')) {
    const ruleReading = readRule(rule);
    if (!ruleReading.isValid) return ruleReading;
    rules.push(ruleReading.fields);
  }
  return {isValid: true, order: orderOf(sent, rules)};
}

function orderOf(sent: Fields, rules: readonly RuleFields[]): MachineRequest {
  return {
    name: sent.text('name') ?? '',
    count: sent.integer('count') ?? 1,
    environmentName: sent.text('environment_name') ?? '',
    flavorName: sent.text('flavor_name') ?? '',
    keyPairName: sent.text('key_name') ?? '',
    imageName: sent.text('image_name'),
    volumeName: sent.text('volume_name'),
    createsBootableVolume: sent.flag('create_bootable_volume') ?? false,
    assignsPublicIp: sent.flag('assign_floating_ip') ?? false,
    // The service does this unless it is told not to.
    isPortRandomized: sent.flag('enable_port_randomization') ?? true,
    rules,
    labels: sent.texts('labels'),
    callbackUrl: sent.text('callback_url'),
  };
}
