import {cannotCreateReason, cannotUseReason} from '../actions/question/action-question.ts';
import type {ActionMenu, ActionRecord} from '../actions/define.ts';
import {ACTIONS, confirmationOf, recordOf} from '../actions/actions.ts';
import {candidate, questionFor, reasonAgainst, reasonAgainstAll} from '../actions/question/question-for.ts';
import type {Candidate} from '../actions/question/assessment.ts';
import {type Action, typeOf} from '../domain/action.ts';
import type {CloudResource, ResourceType} from '../domain/cloud-resource.ts';
import {KEYS} from '../actions/keys.ts';
import {oncePer} from '../domain/memo.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {resourceOf} from '../resources/resources.ts';
import {environmentsFeed} from '../state/environments.ts';
import type {PlanStep} from '../state/operations/plan.ts';
import type {Line} from '../ui/text.ts';
import type {PartActions, PartCommand} from './list/part.tsx';
import type {Command, CommandResult, PaneOutcome} from './command.ts';
import type {PaneContext, Scene} from './pane.ts';

/** An action as one of its keys offers it. */
type Offer = {readonly record: ActionRecord; readonly key: NonNullable<ActionRecord['keys']>[number]};

/** A subject of a key, and why the key does nothing to it now; without an action, that comes from the key's form. */
type Judged = {
  readonly subject: CloudResource;
  readonly action: Action | undefined;
  readonly reason: SafeText | undefined;
};

/**
 * The actions that the keys of a menu, or of the list itself, offer for a type of resource, in the order of the
 * records.
 */
function offersOn(type: ResourceType, menu: ActionMenu | undefined): readonly Offer[] {
  return [...ACTIONS.values()]
    .filter(({kind}) => typeOf(kind) === type)
    .flatMap(record => (record.keys ?? []).filter(key => key.menu === menu).map(key => ({record, key})));
}

/** The commands of a menu, made from the action records of its resource type. */
export function keyCommands<View>({
  id,
  type,
  menu,
  chosen,
}: {
  /** The prefix of the commands' ids. */
  readonly id: string;
  readonly type: ResourceType;
  readonly menu: ActionMenu;
  /** What the keys apply to: the marked rows, or the one under the cursor. */
  readonly chosen: (context: PaneContext<View>) => readonly CloudResource[];
}): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  return offersOn(type, menu).map((offer): Command<PaneContext<View>, PaneOutcome<View>> => {
    const {record, key} = offer;
    const judged = oncePer((context: PaneContext<View>) =>
      chosen(context).map(subject => judge(offer, subject, context.scene)),
    );
    return {
      id: `${id}.${key.name ?? record.kind.slice(type.length + 1)}`,
      title: key.title,
      help: key.help,
      keys: [key.key],
      group: 'Actions',
      consequence: (context, options) => consequenceOf(offer, judged(context), {scene: context.scene, ...options}),
      ableCount: context => judged(context).filter(({reason}) => reason === undefined).length,
      disabledReason: context => {
        const all = judged(context);
        return all.length === 0
          ? say`there is no ${resourceOf(type).words.one} under the cursor`
          : reasonAgainstAll(all);
      },
      run: context => resultOf(offer, judged(context), context.scene),
    };
  });
}

function judge({record, key}: Offer, subject: CloudResource, scene: Scene): Judged {
  const action = key.form === undefined ? key.actionOn(subject) : undefined;
  const cannot =
    action === undefined
      ? cannotUseReason(scene, record, 'id' in subject ? subject : {})
      : reasonAgainst(action, subject, scene);
  return {action, subject, reason: cannot ?? key.reason?.(subject, scene)};
}

/**
 * The menu of the marked resources is drawn after every key: their prices are added up in 6 ms for this many, and in
 * 160 ms for 10,000. Of more, the question tells the price.
 */
const MAX_PRICED_TOGETHER = 400;

function consequenceOf(
  {key}: Offer,
  judged: readonly Judged[],
  {scene, isCountNamed = false}: {readonly scene: Scene; readonly isCountNamed?: boolean},
): SafeText | undefined {
  const [first, ...others] = judged;
  if (first === undefined) return undefined;
  const able = judged.filter(({reason}) => reason === undefined).map(({subject}) => subject);
  const [some, ...more] = others.length === 0 ? [first.subject] : able;
  const isPriced = some !== undefined && more.length < MAX_PRICED_TOGETHER;
  const consequence = isPriced ? key.consequence?.([some, ...more], scene) : undefined;
  const isNamed = others.length === 0 || isCountNamed;
  if (isNamed) return consequence === undefined ? undefined : safeText(consequence);
  const count = able.length === judged.length ? say`all ${able.length}` : say`${able.length} of ${judged.length}`;
  return consequence === undefined ? count : say`${count}, ${safeText(consequence)}`;
}

