import {reasonAgainst, reasonAgainstAll} from '../../actions/ask.ts';
import type {Candidate} from '../../actions/assessment.ts';
import {presentRate} from '../../actions/known.ts';
import {type PowerAction, powerCostChange} from '../../actions/machines/power-ways.ts';
import {unreachable} from '../../domain/assert.ts';
import {isNegative, isPositive} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatRate, formatSavings} from '../../ui/format.ts';
import {asking} from '../asking.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {chosenMachines, nothingChosenReason} from './mark-commands.ts';
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
      const candidates = candidatesOf(context, actionOn);
      const [first] = candidates;
      if (first === undefined) return undefined;
      if (candidates.length === 1) return consequenceOf(first.action, first.subject, context.scene);
      const sentCount = candidates.filter(({reason}) => reason === undefined).length;
      return sentCount === candidates.length ? say`all ${sentCount}` : say`${sentCount} of ${candidates.length}`;
    },
    disabledReason: context => reasonAgainstAll(candidatesOf(context, actionOn)) ?? nothingChosenReason(context),
    run: context => asking(candidatesOf(context, actionOn), context.scene),
  };
}

/** The marked machines, or the one under the cursor, each with the reason why the action does not apply to it. */
function candidatesOf(
  context: Context,
  actionOn: (machine: VirtualMachine) => PowerAction,
): readonly Candidate<PowerAction, VirtualMachine>[] {
  return chosenMachines(context).map(subject => {
    const action = actionOn(subject);
    const reason = reasonAgainst(action, subject, context.scene) ?? keptAddressReason(action, subject);
    return {action, subject, reason};
  });
}

/** Who wants to release the address as well means the other key where there is none. */
function keptAddressReason(action: PowerAction, {floatingIp}: VirtualMachine): SafeText | undefined {
  const releases = action.kind === 'vm.hibernate' && !action.retainsIp;
  return releases && floatingIp === undefined ? say`no public address` : undefined;
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
