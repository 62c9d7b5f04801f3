import {getFirewall, listFirewalls} from '../api/firewalls.ts';
import {type Firewall, firewallId} from '../domain/firewall.ts';
import {isOpenToWorld} from '../domain/security-rule.ts';
import {age, type Dated, dated, defineResource, number, rawOf, text} from './resource.ts';

export const firewalls = defineResource<Firewall, Dated<Firewall>>({
  names: ['firewalls', 'firewall', 'fw'],
  summary: 'firewalls',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'rules', title: 'RULES', align: 'right', value: ({rules}) => number(rules.length)},
    {
      key: 'machines',
      title: 'VMS',
      align: 'right',
      value: ({attachments, hasUnreadAttachments}) =>
        number(hasUnreadAttachments === true ? undefined : attachments.length),
    },
    {key: 'open', title: 'OPEN', align: 'right', value: ({rules}) => number(rules.filter(isOpenToWorld).length)},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'region', title: 'REGION', printed: 'wide', value: ({regionName}) => text(regionName)},
    {key: 'description', title: 'DESCRIPTION', printed: 'wide', value: ({description}) => text(description)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(listFirewalls, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.readRaw(getFirewall, {id: firewallId(id)}, {signal})),
  parse: listFirewalls.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
