import type {ReactNode} from 'react';
import {unreachable} from '../../domain/assert.ts';
import {readAt, type Snapshot} from '../../domain/snapshot.ts';
import {sampleAge} from '../../domain/utilization.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {
  clusterWords,
  isNode,
  isTransitional,
  type VirtualMachine,
  type VolumeAttachment,
} from '../../domain/virtual-machine.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {severitySpan} from '../../resources/findings.ts';
import {lastFindingsAbout} from '../../state/triage.ts';
import {type MachineRow, machines, stateCell} from '../../resources/machines.ts';
import type {RelatedGroup} from '../../resources/related.ts';
import {openedByFirewalls, ruleRows, rules} from '../../resources/rules.ts';
import {usageFeed} from '../../state/billing.ts';
import {eventsFeed, machineRecordFeed, machinesFeed} from '../../state/machines.ts';
import {formatDuration, formatGigabytes, formatSampleAge, UNKNOWN} from '../../ui/format.ts';
import {type TableColumn, tableLines} from '../../ui/table.ts';
import {type Line, lineWidth, type Span} from '../../ui/text.ts';
import {TitledBox, TitledLines} from '../../ui/titled-box.tsx';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import {feedFrame} from '../feed-state.ts';
import {listColumns} from '../list/list-columns.ts';
import {chartLines, readingOver, stripLines} from '../machine-charts.ts';
import {memoBox, type OpenDetail, type Scene} from '../pane.ts';
import {relatedLines} from '../related-lines.ts';
import {linesInSight, matchCount, offsetOf, type Page, type Scroll, SCROLL_START, searchLabel} from '../scroll.ts';
import type {Place} from '../sizes.ts';
import {POWER_COMMANDS} from './actions.ts';
import {costLines, eventLines, jsonLines, recordLines, shortEventLines, spentLines} from './detail-lines.ts';
import {machinesLayout} from './layout.ts';
import {chosenMachines, machineRow} from './rows.ts';
import {serviceCostLines} from './service-cost-lines.ts';
import {
  DETAIL_PARTS,
  type DetailPart,
  type MachinesChoice,
  type MachinesContext,
  type MachinesView,
  partLabel,
} from './view.ts';
import {KEYS} from '../../actions/keys.ts';
import {UNREAD_RULES} from '../../actions/rules.ts';

type Props = MachinesContext & {readonly place: Place};
type MachineBoxProps = {readonly scene: Scene; readonly row: MachineRow | undefined; readonly place: Place};

/** The chosen part of the machine under the cursor, in a box that shows the data's age. */
export const MachineDetail = memoBox(
  function MachineDetail({
    scene,
    row,
    own,
    scroll,
    isZoomed,
    place,
  }: MachineBoxProps & {readonly own: MachinesChoice; readonly scroll: Scroll; readonly isZoomed: boolean}): ReactNode {
    if (row === undefined)
      return <TitledBox title="machine" lines={[]} width={place.columns} height={place.rows} theme={scene.theme} />;
    const page = pageOf(scene, row, own, place);
    const offset = offsetOf(scroll, page);
    const {lines, rows} = page;
    const range = `${offset + 1}-${Math.min(lines.length, offset + rows)} of ${lines.length}`;
    const found = searchLabel(scroll, page);
    return (
      <TitledBox
        {...feedFrame(scene, machinesFeed)}
        title={[...titleOf(row.machine, scene), {text: ' '}, ...stateCell(row, place.columns, scene.theme)]}
        right={at => [
          // The edge has no room for both.
          found === ''
            ? {text: lines.length > rows ? `${range}  ` : '', tone: 'dim'}
            : {text: `${found}  `, tone: 'marked'},
          {text: partLabel(own.part), tone: 'focus'},
          {text: '  '},
          ageSpan({...scene, ...at}, own, row.machine),
        ]}
        lines={linesInSight(scroll, page)}
        width={place.columns}
        height={place.rows}
        isFocused={isZoomed}
      />
    );
  },
  {countsSeconds: true},
);

function pageOf(scene: Scene, row: MachineRow, own: MachinesChoice, place: Place): Page {
  const inside = {columns: place.columns - 2, rows: place.rows - 2};
  return {lines: partLines(scene, row, own, inside), rows: inside.rows};
}

/** The detail over the whole pane, for reading and searching. */
export function openDetail(context: MachinesContext): OpenDetail<MachinesView> | undefined {
  const {scene, view} = context;
  const row = machineRow(context);
  if (!view.isZoomed || row === undefined) return undefined;
  const {detailColumns: columns, detailRows: rows} = machinesLayout(scene.size, view);
  const page = pageOf(scene, row, view.own, {columns, rows});
  return {
    page,
    scroll: view.scroll,
    placesOf: searchText =>
      DETAIL_PARTS.filter(
        part =>
          part !== view.own.part &&
          matchCount({...SCROLL_START, searchText}, pageOf(scene, row, {...view.own, part}, {columns, rows})) > 0,
      ),
    withScroll: scroll => ({...view, scroll}),
  };
}

