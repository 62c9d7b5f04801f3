import {Box} from 'ink';
import type {ReactNode} from 'react';
import {firewallId} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed, protocolsFeed} from '../../state/firewalls.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {List} from '../../ui/list.tsx';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {withBusyColumn} from '../busy-column.ts';
import {feedFrame} from '../feed-state.ts';
import {settledCursor} from '../list.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {RULE_COLUMNS, ruleKey, ruleRows} from '../rule-list.ts';
import {FIREWALLS_COMMANDS, FIREWALLS_MENUS, firewallUnderCursor} from './commands.ts';
import {type FirewallsLayout, firewallsLayout, visibleRows} from './layout.ts';
import {FIREWALL_COLUMNS, firewallRows, parseFirewallFilter} from './rows.ts';
import {type FirewallsView, INITIAL_VIEW} from './view.ts';

type Context = PaneContext<FirewallsView>;

export const firewallsPane: PaneDefinition<FirewallsView> = {
  id: 'firewalls',
  key: '4',
  title: say`Firewalls`,
  aliases: ['firewall', 'fw', 'rules'],
  initialView: INITIAL_VIEW,
  commands: FIREWALLS_COMMANDS,
  menus: FIREWALLS_MENUS,
  filter: {
    text: view => view.filterText,
    // The keys go where the filter acts: another firewall must not come under them unseen.
    withText: (view, filterText) => ({...view, filterText, part: 'firewalls'}),
    mistake: text => {
      const parsed = parseFirewallFilter(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
  },
  wants: () => WANTS,
  settle,
  trail: context => {
    const firewall = firewallUnderCursor(context);
    return firewall === undefined ? ['firewalls'] : ['firewalls', firewall.name];
  },
  back: view => {
    if (view.part === 'rules') return {...view, part: 'firewalls'};
    return view.filterText === '' ? undefined : {...view, filterText: ''};
  },
  withCursorOn: (view, id) => ({...view, cursorId: firewallId(id), filterText: '', part: 'firewalls'}),
  table: ({scene, view}) => ({
    columns: ['firewall', 'rule', 'ethertype', 'state'],
    rows: (firewallRows(scene, view) ?? []).flatMap(({firewall}) =>
      ruleRows(firewall.rules).map(({rule}) => [
        firewall.name,
        ruleWords(rule),
        rule.etherType ?? '',
        rule.status ?? '',
      ]),
    ),
  }),
  Screen: FirewallsScreen,
};

const WANTS: readonly Want[] = [
  {feed: firewallsFeed, priority: 1},
  {feed: protocolsFeed, priority: 2},
  {feed: machinesFeed, priority: 3},
  {feed: usageFeed, priority: 3},
  {feed: environmentsFeed, priority: 4},
  {feed: permissionsFeed, priority: 4},
];

/** Keeps both cursors on their objects. */
function settle(context: Context): FirewallsView {
  const {scene, view} = context;
  const layout = firewallsLayout(scene.size);
  const cursor = settledCursor(view, firewallRows(scene, view) ?? [], ({firewall}) => firewall.id, {
    height: visibleRows(layout.list),
    hasChosen: scene.hasChosen,
  });
  const settled = cursor === view ? view : {...view, ...cursor};
  const rules = ruleRows(firewallUnderCursor({scene, view: settled})?.rules ?? []);
  const ruleCursor = settledCursor(settled.rules, rules, ruleKey, {
    height: visibleRows(layout.rules),
    hasChosen: scene.hasChosen,
  });
  return ruleCursor === settled.rules ? settled : {...settled, rules: ruleCursor};
}

function FirewallsScreen(context: Context): ReactNode {
  const {scene} = context;
  const layout = firewallsLayout(scene.size);
  const list = <FirewallList {...context} place={layout.list} />;
  const attached = <AttachedMachines {...context} place={layout.attached} />;
  const rules = <RuleList {...context} place={layout.rules} />;
  return layout.isWide ? (
    <Box width={scene.size.columns} height={scene.size.rows}>
      <Box flexDirection="column">
        {list}
        {attached}
      </Box>
      {rules}
    </Box>
  ) : (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {list}
      {rules}
      {attached}
    </Box>
  );
}

type PartProps = Context & {readonly place: FirewallsLayout['list']};

function FirewallList({scene, view, place: {columns: width, rows: height}}: PartProps): ReactNode {
  const rows = firewallRows(scene, view);
  const all = lastValue(scene.store.get(firewallsFeed))?.records.length;
  const filter = view.filterText === '' ? '' : `  /${view.filterText}`;
  return (
    <List
      {...feedFrame(scene, firewallsFeed)}
      title={all === undefined ? 'firewalls' : `firewalls ${rows?.length ?? 0} of ${all}${filter}`}
      columns={withBusyColumn(
        FIREWALL_COLUMNS,
        rows ?? [],
        ({firewall: {id}}) => ({type: 'firewall', id}),
        scene,
        width,
      )}
      rows={rows ?? []}
      idOf={({firewall}) => firewall.id}
      cursor={{id: view.cursorId, index: view.cursorIndex}}
      offset={view.offset}
      empty={emptyLine(scene, view, all)}
      width={width}
      height={height}
      isFocused={view.part === 'firewalls'}
    />
  );
}

function emptyLine(scene: Scene, view: FirewallsView, all: number | undefined): Line {
  if (all === undefined) return missingLine(scene, firewallsFeed, 'firewalls');
  if (all === 0) return [{text: ' this account has no firewalls', tone: 'dim'}];
  return [{text: ` none matches /${view.filterText}; esc clears the filter`, tone: 'dim'}];
}

function RuleList({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene, view} = context;
  const firewall = firewallUnderCursor(context);
  const rows = ruleRows(firewall?.rules ?? []);
  return (
    <List
      {...feedFrame(scene, firewallsFeed)}
      title={firewall === undefined ? 'rules' : `rules of ${firewall.name} #${firewall.id}  ${rows.length}`}
      right={view.part === 'rules' ? '' : 'tab changes them'}
      columns={RULE_COLUMNS}
      rows={rows}
      idOf={ruleKey}
      cursor={{id: view.rules.cursorId, index: view.rules.cursorIndex}}
      offset={view.rules.offset}
      empty={[{text: firewall === undefined ? '' : ' no rules: nothing passes', tone: 'dim'}]}
      width={width}
      height={height}
      isFocused={view.part === 'rules'}
    />
  );
}

function AttachedMachines({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene} = context;
  const firewall = firewallUnderCursor(context);
  const names = firewall?.attachments.map(({machineName}) => machineName) ?? [];
  const text: Line = [
    {text: names.length === 0 ? 'attached to no machine' : names.join('  '), tone: names.length === 0 ? 'dim' : 'text'},
  ];
  const lines = firewall === undefined ? [] : wrapLine(text, width - 4).map((line): Line => [{text: ' '}, ...line]);
  return (
    <TitledBox
      {...feedFrame(scene, firewallsFeed)}
      title={firewall === undefined ? 'attached machines' : `attached machines ${names.length}`}
      lines={lines}
      width={width}
      height={height}
    />
  );
}
