import {cannotOperateReason, lockReason, permissionReason} from '../actions/action-question.ts';
import {candidate} from '../actions/ask.ts';
import {addRuleForm, editReason, editRuleForm} from '../actions/rule-form.ts';
import {addRuleTo, type RuleOwner, removeRuleFrom} from '../actions/rules.ts';
import {subjectOf} from '../domain/action.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {asking} from './asking.ts';
import type {Command, PaneOutcome} from './command.ts';
import type {PaneContext} from './pane.ts';

/** What a pane knows of the rules in it. */
export type RulePlace<View> = {
  /** Why no rule can be changed from where the person stands; undefined where one can. */
  readonly awayFromRulesReason: (context: PaneContext<View>) => SafeText | undefined;
  /** Why the rule under the cursor cannot be reached; undefined where it can. */
  readonly awayFromRuleReason?: (context: PaneContext<View>) => SafeText | undefined;
  readonly owner: (context: PaneContext<View>) => RuleOwner | undefined;
  readonly rule: (context: PaneContext<View>) => SecurityRule | undefined;
  /** One sentence for help about where a new rule goes. */
  readonly newRuleHelp: string;
  readonly isInStatusBar: boolean;
};

/** The keys that add, change and remove a rule, the same wherever rules are shown. */
export function ruleCommands<View>(
  paneId: string,
  place: RulePlace<View>,
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  const {owner, rule, isInStatusBar} = place;
  const shared = {group: 'Actions', effect: 'operation', isInStatusBar} as const;
  return [
    {
      ...shared,
      id: `${paneId}.new-rule`,
      title: say`new rule`,
      help: place.newRuleHelp,
      keys: ['n'],
      disabledReason: context => cannotChangeReason(place, context) ?? refusedReason(place, context, ['add']),
      run: context => {
        const owning = owner(context);
        return owning === undefined ? {kind: 'done'} : {kind: 'form', form: addRuleForm(owning, context.scene)};
      },
    },
    {
      ...shared,
      id: `${paneId}.edit-rule`,
      title: say`edit rule`,
      help: 'Adds the changed rule, then removes the old one once the new one is in force.',
      keys: ['i'],
      disabledReason: context =>
        cannotChangeReason(place, context) ??
        noRuleReason(place, context) ??
        cannotEditReason(rule(context)) ??
        refusedReason(place, context, ['add', 'remove']),
      run: context => {
        const [owning, chosen] = [owner(context), rule(context)];
        if (owning === undefined || chosen === undefined) return {kind: 'done'};
        return {kind: 'form', form: editRuleForm(owning, chosen, context.scene)};
      },
    },
    {
      ...shared,
      id: `${paneId}.remove-rule`,
      title: say`remove rule`,
      help: 'Removes the rule under the cursor, after a confirmation.',
      keys: ['X'],
      disabledReason: context =>
        cannotChangeReason(place, context) ?? noRuleReason(place, context) ?? refusedReason(place, context, ['remove']),
      run: context => {
        const [owning, chosen] = [owner(context), rule(context)];
        if (owning === undefined || chosen?.id === undefined) return {kind: 'done'};
        return asking([candidate(removeRuleFrom(owning, chosen.id, chosen), owning, context.scene)], context.scene);
      },
    },
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

function cannotChangeReason<View>(place: RulePlace<View>, context: PaneContext<View>): SafeText | undefined {
  const away = place.awayFromRulesReason(context);
  if (away !== undefined) return away;
  const owner = place.owner(context);
  return owner === undefined
    ? cannotOperateReason(context.scene)
    : lockReason(context.scene, subjectOf(addRuleTo(owner, ANY_RULE)));
}

const ANY_RULE: RuleSpec = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('192.0.2.0/24'),
};

/** What the key's user may not do to rules: what a rule says makes no difference to that. */
function refusedReason<View>(
  place: RulePlace<View>,
  context: PaneContext<View>,
  changes: readonly ('add' | 'remove')[],
): SafeText | undefined {
  const owning = place.owner(context);
  if (owning === undefined) return undefined;
  const ruleId = place.rule(context)?.id ?? 1;
  return changes
    .map(change =>
      permissionReason(
        context.scene,
        change === 'add' ? addRuleTo(owning, ANY_RULE) : removeRuleFrom(owning, ruleId, ANY_RULE),
      ),
    )
    .find(reason => reason !== undefined);
}

function noRuleReason<View>(place: RulePlace<View>, context: PaneContext<View>): SafeText | undefined {
  const away = place.awayFromRuleReason?.(context);
  if (away !== undefined) return away;
  const rule = place.rule(context);
  if (rule === undefined) return say`there is no rule under the cursor`;
  return rule.id === undefined ? say`the service gave this rule no id` : undefined;
}

function cannotEditReason(rule: SecurityRule | undefined): SafeText | undefined {
  return rule === undefined ? undefined : editReason(rule);
}
