import {getFirewall, listFirewalls} from '../api/firewalls.ts';
import {isUnattached, isAttached, presentIn} from '../domain/attachment-state.ts';
import {type Firewall, type FirewallStatus, firewallId, hasUncertainRules, withState} from '../domain/firewall.ts';
import {say} from '../domain/safe-text.ts';
import {RULE_SET} from '../domain/timeline/changes.ts';
import {isExposed, isOpenToWorld, ruleWords} from '../domain/security-rule.ts';
import type {EpochMs} from '../domain/time.ts';
import {firewallFeed, firewallsFeed, observedFirewalls} from '../state/firewalls.ts';
import {recordFeed} from '../state/feed.ts';
import {formatCounted, UNKNOWN} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {environmentOf, machinesWhere} from './related.ts';
import {AGE, age, type Column, knownPart, number, text, type Value} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {recordSource, defineResource, type RowInput} from './resource.ts';

export type FirewallRow = {
  readonly firewall: Firewall;
  /**
   * Rules open to the world, and those among them that are exposed: not for a web server, not for pings. In any state:
   * one that failed may be one whose removal failed, which is in force.
   */
  readonly openCount: number;
  readonly exposedCount: number;
  readonly now: EpochMs;
};

const STATE_TONES: Readonly<Record<FirewallStatus, Tone>> = {
  SUCCESS: 'good',
  CREATING: 'notice',
  DELETING: 'notice',
  ERROR: 'danger',
  FAILED: 'danger',
  UNKNOWN: 'notice',
};

const COLUMNS: readonly Column<FirewallRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({firewall}) => number(firewall.id)},
  {
    key: 'name',
    title: 'NAME',
    value: ({firewall}) => text(firewall.name),
    list: {minWidth: 10, maxWidth: 51, flex: 2, tone: 'strong'},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({firewall}) => text(firewall.statusText),
    list: {minWidth: 11, priority: 1, tone: ({firewall}) => STATE_TONES[firewall.status]},
  },
  {
    key: 'rules',
    title: 'RULES',
    align: 'right',
    value: ({firewall}) => number(firewall.hasUnreadRules === true ? undefined : firewall.rules.length),
    list: {minWidth: 5},
  },
  {
    key: 'machines',
    title: 'VMS',
    align: 'right',
    value: ({firewall}) => number(firewall.hasUnreadAttachments === true ? undefined : presentIn(firewall).length),
    list: {minWidth: 4, draw: machinesCell},
  },
  {
    key: 'open',
    title: 'OPEN',
    align: 'right',
    value: ({firewall, openCount}) => countOf(openCount, firewall),
    list: {minWidth: 4, tone: ({openCount}) => (openCount === 0 ? 'dim' : 'text')},
  },
  {
    key: 'exposed',
    title: 'EXPOSED',
    align: 'right',
    value: ({firewall, exposedCount}) => countOf(exposedCount, firewall),
    list: {minWidth: 7, draw: exposedCell},
  },
  {
    key: 'environment',
    title: 'ENVIRONMENT',
    value: ({firewall}) => text(firewall.environmentName),
    list: {minWidth: 13, maxWidth: 30, flex: 1, priority: 2, tone: 'dim'},
  },
  {
    ...AGE,
    value: ({firewall, now}) => age(firewall.createdAt, now),
  },
  {key: 'region', title: 'REGION', printed: 'wide', value: ({firewall}) => text(firewall.regionName)},
  {key: 'description', title: 'DESCRIPTION', printed: 'wide', value: ({firewall}) => text(firewall.description)},
  {
    key: 'rule',
    title: 'RULE',
    printed: 'asked',
    value: ({firewall}) => text(firewall.rules.map(rule => withState(ruleWords(rule), rule)).join(', ')),
  },
];

