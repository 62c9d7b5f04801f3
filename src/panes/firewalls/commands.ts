import {type SafeText, say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import {firewalls} from '../../resources/firewalls.ts';
import type {RuleRow} from '../../resources/rules.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {copiedRecord, copyMenu} from '../copy-menu.ts';
import {moveCommands} from '../list.ts';
import {orderCommands, sortMenu} from '../list-commands.ts';
import type {PaneContext} from '../pane.ts';
import {creationCommands, recordCommands} from '../record-commands.ts';
import {relatedMenu} from '../related-menu.ts';
import {byPlace, ruleCommands} from '../rule-commands.ts';
import {scrolledDetail, ZOOM_START, zoomCommand} from '../zoomed-detail.tsx';
import {visibleRows} from './layout.ts';
import {firewallUnderCursor, layoutHere, listHere, openDetail, ruleList, rulesAt} from './lists.ts';
import type {FirewallsView} from './view.ts';

type Context = PaneContext<FirewallsView>;
type FirewallsCommand = Command<Context, PaneOutcome<FirewallsView>>;

const ON_RULE = ruleCommands<FirewallsView>('firewalls', {
  awayFromRulesReason: noFirewallReason,
  owner: firewallUnderCursor,
  rule: context => ruleUnderCursor(context)?.rule,
  newRuleHelp: 'Creates a rule: a form, then a confirmation.',
  isInStatusBar: true,
});

const COPY_AS = copyMenu<Context>('firewalls', context => {
  const firewall = firewallUnderCursor(context);
  return firewall && copiedRecord(firewalls, firewall);
});

const ON_FIREWALL = recordCommands<FirewallsView>('firewalls', 'firewall', firewallUnderCursor);

/** What fits the firewall and its rules alike. */
const PLACE_TITLES: ReadonlyMap<string, SafeText> = new Map([
  ['i', say`edit`],
  ['X', say`remove`],
]);

const RELATED = relatedMenu<FirewallsView>('firewalls', context => {
  const firewall = firewallUnderCursor(context);
  if (firewall === undefined) return undefined;
  return {name: firewall.name, groups: firewalls.related?.(firewall, context.scene.store) ?? []};
});

export const FIREWALLS_COMMANDS: readonly FirewallsCommand[] = [
  ...moveCommands<FirewallsView>('firewalls', {
    pageRows,
    moved: (context, step) => scrolledDetail(openDetail(context), step) ?? listHere(context).moved(context, step),
  }),
  {
    id: 'firewalls.open',
    title: say`rules`,
    help: 'From the firewalls to the rules of the chosen one.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    isAbsent: ({view}) => view.isZoomed,
    disabledReason: noFirewallReason,
    run: ({view}) => ({kind: 'view', view: {...view, part: 'rules'}}),
  },
  {
    id: 'firewalls.next-part',
    title: say`next part`,
    help: 'Between the firewalls and the rules of the chosen one.',
    keys: ['tab', 'shift-tab'],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: true,
    run: ({view}) => ({
      kind: 'view',
      view: {...view, ...ZOOM_START, part: view.part === 'rules' ? 'firewalls' : 'rules'},
    }),
  },
  ...[...creationCommands<FirewallsView>('firewalls', 'firewall'), ...ON_FIREWALL].map(onRuleOrFirewall),
  {
    id: 'firewalls.actions',
    title: say`actions`,
    help: 'Everything that can be done to the firewall: a rule, its machines, delete it, or why not.',
    keys: ['a'],
    group: 'Actions',
    effect: 'view',
    opens: 'actions',
    disabledReason: noFirewallReason,
    run: () => ({kind: 'menu', menuId: 'actions'}),
  },
  zoomCommand<FirewallsView>('firewalls', noFirewallReason),
  ...orderCommands<FirewallsView>('firewalls', listHere),
  {
    id: 'firewalls.copy',
    title: say`copy rule`,
    help: 'Copies the rule in one line, through the terminal, also over SSH.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: noRuleReason,
    run: context => {
      const row = ruleUnderCursor(context);
      return row === undefined ? {kind: 'done'} : {kind: 'copy', text: ruleWords(row.rule)};
    },
  },
  COPY_AS.command,
  RELATED.command,
];

export const FIREWALLS_MENUS = [
  COPY_AS.menu,
  RELATED.menu,
  sortMenu<FirewallsView>('firewalls', listHere),
  {
    id: 'actions',
    title: (context: Context) => {
      const firewall = firewallUnderCursor(context);
      return firewall === undefined
        ? say`actions`
        : say`actions for ${firewall.name} #${firewall.id}, ${firewall.statusText}`;
    },
    commands: [...ON_RULE.slice(0, 1), ...ON_FIREWALL],
  },
];

/** Among the rules a key does to the rule what it does to the firewall elsewhere. */
function onRuleOrFirewall(command: FirewallsCommand): FirewallsCommand {
  const onRule = ON_RULE.find(({keys}) => keys[0] === command.keys[0]);
  if (onRule === undefined) return command;
  return {
    ...byPlace(isInRules, onRule, command),
    title: PLACE_TITLES.get(command.keys[0] ?? '') ?? command.title,
    help: `${command.help} Among the rules (tab): ${onRule.help}`,
  };
}

function isInRules({part}: FirewallsView): boolean {
  return part === 'rules';
}

function ruleUnderCursor(context: Context): RuleRow | undefined {
  if (context.view.part !== 'rules') return undefined;
  return ruleList.rowUnderCursor(rulesAt(context));
}

function noFirewallReason(context: Context): SafeText | undefined {
  return firewallUnderCursor(context) === undefined ? say`there is no firewall under the cursor` : undefined;
}

function noRuleReason(context: Context): SafeText | undefined {
  if (context.view.part !== 'rules') return say`go to the rules first (tab)`;
  return ruleUnderCursor(context) === undefined ? say`there is no rule under the cursor` : undefined;
}

function pageRows(context: Context): number {
  const {view} = context;
  const layout = layoutHere(context);
  return Math.max(1, visibleRows(view.part === 'rules' ? layout.rules : layout.list));
}
