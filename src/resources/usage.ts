import {usage as usageEndpoint} from '../api/billing.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {usableRate} from '../domain/cost.ts';
import {type Spender, topSpenders} from '../domain/money/figures.ts';
import {billingFigures} from '../state/billing.ts';
import {formatPercent, formatRateFigure, formatUsdFigure} from '../ui/format.ts';
import {shareBar} from '../ui/gauge.ts';
import type {Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import {age, type Column, dollars, FREE, moment, number, percent, rate, text, RUNNING_COST} from './column.ts';
import {rawOf} from './listing.ts';
import {type Dated, dated, defineResource, type RowInput} from './resource.ts';

export const usage = defineResource<UsageRecord, Dated<UsageRecord>>({
  names: ['usage', 'usages'],
  summary: 'metered resources; --deleted for those that have ended',
  narrowedBy: ['deleted'],
  columns: [
    {key: 'id', title: 'RESOURCE', align: 'right', value: ({resourceId}) => number(resourceId)},
    {key: 'type', title: 'TYPE', value: ({resourceType}) => text(resourceType)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {
      key: 'cost',
      title: '$/h',
      align: 'right',
      unit: 'dollars',
      value: record => (record.isExcludedFromBilling ? FREE : rate(usableRate(record))),
    },
    {key: 'billed', title: 'BILLED $', align: 'right', unit: 'dollars', value: ({billedCost}) => dollars(billedCost)},
    {key: 'active', title: 'ACTIVE', value: ({isActive}) => text(isActive ? 'yes' : 'no')},
    {key: 'age', title: 'AGE', align: 'right', unit: 'duration', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'ended', title: 'ENDED', printed: 'wide', value: ({terminatedAt}) => moment(terminatedAt)},
    {
      key: 'excluded',
      title: 'EXCLUDED',
      printed: 'wide',
      value: record => text(record.isExcludedFromBilling ? 'yes' : 'no'),
    },
  ],
  list: async ({client, signal, narrowing}) =>
    rawOf(await client.readRaw(usageEndpoint, {isDeleted: narrowing.deleted ?? false}, {signal})),
  parse: usageEndpoint.record,
  row: dated,
  idOf: ({resourceId}) => resourceId,
  nameOf: ({name}) => name,
});

/** The columns of the month by resource. Several usage records can belong to one resource. */
export const SPENDER_COLUMNS: readonly Column<Spender>[] = [
  {key: 'id', title: 'RESOURCE', align: 'right', value: ({resourceId}) => number(resourceId)},
  {
    key: 'name',
    title: 'NAME',
    value: ({name, resourceId}) => text(name === '' ? `#${resourceId}` : name),
    list: {minWidth: 14, maxWidth: 51, flex: 2, tone: 'strong'},
  },
  {
    key: 'type',
    title: 'TYPE',
    value: ({resourceType, isActive}) => text(isActive || resourceType === '' ? resourceType : `${resourceType} ended`),
    list: {minWidth: 12, priority: 2, tone: 'dim'},
  },
  {
    ...RUNNING_COST,
    value: ({rate: now, isActive}) => (isActive ? rate(now) : undefined),
    list: {minWidth: 8, draw: rateCell},
  },
  {
    key: 'spent',
    title: 'MONTH $',
    align: 'right',
    unit: 'dollars',
    value: ({spent}) => (spent === undefined ? undefined : dollarsOf(spent)),
    list: {minWidth: 11},
  },
  {
    key: 'share',
    title: 'SHARE',
    unit: 'percent',
    value: ({shareRatio}) => percent(shareRatio),
    list: {minWidth: 10, maxWidth: 80, flex: 3, draw: shareCell},
  },
];

function dollarsOf(spent: NonNullable<Spender['spent']>): {
  readonly text: string;
  readonly number: number;
  readonly plain: string;
} {
  return {text: formatUsdFigure(spent), number: spent / MICRO, plain: String(spent / MICRO)};
}

const MICRO = 1e6;

function rateCell({rate: now, isActive}: Spender): Line {
  return [isActive ? {text: formatRateFigure(now), tone: 'money'} : {text: '–', tone: 'dim'}];
}

/** The top spenders, costliest first, machines as billed by the provider; undefined until usage was read. */
export function spenderRows(known: Pick<RowInput, 'store' | 'now' | 'preferences'>): readonly Spender[] | undefined {
  const figures = billingFigures(known);
  return figures && topSpenders(figures);
}

/** A figure, with a bar in the remaining width. */
function shareCell({shareRatio, barRatio}: Spender, width: number, theme: Theme): Line {
  const figure = formatPercent(shareRatio).padStart(FIGURE_CELLS);
  const bar = shareBar(barRatio, {width: Math.max(0, width - FIGURE_CELLS - 1), glyphs: theme.glyphs, tone: 'series'});
  return [{text: figure}, {text: ' '}, ...bar];
}

const FIGURE_CELLS = 4;
