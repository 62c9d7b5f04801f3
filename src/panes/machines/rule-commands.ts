import type {RuleOwner} from '../../actions/rule-form.ts';
import {holderOf} from '../../domain/outgoing-traffic.ts';
import {say} from '../../domain/safe-text.ts';
import type {SecurityRule, VirtualMachine} from '../../domain/virtual-machine.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {ruleCommands} from '../rule-commands.ts';
import {machineRuleList, machineRulesAt, machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;

/** The machine's own rules, changed where they are seen: in the opened detail, at the part rules. */
export const RULE_COMMANDS = ruleCommands<MachinesView>('machines', {
  awayFromRulesReason: context => {
    if (!isShowingRules(context.view)) return say`open its rules first (enter, then tab to rules)`;
    return machineUnderCursor(context) === undefined ? say`there is no machine under the cursor` : undefined;
  },
  owner: context => {
    const machine = machineUnderCursor(context);
    return machine === undefined ? undefined : ownerOf(machine, context.scene);
  },
  subject: context => {
    const id = machineUnderCursor(context)?.id;
    return id === undefined ? undefined : {type: 'vm', id};
  },
  rule: ruleUnderCursor,
  newRuleHelp: "A rule of the machine's own by form; its rules must be open (enter, tab).",
  isInStatusBar: false,
});

export function isShowingRules({isZoomed, part}: MachinesView): boolean {
  return isZoomed && part === 'rules';
}

function ruleUnderCursor(context: Context): SecurityRule | undefined {
  return machineRuleList.rowUnderCursor(machineRulesAt(context))?.rule;
}

function ownerOf(machine: VirtualMachine, {store}: Scene): RuleOwner {
  const {id, name, rules} = machine;
  return {
    id,
    name,
    rules,
    reach: say`this machine`,
    add: rule => ({kind: 'vm.add-rule', id, rule}),
    remove: (ruleId, rule) => ({kind: 'vm.remove-rule', id, ruleId, rule}),
    path: `/core/virtual-machines/${id}/sg-rules`,
    holders: [holderOf(machine, observedFirewalls(store) ?? [])],
  };
}
