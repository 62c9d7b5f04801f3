import {cannotUseReason} from '../actions/action-question.ts';
import {ACTIONS, confirmationOf} from '../actions/actions.ts';
import {questionAbout, reasonAgainst, reasonAgainstAll} from '../actions/ask.ts';
import type {Candidate} from '../actions/assessment.ts';
import type {ActionRecord} from '../actions/define.ts';
import type {CloudResource} from '../domain/cloud-resource.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {asking} from './asking.ts';
import type {Command, CommandResult, PaneOutcome} from './command.ts';
import type {PaneContext, Scene} from './pane.ts';

type Key = NonNullable<ActionRecord['keys']>[number];
/** Whom the keys of a menu are meant for: the marked ones, or the one under the cursor. */
type Chosen<View> = (context: PaneContext<View>) => readonly CloudResource[];

/** The commands of a menu, made from the records of the actions that stand in it. */
export function keyCommands<View>(
  menu: string,
  chosen: Chosen<View>,
  noneReason: SafeText,
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  return [...ACTIONS.values()].flatMap(record =>
    (record.keys ?? []).filter(key => key.menu === menu).map(key => commandOf(record, key, chosen, noneReason)),
  );
}

function commandOf<View>(
  record: ActionRecord,
  key: Key,
  chosen: Chosen<View>,
  noneReason: SafeText,
): Command<PaneContext<View>, PaneOutcome<View>> {
  const {id, title, help} = key;
  const candidates = (context: PaneContext<View>) =>
    chosen(context).map(subject => candidateFor(record, key, subject, context.scene));
  return {
    id,
    title,
    help,
    keys: [key.key],
    group: 'Actions',
    effect: 'operation',
    consequence: context => consequenceOf(key, candidates(context), context.scene),
    disabledReason: context => {
      const judged = candidates(context);
      return judged.length === 0 ? noneReason : reasonAgainstAll(judged);
    },
    run: context => resultOf(record, key, candidates(context), context.scene),
  };
}

function candidateFor(record: ActionRecord, key: Key, subject: CloudResource, scene: Scene): Candidate {
  const own = idOf(subject);
  const action = record.with(key.parametersFor?.(subject) ?? own);
  const cannot = key.form === undefined ? reasonAgainst(action, subject, scene) : cannotUseReason(scene, record, own);
  return {action, subject, reason: cannot ?? key.reason?.(subject, scene)};
}

function idOf(subject: CloudResource): {readonly id?: number} {
  return 'id' in subject ? {id: subject.id} : {};
}

function consequenceOf(
  key: Key,
  candidates: readonly Candidate<Candidate['action'], CloudResource | undefined>[],
  scene: Scene,
): SafeText | undefined {
  const [first, ...others] = candidates;
  if (first?.subject === undefined) return undefined;
  if (others.length === 0) {
    const told = key.consequence?.(first.subject, scene);
    return told === undefined ? undefined : safeText(told);
  }
  const count = candidates.length;
  const ableCount = candidates.filter(({reason}) => reason === undefined).length;
  return ableCount === count ? say`all ${count}` : say`${ableCount} of ${count}`;
}

function resultOf(record: ActionRecord, key: Key, candidates: readonly Candidate[], scene: Scene): CommandResult {
  const [first] = candidates;
  if (first?.subject === undefined) return {kind: 'done'};
  const {action, subject} = first;
  if (key.form !== undefined) {
    const form = key.form(subject, scene, parameters => questionAbout(record.with(parameters), subject, scene));
    return {kind: 'form', form};
  }
  if (record.endsWithReply === true) return {kind: 'send', step: confirmationOf(action, {subject})};
  return asking(candidates, scene);
}
