import {recordOf} from '../api/fields.ts';
import {listFirewalls, ruleProtocols} from '../api/firewalls.ts';
import {securityRule, toSecurityRule} from '../api/rule-records.ts';
import {isAttached, isUnattached, presentIn} from '../domain/attachment-state.ts';
import {type Firewall, ruleState, unreadRules, withState} from '../domain/firewall.ts';
import {oncePer} from '../domain/memo.ts';
import {joinSafe, nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {
  hasPorts,
  isExposed,
  isOpennessUnknown,
  isOpenToWorld,
  portWords,
  prefixWords,
  rangeText,
  ruleWords,
} from '../domain/security-rule.ts';
import type {EpochMs} from '../domain/time.ts';
import type {SecurityRule, VirtualMachine} from '../domain/virtual-machine.ts';
import {firewallsFeed, observedFirewalls} from '../state/firewalls.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {gapLine, type Unread} from './detail.ts';
import {find} from './find.ts';
import {firewalls} from './firewalls.ts';
import {machines} from './machines.ts';
import {age, type Column, number, text, type Value, yesNo} from './column.ts';
import {type Listed, type Reader, rawField, rawOf, withOwner} from './listing.ts';
import {defineResource, type RowInput, type Resource, undated} from './resource.ts';

export type RuleRow = {
  readonly rule: SecurityRule;
  /** Identifies the rule among its owner's; identical rules differ by id. */
  readonly key: string;
  readonly now: EpochMs;
  /** Its firewall is attached to nothing, so it opens nothing now. */
  readonly isUnattached?: boolean | undefined;
  /** The firewall or machine it belongs to, if the list covers more than one. */
  readonly owner?: SafeText | undefined;
};

const STATE_TONES: Readonly<Record<ReturnType<typeof ruleState>, Tone>> = {
  pending: 'notice',
  'in-force': 'good',
  removing: 'notice',
  failed: 'danger',
  unknown: 'notice',
};

const COLUMNS: readonly Column<RuleRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({rule}) => number(rule.id)},
  {key: 'on', title: 'ON', isSubject: true, value: ({owner}) => text(owner)},
  {
    key: 'direction',
    title: 'DIRECTION',
    value: ({rule}) => text(rule.direction),
    list: {title: 'DIR', minWidth: 7},
  },
  {
    key: 'protocol',
    title: 'PROTOCOL',
    value: ({rule}) => text(rule.protocol),
    list: {title: 'PROTO', minWidth: 5, maxWidth: 12, flex: 1},
  },
  {
    key: 'ports',
    title: 'PORTS',
    value: ({rule}) => portsOf(rule),
    list: {minWidth: 9, maxWidth: 11, flex: 1, absent: 'unknown'},
  },
  {
    key: 'prefix',
    title: 'CIDR',
    value: ({rule}) => text(rule.remoteIpPrefix),
    list: {minWidth: 17, maxWidth: 43, flex: 2, draw: prefixCell},
  },
  {
    key: 'state',
    title: 'STATE',
    // Without it, a rule that is being removed looks like one in force.
    printRank: 0,
    value: ({rule}) => text(rule.status),
    list: {minWidth: 8, priority: 1, tone: ({rule}) => STATE_TONES[ruleState(rule)], absent: 'unknown'},
  },
  {key: 'open', title: 'OPEN', value: ({rule}) => (isOpennessUnknown(rule) ? undefined : yesNo(isOpenToWorld(rule)))},
  {
    key: 'exposed',
    title: 'EXPOSED',
    // Ports and CIDR say the same, as they do for OPEN; nothing else says what STATE and ETHER say.
    printRank: 5,
    value: ({rule}) => (isOpennessUnknown(rule) ? undefined : yesNo(isExposed(rule))),
    // As wide as its longest word: half of one would mean something else.
    list: {title: 'RISK', minWidth: 13, draw: riskCell},
  },
  {
    key: 'ether',
    title: 'ETHER',
    value: ({rule}) => text(rule.etherType),
    list: {minWidth: 5, priority: 2, tone: 'dim'},
  },
  {key: 'age', title: 'AGE', printed: 'wide', unit: 'duration', value: ({rule, now}) => age(rule.createdAt, now)},
];

export const rules = defineResource<SecurityRule, RuleRow>({
  names: ['rules', 'rule'],
  summary:
    'rules of firewalls and machines; --firewall or --vm for one of them. Open: to the whole internet; exposed: open, and not for ports 80, 443 or pings',
  narrowedBy: ['firewall', 'vm'],
  columns: COLUMNS,
  list: listRules,
  parse: recordOf(securityRule, toSecurityRule),
  row:
    ({now, owners}) =>
    (rule, raw) => ({...rowOf(rule, now), owner: owners?.get(raw)}),
  idOf: ({id}) => id,
});