/** A few lines below the list, for a terminal without room for more. */
export const MachineStrip = memoBox(function MachineStrip({place, ...context}: Props): ReactNode {
  const {scene, view} = context;
  const row = machineRow(context);
  if (row === undefined) return undefined;
  const {machine} = row;
  const {flavor} = machine;
  const found = findingLine(lastFindingsAbout(machine, scene.store), scene.now);
  // What is wrong is worth more than a flavor.
  const facts = [
    found.length === 0 ? flavor?.name : undefined,
    machine.floatingIp ?? machine.fixedIp,
    machine.regionName,
  ].filter(fact => fact !== undefined);
  const body: readonly Line[] = [
    ...stripLines(scene, machine, view.own.window, place.columns),
    [{text: ' '}, ...found, {text: `${found.length === 0 ? '' : '  '}${facts.join('  ')}`, tone: 'dim'}],
    actionHint(context, place.columns),
  ];
  return (
    <TitledLines
      {...feedFrame(scene, machinesFeed)}
      title={[...titleOf(machine, scene), {text: ' '}, ...stateCell(row, place.columns, scene.theme)]}
      // Whatever part was last open, this shows the charts.
      right={at => [metricsAgeSpan({...scene, ...at}, view.own, machine)]}
      lines={body}
      width={place.columns}
      height={place.rows}
    />
  );
});

/** The actions and their cost, before any key is pressed: for the marked machines, or the one under the cursor. */
export const MachineActions = memoBox(function MachineActions({place, ...context}: Props): ReactNode {
  const {scene} = context;
  const [machine, ...others] = chosenMachines(context);
  const {shared, lines} = offeredLines(context, place.columns - 2);
  const found = machine === undefined || others.length > 0 ? [] : lastFindingsAbout(machine, scene.store);
  const wrong = wrapLine(findingLine(found, scene.now), place.columns - 3).map((line): Line => [{text: ' '}, ...line]);
  const costs = machine === undefined || others.length > 0 ? [] : [[], ...spentLines(scene, machine)];
  const hint = machine === undefined || shared !== undefined ? [] : [[], HINT];
  const target: Line =
    machine === undefined
      ? [{text: 'actions', tone: 'title'}]
      : [
          {text: 'actions for ', tone: 'title'},
          {text: chosenWords(machine, others), tone: 'title', isName: true},
        ];
  return (
    <TitledBox
      title={target}
      right="p"
      lines={[...(found.length === 0 ? [] : wrong), ...lines, ...costs, ...hint]}
      width={place.columns}
      height={place.rows}
      theme={scene.theme}
    />
  );
});

/** The worst finding about an object in one line, with the key that asks about its end, and how many more there are. */
function findingLine([finding, ...others]: readonly Finding[], now: Scene['now']): Line {
  if (finding === undefined) return [];
  const {severity, summary, since, fixes = []} = finding;
  return [
    severitySpan(severity),
    {text: ` ${summary}`},
    {text: since === undefined ? '' : `  ${formatDuration(now - since)}`, tone: 'dim'},
    ...(fixes.length === 0 ? [] : [{text: `  ${KEYS.fix}`, tone: 'key' as const}, {text: ' fix'}]),
    {text: others.length === 0 ? '' : `  +${others.length} more`, tone: 'dim'},
  ];
}

function offeredLines(
  context: MachinesContext,
  width: number,
): {readonly shared?: string; readonly lines: readonly Line[]} {
  const reasons = POWER_COMMANDS.map(command => command.disabledReason?.(context));
  // If all have the same reason, it is shown once, in full.
  const shared = sharedReason(context, reasons);
  if (shared === undefined)
    return {lines: POWER_COMMANDS.flatMap((command, index) => actionLines(command, reasons[index], context, width))};
  const lines = wrapLine([{text: shared, tone: 'dim'}], width - 2);
  return {shared, lines: lines.map((line): Line => [{text: ' '}, ...line])};
}

/** Why no power action can be used, if one reason holds for all of them. */
function sharedReason(context: MachinesContext, reasons: readonly (SafeText | undefined)[]): SafeText | undefined {
  if (reasons.includes(undefined)) return undefined;
  if (new Set(reasons).size === 1) return reasons[0];
  const [machine, ...others] = chosenMachines(context);
  const isMoving = others.length === 0 && machine !== undefined && isTransitional(machine.status);
  return isMoving ? say`no power action while it is ${machine.statusText}` : undefined;
}

