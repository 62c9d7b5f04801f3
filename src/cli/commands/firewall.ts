import {createFirewall, setAttachments} from '../../actions/firewalls.ts';
import {isSameSet, presentIn, unreadAttachmentsReason} from '../../domain/attachment-state.ts';
import type {Firewall, FirewallSpec} from '../../domain/firewall.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {environments} from '../../resources/environments.ts';
import {firewalls} from '../../resources/firewalls.ts';
import type {Reader} from '../../resources/listing.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {repeatable} from '../option-values.ts';
import {
  type Planned,
  type FoundRecord,
  findMachine,
  findRecord,
  mistaken,
  namedReason,
  odd,
  planned,
  plannedOn,
} from '../operations/plan.ts';

export function findFirewall(reader: Reader, wanted: string): Promise<FoundRecord<Firewall>> {
  return findRecord(reader, firewalls, wanted);
}

const create: OperationCommand<{readonly environment: string; readonly description?: string}> = {
  name: 'create',
  summary: 'create a firewall without rules of its own',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <environment>', 'the environment, by id or name')
      .option('--description <text>', 'a description'),
  plan: async ({reader, words, flags}) => {
    const found = await findRecord(reader, environments, flags.environment);
    if (!found.ok) return found;
    const name = safeText(words[0] ?? '');
    const {description} = flags;
    const spec: FirewallSpec = {
      name,
      environmentId: found.value.id,
      ...(description === undefined ? {} : {description: safeText(description)}),
    };
    return planned(plannedOn(createFirewall.with({spec})));
  },
};

type AttachFlags = {readonly vm: readonly string[]};

/** Attach and detach send the full set, so the set is read first, and sent only if it is still the same. */
const attach: OperationCommand<AttachFlags> = {
  name: 'attach',
  summary: 'attach a firewall to machines',
  arguments: '<firewall> [vm...]',
  options: command => command.addOption(repeatable('--vm <vm>', 'a machine')),
  plan: ({reader, words, flags}) =>
    planAttachments(reader, words, flags, {
      change: (standing, named) => [...new Set([...standing, ...named])],
      unchanged: say`is attached to it already`,
    }),
};

const detach: OperationCommand<AttachFlags> = {
  name: 'detach',
  summary: 'detach a firewall from machines',
  arguments: '<firewall> [vm...]',
  options: command => command.addOption(repeatable('--vm <vm>', 'a machine')),
  plan: ({reader, words, flags}) =>
    planAttachments(reader, words, flags, {
      change: (standing, named) => standing.filter(id => !named.includes(id)),
      unchanged: say`is not attached to it`,
    }),
};

async function planAttachments(
  reader: Reader,
  [wanted = '', ...rest]: readonly string[],
  {vm}: AttachFlags,
  {
    change,
    unchanged,
  }: {
    readonly change: (
      standing: readonly VirtualMachineId[],
      named: readonly VirtualMachineId[],
    ) => readonly VirtualMachineId[];
    /** What a machine is that it changes nothing about. */
    readonly unchanged: SafeText;
  },
): Promise<Planned> {
  const machines = [...rest, ...vm];
  if (machines.length === 0) return mistaken(say`name one or more machines after the firewall`);
  const found = await findFirewall(reader, wanted);
  if (!found.ok) return found;
  const {id, name} = found.value;
  const unread = unreadAttachmentsReason(found.value);
  if (unread !== undefined) return {ok: false, ...odd(say`${nameInWords(name)} #${id}: ${unread}`)};
  const standing = presentIn(found.value).flatMap(({machineId}) => machineId ?? []);
  const named: VirtualMachine[] = [];
  for (const word of machines) {
    const machine = await findMachine(reader, word);
    if (!machine.ok) return machine;
    named.push(machine.value);
  }
  const machineIds = change(
    standing,
    named.map(each => each.id),
  );
  const action = plannedOn(setAttachments.with({id, machineIds}), found.value);
  return planned(isSameSet(machineIds, standing) ? {...action, reason: namedReason(named, unchanged)} : action);
}

/** `skydeck firewall`. Its rules are under `skydeck rule`. */
export const firewallCommand = operationGroup('firewall', [
  operationCommand(create),
  operationCommand(attach),
  operationCommand(detach),
  ...actionCommands('firewall'),
]);
