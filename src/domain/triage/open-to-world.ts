import {presentIn} from '../attachment-state.ts';
import {OWN_ADDRESS_WORD} from '../check-rule.ts';
import {type Firewall, isLastingExposure, unreadRules} from '../firewall.ts';
import type {RuleRemoval} from '../fix.ts';
import {countedWords} from '../listed-words.ts';
import {joinSafe, type SafeText, safeText, say} from '../safe-text.ts';
import {hasPorts, ruleWords} from '../security-rule.ts';
import {hasAddress, mayHaveAddress, type SecurityRule, type VirtualMachine} from '../virtual-machine.ts';
import {type RuleFinding, type KnownAccount, machineSubject, type TriageRule} from './finding.ts';
import {portWords} from './words.ts';

/**
 * A firewall or a machine with rules that let everybody in, through a port that is not meant to be public. One that is
 * being removed needs no second removal, and one that failed has a finding of its own.
 */
export const openToWorld: TriageRule = {
  id: 'open-to-world',
  judge: account => {
    const {machines, firewalls} = account;
    const unread = [
      ...(machines === undefined ? [say`machines`] : []),
      ...(firewalls === undefined ? [say`firewalls`] : []),
    ];
    const findings = [
      ...(firewalls ?? []).flatMap(firewall => firewallFinding(firewall, account)),
      ...(machines ?? []).flatMap(machine => machineFinding(machine, account)),
    ];
    return {
      findings,
      cannotJudge: [
        ...unread.map(list => say`the list of ${list} was not read`),
        ...unreadRules(firewalls, say`firewall`),
        ...unreadRules(machines, say`machine`),
      ],
    };
  },
};

function firewallFinding(firewall: Firewall, {machines, ownAddress}: KnownAccount): readonly RuleFinding[] {
  const open = firewall.rules.filter(isLastingExposure);
  if (open.length === 0) return [];
  const held = presentIn(firewall);
  const known = held.flatMap(({machineId}) => machines?.find(({id}) => id === machineId) ?? []);
  const reachableCount = known.filter(machine => hasAddress(machine) === true).length;
  const unreadCount = known.filter(machine => hasAddress(machine) === undefined).length;
  const isUnread = firewall.hasUnreadAttachments === true;
  // `describe` may know one machine of several.
  const isWhole = !isUnread && known.length === held.length && unreadCount === 0;
  // One whose address could not be read may be reached too.
  const isCritical = reachableCount + unreadCount > 0 && open.some(isOpenOnAllPorts);
  return [
    {
      severity: isCritical ? 'critical' : held.length > 0 || isUnread ? 'warning' : 'notice',
      subject: {type: 'firewall', id: firewall.id, name: firewall.name},
      summary: summaryOf(open),
      ...openedSince(open),
      evidence: [
        ...open.map(rule => ruleWords(rule)),
        say`attached to ${isUnread ? say`at least ` : say``}${countedWords(held.length, say`machine`)}`,
        ...(isUnread ? [say`what else it is attached to was not read`] : []),
        ...(unreadCount === 0 ? [] : [say`the public address of ${unreadCount} of them could not be read`]),
        ...(reachableCount === 0
          ? []
          : [say`${isWhole ? say`` : say`at least `}${reachableCount} of them with a public address`]),
      ],
      advice: say`Allow only the addresses that need it: add the narrow rule first, then remove ${open.length === 1 ? say`this one` : say`these`}.`,
      ...removalOf(open, {kind: 'firewall.remove-rule', id: firewall.id}),
      commands: commandsFor(open, {owner: say`--firewall ${firewall.id}`, ownAddress}),
    },
  ];
}

