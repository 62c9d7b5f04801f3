import type {Firewall, FirewallId} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import {type FirewallRow, firewalls} from '../../resources/firewalls.ts';
import {listedRows} from '../../resources/resource.ts';
import {type RuleRow, ruleKey, ruleRows, rules} from '../../resources/rules.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {LIST_START} from '../list.ts';
import {type ListKeys, listKeys} from '../list-commands.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {type ListAt, resourceList} from '../resource-list.tsx';
import {zoomedDetail} from '../zoomed-detail.tsx';
import {type FirewallsLayout, firewallsLayout} from './layout.ts';
import type {FirewallsView} from './view.ts';

type Context = PaneContext<FirewallsView>;

export const firewallList = resourceList<FirewallRow, FirewallId>({
  title: say`firewalls`,
  feed: firewallsFeed,
  columns: firewalls.columns,
  rows: known => listedRows(firewalls, known),
  idOf: ({firewall}) => firewall.id,
  subjectOf: ({firewall: {id}}) => ({type: 'firewall', id}),
});

/** The rules of the firewall under the cursor. */
export const ruleList = resourceList<RuleRow, string, Firewall>({
  title: say`rules`,
  columns: rules.columns,
  rows: (known, firewall) => ruleRows(firewall?.rules ?? [], known),
  idOf: ruleKey,
  heading: ({id, name}) => say`rules of ${name} #${id}`,
  showsCut: true,
  none: (_scene, firewall) => (firewall === undefined ? say`` : say`no rules: no traffic allowed`),
});

export function layoutHere({scene, view}: Context): FirewallsLayout {
  const {rows} = firewallList.shown({scene, view});
  const ruleCounts = rows.map(({firewall}) => firewall.rules.length);
  return firewallsLayout(scene.size, {firewalls: rows.length, rules: Math.max(0, ...ruleCounts)});
}

export function firewallUnderCursor(context: Context): Firewall | undefined {
  return firewallList.rowUnderCursor(context)?.firewall;
}

export function rulesAt({scene, view}: Context): ListAt<string, Firewall> {
  return {scene, view: view.rules, of: firewallUnderCursor({scene, view})};
}

const FIREWALL_KEYS = listKeys<FirewallsView, FirewallRow, FirewallId, undefined>(
  firewallList,
  {
    at: context => context,
    // Another firewall begins with its first rule.
    put: (view, list) => ({
      ...view,
      ...list,
      rules: list.cursorId === view.cursorId ? view.rules : {...view.rules, ...LIST_START},
    }),
  },
  ({firewall}) => firewall.name,
);

const RULE_KEYS = listKeys<FirewallsView, RuleRow, string, Firewall>(
  ruleList,
  {at: rulesAt, put: (view, list) => ({...view, rules: list})},
  ({rule}) => ruleWords(rule),
);

/** The firewall under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<FirewallsView> | undefined {
  const row = firewallList.rowUnderCursor(context);
  return zoomedDetail(context, width => row && firewalls.detail?.(row, context.scene, width));
}

/** The list that the keys move. */
export function listHere({view}: Context): ListKeys<FirewallsView> {
  return view.part === 'rules' ? RULE_KEYS : FIREWALL_KEYS;
}
