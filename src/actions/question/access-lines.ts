import {isAttached, presentIn, unreadAttachmentsReason} from '../../domain/attachment-state.ts';
import {type Firewall, isInForce, lastingRules} from '../../domain/firewall.ts';
import {incomingWarnings} from '../../domain/incoming-traffic.ts';
import {outgoingWarnings, type RuleHolder, type StayingRule} from '../../domain/outgoing-traffic.ts';
import {cutsOff} from '../../domain/own-connection.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {isOpenToWorld, type RuleTerms, ruleWords} from '../../domain/security-rule.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import {observedMachines} from '../../state/machines.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from './assessment-input.ts';

/** The rules removed on one machine or on one owner of rules, and the lasting and new ones that apply afterwards. */
export type AccessChange = {
  readonly gone: readonly RuleTerms[];
  readonly staying: readonly RuleTerms[];
};

/**
 * The warnings about a change of access, and whether it cuts something off: our own session, or outbound traffic of
 * machines.
 */
export type AccessRisk = {readonly lines: readonly Line[]; readonly cutsOff: boolean};

/**
 * A change that shuts out our own session is the last one that could be made from it. Of the rules that stay, only those
 * in force are given.
 */
export function cutOffLines(known: AssessmentInput, change: AccessChange): readonly Line[] {
  return isCutOff(known, change) ? [sessionLine(known, 'no remaining rule here allows it')] : [];
}

/** What the machines can no longer send. */
export function outgoingLines(change: AccessChange, holders: readonly RuleHolder[]): readonly Line[] {
  const isAlone = holders.length === 1;
  const changes = holders.map(({name, otherRules}) => ({
    gone: change.gone,
    staying: [...change.staying, ...otherRules],
    ...(isAlone ? {} : {machineName: name}),
  }));
  return outgoingWarnings(changes).map(text => [{text, tone: 'danger'}]);
}

/** What can no longer be connected to. That alone cuts nobody off: it may be intended, and one key adds it again. */
export function incomingLines({gone, staying}: AccessChange, holders: readonly RuleHolder[]): readonly Line[] {
  return closedLines(
    holders.map(({name, otherRules}) => ({machineName: name, gone, staying: [...staying, ...otherRules]})),
  );
}

function closedLines(losses: Parameters<typeof incomingWarnings>[0]): readonly Line[] {
  return incomingWarnings(losses).map(text => [{text, tone: 'warning'}]);
}

/** The firewalls of one machine before and after. */
type MachineChange = {
  readonly machineName: SafeText;
  readonly leaving: readonly Firewall[];
  readonly joining: readonly Firewall[];
  /** The machine's own lasting rules, and those of the firewalls that stay or are added. */
  readonly staying: readonly StayingRule[];
};

/** Attaches exactly these machines to a firewall: its other machines lose it. */
export function attachmentsRisk(
  firewall: Firewall,
  machineIds: readonly VirtualMachineId[],
  known: AssessmentInput,
): AccessRisk {
  const others = (observedFirewalls(known.store) ?? []).filter(({id}) => id !== firewall.id);
  const machines = new Map((observedMachines(known.store) ?? []).map(machine => [machine.id, machine]));
  const attached = new Map(presentIn(firewall).map(({machineId, machineName}) => [machineId, machineName]));
  const touched = new Set([...attached.keys(), ...machineIds].flatMap(id => id ?? []));
  const changes = [...touched].map((id): MachineChange => {
    const machine = machines.get(id);
    const [was, is] = [attached.has(id), machineIds.includes(id)];
    const standing = [...others.filter(other => isAttached(other, id)), ...(is ? [firewall] : [])];
    return {
      machineName: machine?.name ?? attached.get(id) ?? say`#${id}`,
      leaving: was && !is ? [firewall] : [],
      joining: !was && is ? [firewall] : [],
      staying: [...(machine === undefined ? [] : [machine]), ...standing].flatMap(lastingRules),
    };
  });
  return riskOf(changes, known);
}

/** Attaches exactly these firewalls to a machine: it loses the others. */
export function firewallsRisk(
  machine: VirtualMachine,
  firewallIds: readonly Firewall['id'][],
  known: AssessmentInput,
): AccessRisk {
  const firewalls = observedFirewalls(known.store) ?? [];
  const wanted = firewalls.filter(({id}) => firewallIds.includes(id));
  const change: MachineChange = {
    machineName: machine.name,
    leaving: firewalls.filter(each => isAttached(each, machine.id) && !wanted.includes(each)),
    joining: wanted.filter(each => !isAttached(each, machine.id)),
    staying: [machine, ...wanted].flatMap(lastingRules),
  };
  return riskOf([change], known);
}

function riskOf(machines: readonly MachineChange[], known: AssessmentInput): AccessRisk {
  const changes = machines.map(({machineName, leaving, staying}) => ({
    machineName,
    gone: leaving.flatMap(({rules}) => rules),
    staying,
  }));
  const shutOut = changes
    .filter(({gone, staying}) => isCutOff(known, {gone, staying: staying.filter(isInForce)}))
    .map(({machineName}) => machineName);
  const cut: readonly Line[] = [
    ...(shutOut.length === 0 ? [] : [sessionLine(known, `no remaining rule on ${listed(shutOut)} allows it`)]),
    ...outgoingWarnings(changes).map(text => [{text, tone: 'danger' as const}]),
  ];
  const joined = [...new Set(machines.flatMap(({joining}) => joining))];
  return {lines: [...cut, ...closedLines(changes), ...worldLines(joined)], cutsOff: cut.length > 0};
}

/** What a firewall opens to everyone is open on whatever it is attached to. */
function worldLines(attached: readonly Firewall[]): readonly Line[] {
  return attached.flatMap(({name, rules}) => {
    const open = rules.filter(isOpenToWorld).map(ruleWords);
    return open.length === 0
      ? []
      : [[{text: `${nameInWords(name)} becomes open to the internet: ${listed(open)}.`, tone: 'danger'}]];
  });
}

/** Why a machine's firewalls are unknown: one in its environment has an incomplete list of machines. */
export function unreadFirewall(
  {environmentName}: VirtualMachine,
  firewalls: readonly Firewall[],
): SafeText | undefined {
  const unread = firewalls.find(
    firewall =>
      unreadAttachmentsReason(firewall) !== undefined &&
      (environmentName ?? firewall.environmentName) === (firewall.environmentName ?? environmentName),
  );
  return unread && say`the machines of firewall ${nameInWords(unread.name)} #${unread.id} could not be read completely`;
}

function isCutOff({ownConnection}: AssessmentInput, change: AccessChange): boolean {
  return ownConnection !== undefined && cutsOff(ownConnection, change);
}

function sessionLine({ownConnection}: AssessmentInput, consequence: string): Line {
  const from = ownConnection?.clientAddress ?? 'here';
  const port = ownConnection?.serverPort ?? 'unknown';
  return [{text: `Your own SSH session comes from ${from} to port ${port}: ${consequence}.`, tone: 'danger'}];
}

const MAX_LISTED = 4;

export function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return more > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${more} more` : names.join(', ');
}
