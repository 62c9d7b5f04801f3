import {cannotOperateReason} from '../../actions/question/action-question.ts';
import {actionOfFix, verbOf} from '../../actions/actions.ts';
import {candidatesOf, questionFor, reasonAgainstAll} from '../../actions/question/question-for.ts';
import type {Candidate} from '../../actions/question/assessment.ts';
import type {RuleOwner} from '../../actions/rules.ts';
import type {Form} from '../../actions/forms/form.ts';
import {editReason, narrowRulesForm} from '../../actions/forms/rule-form.ts';
import type {Action} from '../../domain/action.ts';
import type {RuleRemoval} from '../../domain/fix.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import type {Mute} from '../../domain/triage/mute.ts';
import {askAboutEnding} from '../action-keys.ts';
import type {SecurityRule} from '../../domain/virtual-machine.ts';
import type {CommandResult} from '../command.ts';
import type {Scene} from '../pane.ts';

/** What a key acts on: findings, with their mutes if they are muted. */
type Fixable = {readonly findings: readonly Finding[]; readonly mutes?: readonly Mute[]};

/** The actions that end the findings; none for muted ones. */
export function fixesOf({findings, mutes = []}: Fixable): readonly Action[] {
  if (mutes.length > 0) return [];
  return findings.flatMap(({fixes = []}) => fixes.flatMap(fix => actionOfFix(fix) ?? []));
}

/**
 * The rules open to the world that a form replaces by narrower ones; none if something else is to be fixed as well, or if
 * their removal is all there is.
 */
function rulesToNarrow({findings, mutes = []}: Fixable): readonly RuleRemoval[] {
  const fixes = mutes.length > 0 ? [] : findings.flatMap(({fixes: own = []}) => own);
  const open = fixes.filter((fix): fix is RuleRemoval => 'needsNarrowerRule' in fix);
  return open.length < fixes.length ? [] : open.filter(({rule}) => editReason(rule) === undefined);
}

/** What the fix key asks about, in a word or two; undefined if no action fixes it. */
export function fixWord(found: Fixable): SafeText | undefined {
  const {findings, mutes = []} = found;
  if (mutes.length > 0) return undefined;
  const openCount = rulesToNarrow(found).length;
  if (openCount > 0) return openCount === 1 ? say`edit rule` : say`edit ${openCount} rules`;
  const [first, ...others] = new Set(findings.flatMap(({fixes = []}) => fixes.map(({kind}) => verbOf(kind))));
  return first === undefined || others.length === 0 ? first : say`${first} \u2026`;
}

/** The same with how many of its actions can be sent now: as many as the question will ask about. */
export function countedFix(found: Fixable, scene: Scene): SafeText | undefined {
  const word = fixWord(found);
  const fixes = fixesOf(found);
  if (word === undefined || fixes.length < 2) return word;
  const openCount = rulesToNarrow(found).length;
  if (openCount > 0) return openCount === fixes.length ? word : say`edit ${openCount} of ${fixes.length} rules`;
  const count = candidatesOf(fixes, scene).filter(({reason}) => reason === undefined).length;
  if (count === 0) return word;
  return count === fixes.length ? say`${word} all ${count}` : say`${word} ${count} of ${fixes.length}`;
}

/** Why there is nothing to ask about now; undefined if there is. */
export function fixReason(found: Fixable, scene: Scene): SafeText | undefined {
  const fixes = fixesOf(found);
  if (fixes.length === 0) return say`no action fixes this; its advice says what to do`;
  const candidates = candidatesOf(fixes, scene);
  const reason = cannotOperateReason(scene) ?? reasonAgainstAll(candidates);
  return reason ?? (rulesToNarrow(found).length > 0 ? undefined : unlikeReason(candidates, scene));
}

/** Marked findings can need different actions; one question asks about one action. */
function unlikeReason(candidates: readonly Candidate[], scene: Scene): SafeText | undefined {
  const kinds = new Set(candidates.map(({action}) => action.kind));
  if (kinds.size < 2 || questionFor(candidates, scene) !== undefined) return undefined;
  return say`these need different actions: mark findings with the same fix`;
}

/** A narrower rule needs an address, so that fix is a form; every other is a question. */
export function askAboutFix(found: Fixable, scene: Scene): CommandResult {
  const form = narrowingForm(found, scene);
  if (form !== undefined) return {kind: 'form', form};
  return askAboutEnding(candidatesOf(fixesOf(found), scene), scene);
}

function narrowingForm(found: Fixable, scene: Scene): Form | undefined {
  const open = new Map<RuleOwner, SecurityRule[]>();
  for (const removal of rulesToNarrow(found)) {
    const action = actionOfFix(removal);
    const [subject] = action === undefined ? [] : candidatesOf([action], scene).map(each => each.subject);
    if (subject === undefined || !('rules' in subject)) continue;
    const rule = subject.rules.find(({id}) => id === removal.ruleId);
    if (rule !== undefined) open.set(subject, [...(open.get(subject) ?? []), rule]);
  }
  return narrowRulesForm(
    [...open].map(([owner, rules]) => ({owner, rules})),
    scene,
  );
}
