import {usage as usageEndpoint} from '../api/billing.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {usableRate} from '../domain/cost.ts';
import {age, type Dated, dated, defineResource, dollars, moment, number, rate, rawOf, text} from './resource.ts';

export const usage = defineResource<UsageRecord, Dated<UsageRecord>>({
  names: ['usage', 'usages'],
  summary: 'what is metered; --deleted for what has ended',
  narrowedBy: ['deleted'],
  columns: [
    {key: 'id', title: 'RESOURCE', align: 'right', value: ({resourceId}) => number(resourceId)},
    {key: 'type', title: 'TYPE', value: ({resourceType}) => text(resourceType)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'cost', title: '$/h', align: 'right', value: record => rate(usableRate(record))},
    {key: 'billed', title: 'BILLED $', align: 'right', value: ({billedCost}) => dollars(billedCost)},
    {key: 'active', title: 'ACTIVE', value: ({isActive}) => text(isActive ? 'yes' : 'no')},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
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