function portsOf(rule: SecurityRule): Value | undefined {
  if (rule.hasUnreadPorts === true) return undefined;
  const text = rangeText(rule) ?? 'all';
  return rule.portRangeMin === undefined ? {text} : {text, number: rule.portRangeMin};
}

/** A rule open to the world, and its owner. */
type OpenRule = {
  readonly id: number;
  readonly name: SafeText;
  readonly rule: SecurityRule;
  /** Machines behind the firewall; undefined for a machine's own rule. */
  readonly machineCount?: number;
  /** There may be more of them. */
  readonly hasUnreadMachines?: true;
};

/** `tcp/22`, or `tcp/22 (DELETING)`: until it is gone, what it opens may be open. */
export function openPorts(rule: SecurityRule): SafeText {
  return withState(portWords(rule), rule);
}

/** How many machines an open rule of a firewall applies to: `3 machines`, `3+ machines`, or `? machines` if unknown. */
export function reachText({
  machineCount = 0,
  hasUnreadMachines,
}: Pick<OpenRule, 'machineCount' | 'hasUnreadMachines'>): string {
  if (hasUnreadMachines !== true) return formatCounted(machineCount, 'machine');
  return machineCount === 0 ? '? machines' : `${machineCount}+ machines`;
}

/** Every rule known to be open to the world, and what may hide others. */
export type OpenRules = {
  readonly rules: readonly OpenRule[];
  /** A line for each list that was not read, or not to its end, or whose rules could not all be read. If there is none, the rules are all there are. */
  readonly gaps: readonly Line[];
};

/** Every rule open to the world, firewalls first; every screen lists and counts them in this order. */
export function openRules(known: Unread): OpenRules {
  const {store} = known;
  const [owned, machines] = [observedFirewalls(store), observedMachines(store)];
  return {
    rules: [
      ...(owned === undefined ? [] : openOfFirewalls(owned)),
      ...(machines === undefined ? [] : openOfMachines(machines)),
    ],
    gaps: [
      ...[gapLine(known, firewallsFeed, 'firewalls') ?? [], gapLine(known, machinesFeed, 'machines') ?? []],
      ...(owned === undefined ? [] : unreadOfFirewalls(owned)),
      ...(machines === undefined ? [] : unreadOfMachines(machines)),
    ].filter(line => line.length > 0),
  };
}

const unreadOfFirewalls = oncePer((owned: readonly Firewall[]) => unreadLines(unreadRules(owned, say`firewall`)));
const unreadOfMachines = oncePer((machines: readonly VirtualMachine[]) =>
  unreadLines(unreadRules(machines, say`machine`)),
);

function unreadLines(reasons: readonly SafeText[]): readonly Line[] {
  return reasons.map(reason => [{text: ` ${reason}`, tone: 'warning'}]);
}

const openOfFirewalls = oncePer((owned: readonly Firewall[]): readonly OpenRule[] =>
  owned.flatMap(firewall => {
    const {id, name, rules: own, hasUnreadAttachments} = firewall;
    const reach = {
      machineCount: presentIn(firewall).length,
      ...(hasUnreadAttachments === true ? {hasUnreadMachines: true as const} : {}),
    };
    return own.filter(isOpenToWorld).map(rule => ({id, name, rule, ...reach}));
  }),
);

const openOfMachines = oncePer((machines: readonly VirtualMachine[]): readonly OpenRule[] =>
  machines.flatMap(({id, name, rules: own}) => own.filter(isOpenToWorld).map(rule => ({id, name, rule}))),
);

/** What each firewall of a machine opens besides the machine's own rules: `and firewall edge: tcp/22 open to the world`. */
export function openedByFirewalls({store}: Pick<RowInput, 'store'>, {id}: VirtualMachine): readonly SafeText[] {
  return (observedFirewalls(store) ?? []).flatMap(firewall => {
    const {name, rules: own} = firewall;
    const open = own.filter(isExposed);
    return open.length === 0 || !isAttached(firewall, id)
      ? []
      : [
          say`and firewall ${nameInWords(name)}: ${joinSafe([...new Set(open.map(openPorts))], ', ')} open to the world`,
        ];
  });
}

/** `19 rules, 5 exposed`, `at least 1 rule, 1 exposed` or `unknown`: without all lists there may be more. */
export function openRulesText({rules: open, gaps}: OpenRules): string {
  if (open.length === 0 && gaps.length > 0) return 'unknown';
  const exposedCount = open.filter(({rule}) => isExposed(rule)).length;
  return `${gaps.length === 0 ? '' : 'at least '}${formatCounted(open.length, 'rule')}, ${exposedCount} exposed`;
}

/** Said only where it is known of every firewall and machine. */
export const NOTHING_OPEN: Line = [{text: ' nothing is open to the world', tone: 'good'}];

