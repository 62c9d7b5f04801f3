import {say} from '../../domain/safe-text.ts';
import type {RuleRow} from '../../resources/rules.ts';
import type {PaneContext} from '../pane.ts';
import {ruleCommands} from '../rule-commands.ts';
import {machineRuleList, machineRulesAt, machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';
import {KEYS} from '../keys.ts';

type Context = PaneContext<MachinesView>;

/** The machine's own rules, changed where they are seen: in the opened detail, at the part rules. */
export const RULE_COMMANDS = ruleCommands<MachinesView>('machines', {
  awayFromRulesReason: context => {
    if (!isShowingRules(context.view)) return say`open its rules first (${KEYS.open}, then ${KEYS.nextPart} to rules)`;
    return machineUnderCursor(context) === undefined ? say`there is no machine under the cursor` : undefined;
  },
  owner: machineUnderCursor,
  rule: ruleUnderCursor,
  newRuleHelp: "A rule of the machine's own by form; its rules must be open (enter, tab).",
});

export function isShowingRules({isZoomed, part}: MachinesView): boolean {
  return isZoomed && part === 'rules';
}

function ruleUnderCursor(context: Context): RuleRow | undefined {
  return machineRuleList.rowUnderCursor(machineRulesAt(context));
}
