import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {commandLine, curlRead} from '../../state/act-command.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext} from '../pane.ts';
import {machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;
type CopyCommand = Command<Context, PaneOutcome<MachinesView>>;

/** What the menu `C` copies: the words a colleague, a script or a shell asks for. The key is in none of them. */
export const COPY_COMMANDS: readonly CopyCommand[] = [
  copy('n', say`name`, 'Copies the name of the machine.', ({name}) => name),
  copy('i', say`id`, 'Copies the id of the machine.', ({id}) => say`${id}`),
  copy('a', say`address`, 'Copies the public address, or the private one where there is no public one.', addressOf),
  copy('g', say`skydeck get`, 'Copies the command that prints the record as JSON.', ({id}) =>
    commandLine(['get', 'vms', `${id}`, '-o', 'json']),
  ),
  copy('d', say`skydeck describe`, 'Copies the command that tells everything about the machine.', ({id}) =>
    commandLine(['describe', 'vm', `${id}`]),
  ),
  copy('u', say`curl`, 'Copies the request that reads the machine, without the key.', ({id}) =>
    curlRead(`/core/virtual-machines/${id}`),
  ),
];

function copy(
  key: string,
  title: SafeText,
  help: string,
  textOf: (machine: VirtualMachine) => SafeText | undefined,
): CopyCommand {
  const textHere = (context: Context): SafeText | undefined => {
    const machine = machineUnderCursor(context);
    return machine === undefined ? undefined : textOf(machine);
  };
  return {
    id: `machines.copy.${key}`,
    title,
    help,
    keys: [key],
    group: 'Look',
    effect: 'view',
    consequence: textHere,
    disabledReason: context => (textHere(context) === undefined ? say`there is none to copy` : undefined),
    run: context => {
      const text = textHere(context);
      return text === undefined ? {kind: 'done'} : {kind: 'copy', text};
    },
  };
}

function addressOf({floatingIp, fixedIp}: VirtualMachine): SafeText | undefined {
  return floatingIp ?? fixedIp;
}
