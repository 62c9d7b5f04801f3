import {cannotOperateReason, lockReason, permissionReason} from '../actions/question/action-question.ts';
import {listed} from '../actions/question/access-lines.ts';
import {candidate, reasonAgainstAll} from '../actions/question/question-for.ts';
import type {Candidate} from '../actions/question/assessment.ts';
import {addRuleForm, editReason, editRuleForm} from '../actions/forms/rule-form.ts';
import {addRuleTo, removeRuleFrom, type RuleOwner, UNREAD_RULES} from '../actions/rules.ts';
import {subjectOf} from '../domain/action.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type RuleSpec, ruleWords} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {ruleKey, type RuleRow, ruleRows, rules} from '../resources/rules.ts';
import type {Line} from '../ui/text.ts';
import {askAbout} from './action-keys.ts';
import {bindPart, type BoundPart, type CollectionPart, type PartActions, type PartCommand} from './list/part.tsx';
import type {Scene} from './pane.ts';
import {KEYS} from '../actions/keys.ts';

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
  reason: (row, scene, owner) => cannotRemoveReason([row], scene, owner),
  run: (row, scene, owner) => askAboutRemoval([row], scene, owner),
  many: {reason: cannotRemoveReason, run: askAboutRemoval},
};

/** The actions on the rules of a firewall or machine. */
const RULE_ACTIONS: PartActions<RuleRow, RuleOwner> = {
  create: {
    reason: (scene, owner) => cannotChangeReason(scene, owner) ?? refusedReason(scene, owner, undefined, ['add']),
    run: (scene, owner) => (owner === undefined ? {kind: 'done'} : {kind: 'form', form: addRuleForm(owner, scene)}),
  },
  commands: [EDIT, REMOVE],
};

type RulesOf<Owner, Own> = Required<Pick<CollectionPart<RuleRow, Owner, Own>, 'of' | 'none'>> &
  Pick<CollectionPart<RuleRow, Owner, Own>, 'right' | 'copiedAs' | 'related' | 'note' | 'noRecord'>;

/** The rules of the firewall or machine under the cursor: the same list with the same actions for either. */
export function rulesPart<Owner extends RuleOwner, Own = undefined>(source: RulesOf<Owner, Own>): BoundPart<Own> {
  return bindPart<RuleRow, Owner, Own>({
    ...source,
    title: say`rules`,
    isNested: true,
    heading: ({id, name}) => say`rules of ${name} #${id}`,
    wants: [],
    orderWords: say`open to the world first`,
    // None of them is no count where they could not be read.
    rows: (known, owner) =>
      owner?.hasUnreadRules === true && owner.rules.length === 0 ? undefined : ruleRows(owner ?? NO_RULES, known),
    note: (scene, owner) => {
      const own = source.note?.(scene, owner);
      if (owner?.hasUnreadRules !== true) return own;
      return own === undefined ? UNREAD_RULES : say`${UNREAD_RULES}  ${own}`;
    },
    idOf: ruleKey,
    nameOf: ({rule}) => ruleWords(rule),
    columns: rules.columns,
    showsCut: true,
    actions: RULE_ACTIONS,
  });
}

/** A rule to be removed. Only its id removes it, so without one there is no action. */
type Removal = Pick<Candidate, 'subject' | 'reason'> & {
  readonly rule: SecurityRule;
  readonly removing: Candidate | undefined;
};

function removals(rows: readonly RuleRow[], scene: Scene, owner: RuleOwner | undefined): readonly Removal[] {
  if (owner === undefined) return [];
  return rows.map(({rule}) => {
    const removing = rule.id === undefined ? undefined : candidate(removeRuleFrom(owner, rule.id, rule), owner, scene);
    return {rule, subject: owner, removing, reason: removing === undefined ? noIdReason(rule) : removing.reason};
  });
}

function cannotRemoveReason(rows: readonly RuleRow[], scene: Scene, owner: RuleOwner | undefined) {
  return cannotChangeReason(scene, owner) ?? reasonAgainstAll(removals(rows, scene, owner));
}

/** One that cannot be removed would end the chain: it is left out, as in a batch. */
function askAboutRemoval(rows: readonly RuleRow[], scene: Scene, owner: RuleOwner | undefined) {
  const all = removals(rows, scene, owner);
  const able = all.flatMap(({removing, reason}) => (removing === undefined || reason !== undefined ? [] : [removing]));
  const byReason = Map.groupBy(
    all.filter(({reason}) => reason !== undefined),
    ({reason}) => `${reason}`,
  );
  const skipped = [...byReason].map(([reason, alike]): Line => {
    return [{text: `skipped: ${listed(alike.map(({rule}) => ruleWords(rule)))}: ${reason}`}];
  });
  return askAbout(able, scene, skipped);
}

function cannotChangeReason(scene: Scene, owner: RuleOwner | undefined): SafeText | undefined {
  if (owner === undefined) return cannotOperateReason(scene);
  const subject = subjectOf(addRuleTo(owner, ANY_RULE));
  const holder = scene.operations?.openOn(subject);
  // What is under way usually concerns another rule than the chosen one.
  return holder === undefined
    ? lockReason(scene, subject)
    : say`one change at a time: ${describeOperation(holder, scene.now).text}`;
}

const NO_RULES = {rules: []};

const ANY_RULE: RuleSpec = {
  direction: 'ingress',
  protocol: safeText('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: safeText('192.0.2.0/24'),
};

/** The permissions that the key's user lacks for rules; they do not depend on the rule. */
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
