import {type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import type {Firewall, FirewallStatus} from '../../domain/firewall.ts';
import {isExposed, isOpenToWorld, ruleWords} from '../../domain/security-rule.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import type {TableColumn} from '../../ui/table.ts';
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

export const FIREWALL_COLUMNS: readonly TableColumn<FirewallRow>[] = [
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
