import {cannotCreateReason, lockReason, permissionReason} from '../actions/action-question.ts';
import {ACTIONS} from '../actions/actions.ts';
import {candidate, questionFor, reasonAgainst, reasonAgainstAll} from '../actions/ask.ts';
import type {Candidate} from '../actions/assessment.ts';
import type {ActionRecord} from '../actions/define.ts';
import {type ActionParameters, subjectOf, typeOf} from '../domain/action.ts';
import type {CloudResource, ResourceType} from '../domain/cloud-resource.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {resourceOf} from '../resources/resources.ts';
import {asking} from './asking.ts';
import type {PartActions, PartCommand} from './collection-part.tsx';
import type {Command, CommandResult, PaneOutcome} from './command.ts';
import type {PaneContext, Scene} from './pane.ts';

/** An action on what is under the cursor, as its record offers it to the deck. */
type SubjectCommand = {
  /** `delete`, as the kind of its action says it. */
  readonly name: string;
  readonly key: string;
  readonly title: SafeText;
  readonly help: string;
  /** Why it cannot be asked about now; undefined where it can. */
  readonly reason: (subject: CloudResource, scene: Scene) => SafeText | undefined;
  readonly run: (subject: CloudResource, scene: Scene) => CommandResult;
  /** Judges all of many; absent where each is asked about by a form. */
  readonly candidates: ((subjects: readonly CloudResource[], scene: Scene) => readonly Candidate[]) | undefined;
};

/** Everything that the deck offers to do to resources of a type, in the order of the records. */
function subjectCommands(type: ResourceType): readonly SubjectCommand[] {
  return [...ACTIONS.values()].flatMap(record => (typeOf(record.kind) === type ? commandOf(record) : []));
}

function commandOf(record: ActionRecord): readonly SubjectCommand[] {
  const {deck} = record;
  if (deck === undefined) return [];
  const {key, title, help} = deck;
  const actionOn = (subject: CloudResource) => record.with(deck.parametersFor?.(subject) ?? idAlone(subject));
  const reason = (subject: CloudResource, scene: Scene): SafeText | undefined => {
    const action = actionOn(subject);
    const earlier = lockReason(scene, subjectOf(action)) ?? deck.cannot?.(subject, scene);
    // What a form asks for is checked in it: the action as it stands before would change nothing.
    if (earlier !== undefined) return earlier;
    return deck.form === undefined ? reasonAgainst(action, subject, scene) : permissionReason(scene, action);
  };
  return [
    {
      name: record.kind.slice(record.kind.indexOf('.') + 1),
      key,
      title,
      help,
      reason,
      candidates:
        deck.form === undefined
          ? (subjects, scene) =>
              subjects.map(subject => ({action: actionOn(subject), subject, reason: reason(subject, scene)}))
          : undefined,
      run: (subject, scene) => {
        if (deck.form === undefined) return asking([candidate(actionOn(subject), subject, scene)], scene);
        const ask = (parameters: ActionParameters) =>
          questionFor([candidate(record.with(parameters), subject, scene)], scene);
        return {kind: 'form', form: deck.form(subject, scene, ask)};
      },
    },
  ];
}

function idAlone(subject: CloudResource): ActionParameters {
  return 'id' in subject ? {id: subject.id} : {};
}

/** The commands of a pane of such resources: all that can be done to the one under the cursor. */
export function recordCommands<View>(
  paneId: string,
  type: ResourceType,
  subjectAt: (context: PaneContext<View>) => CloudResource | undefined,
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  return subjectCommands(type).map(({name, key, title, help, reason, run}) => ({
    id: `${paneId}.${name}`,
    title,
    help,
    keys: [key],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: context => {
      const subject = subjectAt(context);
      if (subject === undefined) return say`there is no ${resourceOf(type).words.one} under the cursor`;
      return reason(subject, context.scene);
    },
    run: context => {
      const subject = subjectAt(context);
      return subject === undefined ? {kind: 'done'} : run(subject, context.scene);
    },
  }));
}

/** The key that makes one of a type, by form. */
export function creationCommands<View>(
  paneId: string,
  type: ResourceType,
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  const creation = creationOf(type);
  if (creation === undefined) return [];
  const {title, help, reason, run} = creation;
  return [
    {
      id: `${paneId}.new`,
      title,
      help,
      keys: ['n'],
      group: 'Actions',
      effect: 'operation',
      isInStatusBar: true,
      disabledReason: ({scene}) => reason(scene),
      run: ({scene}) => run(scene),
    },
  ];
}

/** The keys of a list of such resources, by what its rows are about. */
export function partActions<Row>(
  type: ResourceType,
  subjectOf: (row: Row) => CloudResource,
): Pick<PartActions<Row>, 'create'> & {readonly commands: readonly PartCommand<Row>[]} {
  const create = creationOf(type);
  const commands = subjectCommands(type).map(({key, title, help, reason, run, candidates}) => ({
    key,
    title,
    help,
    reason: (row: Row, scene: Scene) => reason(subjectOf(row), scene),
    run: (row: Row, scene: Scene) => run(subjectOf(row), scene),
    ...(candidates === undefined ? {} : {many: forMany(candidates, subjectOf)}),
  }));
  return {commands, ...(create === undefined ? {} : {create})};
}

/** One question about all marked rows: those that it cannot be done to are skipped in it. */
function forMany<Row>(
  candidates: NonNullable<SubjectCommand['candidates']>,
  subjectOf: (row: Row) => CloudResource,
): NonNullable<PartCommand<Row>['many']> {
  const judged = (rows: readonly Row[], scene: Scene) => candidates(rows.map(subjectOf), scene);
  return {
    reason: (rows, scene) => reasonAgainstAll(judged(rows, scene)),
    run: (rows, scene) => asking(judged(rows, scene), scene),
  };
}

/** How something new of a type is made in the deck; undefined where no record says. */
function creationOf(type: ResourceType) {
  const record = [...ACTIONS.values()].find(each => typeOf(each.kind) === type && each.creation !== undefined);
  const creation = record?.creation;
  if (record === undefined || creation === undefined) return undefined;
  const {title, help} = creation;
  return {
    title,
    help,
    reason: (scene: Scene): SafeText | undefined => cannotCreateReason(scene, record) ?? creation.cannot?.(scene),
    run: (scene: Scene): CommandResult => {
      const ask = (parameters: ActionParameters) =>
        questionFor([candidate(record.with(parameters), undefined, scene)], scene);
      return {kind: 'form', form: creation.form(scene, ask)};
    },
  };
}
