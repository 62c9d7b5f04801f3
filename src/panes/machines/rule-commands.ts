import {describeOperation} from '../../domain/describe-operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import type {SecurityRule, VirtualMachine} from '../../domain/virtual-machine.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {awayReason} from '../feed-state.ts';
import {rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {addRuleForm, editReason, editRuleForm, type RuleOwner, removeRuleQuestion} from '../rule-form.ts';
import {machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;

/** The machine's own rules, changed where they are seen: in the opened detail, at the part rules. */
export const RULE_COMMANDS: readonly Command<Context, PaneOutcome<MachinesView>>[] = [
  {
    id: 'machines.new-rule',
    title: say`new rule`,
    help: "A rule of the machine's own by form; its rules must be open (enter, tab).",
    keys: ['n'],
    group: 'Act',
    effect: 'operation',
    disabledReason: cannotChangeReason,
    run: context => {
      const machine = machineUnderCursor(context);
      return machine === undefined
        ? {kind: 'done'}
        : {kind: 'form', form: addRuleForm(ownerOf(machine), context.scene)};
    },
  },
  {
    id: 'machines.edit-rule',
    title: say`edit rule`,
    help: 'Adds the changed rule, and removes the old one once the new one holds.',
    keys: ['i'],
    group: 'Act',
    effect: 'operation',
    disabledReason: context => cannotChangeReason(context) ?? noRuleReason(context) ?? cannotEditReason(context),
    run: context => {
      const [machine, rule] = [machineUnderCursor(context), ruleUnderCursor(context)];
      if (machine === undefined || rule === undefined) return {kind: 'done'};
      return {kind: 'form', form: editRuleForm(ownerOf(machine), rule, context.scene)};
    },
  },
  {
    id: 'machines.remove-rule',
    title: say`remove rule`,
    help: 'Takes the rule under the cursor away, after a question.',
    keys: ['X'],
    group: 'Act',
    effect: 'operation',
    disabledReason: context => cannotChangeReason(context) ?? noRuleReason(context),
    run: context => {
      const [machine, rule] = [machineUnderCursor(context), ruleUnderCursor(context)];
      if (machine === undefined || rule?.id === undefined) return {kind: 'done'};
      return {kind: 'ask', question: removeRuleQuestion(ownerOf(machine), rule, rule.id)};
    },
  },
];

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
    name,
    rules,
    reach: say`this machine`,
    add: rule => ({kind: 'vm.add-rule', id, rule}),
    remove: (ruleId, rule) => ({kind: 'vm.remove-rule', id, ruleId, rule}),
    path: `/core/virtual-machines/${id}/sg-rules`,
  };
}

function cannotChangeReason(context: Context): SafeText | undefined {
  if (!isShowingRules(context.view)) return say`open its rules first (enter, then tab to rules)`;
  const machine = machineUnderCursor(context);
  if (machine === undefined) return say`there is no machine under the cursor`;
  const {operations} = context.scene;
  if (operations === undefined) return say`read-only session: operations do not exist in it`;
  const holder = operations.openOn({type: 'vm', id: machine.id});
  return holder === undefined ? awayReason(context.scene) : describeOperation(holder).text;
}

function cannotEditReason(context: Context): SafeText | undefined {
  const rule = ruleUnderCursor(context);
  return rule === undefined ? undefined : editReason(rule);
}

function noRuleReason(context: Context): SafeText | undefined {
  const rule = ruleUnderCursor(context);
  if (rule === undefined) return say`there is no rule under the cursor`;
  return rule.id === undefined ? say`the service gave this rule no id` : undefined;
}