function actionLines(
  command: (typeof POWER_COMMANDS)[number],
  reason: string | undefined,
  context: MachinesContext,
  width: number,
): readonly Line[] {
  const label: Line = [
    {text: ` ${command.keys[0]}  `, tone: reason === undefined ? 'key' : 'dim'},
    {text: command.title.padEnd(ACTION_TITLE_CELLS), tone: reason === undefined ? 'strong' : 'dim'},
  ];
  const remark = reason === undefined ? (command.consequence?.(context) ?? '') : `off: ${reason}`;
  return hangingLines(label, [{text: remark, tone: 'dim'}], width);
}

const ACTION_TITLE_CELLS = 19;
const HINT: Line = [{text: ' nothing is sent before you confirm', tone: 'dim'}];

export const MachineEvents = memoBox(
  function MachineEvents({scene, row, place}: MachineBoxProps): ReactNode {
    const lines = row === undefined ? [] : shortEventLines(scene, row.machine, place.columns - 3);
    return (
      <TitledBox
        title="events"
        right="e"
        lines={lines.map(line => [{text: ' '}, ...line])}
        width={place.columns}
        height={place.rows}
        theme={scene.theme}
      />
    );
  },
  {countsSeconds: true},
);

/** All lines of the part; the box shows those that fit. */
function partLines(scene: Scene, row: MachineRow, {part, window}: MachinesChoice, inside: Place): readonly Line[] {
  const {machine} = row;
  switch (part) {
    case 'metrics':
      return chartLines(scene, machine, window, inside);
    case 'record':
      return [...recordLines(row, scene.now), [], ...relatedLines(scene, relatedTo(machine, scene), inside.columns)];
    case 'rules':
      return ruleLines(machine, scene, inside.columns);
    case 'volumes':
      return volumeLines(machine, scene, inside.columns);
    case 'events':
      return eventLines(scene, machine, inside.columns);
    case 'cost':
      return [...costLines(scene, machine), [], ...serviceCostLines(scene, machine)];
    case 'json':
      return jsonLines(scene, machine);
    default:
      return unreachable(part);
  }
}

function relatedTo(machine: VirtualMachine, {store}: Scene): readonly RelatedGroup[] {
  return machines.related?.(machine, store) ?? [];
}

const RULE_COLUMNS = listColumns(rules.columns);

function ruleLines(machine: VirtualMachine, scene: Scene, width: number): readonly Line[] {
  const {rules: own, hasUnreadRules} = machine;
  const none: Line = [{text: ' no rules of its own', tone: 'dim'}];
  const unread: Line = [{text: ` ${UNREAD_RULES}`, tone: 'warning'}];
  const rows =
    own.length === 0
      ? []
      : tableLines(ruleRows(machine, scene), () => false, {columns: RULE_COLUMNS, width, theme: scene.theme});
  const note = hasUnreadRules === true ? [unread] : own.length === 0 ? [none] : [];
  const opened = openedByFirewalls(scene, machine).flatMap(words =>
    wrapLine([{text: ` ${scene.theme.glyphs.warning} ${words}`, tone: 'warning'}], width),
  );
  return [...opened, ...note, ...rows, [], [{text: ` ${KEYS.open} to change them`, tone: 'dim'}]];
}

function volumeLines(
  {volumes, hasUnreadVolumes, flavor}: VirtualMachine,
  scene: Scene,
  width: number,
): readonly Line[] {
  const own: Line = [
    {
      text: ` root disk ${formatGigabytes(flavor?.rootDiskGb)}, ephemeral ${formatGigabytes(flavor?.ephemeralDiskGb)}`,
      tone: 'dim',
    },
  ];
  const unread: readonly Line[] =
    hasUnreadVolumes === true ? [[{text: ' its volumes could not be read completely', tone: 'warning'}]] : [];
  if (volumes.length === 0) return [own, ...(unread.length > 0 ? unread : [NO_VOLUMES])];
  return [
    own,
    ...unread,
    [],
    ...tableLines(volumes, () => false, {columns: VOLUME_COLUMNS, width, theme: scene.theme}),
  ];
}

const NO_VOLUMES: Line = [{text: ' no volumes attached', tone: 'dim'}];

