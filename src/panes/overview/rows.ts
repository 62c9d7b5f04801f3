import {type FilterOutcome, matchesFilter, parseFilter} from '../../domain/filter.ts';
import type {Firewall} from '../../domain/firewall.ts';
import {hourlyUsd, type Rate, sumRates} from '../../domain/money.ts';
import {isExposed, isOpenToWorld} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {isTransitional, type SecurityRule, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {billingFigures, creditLeft, presentRates} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, observedMachines} from '../../state/machines.ts';
import {formatDuration, formatRateFigure} from '../../ui/format.ts';
import type {TableColumn} from '../../ui/table.ts';
import {widthOf} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';
import {type Attention, attentionList, type Severity} from './attention.ts';
import type {OverviewView} from './view.ts';

/** A line of the list, with the moment it was made for. */
export type AttentionRow = {readonly item: Attention; readonly now: number};

const FILTER_COLUMNS = ['severity', 'what', 'where', 'cost'];

/** What needs a person now, worst first, as far as it matches the filter. */
export function attentionRows(scene: Scene, view: Pick<OverviewView, 'filterText'>): readonly AttentionRow[] {
  const parsed = parseAttentionFilter(view.filterText);
  return attentionOf(scene)
    .filter(item => !parsed.ok || matchesFilter(parsed.filter, filterRow(item)))
    .map(item => ({item, now: scene.now}));
}

export function parseAttentionFilter(text: string): FilterOutcome {
  return parseFilter(text, FILTER_COLUMNS);
}

function filterRow({severity, what, where, rate}: Attention): Parameters<typeof matchesFilter>[1] {
  const cells = new Map<string, {text: string; number?: number}>([
    ['severity', {text: severity}],
    ['what', {text: what}],
    ['where', {text: where}],
    ['cost', rate === undefined ? {text: ''} : {text: formatRateFigure(rate), number: hourlyUsd(rate)}],
  ]);
  return {cell: column => cells.get(column), shownTexts: () => [...cells.values()].map(({text}) => text)};
}

function attentionOf({store, preferences, now}: Scene): readonly Attention[] {
  const machines = observedMachines(store) ?? [];
  return attentionList({
    machines,
    rates: presentRates(store),
    eventsOf: machine => lastValue(store.get(eventsFeed(machine.id)))?.records,
    clusters: lastValue(store.get(clustersFeed))?.records ?? [],
    contracts: lastValue(store.get(contractsFeed))?.records ?? [],
    creditLeftMs: creditLeft(store, billingFigures(store, now), preferences),
    preferences,
    openMachines: new Map(machines.flatMap(machine => openEntry(machine))),
    openFirewalls: (lastValue(store.get(firewallsFeed))?.records ?? []).flatMap(openFirewall),
    now,
  });
}

function openEntry(machine: VirtualMachine): readonly (readonly [number, string])[] {
  const ports = sensitivePorts(machine.rules);
  return ports === undefined ? [] : [[machine.id, ports]];
}

function openFirewall(firewall: Firewall): readonly {id: number; name: string; ports: string; machineCount: number}[] {
  const ports = sensitivePorts(firewall.rules);
  return ports === undefined
    ? []
    : [{id: firewall.id, name: firewall.name, ports, machineCount: firewall.attachments.length}];
}

function sensitivePorts(rules: readonly SecurityRule[]): string | undefined {
  const open = rules.filter(isExposed);
  const ports = [...new Set(open.map(portText))];
  return ports.length === 0 ? undefined : ports.join(', ');
}

/** `tcp/22`, `udp/1-100`, `any`. */
export function portText({protocol, portRangeMin, portRangeMax}: SecurityRule): string {
  const name = protocol ?? 'unknown';
  if (portRangeMin === undefined) return name;
  return portRangeMin === portRangeMax || portRangeMax === undefined
    ? `${name}/${portRangeMin}`
    : `${name}/${portRangeMin}-${portRangeMax}`;
}

const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {CRIT: 'danger', WARN: 'warning', NOTE: 'notice'};

