import {presentIn} from '../attachment-state.ts';
import {OWN_ADDRESS_WORD} from '../check-rule.ts';
import {type Firewall, isInForce, ruleState, unreadRules, withState} from '../firewall.ts';
import type {RuleRemoval} from '../fix.ts';
import {parseIpPrefix} from '../ip-prefix.ts';
import {countedWords} from '../listed-words.ts';
import {joinSafe, type SafeText, safeText, say} from '../safe-text.ts';
import {covers, hasPorts, isExposed, isOpenToWorld, portWords, ruleWords} from '../security-rule.ts';
import {hasAddress, mayHaveAddress, type SecurityRule, type VirtualMachine} from '../virtual-machine.ts';
import {type RuleFinding, type KnownAccount, machineSubject, type TriageRule} from './finding.ts';

/**
 * A firewall or a machine with rules that let everybody in, through a port that is not meant to be public. One that is
 * being removed is open until it is gone but needs no second removal. One that failed may never have come into force,
 * or be one whose removal failed: its record does not tell, so it may be open.
 */
export const openToWorld: TriageRule = {
  id: 'open-to-world',
  judge: account => {
    const {machines, firewalls, partial} = account;
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
        ...(partial.get('machines') ?? []),
      ],
    };
  },
};

function firewallFinding(firewall: Firewall, {machines, ownAddress}: KnownAccount): readonly RuleFinding[] {
  const open = firewall.rules.filter(isExposed);
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
        ...open.map(rule => withState(ruleWords(rule), rule)),
        say`attached to ${isUnread ? say`at least ` : say``}${countedWords(held.length, say`machine`)}`,
        ...(isUnread ? [say`what else it is attached to was not read`] : []),
        ...(unreadCount === 0 ? [] : [say`the public address of ${unreadCount} of them could not be read`]),
        ...(reachableCount === 0
          ? []
          : [say`${isWhole ? say`` : say`at least `}${reachableCount} of them with a public address`]),
      ],
      ...remedy(open, {owner: firewall, kind: 'firewall', ownAddress}),
    },
  ];
}

function machineFinding(machine: VirtualMachine, {ownAddress}: KnownAccount): readonly RuleFinding[] {
  const open = machine.rules.filter(isExposed);
  if (open.length === 0) return [];
  return [
    {
      severity: mayHaveAddress(machine) && open.some(isOpenOnAllPorts) ? 'critical' : 'warning',
      subject: machineSubject(machine),
      summary: summaryOf(open),
      ...openedSince(open),
      evidence: [...open.map(rule => withState(ruleWords(rule), rule)), addressEvidence(machine)],
      ...remedy(open, {owner: machine, kind: 'vm', ownAddress}),
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

type Owner = {
  readonly owner: Firewall | VirtualMachine;
  /** Also its word in commands. */
  readonly kind: 'firewall' | 'vm';
  readonly ownAddress: SafeText | undefined;
};

/** What to do about the rules that are not being removed yet. */
function remedy(
  open: readonly SecurityRule[],
  {owner, kind, ownAddress}: Owner,
): Pick<RuleFinding, 'advice' | 'fixes' | 'commands'> {
  const staying = open.filter(rule => ruleState(rule) !== 'removing');
  const count = staying.length;
  if (count === 0) {
    const subject = open.length === 1 ? say`It is being removed and stays` : say`They are being removed and stay`;
    return {
      advice: say`${subject} open until that is done. Ask the provider if it takes longer than some minutes.`,
      commands: [say`skydeck describe ${safeText(kind)} ${owner.id}`],
    };
  }
  const these = count < open.length ? say`what stays` : count === 1 ? say`this one` : say`these`;
  return {
    advice: say`Allow only the addresses that need it: add the narrow rule first, then remove ${these}.`,
    ...removalOf(staying, {kind: `${kind}.remove-rule`, id: owner.id}),
    commands: commandsFor(staying, {owner, kind, ownAddress}),
  };
}

/** The removal of every rule that is not being removed, each to be replaced by a narrower one. */
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
 * One command for all rules. For each it adds the same rule for the address of the SSH session only and, once that is
 * in force, removes the open one. Where no session shows an address, there is a placeholder; where a narrow rule in
 * force allows it already, nothing is to be added.
 */
function commandsFor(open: readonly SecurityRule[], {owner, kind, ownAddress}: Owner): readonly SafeText[] {
  const of = say`--${safeText(kind)} ${owner.id}`;
  const narrow = owner.rules.filter(rule => isInForce(rule) && !isOpenToWorld(rule));
  const cidr = ownAddress === undefined ? say`YOUR-ADDRESS` : safeText(OWN_ADDRESS_WORD);
  const family = parseIpPrefix(ownAddress ?? '')?.family;
  const steps = open.flatMap(rule => {
    const {id, protocol = safeText('tcp'), portRangeMin: from = 1, portRangeMax: to = 65_535} = rule;
    if (id === undefined) return [];
    const removal = say`skydeck rule remove ${id} ${of}`;
    const own = ownAddress && family && {...rule, etherType: family, remoteIpPrefix: ownAddress};
    if (own && narrow.some(each => covers(each, own))) return [removal];
    // The word comes from the service, and this line is pasted into a shell.
    if (!/^[a-z0-9-]+$/i.test(protocol) || rule.hasUnreadPorts === true) return [removal];
    const range = from === to ? say`${from}` : say`${from}-${to}`;
    const ports = hasPorts(protocol) ? say` --port ${range}` : say``;
    return [say`skydeck rule add ${of} --protocol ${protocol}${ports} --cidr ${cidr} --wait && ${removal}`];
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