export const firewalls = defineResource<Firewall, FirewallRow>({
  names: ['firewalls', 'firewall', 'fw'],
  type: 'firewall',
  summary: 'firewalls',
  ...recordSource({
    parse: listFirewalls.record,
    feed: firewallsFeed,
    one: id => firewallFeed(firewallId(id)),
    observed: observedFirewalls,
  }),
  shownIn: {paneId: 'firewalls'},
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listFirewalls, {}, {signal, onPage})),
  canStream: true,
  one: readById(getFirewall, firewallId),
  rawFeed: ({id}) => recordFeed(['firewall', id], getFirewall, {id}),
  row:
    ({now}) =>
    firewall => ({
      firewall,
      openCount: firewall.rules.filter(isOpenToWorld).length,
      exposedCount: firewall.rules.filter(isExposed).length,
      now,
    }),
  detail: firewallLines,
  related: (firewall, store) => [
    machinesWhere(store, ({id}) => isAttached(firewall, id)),
    ...environmentOf(store, firewall),
  ],
  orderWords: say`most exposed machines first`,
  order: (left, right) =>
    reach(right, right.exposedCount) - reach(left, left.exposedCount) ||
    reach(right, right.openCount) - reach(left, left.openCount) ||
    left.firewall.id - right.firewall.id,
  recordIn: ({firewall}) => firewall,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  compared: {
    state: ({status, statusText}) => ({status, word: statusText}),
    values: [{what: say`name`, of: ({name}) => name}],
    sets: [
      RULE_SET,
      {
        joined: say`attached to`,
        left: say`detached from`,
        of: firewall =>
          firewall.hasUnreadAttachments ? undefined : presentIn(firewall).map(({machineName}) => machineName),
      },
    ],
  },
});

/** More for more machines that some of its rules open; 0 if it has none of these rules, or is attached to nothing. */
function reach({firewall}: FirewallRow, ruleCount: number): number {
  return ruleCount === 0 || isUnattached(firewall) ? 0 : 1 + presentIn(firewall).length;
}

/** Below the rules that are listed: what may be missing, or that there are none. */
function furtherRules({rules: {length: count}, hasUnreadRules}: Firewall): readonly Line[] {
  if (hasUnreadRules !== true) return count === 0 ? [field('rules', 'none: no traffic allowed')] : [];
  return [
    count === 0 ? field('rules', 'could not be read', 'warning') : field('', 'others could not be read', 'warning'),
  ];
}

function machinesCell({firewall}: FirewallRow): Line {
  if (firewall.hasUnreadAttachments === true) return [{text: '?', tone: 'dim'}];
  const count = presentIn(firewall).length;
  return [{text: String(count), tone: count === 0 ? 'dim' : 'text'}];
}

function exposedCell({firewall, exposedCount}: FirewallRow, _width: number, theme: Theme): Line {
  const {text: shown} = countOf(exposedCount, firewall) ?? {text: UNKNOWN};
  const isNow = exposedCount > 0 && !isUnattached(firewall);
  return isNow ? [{text: theme.glyphs.warning + shown, tone: 'warning'}] : [{text: shown, tone: 'dim'}];
}

/** How many of its rules are of some kind: `2`, `1+` if some could not be read, and unknown if none of those read is. */
function countOf(count: number, firewall: Firewall): Value | undefined {
  const isPart = hasUncertainRules(firewall);
  return isPart && count === 0 ? undefined : knownPart(number(count), isPart);
}

/** `3 rules to the world, 1 of them exposed`. */
function openText({openCount, exposedCount, firewall}: FirewallRow): string {
  if (openCount === 0) return 'unknown: not all rules could be read';
  const exposed = exposedCount === 0 ? 'none of them exposed (80, 443 or ping)' : `${exposedCount} of them exposed`;
  return `${hasUncertainRules(firewall) ? 'at least ' : ''}${formatCounted(openCount, 'rule')} to the world, ${exposed}`;
}

/** Open rules first, then the fields, the machines and all rules. */
function firewallLines(row: FirewallRow, _known: RowInput, width: number): readonly Line[] {
  const {firewall, openCount, exposedCount, now} = row;
  const {rules, hasUnreadAttachments} = firewall;
  const names = presentIn(firewall).map(({machineName, machineId}) => machineName ?? `#${machineId ?? '?'}`);
  const exposedFirst = rules.toSorted((left, right) => Number(isExposed(right)) - Number(isExposed(left)));
  return [
    field('id', String(firewall.id)),
    field('state', firewall.statusText, STATE_TONES[firewall.status]),
    ...(openCount === 0 && !hasUncertainRules(firewall)
      ? []
      : [field('open', openText(row), exposedCount > 0 || openCount === 0 ? 'warning' : undefined)]),
    ...wrappedField('machines', hasUnreadAttachments === true ? 'unknown' : names.join('  ') || 'none', width),
    field('environment', firewall.environmentName),
    field('region', firewall.regionName),
    ...wrappedField('description', firewall.description || 'none', width),
    field('created', momentText(firewall.createdAt, now)),
    ...exposedFirst.flatMap((rule, index) =>
      wrappedField(
        index === 0 ? 'rules' : '',
        withState(ruleWords(rule), rule),
        width,
        isExposed(rule) ? 'warning' : undefined,
      ),
    ),
    ...furtherRules(firewall),
  ];
}