/** No wider than what is told: the rest of the room is for the names, which tell one object from the next. */
export function attentionColumns(rows: readonly AttentionRow[]): readonly TableColumn<AttentionRow>[] {
  const longest = Math.max(MIN_WHAT_WIDTH, ...rows.map(({item}) => widthOf(item.what)));
  return [SEVERITY_COLUMN, {...WHAT_COLUMN, maxWidth: longest}, ...PLACE_COLUMNS];
}

const MIN_WHAT_WIDTH = 24;

const SEVERITY_COLUMN: TableColumn<AttentionRow> = {
  key: 'severity',
  title: 'SEV',
  minWidth: 4,
  cell: ({item}) => [{text: item.severity, tone: SEVERITY_TONES[item.severity]}],
};

const WHAT_COLUMN: TableColumn<AttentionRow> = {
  key: 'what',
  title: 'WHAT',
  minWidth: MIN_WHAT_WIDTH,
  flex: 3,
  cell: ({item}) => [{text: item.what}],
};

const PLACE_COLUMNS: readonly TableColumn<AttentionRow>[] = [
  {
    key: 'where',
    title: 'WHERE',
    minWidth: 12,
    flex: 1,
    cell: ({item}) => [{text: item.where, tone: 'strong', isName: true}],
  },
  {
    key: 'since',
    title: 'SINCE',
    minWidth: 5,
    align: 'right',
    priority: 1,
    cell: ({item, now}) => [{text: item.since === undefined ? '–' : formatDuration(now - item.since), tone: 'dim'}],
  },
  {
    key: 'cost',
    title: '$/h',
    minWidth: 7,
    align: 'right',
    cell: ({item}) => [
      {
        text: item.rate === undefined ? '–' : formatRateFigure(item.rate),
        tone: item.rate === undefined ? 'dim' : 'money',
      },
    ],
  },
];

/** The machines in one state, and what they cost together now. */
export type StateGroup = {
  readonly status: VirtualMachine['status'];
  readonly word: string;
  readonly count: number;
  readonly rate: Rate;
  /** Machines whose rate is not known: they are missing in it. */
  readonly unpricedCount: number;
};

/** The machines by state, the largest group first. Undefined until the list was read once. */
export function stateGroups({store}: Pick<Scene, 'store'>): readonly StateGroup[] | undefined {
  const machines = observedMachines(store);
  if (machines === undefined) return undefined;
  const rates = presentRates(store);
  return [...Map.groupBy(machines, ({statusText}) => statusText)]
    .map(([word, group]): StateGroup => {
      const known = group.flatMap(({id}) => rates.get(id) ?? []);
      return {
        status: group[0]?.status ?? 'UNKNOWN',
        word,
        count: group.length,
        rate: sumRates(known),
        unpricedCount: group.length - known.length,
      };
    })
    .sort((left, right) => right.count - left.count || left.word.localeCompare(right.word));
}

/** One way in from everywhere: where, through what, and to how many machines. */
export type Exposure = {readonly where: string; readonly ports: string; readonly machineCount: number};

/** All that is open to the world, firewalls first. Undefined until both lists were read. */
export function exposures({store}: Pick<Scene, 'store'>): readonly Exposure[] | undefined {
  const machines = observedMachines(store);
  const firewalls = lastValue(store.get(firewallsFeed))?.records;
  if (machines === undefined || firewalls === undefined) return undefined;
  const ofFirewalls = firewalls.flatMap(({name, rules, attachments}) => exposure(name, rules, attachments.length));
  return [...ofFirewalls, ...machines.flatMap(({name, rules}) => exposure(name, rules, 1))];
}

function exposure(where: string, rules: readonly SecurityRule[], machineCount: number): readonly Exposure[] {
  const ports = [...new Set(rules.filter(isOpenToWorld).map(portText))];
  return ports.length === 0 ? [] : [{where, ports: ports.join(', '), machineCount}];
}

/** Machines whose history tells since when something is wrong. */
export function isTroubled({status}: VirtualMachine): boolean {
  return status === 'ERROR' || status === 'SHUTOFF' || isTransitional(status);
}
