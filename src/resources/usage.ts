import {usage as usageEndpoint} from '../api/billing.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {hourlyUsd} from '../domain/money.ts';
import {formatRateFigure} from '../ui/format.ts';
import {age, defineResource, dollars, moment, number, type Resource, rawOf, text, type Value} from './resource.ts';

export const usage: Resource = defineResource<UsageRecord>({
  names: ['usage', 'usages'],
  summary: 'what is metered; --deleted for what has ended',
  narrowedBy: ['deleted'],
  columns: [
    {key: 'id', title: 'RESOURCE', align: 'right', value: ({resourceId}) => number(resourceId)},
    {key: 'type', title: 'TYPE', value: ({resourceType}) => text(resourceType)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'cost', title: '$/h', align: 'right', value: rateOf},
    {key: 'billed', title: 'BILLED $', align: 'right', value: ({billedCost}) => dollars(billedCost)},
    {key: 'active', title: 'ACTIVE', value: ({isActive}) => text(isActive ? 'yes' : 'no')},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'ended', title: 'ENDED', shown: 'wide', value: ({terminatedAt}) => moment(terminatedAt)},
    {
      key: 'excluded',
      title: 'EXCLUDED',
      shown: 'wide',
      value: record => text(record.isExcludedFromBilling ? 'yes' : 'no'),
    },
  ],
  list: async ({client, signal, narrowing}) =>
    rawOf(await client.read(usageEndpoint, {isDeleted: narrowing.deleted ?? false}, {signal})),
  parse: usageEndpoint.record,
  idOf: ({resourceId}) => resourceId,
  nameOf: ({name}) => name,
});

function rateOf({rate}: UsageRecord): Value | undefined {
  if (rate === undefined) return undefined;
  return {text: formatRateFigure(rate), number: hourlyUsd(rate), plain: String(hourlyUsd(rate))};
}
