import {usdNumber} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {memberName, members} from '../../resources/members.ts';
import {
  actionsText,
  byResource,
  PERMISSION_COLUMNS,
  permissionLines,
  permissionRows,
} from '../../resources/permissions.ts';
import {roles} from '../../resources/roles.ts';
import {dashboardFeed, meFeed, organizationFeed, permissionsFeed, rolesFeed} from '../../state/account.ts';
import {billingFigures, creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {barChart} from '../../ui/bar-chart.ts';
import {type TableColumn, tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {bindPart, type Preview, resourcePart} from '../collection-part.tsx';
import {collectionPane} from '../collection.tsx';
import type {Scene} from '../pane.ts';
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
  rows: youRows,
  idOf: ({id}) => id,
  nameOf: ({what}) => what,
  columns: FACT_COLUMNS,
  detail: ({words}, _scene, width) => words.flatMap(text => wrapLine([{text}], width)),
  showsCut: true,
  preview: (_row, scene, place) => ({title: 'month, $ per day (UTC)', lines: dayLines(scene, place)}),
  actions: {copy: ({copied, what}) => copied ?? what},
});

/** What each day of the month cost, as far as it is known. */
function dayLines(scene: Scene, {columns, rows}: Place): readonly Line[] {
  const figures = billingFigures(scene);
  if (figures === undefined) return [missingLine(scene, usageFeed, 'usage')];
  const bars = figures.days.map(({cost}, index) => ({value: usdNumber(cost), label: String(index + 1)}));
  const format = (value: number) => `$${value.toLocaleString('en-US')}`.padStart(7);
  return barChart(bars, {width: columns - 2, height: rows - 2, format, glyphs: scene.theme.glyphs});
}

type AllowedRow = {readonly resource: string; readonly byRole: ReadonlyMap<string, string>};

/** What each role allows, by resource, and the calls behind it. */
function roleMatrix(_row: unknown, scene: Scene, {columns}: {readonly columns: number}): Preview {
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

/** The room in the environments that the list tells of. */
function quotaWants({store}: Scene): readonly Want[] {
  const environments = lastValue(store.get(environmentsFeed))?.records ?? [];
  return environments.slice(0, MAX_QUOTA_COUNT).map(({id}) => ({feed: quotaFeed(id), priority: 4}));
}

const membersPart = resourcePart(members, {
  feed: organizationFeed,
  wants: [
    {feed: organizationFeed, priority: 1},
    {feed: meFeed, priority: 2},
    {feed: rolesFeed, priority: 3},
  ],
  nameOf: memberName,
  preview: roleMatrix,
  actions: {copy: ({user}) => user.email ?? memberName({user})},
});

const permissionsPart = bindPart({
  title: say`permissions`,
  feed: permissionsFeed,
  wants: [
    {feed: permissionsFeed, priority: 4},
    {feed: rolesFeed, priority: 4},
  ],
  rows: permissionRows,
  idOf: ({resource}) => resource,
  nameOf: ({resource}) => resource,
  columns: PERMISSION_COLUMNS,
  detail: permissionLines,
  preview: roleMatrix,
  actions: {copy: ({resource}) => resource},
});

const rolesPart = resourcePart(roles, {
  wants: [
    {feed: rolesFeed, priority: 1},
    {feed: organizationFeed, priority: 2},
  ],
  preview: roleMatrix,
  actions: {copy: ({role}) => role.name},
});

/** Who this key is, and what it may do. */
export const accountPane = collectionPane({
  ...TABS.account,
  aliases: ['me', 'members', 'permissions', 'roles', 'organization'],
  parts: [youPart, membersPart, permissionsPart, rolesPart],
});
