import {usdNumber} from '../../domain/money.ts';
import type {Permission} from '../../domain/permission.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {type MemberRow, memberName, members, userOf} from '../../resources/members.ts';
import {
  actionsText,
  byResource,
  PERMISSION_COLUMNS,
  type PermissionRow,
  permissionLines,
  permissionRows,
} from '../../resources/permissions.ts';
import {type RoleRow, roles} from '../../resources/roles.ts';
import {dashboardFeed, meFeed, organizationFeed, permissionsFeed, rolesFeed} from '../../state/account.ts';
import {billingFigures, creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCounted, formatDollarTick} from '../../ui/format.ts';
import {barChart} from '../../ui/bar-chart.ts';
import {type TableColumn, tableLines} from '../../ui/table.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {barLook} from '../day-bars.ts';
import {bindPart, type Preview, resourcePart} from '../list/part.tsx';
import {hasBesideRoom} from '../list/collection-layout.ts';
import {collectionPane} from '../list/collection.tsx';
import {historyLines, historyWants} from '../history-lines.ts';
import type {Scene} from '../pane.ts';
import {rowsTable} from '../list/rows-table.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {FACT_COLUMNS, MAX_QUOTA_COUNT, youRows} from './you-rows.ts';

const youPart = bindPart({
  title: say`you`,
  feed: dashboardFeed,
  wants: [
    {feed: meFeed, priority: 1},
    {feed: organizationFeed, priority: 1},
    {feed: creditFeed, priority: 1},
    {feed: dashboardFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: volumesFeed, priority: 2},
    {feed: clustersFeed, priority: 3},
    {feed: usageFeed, priority: 3},
    {feed: deletedUsageFeed, priority: 4},
    {feed: environmentsFeed, priority: 3},
    {feed: rolesFeed, priority: 4},
  ],
  moreWants: quotaWants,
  orderWords: say`by topic`,
  rows: youRows,
  idOf: ({id}) => id,
  nameOf: ({what}) => what,
  columns: FACT_COLUMNS,
  detail: ({words}, _scene, width) => words.flatMap(text => wrapLine([{text}], width)),
  showsCut: true,
  detailWants: (_row, scene) => newsWants(scene),
  beside: (_row, scene, place) => {
    const {store} = scene;
    const own = userOf(lastValue(store.get(organizationFeed)), lastValue(store.get(meFeed)));
    const names = own === undefined ? [] : [memberName({user: own})];
    return actorsPreview(say`recent events by you`, [...names, say`you`], scene, place);
  },
  preview: (_row, scene, place) => ({title: 'month, $ per day (UTC), today so far', lines: dayLines(scene, place)}),
  noRecord: () => say`it comes from several records; skydeck get me -o json and get org -o json print them`,
  actions: {copy: ({copied, what}) => copied ?? what},
});

/** Events name the member who caused them. Histories are read for a few machines, the most recently changed first. */
function newsWants(scene: Scene): readonly Want[] {
  return hasBesideRoom(scene.size) ? historyWants(scene, []) : [];
}

function actorsPreview(title: SafeText, names: readonly string[], scene: Scene, {columns, rows}: Place): Preview {
  return {title, lines: historyLines(scene, {actors: new Set(names)}, columns - 3, rows - 4)};
}

/** As the timeline names a member; operations sent from here are by `you`. */
function namesOf(row: MemberRow): readonly string[] {
  return row.isYou ? [memberName(row), say`you`] : [memberName(row)];
}

/** The cost of each day of the month, as far as it is known. */
export function dayLines(scene: Scene, {columns, rows}: Place): readonly Line[] {
  const figures = billingFigures(scene);
  if (figures === undefined) return [missingLine(scene, usageFeed, 'usage')];
  const bars = figures.days.map(({cost, source}, index, days) => ({
    value: usdNumber(cost),
    label: String(index + 1),
    ...barLook(source, index === days.length - 1),
  }));
  const format = (value: number) => formatDollarTick(value).padStart(7);
  return barChart(bars, {width: columns - 2, height: rows - 2, format, glyphs: scene.theme.glyphs});
}

type AllowedRow = {readonly resource: string; readonly byRole: ReadonlyMap<string, string>};

/** What each role allows, by resource, and the calls this opens. */
function roleMatrix(scene: Scene, {columns}: Place): Preview {
  const all = lastValue(scene.store.get(rolesFeed))?.records;
  const title = 'what each role allows';
  if (all === undefined) return {title, lines: [missingLine(scene, rolesFeed, 'roles')]};
  const roleColumns = all.map(
    ({name}): TableColumn<AllowedRow> => ({
      key: name,
      title: name,
      minWidth: 14,
      flex: 1,
      cell: ({byRole}) => [{text: byRole.get(name) ?? '–', tone: byRole.has(name) ? 'text' : 'dim'}],
    }),
  );
  const first: TableColumn<AllowedRow> = {
    key: 'resource',
    title: 'RESOURCE',
    minWidth: 14,
    flex: 1,
    cell: ({resource}) => [{text: resource, tone: 'strong'}],
  };
  const granted = all.map(role => ({name: role.name, rows: byResource(role.permissions)}));
  const resources = [...new Set(granted.flatMap(({rows}) => rows.map(({resource}) => resource)))].sort();
  const rows = resources.map(resource => ({
    resource,
    byRole: new Map(
      granted.flatMap(({name, rows: own}) => {
        const row = own.find(each => each.resource === resource);
        return row === undefined ? [] : [[name, actionsText(row)]];
      }),
    ),
  }));
  const look = {columns: [first, ...roleColumns], width: columns - 2, theme: scene.theme};
  return {title, lines: tableLines<AllowedRow>(rows, () => false, look)};
}