function machineFinding(machine: VirtualMachine, {ownAddress}: KnownAccount): readonly RuleFinding[] {
  const open = machine.rules.filter(isLastingExposure);
  if (open.length === 0) return [];
  return [
    {
      severity: mayHaveAddress(machine) && open.some(isOpenOnAllPorts) ? 'critical' : 'warning',
      subject: machineSubject(machine),
      summary: summaryOf(open),
      ...openedSince(open),
      evidence: [...open.map(rule => ruleWords(rule)), addressEvidence(machine)],
      advice: say`Allow only the addresses that need it: add the narrow rule first, then remove ${open.length === 1 ? say`this one` : say`these`}.`,
      ...removalOf(open, {kind: 'vm.remove-rule', id: machine.id}),
      commands: commandsFor(open, {owner: say`--vm ${machine.id}`, ownAddress}),
    },
  ];
}

function addressEvidence(machine: VirtualMachine): SafeText {
  if (hasAddress(machine) === undefined) return say`whether it has a public address could not be read`;
  return machine.floatingIp === undefined
    ? say`it has no public address`
    : say`its public address is ${machine.floatingIp}`;
}

/** Open since the oldest of the rules; the newest tells a person who has muted the others. */
function openedSince(open: readonly SecurityRule[]): Pick<RuleFinding, 'since' | 'worseSince'> {
  const moments = open.flatMap(({createdAt}) => createdAt ?? []).toSorted((left, right) => left - right);
  const [oldest, newest] = [moments.at(0), moments.at(-1)];
  return oldest === undefined || newest === undefined ? {} : {since: oldest, worseSince: newest};
}

/** The removal of every rule that the finding names, each to be replaced by a narrower one. */
function removalOf(
  open: readonly SecurityRule[],
  action: Pick<RuleRemoval, 'kind' | 'id'>,
): Pick<RuleFinding, 'fixes'> {
  const fixes = open.flatMap(rule =>
    rule.id === undefined ? [] : [{...action, ruleId: rule.id, rule, needsNarrowerRule: true} as const],
  );
  return fixes.length === 0 ? {} : {fixes};
}

/**
 * One command for all rules. For each it adds the same rule for the address of the SSH session only and, once that is in force,
 * removes the open one. Where no session shows an address, there is a placeholder.
 */
function commandsFor(
  open: readonly SecurityRule[],
  {owner, ownAddress}: {readonly owner: SafeText; readonly ownAddress: SafeText | undefined},
): readonly SafeText[] {
  const cidr = ownAddress === undefined ? say`YOUR-ADDRESS` : safeText(OWN_ADDRESS_WORD);
  const steps = open.flatMap(({id, protocol = safeText('tcp'), portRangeMin: from = 1, portRangeMax: to = 65_535}) => {
    if (id === undefined) return [];
    const removal = say`skydeck rule remove ${id} ${owner}`;
    // The word comes from the service, and this line is pasted into a shell.
    if (!/^[a-z0-9-]+$/i.test(protocol)) return [removal];
    const range = from === to ? say`${from}` : say`${from}-${to}`;
    const ports = hasPorts(protocol) ? say` --port ${range}` : say``;
    return [say`skydeck rule add ${owner} --protocol ${protocol}${ports} --cidr ${cidr} --wait && ${removal}`];
  });
  return steps.length === 0 ? [] : [joinSafe(steps, ' && ')];
}

function summaryOf(open: readonly SecurityRule[]): SafeText {
  const ports = [...new Set(open.map(portWords))];
  const listed = joinSafe(ports, ', ');
  // A list at 80 columns has room for two ports before the words that matter.
  return ports.length > 2 ? say`open to the world: ${listed}` : say`${listed} open to the world`;
}

/** Every port of a protocol that has some, or every protocol. */
function isOpenOnAllPorts({protocol, portRangeMin, portRangeMax}: SecurityRule): boolean {
  if (protocol?.toLowerCase() === 'any') return true;
  const isWide = portRangeMin === undefined || (portRangeMin <= 1 && (portRangeMax ?? 0) >= 65_535);
  return hasPorts(protocol ?? '') && isWide;
}
