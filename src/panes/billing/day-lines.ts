import type {DayCost} from '../../domain/money/day-cost.ts';
import {commandLine} from '../../actions/shell-line.ts';
import {dayStart} from '../../domain/time.ts';
import {DAY_COLUMNS, type AccountDay} from '../../resources/account-days.ts';
import {DAY_SOURCE_WORDS, dayCostColumns, dayTotal} from '../../resources/cost.ts';
import {columnFields, field, missingLine} from '../../resources/detail.ts';
import {dayCostFeeds, type DayReading, presentDayCost} from '../../state/billing.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {formatUsd, formatUtcDate} from '../../ui/format.ts';
import {tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {listColumns} from '../list/list-columns.ts';
import type {Scene} from '../pane.ts';

/** A detail scrolls, but all its lines are drawn anew with each reading. */
const MAX_GROUPS = 100;

/** The cost has a line of its own, with how it is known. */
const OTHER_COLUMNS = DAY_COLUMNS.filter(({key}) => key !== 'cost');

/** One day of the history with what it cost by machine, beside the day before. */
export function accountDayLines(day: AccountDay, scene: Scene, width: number): readonly Line[] {
  const start = dayStart(day.at);
  return [
    ...columnFields(OTHER_COLUMNS, day, width),
    ...dayCostLines(day, presentDayCost(scene, start), scene, width),
    [],
    field('as a command', commandLine(['cost', '--day', formatUtcDate(start)])),
  ];
}

/** The bills of a day by machine, read while its detail is open. */
export function accountDayWants(day: AccountDay, scene: Scene): readonly Want[] {
  return dayCostFeeds(scene, dayStart(day.at)).map(feed => ({feed, priority: 3, isBackground: true}));
}

function dayCostLines(day: AccountDay, reading: DayReading, scene: Scene, width: number): readonly Line[] {
  switch (reading.status) {
    case 'waiting':
      return [listedCostLine(day, scene), [], missingLine(scene, reading.feed, 'bills of that day')];
    case 'unknown':
      return [field('cost', undefined)];
    case 'known':
      return [
        ...sumLines(reading.cost),
        field('by machine', DAY_SOURCE_WORDS[reading.isBilledByMachine ? 'billed' : 'usage'], 'dim'),
        ...(reading.failed === undefined ? [] : [missingLine(scene, reading.failed, 'part of it')]),
        [],
        ...groupLines(reading.cost, scene, width),
      ];
  }
}

/** What the list says of the day, which is known before its bills by machine. */
function listedCostLine({at, cost}: AccountDay, {now}: Scene): Line {
  return cost === undefined ? field('cost', undefined) : sumLine('cost', cost, dayStart(at) === dayStart(now));
}

function sumLines({day, dayBefore, isOpen}: DayCost): readonly Line[] {
  return [
    sumLine('cost', day, isOpen),
    dayBefore === undefined ? field('day before', undefined) : sumLine('day before', dayBefore, false),
  ];
}

function sumLine(label: string, {cost, source}: NonNullable<AccountDay['cost']>, isOpen: boolean): Line {
  const text = `${isOpen ? ' so far' : ''}  ${DAY_SOURCE_WORDS[source]}`;
  return [...field(label, formatUsd(cost), 'money'), {text, tone: 'dim'}];
}

/** The costliest first; the last line is the whole day. */
function groupLines(cost: DayCost, {theme}: Scene, width: number): readonly Line[] {
  const groups = cost.groups ?? [];
  const rows = [...groups.slice(0, MAX_GROUPS), dayTotal(cost)];
  const hidden = groups.length - MAX_GROUPS;
  return [
    ...tableLines(rows, () => false, {columns: listColumns(dayCostColumns(cost)), width, theme}),
    ...(hidden > 0 ? [[{text: ` ${hidden} more are in the total; -o csv prints all`, tone: 'dim' as const}]] : []),
  ];
}
