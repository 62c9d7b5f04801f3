import {credit as creditEndpoint} from '../api/billing.ts';
import type {Credit} from '../domain/billing.ts';
import {dollars} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const credit = defineResource<Credit, Credit>({
  names: ['credit', 'balance'],
  isOnlyOne: true,
  summary: 'the prepaid balance',
  columns: [
    {key: 'balance', title: 'BALANCE $', align: 'right', unit: 'dollars', value: ({balance}) => dollars(balance)},
    {
      key: 'threshold',
      title: 'THRESHOLD $',
      align: 'right',
      unit: 'dollars',
      value: ({threshold}) => dollars(threshold),
    },
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(creditEndpoint, {}, {signal})),
  parse: creditEndpoint.record,
  row: undated,
});
