import {type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {type Firewall, type FirewallStatus, ruleState} from '../../domain/firewall.ts';
import {isExposed, isOpenToWorld, prefixWords, ruleWords} from '../../domain/security-rule.ts';
import type {SecurityRule} from '../../domain/virtual-machine.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import type {Column} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import type {Theme, Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';
import type {FirewallsView} from './view.ts';

export type FirewallRow = {
  readonly firewall: Firewall;
  /** Rules that let everyone in, and those of them that are no web server's. */
  readonly openCount: number;
  readonly exposedCount: number;
};

const FILTER_COLUMNS = ['name', 'environment', 'state', 'open', 'rules', 'machines', 'rule'];

/** The firewalls that match the filter, those open to the world first. Undefined until the list was read once. */
export function firewallRows(
  scene: Scene,
  view: Pick<FirewallsView, 'filterText'>,
): readonly FirewallRow[] | undefined {
  const firewalls = observedFirewalls(scene.store);
  if (firewalls === undefined) return undefined;
  const parsed = parseFirewallFilter(view.filterText);
  return firewalls
    .map(firewall => ({
      firewall,
      openCount: firewall.rules.filter(isOpenToWorld).length,
      exposedCount: firewall.rules.filter(isExposed).length,
    }))
    .filter(row => !parsed.ok || matchesFilter(parsed.filter, filterRow(row)))
    .sort((left, right) => weight(right) - weight(left) || left.firewall.id - right.firewall.id);
}

/** What is open matters as much as the number of machines behind it. */
function weight({firewall, exposedCount}: FirewallRow): number {
  return exposedCount > 0 ? 1 + firewall.attachments.length : 0;
}

export function parseFirewallFilter(text: string): FilterOutcome {
  return parseFilter(text, FILTER_COLUMNS);
}

function filterRow({firewall, openCount}: FirewallRow): FilterRow {
  const cells = new Map<string, {text: string; number?: number}>([
    ['name', {text: firewall.name}],
    ['environment', {text: firewall.environmentName ?? ''}],
    ['state', {text: firewall.statusText}],
    ['open', {text: String(openCount), number: openCount}],
    ['rules', {text: String(firewall.rules.length), number: firewall.rules.length}],
    ['machines', {text: String(firewall.attachments.length), number: firewall.attachments.length}],
    ['rule', {text: firewall.rules.map(ruleWords).join(' ')}],
  ]);
  return {cell: column => cells.get(column), shownTexts: () => [...cells.values()].map(({text}) => text)};
}

const STATE_TONES: Readonly<Record<FirewallStatus, Tone>> = {
  SUCCESS: 'good',
  CREATING: 'notice',
  DELETING: 'notice',
  ERROR: 'danger',
  FAILED: 'danger',
  UNKNOWN: 'notice',
};

export const FIREWALL_COLUMNS: readonly Column<FirewallRow>[] = [
  {
    key: 'name',
    title: 'NAME',
    minWidth: 10,
    maxWidth: 51,
    flex: 2,
    cell: ({firewall}) => [{text: firewall.name, tone: 'strong'}],
  },
  {
    key: 'rules',
    title: 'RULES',
    minWidth: 5,
    align: 'right',
    cell: ({firewall}) => [{text: String(firewall.rules.length)}],
  },
  {key: 'machines', title: 'VMS', minWidth: 4, align: 'right', cell: machinesCell},
  {key: 'open', title: 'OPEN', minWidth: 5, align: 'right', cell: openCell},
  {key: 'state', title: 'STATE', minWidth: 11, priority: 1, cell: stateCell},
  {key: 'environment', title: 'ENVIRONMENT', minWidth: 13, maxWidth: 30, flex: 1, priority: 2, cell: environmentCell},
];

function machinesCell({firewall}: FirewallRow): Line {
  if (firewall.hasUnreadAttachments === true) return [{text: '?', tone: 'dim'}];
  const count = firewall.attachments.length;
  return count === 0 ? [{text: 'none', tone: 'dim'}] : [{text: String(count)}];
}

function openCell({openCount, exposedCount}: FirewallRow, _width: number, theme: Theme): Line {
  if (exposedCount > 0) return [{text: `${theme.glyphs.warning}${exposedCount}`, tone: 'warning'}];
  return [{text: openCount === 0 ? '0' : 'web', tone: 'dim'}];
}

function stateCell({firewall}: FirewallRow): Line {
  return [{text: firewall.statusText, tone: STATE_TONES[firewall.status]}];
}

function environmentCell({firewall}: FirewallRow): Line {
  return [{text: firewall.environmentName ?? '–', tone: 'dim'}];
}

/** A rule of the chosen firewall; rules of one firewall that say the same are told apart by their id. */
export type RuleRow = {readonly rule: SecurityRule; readonly key: string};

/** What comes in before what goes out, and what is open to the world first. */
export function ruleRows(firewall: Firewall | undefined): readonly RuleRow[] {
  return [...(firewall?.rules ?? [])]
    .map(rule => ({rule, key: `${rule.id ?? ''} ${ruleWords(rule)} ${rule.etherType ?? ''}`}))
    .sort((left, right) => rankOf(left.rule) - rankOf(right.rule) || (left.rule.id ?? 0) - (right.rule.id ?? 0));
}

function rankOf(rule: SecurityRule): number {
  if (rule.direction !== 'ingress') return 2;
  return isExposed(rule) ? 0 : 1;
}

export const RULE_COLUMNS: readonly Column<RuleRow>[] = [
  {key: 'direction', title: 'DIR', minWidth: 7, cell: ({rule}) => [{text: rule.direction ?? '–'}]},
  {
    key: 'protocol',
    title: 'PROTO',
    minWidth: 5,
    maxWidth: 12,
    flex: 1,
    cell: ({rule}) => [{text: rule.protocol ?? '–'}],
  },
  {key: 'ports', title: 'PORTS', minWidth: 9, maxWidth: 11, flex: 1, cell: ({rule}) => [{text: portsText(rule)}]},
  {key: 'prefix', title: 'CIDR', minWidth: 18, maxWidth: 43, flex: 2, cell: prefixCell},
  {
    key: 'ether',
    title: 'ETHER',
    minWidth: 5,
    priority: 2,
    cell: ({rule}) => [{text: rule.etherType ?? '–', tone: 'dim'}],
  },
  {key: 'state', title: 'STATE', minWidth: 8, cell: ruleStateCell},
  {key: 'risk', title: 'RISK', minWidth: 13, maxWidth: 20, flex: 1, cell: riskCell},
];

function portsText({portRangeMin: from, portRangeMax: to}: SecurityRule): string {
  if (from === undefined) return 'all';
  return from === to || to === undefined ? String(from) : `${from}-${to}`;
}

function prefixCell({rule}: RuleRow): Line {
  return [{text: prefixWords(rule), tone: isOpenToWorld(rule) ? 'warning' : 'text'}];
}

const RULE_TONES: Readonly<Record<ReturnType<typeof ruleState>, Tone>> = {
  pending: 'notice',
  'in-force': 'good',
  failed: 'danger',
  unknown: 'notice',
};

function ruleStateCell({rule}: RuleRow): Line {
  return [{text: rule.status ?? 'unknown', tone: RULE_TONES[ruleState(rule)]}];
}

function riskCell({rule}: RuleRow, _width: number, theme: Theme): Line {
  if (!isOpenToWorld(rule)) return [];
  return isExposed(rule)
    ? [{text: `${theme.glyphs.warning} open to all`, tone: 'warning'}]
    : [{text: 'open on purpose', tone: 'dim'}];
}
