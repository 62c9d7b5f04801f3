import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import type {SecurityRule, VirtualMachine} from '../../domain/virtual-machine.ts';
import {rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {ruleCommands} from '../rule-commands.ts';
import type {RuleOwner} from '../rule-form.ts';
import {machineUnderCursor} from './rows.ts';
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
    return machine === undefined ? undefined : ownerOf(machine);
  },
  subject: context => {
    const id = machineUnderCursor(context)?.id;
    return id === undefined ? undefined : {type: 'vm', id};
  },
  rule: ruleUnderCursor,
  newRuleHelp: "A rule of the machine's own by form; its rules must be open (enter, tab).",
  isInStatusBar: false,
});

/** Names a rule among those of its machine, also where the service gives it no id. */
export function ruleKey(rule: SecurityRule): string {
  return `${rule.id ?? ''} ${ruleWords(rule)} ${rule.etherType ?? ''}`;
}

export function isShowingRules({isZoomed, part}: MachinesView): boolean {
  return isZoomed && part === 'rules';
}

function ruleUnderCursor(context: Context): SecurityRule | undefined {
  return rowAtCursor(context.view.rules, machineUnderCursor(context)?.rules ?? [], ruleKey);
}

function ownerOf({id, name, rules}: VirtualMachine): RuleOwner {
  return {
    id,
    name,
    rules,
    reach: say`this machine`,
    add: rule => ({kind: 'vm.add-rule', id, rule}),
    remove: (ruleId, rule) => ({kind: 'vm.remove-rule', id, ruleId, rule}),
    path: `/core/virtual-machines/${id}/sg-rules`,
  };
}
