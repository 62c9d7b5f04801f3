import {nameInWords, say} from '../../domain/safe-text.ts';
import {keyCommands} from '../action-keys.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {chosenMachines, machineUnderCursor} from './rows.ts';
import type {MachinesContext, MachinesView} from './view.ts';

export type MachinesCommand = Command<MachinesContext, PaneOutcome<MachinesView>>;

/** Each with its price before the key is pressed, or the reason why it does not apply; for all marked machines. */
export const POWER_COMMANDS = keyCommands({id: 'machines.power', type: 'vm', menu: 'power', chosen: chosenMachines});

/** Actions that change the machine under the cursor, except its power and its rules. */
export const EDIT_COMMANDS = keyCommands({id: 'machines.edit', type: 'vm', menu: 'edit', chosen: underCursor});

/** Deletes all marked machines, or the one under the cursor if none is marked. */
export const DELETE_COMMANDS = keyCommands({id: 'machines.edit', type: 'vm', menu: 'delete', chosen: chosenMachines});

/** Listed beside actions on all marked machines, so it says that it applies to one machine only. */
export const RESIZE_COMMANDS = keyCommands({id: 'machines.edit', type: 'vm', menu: 'resize', chosen: underCursor}).map(
  (command): MachinesCommand => ({
    ...command,
    consequence: context => {
      const machine = machineUnderCursor(context);
      return machine === undefined || chosenMachines(context).length < 2
        ? command.consequence?.(context)
        : say`${nameInWords(machine.name)} alone, under the cursor`;
    },
  }),
);

function underCursor(context: MachinesContext) {
  const machine = machineUnderCursor(context);
  return machine === undefined ? [] : [machine];
}
