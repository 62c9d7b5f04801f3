import {listEnvironments} from '../api/environments.ts';
import {listFirewalls} from '../api/firewalls.ts';
import {attachmentState, attachmentsObstacle} from '../domain/attachment-state.ts';
import type {Firewall, FirewallSpec} from '../domain/firewall.ts';
import {safeText, say} from '../domain/safe-text.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {environments} from '../resources/environments.ts';
import {firewalls} from '../resources/firewalls.ts';
import type {Reader} from '../resources/resource.ts';
import {type OperationCommand, operationCommand, operationGroup, type Planned} from './operation.ts';
import {type FoundRecord, findMachine, findRecord, mistaken, odd, planEach, planned} from './plan.ts';
import {repeated} from './option-values.ts';

export function findFirewall(reader: Reader, wanted: string): Promise<FoundRecord<Firewall>> {
  return findRecord(reader, firewalls, listFirewalls.record, wanted);
}

const create: OperationCommand<{readonly environment: string; readonly description?: string}> = {
  name: 'create',
  summary: 'makes a firewall without rules of its own',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <environment>', 'where; its id or name')
      .option('--description <text>', 'what it is for'),
  plan: async ({reader, words, flags}) => {
    const found = await findRecord(reader, environments, listEnvironments.record, flags.environment);
    if (!found.ok) return found;
    const name = safeText(words[0] ?? '');
    const {description} = flags;
    const spec: FirewallSpec = {
      name,
      environmentId: found.value.id,
      ...(description === undefined ? {} : {description: safeText(description)}),
    };
    return planned({action: {kind: 'firewall.create', spec}, subjectName: name, weight: 'undoable'});
  },
};

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes firewalls with their rules, for ever',
  arguments: '<firewall...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findFirewall(reader, word),
      ({id, name, status, rules, attachments, hasUnreadAttachments}) => ({
        action: {kind: 'firewall.delete', id},
        subjectName: name,
        status,
        weight: 'irreversible',
        warnings: [
          say`${rules.length} rules are lost; it holds for ${hasUnreadAttachments === true ? say`?` : attachments.length} machines.`,
        ],
      }),
    ),
};

type AttachFlags = {readonly vm: readonly string[]};

/** Attaching and detaching send the whole set, so the set is read first, and sent only while it still stands. */
const attach: OperationCommand<AttachFlags> = {
  name: 'attach',
  summary: 'lets a firewall hold for machines, beside those it holds for already',
  arguments: '<firewall> [vm...]',
  options: command => command.option('--vm <vm>', 'a machine; may be repeated', repeated, []),
  plan: ({reader, words, flags}) =>
    planAttachments(reader, words, flags, (standing, named) => [...new Set([...standing, ...named])]),
};

const detach: OperationCommand<AttachFlags> = {
  name: 'detach',
  summary: 'takes machines out of a firewall; the others stay in',
  arguments: '<firewall> [vm...]',
  options: command => command.option('--vm <vm>', 'a machine; may be repeated', repeated, []),
  plan: ({reader, words, flags}) =>
    planAttachments(reader, words, flags, (standing, named) => standing.filter(id => !named.includes(id))),
};

async function planAttachments(
  reader: Reader,
  [wanted = '', ...rest]: readonly string[],
  {vm}: AttachFlags,
  change: (standing: readonly VirtualMachineId[], named: readonly VirtualMachineId[]) => readonly VirtualMachineId[],
): Promise<Planned> {
  const machines = [...rest, ...vm];
  if (machines.length === 0) return mistaken(say`name the machines behind the firewall`);
  const found = await findFirewall(reader, wanted);
  if (!found.ok) return found;
  const {id, name, status, attachments} = found.value;
  const obstacle = attachmentsObstacle(found.value);
  if (obstacle !== undefined) return {ok: false, ...odd(say`${name} #${id}: ${obstacle}`)};
  const present = attachments.filter(({status: each}) => attachmentState(each) !== 'gone');
  const standing = present.flatMap(({machineId}) => machineId ?? []);
  const named: VirtualMachineId[] = [];
  for (const word of machines) {
    const machine = await findMachine(reader, word);
    if (!machine.ok) return machine;
    named.push(machine.value.id);
  }
  const machineIds = change(standing, named);
  const warnings = [say`It holds for ${standing.length} machines now, and for ${machineIds.length} afterwards.`];
  const action = {kind: 'firewall.set-attachments', id, machineIds} as const;
  return planned({action, subjectName: name, status, replaced: standing.map(String), weight: 'undoable', warnings});
}

/** `skydeck firewall`. Its rules are `skydeck rule`. */
export const firewallCommand = operationGroup('firewall', 'what can be done to firewalls', [
  operationCommand(create),
  operationCommand(remove),
  operationCommand(attach),
  operationCommand(detach),
]);
