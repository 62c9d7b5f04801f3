import {Box} from 'ink';
import type {ReactNode} from 'react';
import {firewallId} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import {ruleRows} from '../../resources/rules.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed, protocolsFeed} from '../../state/firewalls.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {feedFrame} from '../feed-state.ts';
import type {PaneContext, PaneDefinition} from '../pane.ts';
import {FIREWALLS_COMMANDS, FIREWALLS_MENUS} from './commands.ts';
import {type FirewallsLayout, firewallsLayout, visibleRows} from './layout.ts';
import {firewallList, firewallUnderCursor, ruleList, rulesAt} from './lists.ts';
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
    mistake: firewallList.filterMistake,
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
    rows: firewallList
      .shown({scene, view})
      .rows.flatMap(({firewall}) =>
        ruleRows(firewall.rules, scene).map(({rule}) => [
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
function settle({scene, view}: Context): FirewallsView {
  const layout = firewallsLayout(scene.size);
  const settled = firewallList.settled({scene, view}, visibleRows(layout.list));
  const rules = ruleList.settled(rulesAt({scene, view: settled}), visibleRows(layout.rules));
  return rules === settled.rules ? settled : {...settled, rules};
}

function FirewallsScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = firewallsLayout(scene.size);
  const isInRules = view.part === 'rules';
  const list = <firewallList.Box {...context} place={layout.list} isFocused={!isInRules} />;
  const attached = <AttachedMachines {...context} place={layout.attached} />;
  const rules = (
    <ruleList.Box
      {...rulesAt(context)}
      place={layout.rules}
      isFocused={isInRules}
      right={isInRules ? '' : 'tab: rules'}
    />
  );
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