const VOLUME_COLUMNS: readonly TableColumn<VolumeAttachment>[] = [
  {
    key: 'name',
    title: 'NAME',
    minWidth: 12,
    maxWidth: 51,
    flex: 1,
    cell: ({name}) => [{text: name, tone: 'strong', isName: true}],
  },
  {key: 'size', title: 'SIZE', minWidth: 8, align: 'right', cell: ({sizeGb}) => [{text: formatGigabytes(sizeGb)}]},
  {key: 'type', title: 'TYPE', minWidth: 10, priority: 2, cell: ({volumeType}) => [{text: volumeType ?? UNKNOWN}]},
  {key: 'state', title: 'STATE', minWidth: 10, cell: ({status}) => [{text: status ?? UNKNOWN, tone: 'dim'}]},
  {key: 'device', title: 'DEVICE', minWidth: 9, priority: 1, cell: ({device}) => [{text: device ?? '', tone: 'dim'}]},
];

function titleOf(machine: VirtualMachine, scene: Scene): readonly Span[] {
  return [
    {text: machine.name, tone: 'strong', isName: true},
    {text: ` #${machine.id}`, tone: 'dim'},
    ...(isNode(machine)
      ? [{text: ` ${scene.theme.glyphs.middleDot} node of ${clusterWords(machine)}`, tone: 'notice' as const}]
      : []),
  ];
}

/** The age of the shown part: of the newest sample for metrics, of the reading for everything else. */
function ageSpan(scene: Scene, own: MachinesChoice, machine: VirtualMachine): Span {
  const {id} = machine;
  if (own.part === 'metrics') return metricsAgeSpan(scene, own, machine);
  const snapshots: Readonly<Record<Exclude<DetailPart, 'metrics'>, Snapshot<unknown>>> = {
    record: scene.store.get(machinesFeed),
    rules: scene.store.get(machinesFeed),
    volumes: scene.store.get(machinesFeed),
    events: scene.store.get(eventsFeed(id)),
    cost: scene.store.get(usageFeed),
    json: scene.store.get(machineRecordFeed(id)),
  };
  const at = readAt(snapshots[own.part]);
  return {text: at === undefined ? '' : formatDuration(scene.monotonicNow - at), tone: 'dim'};
}

/** The window of the charts, and the age of their newest sample. */
function metricsAgeSpan(scene: Scene, own: MachinesChoice, machine: VirtualMachine): Span {
  const reading = readingOver(scene, machine, own.window);
  if ('feed' in reading) return {text: own.window, tone: 'dim'};
  const {metrics, window, isByPrometheus} = reading;
  const age = sampleAge(metrics, scene.now);
  const source = isByPrometheus ? `${window}  Prometheus` : window;
  if (age === undefined) return {text: source, tone: 'dim'};
  return {text: `${source}  ${formatSampleAge(age)}`, tone: age.isOld ? 'warning' : 'dim'};
}

/** The machine under the cursor is named above; if others are marked, the actions apply to those. */
function actionHint(context: MachinesContext, width: number): Line {
  const [machine, ...others] = chosenMachines(context);
  const isOfCursor = others.length === 0 && machine?.id === machineRow(context)?.machine.id;
  const target: Line =
    machine === undefined || isOfCursor ? [] : [{text: ` ${shortWords(machine, others)}:`, tone: 'strong'}];
  const [first = [], ...more] = usableActions(context);
  const line = [...target, ...first];
  for (const action of more) if (lineWidth(line) + lineWidth(action) <= width) line.push(...action);
  return line;
}

/** `gpu-1`, or `3 marked`: beside the list, and in one line with the prices. */
function shortWords({name}: VirtualMachine, others: readonly VirtualMachine[]): string {
  return others.length === 0 ? name : `${others.length + 1} marked`;
}

/** `gpu-1`, or `3 marked machines`. */
function chosenWords({name}: VirtualMachine, others: readonly VirtualMachine[]): string {
  return others.length === 0 ? name : `${others.length + 1} marked machines`;
}

/**
 * Each name in full or not at all: part of one would be misleading. First what applies to most of the marked machines,
 * with their number if it is not all of them.
 */
function usableActions(context: MachinesContext): readonly Line[] {
  const reasons = POWER_COMMANDS.map(command => command.disabledReason?.(context));
  const usable = POWER_COMMANDS.filter((_, index) => reasons[index] === undefined);
  if (usable.length === 0)
    return [[{text: ` p: ${sharedReason(context, reasons) ?? 'no power action can be used now'}`, tone: 'dim'}]];
  const count = chosenMachines(context).length;
  const counted = usable.map(command => ({command, ableCount: command.ableCount?.(context) ?? count}));
  return counted
    .sort((left, right) => right.ableCount - left.ableCount)
    .map(({command, ableCount}): Line => {
      const consequence = command.consequence?.(context, {isCountNamed: true}) ?? '';
      const words = `${command.title}${ableCount === count ? '' : ` ${ableCount}`}`;
      return [
        {text: ` p ${command.keys[0]} `, tone: 'key'},
        {text: `${words}${consequence === '' ? '' : `: ${consequence}`} `, tone: 'dim'},
      ];
    });
}
