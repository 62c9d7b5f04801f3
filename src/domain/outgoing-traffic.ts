import {isAttached, presentIn} from './attachment-state.ts';
import {type Firewall, lastingRules} from './firewall.ts';
import {listedWords} from './listed-words.ts';
import {joinSafe, type SafeText, safeText, say} from './safe-text.ts';
import {covers, prefixWords, type RuleTerms, ruleWords} from './security-rule.ts';
import type {SecurityRule, VirtualMachine} from './virtual-machine.ts';

/**
 * A machine that a rule applies to, and the lasting rules that apply to it from elsewhere: a machine's own and its
 * firewalls' add up.
 */
export type RuleHolder = {readonly name: SafeText; readonly otherRules: readonly StayingRule[]};

/** With its state, as far as that is known. */
export type StayingRule = RuleTerms & Pick<SecurityRule, 'status'>;

/** The machine itself, with the rules of its firewalls. */
export function holderOf(machine: VirtualMachine, firewalls: readonly Firewall[]): RuleHolder {
  const attached = firewalls.filter(firewall => isAttached(firewall, machine.id));
  return {name: machine.name, otherRules: attached.flatMap(lastingRules)};
}

/** The machines a firewall is attached to, with their own rules and those of their other firewalls. */
export function holdersOf(
  firewall: Firewall,
  {machines, firewalls}: {readonly machines: readonly VirtualMachine[]; readonly firewalls: readonly Firewall[]},
): readonly RuleHolder[] {
  const others = firewalls.filter(({id}) => id !== firewall.id);
  const unread = firewall.hasUnreadAttachments === true ? [{name: say`machines not read`, otherRules: []}] : [];
  const read = presentIn(firewall).map(({machineId, machineName}) => {
    const machine = machines.find(({id}) => id === machineId);
    if (machine === undefined) return {name: machineName, otherRules: []};
    return {name: machineName, otherRules: [...lastingRules(machine), ...holderOf(machine, others).otherRules]};
  });
  return [...read, ...unread];
}

/** The rules removed from one machine, and those that apply afterwards; without a name if the machine is obvious. */
type OutgoingLoss = {
  readonly machineName?: SafeText;
  readonly gone: readonly RuleTerms[];
  readonly staying: readonly RuleTerms[];
};

/** Sentences about what changes of rules stop, and on which machines. */
export function outgoingWarnings(changes: readonly OutgoingLoss[]): readonly SafeText[] {
  const losses = changes.flatMap(({machineName, gone, staying}) =>
    outgoingLosses(gone, staying).map(what => ({machineName, what})),
  );
  return [...Map.groupBy(losses, ({what}) => what)].map(([what, losing]) => {
    const names = losing.flatMap(({machineName}) => machineName ?? []);
    return names.length === 0
      ? say`This stops: ${what}.`
      : say`This stops on ${listedWords(say`machine`, [...new Set(names)])}: ${what}.`;
  });
}

/** What people miss first: without it, no name resolves, no package installs and no clock is set. */
const SERVICES: readonly {readonly name: SafeText; readonly protocol: string; readonly port: number}[] = [
  {name: say`DNS`, protocol: 'udp', port: 53},
  {name: say`HTTPS`, protocol: 'tcp', port: 443},
  {name: say`HTTP`, protocol: 'tcp', port: 80},
  {name: say`NTP`, protocol: 'udp', port: 123},
  {name: say`SSH`, protocol: 'tcp', port: 22},
];

/**
 * What stops working when rules are removed and others stay: `outgoing DNS, HTTPS and all else to 0.0.0.0/0`. Empty if
 * the remaining rules allow the same, and for inbound rules.
 */
export function outgoingLosses(gone: readonly RuleTerms[], staying: readonly RuleTerms[]): readonly SafeText[] {
  return gone.filter(isEgress).flatMap(rule => lossOf(rule, staying) ?? []);
}

function lossOf(rule: RuleTerms, staying: readonly RuleTerms[]): SafeText | undefined {
  if (staying.some(other => covers(other, rule))) return undefined;
  const family = safeText(rule.etherType ?? 'IPv4');
  if (isEverything(rule) && !staying.some(other => isEgress(other) && isSameFamily(other, rule))) {
    return say`all outgoing ${family} traffic: DNS, HTTPS, package updates and everything else`;
  }
  const lost = SERVICES.filter(({protocol, port}) => {
    const part = {...rule, protocol, portRangeMin: port, portRangeMax: port};
    return covers(rule, part) && !staying.some(other => covers(other, part));
  }).map(({name}) => name);
  const to = prefixWords(rule);
  if (lost.length === 0) return say`what only ${ruleWords(rule)} allows`;
  const isOnlyThat = rule.portRangeMin !== undefined && rule.portRangeMin === (rule.portRangeMax ?? rule.portRangeMin);
  return isOnlyThat
    ? say`outgoing ${joinSafe(lost, ', ')} to ${to}`
    : say`outgoing ${joinSafe(lost, ', ')} and all else that no other rule allows to ${to}`;
}

function isEgress({direction}: RuleTerms): boolean {
  return direction?.toLowerCase() === 'egress';
}

function isSameFamily(left: RuleTerms, right: RuleTerms): boolean {
  return (left.etherType ?? 'IPv4').toLowerCase() === (right.etherType ?? 'IPv4').toLowerCase();
}

/** Any protocol to anywhere, in any spelling. */
function isEverything(rule: RuleTerms): boolean {
  return covers(rule, {...rule, protocol: 'any', remoteIpPrefix: '0.0.0.0/0'});
}
