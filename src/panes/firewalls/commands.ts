import type {Firewall} from '../../domain/firewall.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {LIST_START, moveCommands, movedCursor, rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {ruleCommands} from '../rule-commands.ts';
import type {RuleOwner} from '../rule-form.ts';
import {firewallsLayout, visibleRows} from './layout.ts';
import {firewallRows, type RuleRow, ruleRows} from './rows.ts';
import type {FirewallsView} from './view.ts';

type Context = PaneContext<FirewallsView>;
type FirewallsCommand = Command<Context, PaneOutcome<FirewallsView>>;

export const FIREWALLS_COMMANDS: readonly FirewallsCommand[] = [
  ...moveCommands<FirewallsView>('firewalls', {pageRows, moved}),
  {
    id: 'firewalls.open',
    title: say`rules`,
    help: 'From the firewalls to the rules of the chosen one.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
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
    run: ({view}) => ({kind: 'view', view: {...view, part: view.part === 'rules' ? 'firewalls' : 'rules'}}),
  },
  ...ruleCommands<FirewallsView>('firewalls', {
    awayFromRulesReason: noFirewallReason,
    awayFromRuleReason: ({view}) => (view.part === 'rules' ? undefined : say`go to the rules first (tab)`),
    owner: context => {
      const firewall = firewallUnderCursor(context);
      return firewall === undefined ? undefined : ownerOf(firewall);
    },
    subject: context => {
      const id = firewallUnderCursor(context)?.id;
      return id === undefined ? undefined : {type: 'firewall', id};
    },
    rule: context => ruleUnderCursor(context)?.rule,
    newRuleHelp: 'A rule by form, checked as it is typed; then its question.',
    isInStatusBar: true,
  }),
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
];

export function firewallUnderCursor({scene, view}: Context): Firewall | undefined {
  return rowAtCursor(view, firewallRows(scene, view) ?? [], ({firewall}) => firewall.id)?.firewall;
}

function ruleUnderCursor(context: Context): RuleRow | undefined {
  if (context.view.part !== 'rules') return undefined;
  return rowAtCursor(context.view.rules, ruleRows(firewallUnderCursor(context)), ({key}) => key);
}

function ownerOf(firewall: Firewall): RuleOwner {
  const {id, name, rules, attachments} = firewall;
  return {
    id,
    name,
    rules,
    reach: attachments.length === 1 ? say`1 machine` : say`${attachments.length} machines`,
    add: rule => ({kind: 'firewall.add-rule', id, rule}),
    remove: (ruleId, rule) => ({kind: 'firewall.remove-rule', id, ruleId, rule}),
    path: `/core/firewalls/${id}/firewall-rules`,
  };
}

function noFirewallReason(context: Context): SafeText | undefined {
  return firewallUnderCursor(context) === undefined ? say`there is no firewall under the cursor` : undefined;
}

function noRuleReason(context: Context): SafeText | undefined {
  if (context.view.part !== 'rules') return say`go to the rules first (tab)`;
  return ruleUnderCursor(context) === undefined ? say`there is no rule under the cursor` : undefined;
}

function moved(context: Context, step: number): FirewallsView {
  const {scene, view} = context;
  if (view.part === 'rules') {
    return {...view, rules: movedCursor(view.rules, ruleRows(firewallUnderCursor(context)), ({key}) => key, step)};
  }
  const cursor = movedCursor(view, firewallRows(scene, view) ?? [], ({firewall}) => firewall.id, step);
  return {...view, ...cursor, rules: LIST_START};
}

function pageRows({scene, view}: Context): number {
  const layout = firewallsLayout(scene.size);
  return Math.max(1, visibleRows(view.part === 'rules' ? layout.rules : layout.list));
}