function resultOf({record, key}: Offer, judged: readonly Judged[], scene: Scene): CommandResult {
  const [first] = judged;
  if (first === undefined) return {kind: 'done'};
  const {action, subject} = first;
  if (key.form !== undefined) {
    const ask = (filled: Action) => questionFor([candidate(filled, subject, scene)], scene);
    return {kind: 'form', form: key.form(subject, scene, ask)};
  }
  if (record.endsWithReply === true && action !== undefined) {
    return {kind: 'send', step: confirmationOf(action, {subject})};
  }
  return askAbout(candidatesAmong(judged), scene);
}

function candidatesAmong(judged: readonly Judged[]): readonly Candidate[] {
  return judged.flatMap(({action, ...rest}) => (action === undefined ? [] : [{action, ...rest}]));
}

/** The question about the selection; nothing if none of it can be sent. */
export function askAbout(candidates: readonly Candidate[], scene: Scene, remarks?: readonly Line[]): CommandResult {
  const question = questionFor(candidates, scene, remarks);
  return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
}

/**
 * The same for actions that end findings or waste. If it is the first of two actions, the second is named afterwards.
 */
export function askAboutEnding(candidates: readonly Candidate[], scene: Scene): CommandResult {
  const asked = askAbout(candidates, scene);
  if (asked.kind !== 'ask') return asked;
  const withFollowUp = (step: PlanStep): PlanStep => {
    const {subject} = candidates.find(({action}) => action === step.action) ?? {};
    const followUp = subject && recordOf(step.action).followUp?.(subject, scene);
    return followUp === undefined ? step : {...step, followUp};
  };
  const [first, ...others] = asked.question.steps;
  return {...asked, question: {...asked.question, steps: [withFollowUp(first), ...others.map(withFollowUp)]}};
}

/** The keys of a list of such resources: those of a menu, or those that are in none. */
export function partActions<Row>(
  type: ResourceType,
  subjectOf: (row: Row) => CloudResource,
  menu?: ActionMenu,
): Pick<PartActions<Row>, 'create'> & {readonly commands: readonly PartCommand<Row>[]} {
  const create = creationOf(type, subjectOf);
  const commands = offersOn(type, menu).map((offer): PartCommand<Row> => {
    const {key, title, help} = offer.key;
    const judged = (row: Row, scene: Scene) => judge(offer, subjectOf(row), scene);
    return {
      key,
      title,
      help,
      reason: (row, scene) => judged(row, scene).reason,
      run: (row, scene) => resultOf(offer, [judged(row, scene)], scene),
      ...(offer.key.form === undefined ? {many: forMany(judged)} : {}),
    };
  });
  return {commands, ...(create === undefined ? {} : {create})};
}

/** One question about all marked rows; rows the action does not apply to are skipped. */
function forMany<Row>(judged: (row: Row, scene: Scene) => Judged): NonNullable<PartCommand<Row>['many']> {
  return {
    reason: (rows, scene) => reasonAgainstAll(rows.map(row => judged(row, scene))),
    run: (rows, scene) => askAbout(candidatesAmong(rows.map(row => judged(row, scene))), scene),
  };
}

/** How a new resource of a type is created in the deck; undefined if no action record does. */
function creationOf<Row>(type: ResourceType, subjectOf: (row: Row) => CloudResource) {
  const record = [...ACTIONS.values()].find(each => typeOf(each.kind) === type && each.creation !== undefined);
  const creation = record?.creation;
  if (record === undefined || creation === undefined) return undefined;
  return {
    reason: (scene: Scene): SafeText | undefined => cannotCreateReason(scene, record) ?? creation.reason?.(scene),
    firstStep: ({store}: Scene): SafeText | undefined => {
      const isNone = lastValue(store.get(environmentsFeed))?.records.length === 0;
      return creation.isInEnvironment === true && isNone
        ? say`create an environment first: :environments, then ${KEYS.create}`
        : undefined;
    },
    run: (scene: Scene, _of?: undefined, row?: Row): CommandResult => {
      const ask = (filled: Action) => questionFor([candidate(filled, undefined, scene)], scene);
      return {
        kind: 'form',
        form: creation.form(scene, ask, row === undefined ? undefined : environmentOf(subjectOf(row))),
      };
    },
  };
}

/** A new resource most likely belongs to the environment of the one under the cursor. */
function environmentOf(subject: CloudResource): string | undefined {
  return 'environmentName' in subject ? subject.environmentName : undefined;
}
