import type {Action, ActionKind} from '../action.ts';
import type {Thing} from '../thing.ts';
import type {ActionRule, ActionRules} from './action-rule.ts';
import {CHANGE_RULES} from './changes.ts';
import {CREATION_RULES} from './creations.ts';
import {DELETION_RULES} from './deletions.ts';
import {MACHINE_ATTACHMENT_RULES} from './machine-attachments.ts';
import {MACHINE_RULES} from './machines.ts';
import {POWER_RULES} from './power.ts';
import {SECURITY_RULE_RULES} from './security-rules.ts';

/** Everything that can be done, with all that is particular to it: adding an action is adding its record here. */
const ACTION_RULES: ActionRules = {
  ...POWER_RULES,
  ...SECURITY_RULE_RULES,
  ...MACHINE_RULES,
  ...MACHINE_ATTACHMENT_RULES,
  ...CREATION_RULES,
  ...DELETION_RULES,
  ...CHANGE_RULES,
};

/** The rule of an action, which is only ever given this action and the things it is about. */
export function ruleOf(action: Action): ActionRule<Action, Thing> {
  return ruleOfKind(action.kind);
}

export function ruleOfKind(kind: ActionKind): ActionRule<Action, Thing> {
  return ACTION_RULES[kind];
}
