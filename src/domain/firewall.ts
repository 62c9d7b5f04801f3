import type {EnvironmentId} from './environment.ts';
import {countedWords} from './listed-words.ts';
import {type SafeText, say} from './safe-text.ts';
import {isOpennessUnknown} from './security-rule.ts';
import type {EpochMs} from './time.ts';
import type {SecurityRule, VirtualMachineId} from './virtual-machine.ts';

declare const brand: unique symbol;
export type FirewallId = number & {readonly [brand]: 'FirewallId'};

export function firewallId(id: number): FirewallId {
  return id as FirewallId;
}

/** CREATING and SUCCESS are documented, the rest implied; for any other, see `statusText`. */
export const FIREWALL_STATUSES = ['CREATING', 'SUCCESS', 'DELETING', 'ERROR', 'FAILED'] as const;
export type FirewallStatus = (typeof FIREWALL_STATUSES)[number] | 'UNKNOWN';

/** A set of rules of one environment, and the machines it applies to. */
export type Firewall = {
  readonly id: FirewallId;
  readonly name: SafeText;
  readonly description?: SafeText;
  readonly environmentId?: number;
  readonly environmentName?: SafeText;
  readonly regionName?: SafeText;
  readonly status: FirewallStatus;
  /** The service's own word for the state. */
  readonly statusText: SafeText;
  readonly createdAt?: EpochMs;
  readonly rules: readonly SecurityRule[];
  /** There may be further rules: some could not be parsed, or none were sent. */
  readonly hasUnreadRules?: true;
  readonly attachments: readonly FirewallAttachment[];
  /** There may be further attachments: some could not be parsed, or none were sent. */
  readonly hasUnreadAttachments?: true;
};

export type FirewallAttachment = {
  readonly machineId?: VirtualMachineId;
  readonly machineName: SafeText;
  readonly status?: SafeText;
};

/** A new firewall. Its environment is given by id, where everything else uses the name. */
export type FirewallSpec = {
  readonly name: SafeText;
  readonly environmentId: EnvironmentId;
  readonly description?: SafeText;
};

/**
 * The progress of a rule: it is requested first and comes into force later, and its removal too takes effect later,
 * which the service reports in its own spelling.
 */
export type RuleState = 'pending' | 'in-force' | 'removing' | 'failed' | 'unknown';

export function ruleState({status}: Pick<SecurityRule, 'status'>): RuleState {
  switch (status?.toUpperCase()) {
    case 'SUCCESS':
      return 'in-force';
    case 'PENDING':
    case 'CREATING':
      return 'pending';
    case 'DELETING':
      return 'removing';
    case 'ERROR':
    case 'FAILED':
      return 'failed';
    default:
      return 'unknown';
  }
}

/** Whether it allows something now, as the service says itself: only such a rule keeps a connection open. */
export function isInForce(rule: Pick<SecurityRule, 'status'>): boolean {
  return ruleState(rule) === 'in-force';
}

/** Neither being removed nor failed: what such a rule allows can be relied on to stay allowed. */
export function isLasting(rule: Pick<SecurityRule, 'status'>): boolean {
  const state = ruleState(rule);
  return state !== 'removing' && state !== 'failed';
}

/** Words about a rule with the state of one that does not last, which may be in force still: `tcp/22 (DELETING)`. */
export function withState(words: SafeText, rule: Pick<SecurityRule, 'status'>): SafeText {
  return isLasting(rule) ? words : say`${words} (${rule.status ?? say`unknown`})`;
}

/** The lasting rules of a firewall, or of a machine itself. */
export function lastingRules({rules}: {readonly rules: readonly SecurityRule[]}): readonly SecurityRule[] {
  return rules.filter(isLasting);
}

type RuleOwner = Pick<Firewall, 'rules' | 'hasUnreadRules'>;

/** Whether some of its rules could not be read, or not enough of one to know whether it is open to the world. */
export function hasUncertainRules({rules, hasUnreadRules}: RuleOwner): boolean {
  return hasUnreadRules === true || rules.some(isOpennessUnknown);
}

/** What is missing from all that is known of rules: `the rules of 2 firewalls could not be read`. */
export function unreadRules(owners: readonly RuleOwner[] | undefined, what: SafeText): readonly SafeText[] {
  const count = owners?.filter(hasUncertainRules).length ?? 0;
  return count === 0 ? [] : [say`the rules of ${countedWords(count, what)} could not be read`];
}
