import type {Act, ActKind} from '../act.ts';
import type {Thing} from '../thing.ts';
import type {ActRule, ActRules} from './act-rule.ts';
import {CHANGE_RULES} from './changes.ts';
import {CREATION_RULES} from './creations.ts';
import {DELETION_RULES} from './deletions.ts';
import {MACHINE_ATTACHMENT_RULES} from './machine-attachments.ts';
import {MACHINE_RULES} from './machines.ts';
import {POWER_RULES} from './power.ts';
import {SECURITY_RULE_RULES} from './security-rules.ts';

/** Everything that can be done, with all that is particular to it: adding an act is adding its record here. */
const ACT_RULES: ActRules = {
  ...POWER_RULES,
  ...SECURITY_RULE_RULES,
  ...MACHINE_RULES,
  ...MACHINE_ATTACHMENT_RULES,
  ...CREATION_RULES,
  ...DELETION_RULES,
  ...CHANGE_RULES,
};

/** The rule of an act, which is only ever given this act and the things it is about. */
export function ruleOf(act: Act): ActRule<Act, Thing> {
  return ruleOfKind(act.kind);
}

export function ruleOfKind(kind: ActKind): ActRule<Act, Thing> {
  return ACT_RULES[kind];
}
