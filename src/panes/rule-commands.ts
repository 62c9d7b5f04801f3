import {cannotOperateReason, lockReason, permissionReason} from '../actions/action-question.ts';
import {candidate, reasonAgainstAll} from '../actions/ask.ts';
import type {Candidate} from '../actions/assessment.ts';
import {addRuleForm, editReason, editRuleForm} from '../actions/rule-form.ts';
import {addRuleTo, type RuleOwner, removeRuleFrom} from '../actions/rules.ts';
import {subjectOf} from '../domain/action.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import type {RuleRow} from '../resources/rules.ts';
import {asking} from './asking.ts';
import type {PartActions, PartCommand} from './collection-part.tsx';
import type {Command, PaneOutcome} from './command.ts';
import type {PaneContext, Scene} from './pane.ts';
import {KEYS} from './keys.ts';

const EDIT: PartCommand<RuleRow, RuleOwner> = {
  key: KEYS.edit,
  title: say`edit rule`,
  help: 'Adds the changed rule, then removes the old one once the new one is in force.',
  reason: ({rule}, scene, owner) =>
    cannotChangeReason(scene, owner) ??
    noIdReason(rule) ??
    editReason(rule) ??
    refusedReason(scene, owner, rule, ['add', 'remove']),
  run: ({rule}, scene, owner) =>
    owner === undefined ? {kind: 'done'} : {kind: 'form', form: editRuleForm(owner, rule, scene)},
};

const REMOVE: PartCommand<RuleRow, RuleOwner> = {
  key: KEYS.remove,
  title: say`remove rule`,
  help: 'Removes the rule under the cursor, after a confirmation.',
  reason: ({rule}, scene, owner) =>
    cannotChangeReason(scene, owner) ?? noIdReason(rule) ?? refusedReason(scene, owner, rule, ['remove']),
  run: (row, scene, owner) => asking(removals([row], scene, owner), scene),
  many: {
    reason: (rows, scene, owner) => cannotChangeReason(scene, owner) ?? reasonAgainstAll(removals(rows, scene, owner)),
    run: (rows, scene, owner) => asking(removals(rows, scene, owner), scene),
  },
};

/** What can be done to the rules of a firewall or of a machine, the same wherever they are shown. */
export const RULE_ACTIONS = {
  create: {
    reason: (scene, owner) => cannotChangeReason(scene, owner) ?? refusedReason(scene, owner, undefined, ['add']),
    run: (scene, owner) => (owner === undefined ? {kind: 'done'} : {kind: 'form', form: addRuleForm(owner, scene)}),
  },
  commands: [EDIT, REMOVE],
} as const satisfies PartActions<RuleRow, RuleOwner>;

function removals(rows: readonly RuleRow[], scene: Scene, owner: RuleOwner | undefined): readonly Candidate[] {
  if (owner === undefined) return [];
  return rows.flatMap(({rule}) =>
    rule.id === undefined ? [] : [candidate(removeRuleFrom(owner, rule.id, rule), owner, scene)],
  );
}

/** What a pane that shows rules beside other things knows of them. */
export type RulePlace<View> = {
  /** Why no rule can be changed from where the person stands; undefined where one can. */
  readonly awayFromRulesReason: (context: PaneContext<View>) => SafeText | undefined;
  readonly owner: (context: PaneContext<View>) => RuleOwner | undefined;
  readonly rule: (context: PaneContext<View>) => RuleRow | undefined;
  /** One sentence for help about where a new rule goes. */
  readonly newRuleHelp: string;
};

/** The keys that add, change and remove a rule, as commands of such a pane. */
export function ruleCommands<View>(
  paneId: string,
  {awayFromRulesReason, owner, rule, newRuleHelp}: RulePlace<View>,
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  const shared = {group: 'Actions', effect: 'operation'} as const;
  const {create, commands} = RULE_ACTIONS;
  const onRow = (name: string, {key, title, help, reason, run}: PartCommand<RuleRow, RuleOwner>) => ({
    ...shared,
    id: `${paneId}.${name}`,
    title,
    help,
    keys: [key],
    disabledReason: (context: PaneContext<View>) => {
      const away = awayFromRulesReason(context);
      if (away !== undefined) return away;
      const row = rule(context);
      return row === undefined ? say`there is no rule under the cursor` : reason?.(row, context.scene, owner(context));
    },
    run: (context: PaneContext<View>): PaneOutcome<View> => {
      const row = rule(context);
      return row === undefined ? {kind: 'done'} : run(row, context.scene, owner(context));
    },
  });
  const [edit, remove] = commands;
  return [
    {
      ...shared,
      id: `${paneId}.new-rule`,
      title: say`new rule`,
      help: newRuleHelp,
      keys: [KEYS.create],
      disabledReason: context => awayFromRulesReason(context) ?? create.reason(context.scene, owner(context)),
      run: context => create.run(context.scene, owner(context)),
    },
    onRow('edit-rule', edit),
    onRow('remove-rule', remove),
  ];
}

/**
 * One key that does the same to a rule where rules are moved through, and to the object itself everywhere else: in one
 * place a key means one thing.
 */
export function byPlace<View>(
  isInRules: (view: View) => boolean,
  onRule: Command<PaneContext<View>, PaneOutcome<View>> | undefined,
  elsewhere: Command<PaneContext<View>, PaneOutcome<View>>,
): Command<PaneContext<View>, PaneOutcome<View>> {
  if (onRule === undefined) return elsewhere;
  const here = ({view}: PaneContext<View>) => (isInRules(view) ? onRule : elsewhere);
  return {
    ...elsewhere,
    disabledReason: context => here(context).disabledReason?.(context),
    run: context => here(context).run(context),
  };
}

function cannotChangeReason(scene: Scene, owner: RuleOwner | undefined): SafeText | undefined {
  return owner === undefined ? cannotOperateReason(scene) : lockReason(scene, subjectOf(addRuleTo(owner, ANY_RULE)));
}

const ANY_RULE: RuleSpec = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('192.0.2.0/24'),
};

/** What the key's user may not do to rules: what a rule says makes no difference to that. */
function refusedReason(
  scene: Scene,
  owner: RuleOwner | undefined,
  rule: SecurityRule | undefined,
  changes: readonly ('add' | 'remove')[],
): SafeText | undefined {
  if (owner === undefined) return undefined;
  const ruleId = rule?.id ?? 1;
  return changes
    .map(change =>
      permissionReason(scene, change === 'add' ? addRuleTo(owner, ANY_RULE) : removeRuleFrom(owner, ruleId, ANY_RULE)),
    )
    .find(reason => reason !== undefined);
}

function noIdReason({id}: SecurityRule): SafeText | undefined {
  return id === undefined ? say`the service gave this rule no id` : undefined;
}
