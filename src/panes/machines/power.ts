import {presentRate} from '../../actions/known.ts';
import {type PowerAction, powerCostChange} from '../../actions/machine-power.ts';
import type {BatchItem} from '../../actions/machines/batch-care.ts';
import {batchQuestion, batchReason} from '../../actions/machines/batch-question.ts';
import {powerQuestion} from '../../actions/machines/power-question.ts';
import {disabledReasonOf} from '../../actions/machines/power-reason.ts';
import {unreachable} from '../../domain/assert.ts';
import {isNegative, isPositive} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatRate, formatSavings} from '../../ui/format.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {chosenMachines} from './mark-commands.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;
type PowerCommand = Command<Context, PaneOutcome<MachinesView>>;

/** The power menu: each action with its price before the key is pressed, or the reason why it does not apply. */
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
  actionOn: (machine: VirtualMachine) => PowerAction,
): PowerCommand {
  return {
    id: `machines.power.${name}`,
    title,
    help,
    keys: [key],
    group: 'Actions',
    effect: 'operation',
    consequence: context => {
      const items = itemsOf(context, actionOn);
      const [first] = items;
      if (first === undefined) return undefined;
      if (items.length === 1) return consequenceOf(actionOn(first.machine), first.machine, context.scene);
      const sentCount = items.filter(({reason}) => reason === undefined).length;
      return sentCount === items.length ? say`all ${sentCount}` : say`${sentCount} of ${items.length}`;
    },
    disabledReason: context => batchReason(itemsOf(context, actionOn)),
    run: context => {
      const items = itemsOf(context, actionOn);
      const [first] = items;
      if (first === undefined) return {kind: 'done'};
      if (items.length === 1) return {kind: 'ask', question: powerQuestion(first.action, first.machine, context.scene)};
      const question = batchQuestion(title, items, context.scene);
      return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
    },
  };
}

/** The marked machines, or the one under the cursor, each with the reason why the action does not apply to it. */
function itemsOf(
  context: Context,
  actionOn: (machine: VirtualMachine) => PowerAction,
): readonly (BatchItem & {readonly action: PowerAction})[] {
  return chosenMachines(context).map(machine => {
    const action = actionOn(machine);
    return {machine, action, reason: disabledReasonOf(action, machine, context.scene)};
  });
}

/** The price and the catch, in the few words a menu has. */
function consequenceOf(action: PowerAction, machine: VirtualMachine, scene: Scene): SafeText {
  const effect = powerCostChange(action, machine, presentRate(scene, machine.id), scene.preferences.prices);
  const {before, after, savings, savingIsUncertain} = effect;
  if (savings === undefined) return say`cost not known`;
  const saves = safeText(formatSavings(savings, savingIsUncertain));
  const change = say`${safeText(formatRate(before))} to ${safeText(formatRate(after))}`;
  switch (action.kind) {
    case 'vm.stop':
      if (isPositive(savings)) return saves;
      return isNegative(savings) ? change : say`SHUTOFF, still ${safeText(formatRate(after))}`;
    case 'vm.hibernate':
      return action.retainsIp || machine.floatingIp === undefined ? saves : say`${saves}, IP lost`;
    case 'vm.restore':
    case 'vm.start':
    case 'vm.hard-reboot':
      return savings.numerator === 0n ? say`no change in cost` : change;
    default:
      return unreachable(action);
  }
}