/** What a member may do, according to the roles granted. */
function memberPreview({user, roleNames}: MemberRow, scene: Scene, place: Place): Preview {
  const matrix = roleMatrix(scene, place);
  const all = lastValue(scene.store.get(rolesFeed))?.records;
  if (all === undefined) return matrix;
  const allowed = all.filter(({name}) => roleNames.includes(name)).flatMap(({permissions}) => permissions);
  return withMore(matrix, `requests that ${memberName({user})} may send`, requestLines(allowed, place));
}

/** Who has a role, and what it allows. */
function rolePreview({role, memberNames}: RoleRow, scene: Scene, place: Place): Preview {
  const isOfRole = (row: MemberRow) => memberNames?.includes(memberName(row)) === true;
  const who = rowsTable(members, scene, isOfRole, place.columns - 2);
  const preview = withMore(roleMatrix(scene, place), `members with the role ${role.name}`, who);
  return withMore(preview, `requests that ${role.name} allows`, requestLines(role.permissions, place));
}

/** Who may do anything with a kind of resource. */
function permissionPreview({resource}: PermissionRow, scene: Scene, place: Place): Preview {
  const matrix = roleMatrix(scene, place);
  const all = lastValue(scene.store.get(rolesFeed))?.records;
  if (all === undefined) return matrix;
  const allowing = all.filter(({permissions}) => permissions.some(each => each.resource === resource));
  const names: ReadonlySet<string> = new Set(allowing.map(({name}) => name));
  const mayAct = ({roleNames}: MemberRow) => roleNames.some(name => names.has(name));
  const who = rowsTable(members, scene, mayAct, place.columns - 2);
  return withMore(matrix, `members whose roles allow something with ${resource}`, who);
}

function withMore({title, lines}: Preview, heading: string, more: readonly Line[]): Preview {
  return {title, lines: [...lines, [], [{text: ` ${heading}`, tone: 'title'}], ...more]};
}

/** Wide enough for most paths; longer ones are cut in the middle. */
const REQUEST_CELLS = 64;

/** The requests behind permissions, by resource, in as many columns as fit. */
function requestLines(permissions: readonly Permission[], {columns}: Place): readonly Line[] {
  const groups = byResource(permissions).map(row => ({
    resource: row.resource,
    calls: [...new Set(row.permissions.flatMap(callOf))].sort(byPath),
  }));
  if (groups.every(({calls}) => calls.length === 0)) return [[{text: ' none', tone: 'dim'}]];
  const perLine = Math.max(1, Math.floor((columns - 3) / REQUEST_CELLS));
  const cells = Math.floor((columns - 3) / perLine);
  return groups.flatMap(({resource, calls: own}): readonly Line[] => [
    [
      {text: ` ${resource}`, tone: 'strong'},
      {text: `  ${formatCounted(own.length, 'request')}`, tone: 'dim'},
    ],
    ...Array.from(
      {length: Math.ceil(own.length / perLine)},
      (_, line): Line => [
        {text: ' '},
        ...own
          .slice(line * perLine, (line + 1) * perLine)
          .flatMap(call => [...fitLine([{text: call, isName: true}], cells - 2), {text: '  '}]),
      ],
    ),
  ]);
}

function callOf({method, endpoint}: Permission): readonly string[] {
  return endpoint === undefined ? [] : [`${(method ?? '').padEnd(6)} ${endpoint}`];
}

function byPath(left: string, right: string): number {
  const pathOf = (call: string) => call.slice(call.indexOf('/'));
  return pathOf(left).localeCompare(pathOf(right), 'en');
}

/** The room left in the environments on the list. */
function quotaWants({store}: Scene): readonly Want[] {
  const environments = lastValue(store.get(environmentsFeed))?.records ?? [];
  return environments.slice(0, MAX_QUOTA_COUNT).map(({id}) => ({feed: quotaFeed(id), priority: 4}));
}

const membersPart = resourcePart(members, {
  feed: organizationFeed,
  wants: [
    {feed: meFeed, priority: 2},
    {feed: rolesFeed, priority: 3},
  ],
  nameOf: memberName,
  noRecord: () => say`a member is part of the organization's record; skydeck get org -o json prints it`,
  preview: memberPreview,
  detailWants: (_row, scene) => newsWants(scene),
  beside: (row, scene, place) => actorsPreview(say`recent events by ${memberName(row)}`, namesOf(row), scene, place),
  actions: {copy: ({user}) => user.email ?? memberName({user})},
});

const permissionsPart = bindPart({
  title: say`permissions`,
  feed: permissionsFeed,
  wants: [
    {feed: permissionsFeed, priority: 4},
    {feed: rolesFeed, priority: 4},
    {feed: organizationFeed, priority: 4},
    {feed: meFeed, priority: 4},
  ],
  orderWords: say`by resource`,
  rows: permissionRows,
  idOf: ({resource}) => resource,
  nameOf: ({resource}) => resource,
  columns: PERMISSION_COLUMNS,
  detail: permissionLines,
  preview: permissionPreview,
  actions: {copy: ({resource}) => resource},
});

const rolesPart = resourcePart(roles, {
  wants: [
    {feed: organizationFeed, priority: 2},
    {feed: meFeed, priority: 3},
  ],
  preview: rolePreview,
  detailWants: (_row, scene) => newsWants(scene),
  beside: ({role, memberNames = []}, scene, place) =>
    actorsPreview(say`recent events by members with the role ${role.name}`, memberNames, scene, place),
  actions: {copy: ({role}) => role.name},
});

/** The user this key belongs to, and what it may do. */
export const accountPane = collectionPane({
  ...TABS.account,
  aliases: ['me', 'organization'],
  parts: [youPart, membersPart, permissionsPart, rolesPart],
});
