import {credit as creditEndpoint, usage as usageEndpoint} from '../api/billing.ts';
import {contracts as contractsEndpoint, getContract} from '../api/contracts.ts';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import {type Contract, daysLeft} from '../domain/contract.ts';
import {hourlyUsd, usdNumber} from '../domain/money.ts';
import {
  age,
  defineResource,
  moment,
  number,
  type Resource,
  type RowContext,
  rawOf,
  text,
  type Value,
} from './resource.ts';

export const usage: Resource = defineResource<UsageRecord>({
  names: ['usage', 'usages'],
  summary: 'what is metered; --deleted for what has ended',
  narrowedBy: ['deleted'],
  columns: [
    {key: 'id', title: 'RESOURCE', align: 'right', value: ({resourceId}) => number(resourceId)},
    {key: 'type', title: 'TYPE', value: ({resourceType}) => text(resourceType)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'cost', title: '$/h', align: 'right', value: rateOf},
    {key: 'billed', title: 'BILLED $', align: 'right', value: ({billedCost}, {format}) => dollars(billedCost, format)},
    {key: 'active', title: 'ACTIVE', value: ({isActive}) => text(isActive ? 'yes' : 'no')},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'ended', title: 'ENDED', shown: 'wide', value: ({terminatedAt}, context) => moment(terminatedAt, context)},
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

function rateOf({rate}: UsageRecord, {format}: RowContext): Value | undefined {
  if (rate === undefined) return undefined;
  return {text: format.formatRateFigure(rate), number: hourlyUsd(rate), plain: String(hourlyUsd(rate))};
}

function dollars(amount: UsageRecord['billedCost'], format: RowContext['format']): Value | undefined {
  if (amount === undefined) return undefined;
  return {text: format.formatUsdFigure(amount), number: usdNumber(amount), plain: String(usdNumber(amount))};
}

export const credit: Resource = defineResource<Credit>({
  names: ['credit', 'balance'],
  summary: 'the prepaid balance',
  columns: [
    {key: 'balance', title: 'BALANCE $', align: 'right', value: ({balance}, {format}) => dollars(balance, format)},
    {
      key: 'threshold',
      title: 'THRESHOLD $',
      align: 'right',
      value: ({threshold}, {format}) => dollars(threshold, format),
    },
  ],
  list: async ({client, signal}) => rawOf(await client.read(creditEndpoint, {}, {signal})),
  parse: creditEndpoint.record,
});

export const contracts: Resource = defineResource<Contract>({
  names: ['contracts', 'contract'],
  summary: 'contracts with their discounts',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'description', title: 'DESCRIPTION', value: ({description}) => text(description)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'ends', title: 'ENDS', value: ({endsAt}, context) => moment(endsAt, context)},
    {key: 'left', title: 'DAYS LEFT', align: 'right', value: daysOf},
    {key: 'policy', title: 'AT THE END', value: ({expirationPolicy}) => text(expirationPolicy.kind)},
    {key: 'discounts', title: 'DISCOUNTS', align: 'right', value: ({discounts}) => number(discounts.length)},
    {key: 'starts', title: 'STARTS', shown: 'wide', value: ({startsAt}, context) => moment(startsAt, context)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(contractsEndpoint, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getContract, {id}, {signal})),
  parse: contractsEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({description}) => description,
});

function daysOf(contract: Contract, {now}: RowContext): Value | undefined {
  const days = daysLeft(contract, now);
  return days === undefined ? undefined : number(Math.floor(days));
}
