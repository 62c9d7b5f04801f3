import {Box} from 'ink';
import type {ReactNode} from 'react';
import {presentIn} from '../../domain/attachment-state.ts';
import {type Firewall, isLasting, withState} from '../../domain/firewall.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {
  hasPorts,
  isExposed,
  isWholeInternet,
  MAX_PORT,
  MIN_PORT,
  prefixWords,
  type RuleTerms,
  ruleWords,
} from '../../domain/security-rule.ts';
import type {SecurityRule, VirtualMachine} from '../../domain/virtual-machine.ts';
import {type FirewallRow, firewalls} from '../../resources/firewalls.ts';
import {missingLine} from '../../resources/detail.ts';
import {NOTHING_OPEN, openRules, openRulesText, reachText, ruleRows, rules} from '../../resources/rules.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {firewallsFeed, observedFirewalls, protocolsFeed} from '../../state/firewalls.ts';
import {hourFeeds, machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import type {Tone} from '../../ui/theme.ts';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import {partActions} from '../action-keys.ts';
import {resourcePart} from '../list/part.tsx';
import {collectionPane} from '../list/collection.tsx';
import type {ArrangedProps} from '../list/collection-view.ts';
import {copiedRecord} from '../copy-menu.ts';
import {historyLines, historyWants} from '../history-lines.ts';
import {feedFrame} from '../feed-state.ts';
import {networkLines} from '../machine-charts.ts';
import {machineTableLines} from '../list/rows-table.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {RowId} from '../list/resource-list.tsx';
import {rulesPart} from '../rules-part.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {type FirewallsLayout, firewallsLayout} from './layout.ts';

const firewallsPart = resourcePart(firewalls, {
  wants: [
    {feed: protocolsFeed, priority: 2},
    {feed: machinesFeed, priority: 3},
    {feed: usageFeed, priority: 3},
    {feed: environmentsFeed, priority: 4},
    {feed: permissionsFeed, priority: 5},
  ],
  actions: partActions<FirewallRow>('firewall', ({firewall}) => firewall),
});

const firewallRulesPart = rulesPart<Firewall>({
  noRecord: () => say`a rule is part of its firewall's record; y in the list of firewalls shows it`,
  of: (known, {ofId}) => firewallOf(known, ofId),
  none: say`no rules: no traffic allowed`,
  copiedAs: ({rule}, firewall) =>
    rule.id === undefined || firewall === undefined
      ? undefined
      : {
          ...copiedRecord(rules, rule),
          name: ruleWords(rule),
          path: firewalls.one?.path(firewall.id) ?? '',
        },
  related: (_row, {store}, firewall) => (firewall === undefined ? [] : (firewalls.related?.(firewall, store) ?? [])),
});

export const firewallsPane = collectionPane({
  ...TABS.firewalls,
  aliases: ['firewall', 'fw'],
  parts: [firewallsPart, firewallRulesPart],
  arrangement: {
    places: ({scene}) => {
      const {list, rules: below} = layoutOf(scene);
      return [list, below];
    },
    wants: ({scene, cursorIds: [id]}) => trafficWants(scene, firewallOf(scene, id)),
    Screen: FirewallsScreen,
  },
});

function firewallOf({store}: Pick<Scene, 'store'>, id: RowId | undefined): Firewall | undefined {
  return observedFirewalls(store)?.find(firewall => firewall.id === id);
}

function layoutOf({size, store}: Pick<Scene, 'size' | 'store'>): FirewallsLayout {
  const all = observedFirewalls(store) ?? [];
  return firewallsLayout(size, {firewalls: all.length, rules: Math.max(0, ...all.map(each => each.rules.length))});
}

function FirewallsScreen({scene, lists: [list, ruleList], cursorIds: [id]}: ArrangedProps): ReactNode {
  const layout = layoutOf(scene);
  const attached = <AttachedMachines scene={scene} firewall={firewallOf(scene, id)} place={layout.attached} />;
  return layout.isWide ? (
    <Box width={scene.size.columns} height={scene.size.rows}>
      <Box flexDirection="column">
        {list}
        {attached}
      </Box>
      <Box flexDirection="column">
        {ruleList}
        {layout.open.rows > 0 && <OpenRules scene={scene} place={layout.open} />}
        {layout.history.rows > 0 && (
          <FirewallHistory scene={scene} firewall={firewallOf(scene, id)} place={layout.history} />
        )}
      </Box>
    </Box>
  ) : (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {list}
      {ruleList}
      {attached}
    </Box>
  );
}

const TABLE_FROM = 46;

type FirewallBoxProps = {readonly scene: Scene; readonly firewall: Firewall | undefined; readonly place: Place};

const AttachedMachines = memoBox(
  function AttachedMachines({scene, firewall, place: {columns: width, rows: height}}: FirewallBoxProps): ReactNode {
    return (
      <TitledBox
        {...feedFrame(scene, firewallsFeed)}
        title={
          firewall === undefined
            ? 'attached machines'
            : `attached machines ${firewall.hasUnreadAttachments === true ? '?' : presentIn(firewall).length}`
        }
        lines={firewall === undefined ? [] : attachedLines(scene, firewall, {columns: width, rows: height})}
        width={width}
        height={height}
      />
    );
  },
  {countsSeconds: true},
);

/** The machines as in their own list, with their traffic, if there is room; otherwise their names. */
function attachedLines(scene: Scene, firewall: Firewall, {columns, rows}: Place): readonly Line[] {
  const attachments = presentIn(firewall);
  if (attachments.length === 0) return unattachedLines(scene, firewall, {columns, rows});
  const machines = attachedMachines(scene, firewall);
  if (columns < TABLE_FROM || machines.length < attachments.length) {
    const names = attachments.map(({machineName}) => machineName).join('  ');
    return wrapLine([{text: names}], columns - 4).map((line): Line => [{text: ' '}, ...line]);
  }
  const [titles = [], ...table] = machineTableLines(scene, machines, columns - 2);
  const inside = rows - 2;
  // If not everything fits, column titles are the first to go.
  if (inside < table.length + 1) return table;
  const left = inside - table.length - 1;
  const chartCount = Math.min(chartsIn(left), machines.length);
  const size = {columns: columns - 2, rows: Math.floor(left / Math.max(1, chartCount)) - 1};
  return [
    titles,
    ...table,
    ...machines.slice(0, chartCount).flatMap((machine): readonly Line[] => [[], ...networkLines(scene, machine, size)]),
  ];
}

/** What the rules would open, and the machines it could be attached to: those of its environment. */
function unattachedLines(scene: Scene, firewall: Firewall, {columns, rows}: Place): readonly Line[] {
  if (firewall.hasUnreadAttachments === true) {
    return [[{text: ' the machines it is attached to were not read', tone: 'warning'}]];
  }
  const alone = hangingLines(
    [{text: ' '}],
    [{text: 'attached to no machine: its rules have no effect', tone: 'dim'}],
    columns - 2,
  );
  if (columns < TABLE_FROM || rows < ROOM_FOR_CANDIDATES) return alone;
  const environment = firewall.environmentName;
  const machines = observedMachines(scene.store)?.filter(
    ({environmentName}) => environment !== undefined && environmentName === environment,
  );
  return [
    ...alone,
    [],
    [{text: ` machines of ${environment ?? 'its environment'} ${machines?.length ?? ''}`, tone: 'title'}],
    ...candidateLines(machines, scene, columns - 2),
    [],
    [{text: ' what it would allow', tone: 'title'}],
    ...ruleRows(firewall, scene).flatMap(({rule}) =>
      wrapLine([{text: withState(safeText(plainRule(rule)), rule), tone: toneOf(rule)}], columns - 4).map(
        (line): Line => [{text: ' '}, ...line],
      ),
    ),
  ];
}

function candidateLines(machines: readonly VirtualMachine[] | undefined, scene: Scene, width: number): readonly Line[] {
  if (machines === undefined) return [missingLine(scene, machinesFeed, 'machines')];
  if (machines.length === 0) return [[{text: ' no machine to attach it to', tone: 'dim'}]];
  return machineTableLines(scene, machines, width);
}

const ROOM_FOR_CANDIDATES = 10;

/** A rule in words: `in   tcp port 22  from anywhere (0.0.0.0/0)`. */
function plainRule(rule: RuleTerms): string {
  const prefix = prefixWords(rule);
  const whom = isWholeInternet(rule) ? `anywhere (${prefix})` : prefix;
  const isInbound = rule.direction?.toLowerCase() === 'ingress';
  return `${isInbound ? 'in ' : 'out'}  ${protocolWords(rule)}  ${isInbound ? 'from' : 'to'} ${whom}`;
}

function protocolWords(rule: RuleTerms): string {
  const {protocol = 'any', portRangeMin = MIN_PORT, portRangeMax = MAX_PORT} = rule;
  const name = protocol === 'any' ? 'any protocol' : protocol;
  if (rule.hasUnreadPorts === true) return `${name} unknown ports`;
  if (portRangeMin <= MIN_PORT && portRangeMax >= MAX_PORT) return hasPorts(protocol) ? `${name} all ports` : name;
  return portRangeMin === portRangeMax
    ? `${name} port ${portRangeMin}`
    : `${name} ports ${portRangeMin} to ${portRangeMax}`;
}

const MIN_CHART_ROWS = 9;
const MAX_CHARTS = 3;

function chartsIn(rows: number): number {
  return Math.max(0, Math.min(MAX_CHARTS, Math.floor(rows / (MIN_CHART_ROWS + 1))));
}

function attachedMachines({store}: Scene, firewall: Firewall): readonly VirtualMachine[] {
  const ids = new Set(presentIn(firewall).map(({machineId}) => machineId));
  return (observedMachines(store) ?? []).filter(({id}) => ids.has(id));
}

/** The traffic of the first machines behind the firewall, if there is room to draw it. */
function trafficWants(scene: Scene, firewall: Firewall | undefined): readonly Want[] {
  if (firewall === undefined || layoutOf(scene).open.rows === 0) return [];
  const machines = attachedMachines(scene, firewall).slice(0, MAX_CHARTS);
  const attached = {kind: 'vm', objects: attachedMachines(scene, firewall)} as const;
  const traffic = machines.flatMap(({id}) => hourFeeds(scene.store, id, scene.monotonicNow));
  return [...traffic.map(feed => ({feed, priority: 5})), ...historyWants(scene, [attached])];
}

function whereText(reach: Parameters<typeof reachText>[0]): string {
  return reach.machineCount === undefined ? 'its own rule' : reachText(reach);
}

function toneOf(rule: SecurityRule): Tone {
  return isExposed(rule) ? 'warning' : 'text';
}

/** Rules open to everyone, of any firewall or machine; those that are not for a web server first. */
const OpenRules = memoBox(function OpenRules({
  scene,
  place: {columns: width, rows: height},
}: Omit<FirewallBoxProps, 'firewall'>): ReactNode {
  const nameCells = Math.min(NAME_CELLS, Math.floor(width * 0.3));
  const ruleCells = Math.min(RULE_CELLS, width - nameCells - OTHER_CELLS);
  const open = openRules(scene);
  const exposedFirst = open.rules.toSorted(
    (left, right) => Number(isExposed(right.rule)) - Number(isExposed(left.rule)),
  );
  const lines = exposedFirst.map(({name, rule, ...reach}, index): Line => {
    // Rules that do not fit the box are only counted.
    if (index >= height) return [];
    return [
      {text: ` ${isExposed(rule) ? scene.theme.glyphs.warning : ' '} `, tone: 'warning'},
      ...fitLine([{text: name, tone: 'strong', isName: true}], nameCells),
      {text: ' '},
      ...fitLine([{text: ruleWords(rule), tone: toneOf(rule)}], ruleCells),
      {text: ' '},
      {text: isLasting(rule) ? whereText(reach) : (rule.status ?? ''), tone: 'dim'},
    ];
  });
  return (
    <TitledBox
      {...feedFrame(scene, firewallsFeed)}
      title={`open to the world ${openRulesText(open)}`}
      lines={lines.length + open.gaps.length === 0 ? [NOTHING_OPEN] : [...open.gaps, ...lines]}
      width={width}
      height={height}
    />
  );
});

/** The known history of the firewall and of the machines behind it. */
const FirewallHistory = memoBox(
  function FirewallHistory({scene, firewall, place: {columns: width, rows: height}}: FirewallBoxProps): ReactNode {
    const subjects = new Set(
      firewall === undefined
        ? []
        : [`firewall ${firewall.id}`, ...presentIn(firewall).map(({machineId}) => `vm ${machineId}`)],
    );
    return (
      <TitledBox
        {...feedFrame(scene, firewallsFeed)}
        title={firewall === undefined ? 'recent events' : `recent events of ${firewall.name} and its machines`}
        lines={historyLines(scene, {subjects}, width - 3, height - 4)}
        width={width}
        height={height}
      />
    );
  },
  {countsSeconds: true},
);

const NAME_CELLS = 30;
const RULE_CELLS = 43;
/** Edges, glyph, blanks and `100 machines`. */
const OTHER_CELLS = 19;
