import {recordOf} from '../api/fields.ts';
import {ruleProtocols} from '../api/firewalls.ts';
import {securityRule, toSecurityRule} from '../api/rule-records.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {isExposed} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {find} from './find.ts';
import {firewalls} from './firewalls.ts';
import {machines} from './machines.ts';
import {
  age,
  defineResource,
  type Listed,
  number,
  type Owned,
  owned,
  type Reader,
  type Resource,
  rawField,
  rawOf,
  text,
  undated,
  type Value,
  withOwner,
  yesNo,
} from './resource.ts';

export const rules = defineResource<SecurityRule, Owned<SecurityRule>>({
  names: ['rules', 'rule'],
  summary: 'rules of firewalls and of machines; --firewall or --vm for one of them',
  narrowedBy: ['firewall', 'vm'],
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'on', title: 'ON', value: ({owner}) => text(owner)},
    {key: 'direction', title: 'DIRECTION', value: ({direction}) => text(direction)},
    {key: 'protocol', title: 'PROTOCOL', value: ({protocol}) => text(protocol)},
    {key: 'ports', title: 'PORTS', value: portsOf},
    {key: 'prefix', title: 'CIDR', value: ({remoteIpPrefix}) => text(remoteIpPrefix)},
    {key: 'state', title: 'STATE', value: ({status}) => text(status)},
    {key: 'exposed', title: 'EXPOSED', value: rule => yesNo(isExposed(rule))},
    {key: 'ether', title: 'ETHER', value: ({etherType}) => text(etherType)},
    {key: 'age', title: 'AGE', printed: 'wide', value: ({createdAt, now}) => age(createdAt, now)},
  ],
  list: listRules,
  parse: recordOf(securityRule, toSecurityRule),
  row: owned,
  idOf: ({id}) => id,
});

function portsOf({portRangeMin: from, portRangeMax: to}: SecurityRule): Value {
  if (from === undefined) return {text: 'all'};
  return {text: from === to || to === undefined ? String(from) : `${from}-${to}`, number: from};
}

/** Rules have no list of their own: they stand in what they hold for. */
async function listRules(reader: Reader): Promise<Listed> {
  const {vm, firewall} = reader.narrowing;
  const holders = [
    {
      kind: 'firewall',
      resource: firewalls,
      named: firewall,
      isWanted: firewall !== undefined || vm === undefined,
      field: 'rules',
    },
    {
      kind: 'vm',
      resource: machines,
      named: vm,
      isWanted: vm !== undefined || firewall === undefined,
      field: 'security_rules',
    },
  ] as const;
  const raw: unknown[] = [];
  const owners = new Map<unknown, SafeText>();
  for (const {kind, resource, named, isWanted, field} of holders) {
    if (!isWanted) continue;
    const listed = named === undefined ? await resource.list(reader) : await foundRaw(reader, resource, named);
    if (!listed.ok) return listed;
    for (const holder of listed.value.raw) {
      const {id, name} = resource.parseRaw(holder);
      const owner = say`${safeText(resource.names[1] ?? '')} ${name ?? say`?`} #${id ?? say`?`}`;
      const own = rawField(holder, field);
      for (const each of Array.isArray(own) ? own : []) {
        const rule = withOwner(each, kind, holder);
        raw.push(rule);
        owners.set(rule, owner);
      }
    }
  }
  return {ok: true, value: {raw, owners}};
}

async function foundRaw(reader: Reader, resource: Resource, named: string): Promise<Listed> {
  const found = await find(reader, resource, named);
  return found.ok ? {ok: true, value: {raw: [found.value.raw]}} : found;
}

export const protocols = defineResource<SafeText, SafeText>({
  names: ['protocols', 'protocol'],
  summary: 'protocols that a rule can name',
  columns: [{key: 'name', title: 'NAME', value: name => text(name)}],
  list: async ({client, signal}) => rawOf(await client.readRaw(ruleProtocols, {}, {signal})),
  parse: ruleProtocols.record,
  row: undated,
  idOf: name => name,
  nameOf: name => name,
});
