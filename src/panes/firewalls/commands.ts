import {cannotCreateReason} from '../../actions/action-question.ts';
import {createFirewall, deleteFirewall} from '../../actions/firewalls.ts';
import type {Firewall} from '../../domain/firewall.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import {firewalls} from '../../resources/firewalls.ts';
import type {RuleRow} from '../../resources/rules.ts';
import {rowAction} from '../asking.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {copyMenu} from '../copy-menu.ts';
import {moveCommands} from '../list.ts';
import {orderCommands, sortMenu} from '../list-commands.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {relatedMenu} from '../related-menu.ts';
import {byPlace, ruleCommands} from '../rule-commands.ts';
import {scrolledDetail, ZOOM_START, zoomCommand} from '../zoomed-detail.tsx';
import {attachmentsForm, attachReason, newFirewallForm} from './actions.ts';
import {visibleRows} from './layout.ts';
import {firewallUnderCursor, layoutHere, listHere, openDetail, ruleList, rulesAt} from './lists.ts';
import type {FirewallsView} from './view.ts';

type Context = PaneContext<FirewallsView>;
type FirewallsCommand = Command<Context, PaneOutcome<FirewallsView>>;

const [NEW_RULE, EDIT_RULE, REMOVE_RULE] = ruleCommands<FirewallsView>('firewalls', {
  awayFromRulesReason: noFirewallReason,
  owner: firewallUnderCursor,
  rule: context => ruleUnderCursor(context)?.rule,
  newRuleHelp: 'A rule by form, checked as it is typed; then its question.',
  isInStatusBar: true,
});

const COPY_AS = copyMenu<Context>('firewalls', context => {
  const firewall = firewallUnderCursor(context);
  if (firewall === undefined) return undefined;
  const {id, name} = firewall;
  return {name, id: say`${id}`, resource: 'firewall', target: `${id}`, path: `/core/firewalls/${id}`};
});

const NEW_FIREWALL: FirewallsCommand = {
  id: 'firewalls.new',
  title: say`new`,
  help: 'A firewall by form; among the rules (tab) a rule.',
  keys: ['n'],
  group: 'Actions',
  effect: 'operation',
  isInStatusBar: true,
  disabledReason: ({scene}) => cannotCreateReason(scene, createFirewall),
  run: ({scene}) => ({kind: 'form', form: newFirewallForm(scene)}),
};

const EDIT_MACHINES = onFirewall({
  id: 'firewalls.edit',
  title: say`edit`,
  help: 'Chooses the machines it holds for; among the rules (tab) changes the rule under the cursor.',
  keys: ['i'],
  reason: attachReason,
  run: (firewall, scene) => ({kind: 'form', form: attachmentsForm(firewall, scene)}),
});

const DELETE_FIREWALL = onFirewall({
  id: 'firewalls.delete',
  title: say`remove`,
  help: 'Deletes the firewall, after its full name was typed; among the rules (tab) removes the rule.',
  keys: ['X'],
  ...rowAction((firewall: Firewall) => ({action: deleteFirewall.with({id: firewall.id}), subject: firewall})),
});

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
  byPlace(isInRules, NEW_RULE, NEW_FIREWALL),
  byPlace(isInRules, EDIT_RULE, EDIT_MACHINES),
  byPlace(isInRules, REMOVE_RULE, DELETE_FIREWALL),
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
    commands: [
      ...(NEW_RULE === undefined ? [] : [NEW_RULE]),
      {...EDIT_MACHINES, id: 'firewalls.machines', title: say`machines`, help: 'Chooses the machines it holds for.'},
      {...DELETE_FIREWALL, id: 'firewalls.remove', title: say`delete`, help: 'Deletes the firewall with its rules.'},
    ],
  },
];

function isInRules({part}: FirewallsView): boolean {
  return part === 'rules';
}

type OnFirewall = Pick<FirewallsCommand, 'id' | 'title' | 'help' | 'keys'> & {
  readonly reason: (firewall: Firewall, scene: Scene) => SafeText | undefined;
  readonly run: (firewall: Firewall, scene: Scene) => PaneOutcome<FirewallsView>;
};

function onFirewall({reason, run, ...about}: OnFirewall): FirewallsCommand {
  return {
    ...about,
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: context => {
      const firewall = firewallUnderCursor(context);
      return firewall === undefined ? noFirewallReason(context) : reason(firewall, context.scene);
    },
    run: context => {
      const firewall = firewallUnderCursor(context);
      return firewall === undefined ? {kind: 'done'} : run(firewall, context.scene);
    },
  };
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
