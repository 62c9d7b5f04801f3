import {listFirewalls} from '../api/firewalls.ts';
import {listVirtualMachines} from '../api/virtual-machines.ts';
import {holderOf, holdersOf, outgoingLosses, outgoingWarnings} from '../domain/outgoing-traffic.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {isExposed, type RuleSpec, ruleWords} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {idOf} from '../resources/find.ts';
import type {Reader} from '../resources/resource.ts';
import {findFirewall} from './firewall.ts';
import {
  type OperationCommand,
  operationCommand,
  operationGroup,
  type Planned,
  type PlannedAction,
} from './operation.ts';
import {findMachine, mistaken, planned, type Unplanned} from './plan.ts';
import {protocolsOf, type RuleFlags, ruleOf} from './rule-words.ts';

type HolderFlags = {readonly firewall?: string; readonly vm?: string};

const add: OperationCommand<HolderFlags & RuleFlags> = {
  name: 'add',
  summary: 'adds a rule to a firewall or to one machine; a preset fills in the port',
  arguments: '[preset]',
  options: command =>
    command
      .option('--firewall <firewall>', 'the firewall')
      .option('--vm <vm>', 'the machine')
      .option('--cidr <network>', 'from where or to where, e.g. 10.0.0.0/8')
      .option('--port <port>', 'a port or a range, e.g. 22 or 8000-8100; all where nothing is said')
      .option('--protocol <protocol>', 'one of skydeck get protocols; tcp where nothing is said')
      .option('--direction <direction>', 'ingress or egress; ingress where nothing is said')
      .option('--ethertype <type>', 'IPv4 or IPv6; by the network where nothing is said'),
  plan: async ({reader, words, flags}) => {
    const outcome = ruleOf(flags, words[0], await protocolsOf(reader));
    if (!outcome.ok) return mistaken(outcome.mistake);
    const {spec, notes} = outcome;
    const warnings = [...notes, ...(isExposed(spec) ? [say`It lets everyone in.`] : [])];
    return planOn(reader, flags, holder => ({...additionTo(holder, spec), weight: 'undoable', warnings}));
  },
};

type Holder =
  | {readonly type: 'vm'; readonly found: Extract<Awaited<ReturnType<typeof findMachine>>, {ok: true}>['value']}
  | {readonly type: 'firewall'; readonly found: Extract<Awaited<ReturnType<typeof findFirewall>>, {ok: true}>['value']};

function additionTo({type, found}: Holder, rule: RuleSpec): Pick<PlannedAction, 'action' | 'subjectName'> {
  const action =
    type === 'vm'
      ? ({kind: 'vm.add-rule', id: found.id, rule} as const)
      : ({kind: 'firewall.add-rule', id: found.id, rule} as const);
  return {action, subjectName: found.name};
}

const remove: OperationCommand<HolderFlags> = {
  name: 'remove',
  summary: 'takes a rule away; its id stands in skydeck get rules',
  arguments: '<rule-id>',
  options: command => command.option('--firewall <firewall>', 'the firewall').option('--vm <vm>', 'the machine'),
  plan: ({reader, words, flags}) =>
    planOn(reader, flags, async holder => {
      const ruleId = idOf(words[0] ?? '');
      const rule = holder.found.rules.find(({id}) => id === ruleId);
      if (ruleId === undefined || rule === undefined) {
        const message = say`${holder.found.name} #${holder.found.id} has no rule ${safeText(words[0] ?? '')}`;
        return {failure: {kind: 'not-found', message}};
      }
      const losses = await lossesBy(reader, holder, rule);
      return {
        ...removalFrom(holder, ruleId, rule),
        weight: losses.length === 0 ? 'undoable' : 'irreversible',
        warnings: [say`It says ${ruleWords(rule)}.`, ...losses],
      };
    }),
};

/** What can be sent out no longer once an egress rule is gone, as far as the other rules of its machines can be read. */
async function lossesBy(reader: Reader, holder: Holder, rule: SecurityRule): Promise<readonly SafeText[]> {
  const staying = holder.found.rules.filter(each => each !== rule);
  if (outgoingLosses([rule], staying).length === 0) return [];
  const {client, signal} = reader;
  const listed = await client.read(listFirewalls, {}, {signal});
  const firewalls = listed.ok ? listed.value.records : [];
  const machines = holder.type === 'firewall' ? await client.read(listVirtualMachines, {}, {signal}) : undefined;
  const holders =
    holder.type === 'vm'
      ? [holderOf(holder.found, firewalls)]
      : holdersOf(holder.found, {machines: machines?.ok === true ? machines.value.records : [], firewalls});
  return outgoingWarnings(
    holders.map(({name, otherRules}) => ({
      gone: [rule],
      staying: [...staying, ...otherRules],
      ...(holders.length === 1 ? {} : {machineName: name}),
    })),
  );
}

function removalFrom(
  {type, found}: Holder,
  ruleId: number,
  rule: SecurityRule,
): Pick<PlannedAction, 'action' | 'subjectName'> {
  const action =
    type === 'vm'
      ? ({kind: 'vm.remove-rule', id: found.id, ruleId, rule} as const)
      : ({kind: 'firewall.remove-rule', id: found.id, ruleId, rule} as const);
  return {action, subjectName: found.name};
}

async function planOn(
  reader: Reader,
  {firewall, vm}: HolderFlags,
  actionOn: (holder: Holder) => PlannedAction | Promise<PlannedAction | Unplanned>,
): Promise<Planned> {
  if ((firewall === undefined) === (vm === undefined)) return mistaken(say`say either --firewall or --vm`);
  const holder =
    firewall === undefined ? await machineHolder(reader, vm ?? '') : await firewallHolder(reader, firewall);
  if ('ok' in holder) return holder;
  const action = await actionOn(holder);
  return 'mistake' in action || 'failure' in action ? {ok: false, ...action} : planned(action);
}

async function machineHolder(reader: Reader, wanted: string): Promise<Holder | Extract<Planned, {ok: false}>> {
  const found = await findMachine(reader, wanted);
  return found.ok ? {type: 'vm', found: found.value} : found;
}

async function firewallHolder(reader: Reader, wanted: string): Promise<Holder | Extract<Planned, {ok: false}>> {
  const found = await findFirewall(reader, wanted);
  return found.ok ? {type: 'firewall', found: found.value} : found;
}

/** `skydeck rule`: one rule of a firewall or of a machine. */
export const ruleCommand = operationGroup('rule', 'rules of firewalls and of machines', [
  operationCommand(add),
  operationCommand(remove),
]);