/** The rules of one firewall or machine: open to the world first, then inbound, then outbound. */
export function ruleRows(
  owner: Pick<VirtualMachine, 'rules'> | Pick<Firewall, 'rules' | 'attachments' | 'hasUnreadAttachments'>,
  {now}: Pick<RowInput, 'now'>,
): readonly RuleRow[] {
  const isOfNone = 'attachments' in owner && isUnattached(owner);
  return owner.rules
    .map(rule => ({...rowOf(rule, now), isUnattached: isOfNone}))
    .sort((left, right) => rankOf(left.rule) - rankOf(right.rule) || (left.rule.id ?? 0) - (right.rule.id ?? 0));
}

function rowOf(rule: SecurityRule, now: EpochMs): RuleRow {
  return {rule, key: `${rule.id ?? ''} ${ruleWords(rule)} ${rule.etherType ?? ''}`, now};
}

export function ruleKey({key}: RuleRow): string {
  return key;
}

function rankOf(rule: SecurityRule): number {
  if (isExposed(rule)) return 0;
  return rule.direction?.toLowerCase() === 'egress' ? 2 : 1;
}

function prefixCell({rule}: RuleRow): Line {
  return [{text: prefixWords(rule), tone: isOpenToWorld(rule) ? 'warning' : 'text'}];
}

function riskCell({rule, isUnattached}: RuleRow, _width: number, theme: Theme): Line {
  if (isOpennessUnknown(rule)) return [{text: 'unknown', tone: 'warning'}];
  if (!isOpenToWorld(rule)) return [];
  if (isUnattached === true) return [{text: 'if attached', tone: 'dim'}];
  if (isExposed(rule)) return [{text: `${theme.glyphs.warning} exposed`, tone: 'warning'}];
  return [{text: hasPorts(rule.protocol ?? '') ? 'open (web)' : 'open (ping)', tone: 'dim'}];
}

/** Rules have no list endpoint; they are part of firewalls and machines. A machine's are its own and its firewalls'. */
async function listRules(reader: Reader): Promise<Listed> {
  const {vm, firewall} = reader.narrowing;
  const ofMachines = firewall !== undefined && vm === undefined ? NO_HOLDERS : await holders(reader, machines, vm);
  if (!ofMachines.ok) return ofMachines;
  const ofFirewalls = await holders(reader, firewalls, firewall);
  if (!ofFirewalls.ok) return ofFirewalls;
  const isOfMachine = vm !== undefined && firewall === undefined;
  const ids = new Set(ofMachines.value.raw.map(raw => machines.parseRaw(raw).id));
  const holding = ofFirewalls.value.raw.filter(raw => !isOfMachine || isAttachedTo(raw, ids));
  const all = [
    ...holding.map(holder => ({kind: 'firewall' as const, resource: firewalls, holder, field: 'rules'})),
    ...ofMachines.value.raw.map(holder => ({
      kind: 'vm' as const,
      resource: machines,
      holder,
      field: 'security_rules',
    })),
  ];
  const raw: unknown[] = [];
  const owners = new Map<unknown, SafeText>();
  for (const {kind, resource, holder, field} of all) {
    const {id, name} = resource.parseRaw(holder);
    const owner = say`${safeText(resource.names[1] ?? '')} ${name ?? say`?`} #${id ?? say`?`}`;
    const own = rawField(holder, field);
    for (const each of Array.isArray(own) ? own : []) {
      const rule = withOwner(each, kind, holder);
      raw.push(rule);
      owners.set(rule, owner);
    }
  }
  return {ok: true, value: {raw, owners}};
}

const NO_HOLDERS: Extract<Listed, {ok: true}> = {ok: true, value: {raw: []}};

async function holders(reader: Reader, resource: Resource, named: string | undefined): Promise<Listed> {
  if (named === undefined) return resource.list(reader);
  const found = await find(reader, resource, named);
  return found.ok ? {ok: true, value: {raw: [found.value.raw]}} : found;
}

/** Machines of a firewall that cannot be parsed are unknown. */
function isAttachedTo(rawFirewall: unknown, machineIds: ReadonlySet<string | undefined>): boolean {
  const reading = listFirewalls.record(rawFirewall);
  return reading.ok && presentIn(reading.value).some(({machineId}) => machineIds.has(String(machineId)));
}

export const protocols = defineResource<SafeText, SafeText>({
  names: ['protocols', 'protocol'],
  summary: 'protocols for rules',
  columns: [{key: 'name', title: 'NAME', value: name => text(name)}],
  list: async ({client, signal}) => rawOf(await client.readRaw(ruleProtocols, {}, {signal})),
  parse: ruleProtocols.record,
  row: undated,
  idOf: name => name,
  nameOf: name => name,
});
