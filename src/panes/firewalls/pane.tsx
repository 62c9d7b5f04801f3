import {Box} from 'ink';
import type {ReactNode} from 'react';
import {type Firewall, firewallId} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import {isExposed, isOpenToWorld, ruleWords} from '../../domain/security-rule.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {ruleRows} from '../../resources/rules.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed, observedFirewalls, protocolsFeed} from '../../state/firewalls.ts';
import {machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {formatCounted} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {feedFrame} from '../feed-state.ts';
import {networkLines} from '../machine-charts.ts';
import {machineTableLines} from '../machine-table.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {ZOOM_START, ZoomedDetail, zoomedBack} from '../zoomed-detail.tsx';
import {FIREWALLS_COMMANDS, FIREWALLS_MENUS} from './commands.ts';
import {type FirewallsLayout, visibleRows} from './layout.ts';
import {firewallList, firewallUnderCursor, layoutHere, openDetail, ruleList, rulesAt} from './lists.ts';
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
  wants: context => [...WANTS, ...trafficWants(context)],
  settle,
  trail: context => {
    const firewall = firewallUnderCursor(context);
    return firewall === undefined ? ['firewalls'] : ['firewalls', firewall.name];
  },
  openDetail,
  back: view => {
    const back = zoomedBack(view);
    if (back !== undefined) return back;
    if (view.part === 'rules') return {...view, part: 'firewalls'};
    return view.filterText === '' ? undefined : {...view, filterText: ''};
  },
  withCursorOn: (view, id) => ({...view, cursorId: firewallId(id), filterText: '', part: 'firewalls', ...ZOOM_START}),
  withMarked: (view, ids) => ({...view, markedIds: new Set(ids.map(firewallId))}),
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
  const layout = layoutHere({scene, view});
  const found = firewallList.settled({scene, view}, visibleRows(layout.list));
  // A detail never shows another firewall than the one it was opened on.
  const isOther = view.isZoomed && view.cursorId !== undefined && found.cursorId !== view.cursorId;
  const settled = isOther ? {...found, ...ZOOM_START} : found;
  const rules = ruleList.settled(rulesAt({scene, view: settled}), visibleRows(layout.rules));
  return rules === settled.rules ? settled : {...settled, rules};
}

function FirewallsScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = layoutHere({scene, view});
  const detail = openDetail(context);
  const firewall = firewallUnderCursor(context);
  if (detail !== undefined && firewall !== undefined) {
    const title = `firewall ${firewall.name} #${firewall.id}`;
    return <ZoomedDetail scene={scene} detail={detail} title={title} feed={firewallsFeed} />;
  }
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
      <Box flexDirection="column">
        {rules}
        {layout.open.rows > 0 && <OpenRules {...context} place={layout.open} />}
      </Box>
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

const TABLE_FROM = 70;

function AttachedMachines({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene} = context;
  const firewall = firewallUnderCursor(context);
  const attachments = firewall?.attachments ?? [];
  return (
    <TitledBox
      {...feedFrame(scene, firewallsFeed)}
      title={firewall === undefined ? 'attached machines' : `attached machines ${attachments.length}`}
      lines={firewall === undefined ? [] : attachedLines(scene, firewall, {columns: width, rows: height})}
      width={width}
      height={height}
    />
  );
}

/** The machines as their own list has them, with what goes in and out of them, where there is room; else their names. */
function attachedLines(scene: Scene, firewall: Firewall, {columns, rows}: FirewallsLayout['list']): readonly Line[] {
  const {attachments} = firewall;
  if (attachments.length === 0) return [[{text: ' attached to no machine', tone: 'dim'}]];
  const machines = attachedMachines(scene, firewall);
  if (columns < TABLE_FROM || machines.length < attachments.length) {
    const names = attachments.map(({machineName}) => machineName).join('  ');
    return wrapLine([{text: names}], columns - 4).map((line): Line => [{text: ' '}, ...line]);
  }
  const table = machineTableLines(scene, machines, columns - 2);
  const chartCount = Math.min(chartsIn(rows - 2 - table.length), machines.length);
  const size = {columns: columns - 2, rows: Math.floor((rows - 2 - table.length) / Math.max(1, chartCount)) - 1};
  return [
    ...table,
    ...machines.slice(0, chartCount).flatMap((machine): readonly Line[] => [[], ...networkLines(scene, machine, size)]),
  ];
}

const MIN_CHART_ROWS = 9;
const MAX_CHARTS = 3;

function chartsIn(rows: number): number {
  return Math.max(0, Math.min(MAX_CHARTS, Math.floor(rows / (MIN_CHART_ROWS + 1))));
}

function attachedMachines({store}: Scene, {attachments}: Firewall): readonly VirtualMachine[] {
  const ids = new Set(attachments.map(({machineId}) => machineId));
  return (observedMachines(store) ?? []).filter(({id}) => ids.has(id));
}

/** The traffic of the first machines behind the firewall, where there is room to draw it. */
function trafficWants(context: Context): readonly Want[] {
  const firewall = firewallUnderCursor(context);
  if (firewall === undefined || layoutHere(context).open.rows === 0) return [];
  const machines = attachedMachines(context.scene, firewall).slice(0, MAX_CHARTS);
  return machines.map(({id}) => ({feed: metricsFeed(id, '1h'), priority: 5}));
}

/** Rules that let everyone in, of any firewall and of any machine; those of no web server first. */
function OpenRules({scene, place: {columns: width, rows: height}}: PartProps): ReactNode {
  const ofFirewalls = (observedFirewalls(scene.store) ?? []).flatMap(({name, rules, attachments}) =>
    rules.map(rule => ({name, rule, reach: formatCounted(attachments.length, 'machine')})),
  );
  const ofMachines = (observedMachines(scene.store) ?? []).flatMap(({name, rules}) =>
    rules.map(rule => ({name, rule, reach: 'its own rule'})),
  );
  const open = [...ofFirewalls, ...ofMachines]
    .filter(({rule}) => isOpenToWorld(rule))
    .sort((left, right) => Number(isExposed(right.rule)) - Number(isExposed(left.rule)));
  const lines = open.map(({name, rule, reach}, index): Line => {
    // Below the box they only count.
    if (index >= height) return [];
    return [
      {text: ` ${isExposed(rule) ? scene.theme.glyphs.warning : ' '} `, tone: 'warning'},
      ...fitLine([{text: name, tone: 'strong', isName: true}], NAME_CELLS),
      {text: ' '},
      ...fitLine([{text: ruleWords(rule), tone: isExposed(rule) ? 'warning' : 'text'}], RULE_CELLS),
      {text: reach, tone: 'dim'},
    ];
  });
  return (
    <TitledBox
      {...feedFrame(scene, firewallsFeed)}
      title={`open to the world, firewalls and machines ${open.length}`}
      lines={open.length === 0 ? [[{text: ' nothing is open to the world', tone: 'good'}]] : lines}
      width={width}
      height={height}
    />
  );
}

const NAME_CELLS = 30;
const RULE_CELLS = 44;
