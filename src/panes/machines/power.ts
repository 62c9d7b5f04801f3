import type {PowerAct} from '../../domain/act.ts';
import {actEffect, PRICES} from '../../domain/cost.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatRate} from '../../ui/format.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {powerQuestion} from './power-question.ts';
import {disabledReasonOf} from './power-reason.ts';
import {machineUnderCursor, presentRate} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;
type PowerCommand = Command<Context, PaneOutcome<MachinesView>>;

/** The power menu: each act with its price before the key is pressed, or the reason why it does not apply. */
export const powerCommands: readonly PowerCommand[] = [
  power('start', 's', say`start`, 'Starts a machine that is shut off.', ({id}) => ({kind: 'vm.start', id})),
  power('stop', 'x', say`stop`, 'Shuts the machine down. It stays billed in full.', ({id}) => ({kind: 'vm.stop', id})),
  power('hibernate', 'h', say`hibernate`, 'Releases the hardware and keeps the address.', ({id}) => ({
    kind: 'vm.hibernate',
    id,
    retainsIp: true,
  })),
  power('release', 'H', say`hibernate, drop IP`, 'Releases the hardware and the public address.', ({id}) => ({
    kind: 'vm.hibernate',
    id,
    retainsIp: false,
  })),
  power('hard-reboot', 'r', say`hard reboot`, 'Cuts the power and boots again.', ({id}) => ({
    kind: 'vm.hard-reboot',
    id,
  })),
  power('restore', 'u', say`restore`, 'Brings a hibernated machine back, if its hardware is free.', ({id}) => ({
    kind: 'vm.restore',
    id,
  })),
];

function power(
  name: string,
  key: string,
  title: SafeText,
  help: string,
  actOn: (machine: VirtualMachine) => PowerAct,
): PowerCommand {
  return {
    id: `machines.power.${name}`,
    title,
    help,
    keys: [key],
    group: 'Act',
    effect: 'operation',
    consequence: context => {
      const machine = machineUnderCursor(context);
      return machine === undefined ? undefined : consequenceOf(actOn(machine), machine, context.scene);
    },
    disabledReason: context => {
      const machine = machineUnderCursor(context);
      if (machine === undefined) return say`there is no machine under the cursor`;
      return disabledReasonOf(actOn(machine), machine, context.scene);
    },
    run: context => {
      const machine = machineUnderCursor(context);
      if (machine === undefined) return {kind: 'done'};
      return {kind: 'ask', question: powerQuestion(actOn(machine), machine, context.scene)};
    },
  };
}

/** The price and the catch, in the few words a menu has. */
function consequenceOf(act: PowerAct, machine: VirtualMachine, scene: Scene): SafeText {
  const {before, after, savings} = actEffect(act, machine, presentRate(scene, machine.id), PRICES);
  switch (act.kind) {
    case 'vm.stop':
      return say`SHUTOFF, still ${safeText(formatRate(after))}`;
    case 'vm.hibernate':
      return act.retainsIp
        ? say`saves ${safeText(formatRate(savings))}`
        : say`saves ${safeText(formatRate(savings))}, IP lost`;
    case 'vm.restore':
      return say`${safeText(formatRate(before))} to ${safeText(formatRate(after))}`;
    case 'vm.start':
    case 'vm.hard-reboot':
      return say`no change in cost`;
  }
}
