import {contracts as contractsEndpoint, getContract} from '../api/contracts.ts';
import {type Contract, daysLeft} from '../domain/contract.ts';
import {type Dated, dated, defineResource, moment, number, rawOf, text, type Value} from './resource.ts';

export const contracts = defineResource<Contract, Dated<Contract>>({
  names: ['contracts', 'contract'],
  summary: 'contracts with their discounts',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'description', title: 'DESCRIPTION', value: ({description}) => text(description)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'ends', title: 'ENDS', value: ({endsAt}) => moment(endsAt)},
    {key: 'left', title: 'DAYS LEFT', align: 'right', value: daysOf},
    {key: 'policy', title: 'AT THE END', value: ({expirationPolicy}) => text(expirationPolicy.kind)},
    {key: 'discounts', title: 'DISCOUNTS', align: 'right', value: ({discounts}) => number(discounts.length)},
    {key: 'starts', title: 'STARTS', printed: 'wide', value: ({startsAt}) => moment(startsAt)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(contractsEndpoint, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.readRaw(getContract, {id}, {signal})),
  parse: contractsEndpoint.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({description}) => description,
});

function daysOf(contract: Dated<Contract>): Value | undefined {
  const days = daysLeft(contract, contract.now);
  return days === undefined ? undefined : number(Math.floor(days));
}
