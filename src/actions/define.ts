import type * as z from 'zod';
import {type OperationEndpoint, queryText} from '../api/endpoint.ts';
import {
  type Action,
  type ActionKind,
  type ActionParameters,
  type ActionTraits,
  elsewhere,
  type Evidence,
  type Inverse,
  NOTHING,
  subjectOf,
  TARGET,
  TRANSITION,
  typeOf,
  UNCHANGED,
} from '../domain/action.ts';
import {type CloudResource, type CloudResources, type ResourceType, statusOf} from '../domain/cloud-resource.ts';
import type {CostChange} from '../domain/cost.ts';
import type {Failure} from '../domain/failure.ts';
import {oncePer} from '../domain/memo.ts';
import {isPositive, subtractRates, ZERO_RATE} from '../domain/money.ts';
import type {History, Observation} from '../domain/observation.ts';
import {nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {NamedFacts, ShownCost, ShownFacts} from '../domain/shown-facts.ts';
import {type DurationMs, type EpochMs, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import {subjectResource} from '../resources/resources.ts';
import type {Known} from '../state/known.ts';
import type {ActionDefinition} from '../state/operations/action.ts';
import {formatAfter, formatSavings} from '../ui/format.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import type {Assessing, Assessment} from './question/assessment.ts';
import {checkName} from './forms/form-values.ts';
import type {Ask, Form} from './forms/form.ts';
import {KEYS} from './keys.ts';

/**
 * The types of an action, from the data to the whole record:
 *
 * - `Action` (domain): a kind and its parameters, as data.
 * - `ActionTraits` (domain): what is true of a kind: its words, precondition, evidence and undo.
 * - `ActionDefinition` (state): the traits, and how it is sent and journaled; all that the engine knows.
 * - `Assessing`: what it means before it is sent, for the question.
 * - `ActionRecord`: all of these, with its keys, its command and its request.
 *
 * A record is declared by `actionOn` (`SubjectTraits`) or `actionMaking` (`CreationTraits`), which write its traits in
 * terms of one subject or of what is created. Both also take `RequestAndCommands`.
 */

/** An action of one kind: its parameters, besides the kind. */
export type ActionWith<Kind extends ActionKind, Parameters extends ActionParameters> = {
  readonly kind: Kind;
} & Parameters;

/** The type of subject of a kind of action. */
type ResourceOf<Kind extends ActionKind> = Kind extends `${infer Type extends ResourceType}.${string}`
  ? CloudResources[Type]
  : never;

/** The complete definition of one kind of action. */
export type ActionRecord<
  Kind extends ActionKind = ActionKind,
  Parameters extends ActionParameters = ActionParameters,
> = ActionDefinition<ActionWith<Kind, Parameters>, ResourceOf<Kind>> &
  Assessing<ActionWith<Kind, Parameters>, ResourceOf<Kind> | undefined> & {
    readonly kind: Kind;
    /** What all requests of this kind have in common, to decide whether one may be sent at all. */
    readonly template: Pick<ActionCall, 'method' | 'path'>;
    is(action: Action): action is ActionWith<Kind, Parameters>;
    /** Its keys in the deck; absent if a pane offers it in a way of its own. */
    readonly keys?: readonly ActionKey<ResourceOf<Kind>>[];
    /** Its command; absent if the command needs more than subjects and a few options. */
    readonly command?: ActionCommand<ResourceOf<Kind>>;
    /** Its key, if the action creates something. */
    readonly creation?: CreationKey<Action>;
    /** Its request, without sending it. */
    call(action: ActionWith<Kind, Parameters>): ActionCall;
    /** The words of the equivalent command; undefined if only the raw call is equivalent. */
    commandWords(action: ActionWith<Kind, Parameters>): readonly string[] | undefined;
  };

/**
 * A record whose parameters are known. Elsewhere only its keys and its command make actions, so that none is incomplete.
 */
type DeclaredAction<Kind extends ActionKind, Parameters extends ActionParameters> = ActionRecord<Kind, Parameters> & {
  /** The action with these parameters. */
  with(parameters: Parameters): ActionWith<Kind, Parameters>;
};

/** A request as shown in a question, listed by a dry run and copied as a command. */
export type ActionCall = {
  readonly method: string;
  /** Relative to the base URL, with its query. */
  readonly path: string;
  /** The JSON body; undefined for a request without one. It can contain secrets. */
  readonly body: unknown;
};

/** The request that an action sends, and the keys and the command that lead to it. */
type RequestAndCommands<Kind extends ActionKind, Parameters extends ActionParameters> = {
  readonly kind: Kind;
  /** The schema of its parameters, which the journal is read back with. */
  readonly parameters: z.ZodType<Parameters>;
  /** The one request. Its parameters are those of the action. */
  readonly endpoint: OperationEndpoint<ActionWith<Kind, Parameters>>;
  /** For parameters that the service has another call for. */
  endpointFor?(action: ActionWith<Kind, Parameters>): OperationEndpoint<ActionWith<Kind, Parameters>>;
  /** For parameters that can contain what must not be written to disk. */
  withoutSecrets?(action: ActionWith<Kind, Parameters>): object;
  readonly keys?: readonly DeclaredKey<NoInfer<Parameters>, ResourceOf<Kind>>[];
  readonly command?: DeclaredCommand<NoInfer<Parameters>, ResourceOf<Kind>>;
  readonly creation?: CreationKey<NoInfer<Parameters>>;
  readonly rereads?: ActionDefinition<ActionWith<Kind, Parameters>, ResourceOf<Kind>>['rereads'];
  readonly shownIn?: ActionDefinition['shownIn'];
  readonly quotes?: ActionDefinition<ActionWith<Kind, Parameters>, ResourceOf<Kind>>['quotes'];
  /** If they are not simply the command (or kind) and the id: `vm stop 7`. */
  commandWords?(action: ActionWith<Kind, Parameters>): readonly string[] | undefined;
};

function defineAction<Kind extends ActionKind, Parameters extends ActionParameters>(
  declared: RequestAndCommands<Kind, Parameters>,
  traits: ActionTraits<ActionWith<Kind, Parameters>, ResourceOf<Kind>> &
    Assessing<ActionWith<Kind, Parameters>, ResourceOf<Kind> | undefined>,
): DeclaredAction<Kind, Parameters> {
  const {kind, parameters, endpoint, keys, command, creation} = declared;
  const make = (given: Parameters): ActionWith<Kind, Parameters> => ({kind, ...given});
  const {subjects} = subjectResource(typeOf(kind));
  const compared = traits.comparesNames === true ? [subjects.list] : [];
  const endpointOf = (action: ActionWith<Kind, Parameters>) => declared.endpointFor?.(action) ?? endpoint;
  return {
    ...traits,
    ...(keys === undefined ? {} : {keys: keys.map(key => keyOf(key, make))}),
    ...(command === undefined ? {} : {command: commandOf(command, make)}),
    ...(creation === undefined ? {} : {creation: creationOf(creation, make)}),
    ...(declared.rereads === undefined ? {} : {rereads: declared.rereads}),
    ...(declared.shownIn === undefined ? {} : {shownIn: declared.shownIn}),
    ...(declared.quotes === undefined ? {} : {quotes: declared.quotes}),
    kind,
    feeds: subjects,
    reads: (candidates, known) => [...compared, ...(traits.reads?.(candidates, known) ?? [])],
    template: {method: endpoint.method, path: endpoint.template},
    with: make,
    is: (action): action is ActionWith<Kind, Parameters> => action.kind === kind,
    parse: value => {
      const parsed = parameters.safeParse(value);
      return parsed.success ? make(parsed.data) : undefined;
    },
    besides: (action, subject, known) => besidesOf(traits, action, subject, known),
    withoutSecrets: action => declared.withoutSecrets?.(action) ?? action,
    sendOnce: (client, action) => client.sendOnce(endpointOf(action), action),
    call: action => {
      const {method, path, query, body} = endpointOf(action);
      return {method, path: path(action) + queryText(query(action)), body: body(action)};
    },
    commandWords: action =>
      declared.commandWords === undefined
        ? [...(command?.words ?? kind.split('.')), `${action.id ?? ''}`]
        : declared.commandWords(action),
  };
}

type Make<Parameters> = (parameters: Parameters) => Action;

function keyOf<Parameters, R>(
  {
    form,
    parametersFor = onlyId,
    ...words
  }: KeyLine<R> & {
    readonly parametersFor?: ((subject: R) => Parameters) | undefined;
    readonly form?: ((subject: R, known: AssessmentInput, ask: Ask<Parameters>) => Form) | undefined;
  },
  make: Make<Parameters>,
): ActionKey<R> {
  return form === undefined
    ? {...words, actionOn: subject => make(parametersFor(subject))}
    : {...words, form: (subject, known, ask) => form(subject, known, parameters => ask(make(parameters)))};
}

function commandOf<Parameters, R>(
  {
    parametersFor = onlyId,
    ...words
  }: CommandLine & {readonly parametersFor?: (subject: R, flags: object) => Parameters | Unplanned},
  make: Make<Parameters>,
): ActionCommand<R> {
  return {
    ...words,
    actionOn: (subject, flags) => {
      const parameters = parametersFor(subject, flags);
      return isUnplanned(parameters) ? parameters : make(parameters);
    },
  };
}

function creationOf<Parameters>({form, ...rest}: CreationKey<Parameters>, make: Make<Parameters>): CreationKey<Action> {
  return {
    ...rest,
    form: (known, ask, environmentName) => form(known, parameters => ask(make(parameters)), environmentName),
  };
}

/** The types let only an action that needs nothing else leave out its parameters: hence the cast. */
function onlyId<Parameters>(subject: unknown): Parameters {
  return {id: (subject as {readonly id: number}).id} as Parameters;
}

function isUnplanned(parameters: unknown): parameters is Unplanned {
  return typeof parameters === 'object' && parameters !== null && ('mistake' in parameters || 'failure' in parameters);
}

/** Of a subject that is gone there is nothing to compare. */
function besidesOf<A extends Action, R>(
  {costChange, namedOthers}: Assessing<A, R | undefined>,
  action: A,
  subject: R | undefined,
  known: Known,
): ShownFacts {
  if (subject === undefined && action.spec === undefined) return {};
  const change = costChange?.(action, subject, known);
  const others = namedOthers?.(action, subject, known);
  return {
    ...(others === undefined ? {} : {others}),
    ...(change === undefined ? {} : {cost: shownCost(change)}),
  };
}

/** Both what it costs afterwards and by how much that differs from before must not get worse. */
function shownCost({before, after, savings, furtherSavings, savingIsUncertain}: CostChange): ShownCost {
  const saves = formatSavings(savings, savingIsUncertain, furtherSavings);
  const change = before !== undefined && !isPositive(before) ? '' : `, ${saves}`;
  const words = after === undefined ? 'unknown' : `${formatAfter(after, furtherSavings)} afterwards${change}`;
  return {
    words: safeText(words),
    rates: [after, savings && subtractRates(ZERO_RATE, savings)],
    ...(savingIsUncertain ? {isUncertain: true} : {}),
  };
}

/** The traits that are declared alike for both; the others follow from what each declares instead. */
type SharedTraits<A, R> = Omit<ActionTraits<A, R>, 'among' | 'precondition' | 'evidence' | 'undo'>;

/** The traits of an action on one existing subject, which need not handle the case that it is gone. */
type SubjectTraits<A extends Action, R extends CloudResource> = SharedTraits<A, R> &
  Assessing<A, R> & {
    /** What it means that the subject no longer exists; by default a contradiction. */
    readonly whenGone?: Evidence;
    precondition?(action: A, subject: R, seen: Observation<R>): SafeText | undefined;
    evidence(action: A, subject: R, history: History<R>, seen: Observation<R>): Evidence;
    undo(
      action: A,
      was: R,
      is: R,
      observations: {readonly was: Observation<R>; readonly is: Observation<R>},
    ): Inverse | SafeText;
  };

/** An action on one existing resource. */
export function actionOn<Kind extends ActionKind, Parameters extends ActionParameters>(
  declared: RequestAndCommands<Kind, Parameters> &
    SubjectTraits<ActionWith<NoInfer<Kind>, NoInfer<Parameters>>, ResourceOf<NoInfer<Kind>>>,
): DeclaredAction<Kind, Parameters> {
  const {whenGone, precondition, evidence, undo} = declared;
  return defineAction(declared, {
    ...declared,
    among: subjectsAmong,
    precondition: (action, seen) => {
      const [subject] = subjectsAmong(action, seen.records);
      if (subject !== undefined) return precondition?.(action, subject, seen);
      return seen.isWhole ? goneWords(action) : say`it is not in the list, but the list is incomplete`;
    },
    evidence: (action, seen, history) => {
      const [subject] = subjectsAmong(action, seen.records);
      if (subject !== undefined) return evidence(action, subject, history, seen);
      return seen.isWhole ? (whenGone ?? elsewhere(goneWords(action))) : NOTHING;
    },
    undo: (action, was, is) => {
      const [before] = subjectsAmong(action, was.records);
      // A deletion needs no second reading: the record itself shows that nothing brings it back.
      const [after = whenGone === undefined ? undefined : before] = subjectsAmong(action, is.records);
      if (before === undefined || after === undefined) return say`the previous state is unknown`;
      return undo(action, before, after, {was, is});
    },
  });
}

function subjectsAmong<R extends CloudResource>(action: Action, records: readonly R[]): readonly R[] {
  const subject = subjectOf(action);
  if ('id' in subject) return (placesById(records).get(subject.id) ?? []).flatMap(place => records[place] ?? []);
  return records.filter(
    record =>
      'name' in record &&
      record.name === subject.name &&
      ('regionName' in record ? record.regionName : undefined) === subject.regionName,
  );
}

/** Where the records of an id are in a list, kept with it: a finding can be about thousands of ten thousand machines. */
const placesById = oncePer((records: readonly CloudResource[]): ReadonlyMap<number, readonly number[]> => {
  const places = new Map<number, number[]>();
  for (const [place, record] of records.entries()) {
    if (!('id' in record)) continue;
    const known = places.get(record.id);
    if (known === undefined) places.set(record.id, [place]);
    else known.push(place);
  }
  return places;
});

/** The type of an action's subject: `machine`. */
export function wordOf({kind}: Pick<Action, 'kind'>): SafeText {
  return subjectResource(typeOf(kind)).words.one;
}

function goneWords(action: Action): SafeText {
  return say`the ${wordOf(action)} no longer exists`;
}

/** Something created has no id beforehand: it is recognised by its name, and by not having existed before. */
type CreationTraits<A extends Action, R extends CloudResource> = SharedTraits<A, R> &
  Pick<Assessing<A, undefined>, 'reads'> & {
    assess(action: A, known: AssessmentInput): Assessment;
    costChange?(action: A, known: Known): CostChange;
    /** What its question says of what it is made of. */
    namedOthers?(action: A, known: Known): NamedFacts;
    /** What it names and the service does not have. */
    missing?(action: A, known: AssessmentInput): SafeText | undefined;
    /** Why it cannot be created, according to what was read. */
    refusal?(action: A, known: AssessmentInput): SafeText | undefined;
    /** How many are created; one by default. */
    count?(action: A): number;
    /** Resources of this type have no name of their own, so an identical one may already exist. */
    readonly isNameless?: true;
    /** Whether a record could be what the action creates. */
    isMade(action: A, record: R): boolean;
    /** The progress of one of them. */
    progress(record: R): Evidence;
    /** What a person has to know about it besides its existence. */
    remark?(action: A, history: History<R>): SafeText | undefined;
  };

/** The service's times have no milliseconds, and its clock is known to the second. */
const CLOCK_SLACK_MS = 2 * SECOND_MS;

/** An action that creates something. */
export function actionMaking<Kind extends ActionKind, Parameters extends ActionParameters>(
  declared: RequestAndCommands<Kind, Parameters> &
    CreationTraits<ActionWith<NoInfer<Kind>, NoInfer<Parameters>>, ResourceOf<NoInfer<Kind>>>,
): DeclaredAction<Kind, Parameters> {
  const {count, isNameless, isMade, progress, remark, assess, ...described} = declared;
  const {costChange, namedOthers, missing, refusal, ...shared} = described;
  const among = (action: ActionWith<Kind, Parameters>, records: readonly ResourceOf<Kind>[]) =>
    records.filter(record => isMade(action, record));
  return defineAction(
    {commandWords: () => undefined, ...shared},
    {
      change: 'created',
      // Its name may be taken.
      comparesNames: true,
      ...shared,
      assess: (action, _made, known) => assess(action, known),
      ...(costChange === undefined ? {} : {costChange: (action, _made, known) => costChange(action, known)}),
      ...(namedOthers === undefined ? {} : {namedOthers: (action, _made, known) => namedOthers(action, known)}),
      ...(missing === undefined ? {} : {missing: (_made, known, action) => missing(action, known)}),
      ...(refusal === undefined ? {} : {refusal: (_made, known, action) => refusal(action, known)}),
      among,
      precondition: (action, seen) => {
        const [taken] = isNameless === true ? [] : among(action, seen.records);
        if (taken === undefined || !('name' in taken) || !('id' in taken)) return undefined;
        return say`${wordOf(action)} ${nameInWords(taken.name)} already exists, #${taken.id}`;
      },
      evidence: (action, seen, history) => {
        const alike = among(action, seen.records);
        const wanted = count?.(action) ?? 1;
        const made = madeAmong(alike, seen.records, history, isNameless === true);
        // Something else has the id in the answer, or there are too many: it was not the answer to this. The names of
        // several are up to the service.
        const isOther = isNameless !== true && wanted === 1 && made.some(record => !alike.includes(record));
        if (isOther || idsIn(history.result).length > wanted) return NOTHING;
        if (made.length > 0) return sumOf(made.map(progress), wanted, remark?.(action, history));
        if (!seen.isWhole) return NOTHING;
        return history.hasSeenTransition ? elsewhere(say`it no longer exists`) : UNCHANGED;
      },
      undo: () => say`it can only be deleted, with everything created in it since`,
    },
  );
}

type CreatedObject = {readonly id?: number; readonly createdAt?: EpochMs};

/** Found by the ids in the answer; without those by name, among what did not exist before. */
function madeAmong<R extends CreatedObject>(
  alike: readonly R[],
  records: readonly R[],
  {result, before, confirmedAt}: History<R>,
  isNameless: boolean,
): readonly R[] {
  const ids = new Set<number | undefined>(idsIn(result));
  if (ids.size > 0) return records.filter(({id}) => ids.has(id));
  if (before !== undefined) return alike.filter(({id}) => !before.records.some(known => known.id === id));
  // Restored from the journal: the name was free when it was sent, but something without a name may be older.
  if (!isNameless) return alike;
  return alike.filter(({createdAt}) => createdAt !== undefined && createdAt >= confirmedAt - CLOCK_SLACK_MS);
}

function idsIn(result: History<unknown>['result']): readonly number[] {
  if (result?.kind === 'created') return result.ids;
  return result?.kind === 'access-key' ? [result.id] : [];
}

/** Several are created as one: under way as long as one is, and done when all are. */
function sumOf(each: readonly Evidence[], wantedCount: number, remark: SafeText | undefined): Evidence {
  const moving = each.find(({kind}) => kind === 'transition') ?? each.find(({kind}) => kind === 'nothing');
  if (moving !== undefined) return moving;
  const failures = each.flatMap(evidence => (evidence.kind === 'elsewhere' ? [evidence] : []));
  const [failure] = failures;
  if (failure !== undefined) {
    return wantedCount === 1 ? failure : elsewhere(say`${failures.length} of ${wantedCount}: ${failure.detail}`);
  }
  if (each.length < wantedCount) {
    return {kind: 'transition', unlessLate: say`${each.length} of ${wantedCount} were created`};
  }
  return remark === undefined ? {kind: 'target'} : {kind: 'target', remark};
}

/** Why a subject is not in one of the states an action needs. */
export function needs(
  statuses: readonly string[],
  subject: {readonly status: string; readonly statusText: SafeText},
): SafeText | undefined {
  if (statuses.includes(subject.status)) return undefined;
  const wanted = say`must be ${safeText(statuses.join(' or '))}`;
  return subject.statusText === ''
    ? say`${wanted}, but its state is unknown`
    : say`${wanted}, but is ${subject.statusText}`;
}

export function isElsewhere(subject: {readonly statusText: SafeText}): Evidence {
  return elsewhere(say`it is ${subject.statusText} instead`);
}

/** The common part of all deletions: a subject with states can be observed while it is being deleted. */
export function deletion<R extends CloudResource>(
  type: ResourceType,
  overdueAfterMs: DurationMs,
  refusal: (subject: R) => SafeText | undefined = () => undefined,
) {
  return {
    verb: say`delete`,
    change: 'deleted' as const,
    words: () => say`delete ${subjectResource(type).words.one}`,
    overdueAfterMs,
    whenGone: TARGET,
    comparesNames: true as const,
    precondition: (_action: Action, subject: R): SafeText | undefined => {
      const state = statusOf(subject);
      const isGoing = state?.status === 'DELETING' || state?.status === 'DELETED';
      return state !== undefined && isGoing ? say`already ${state.statusText}` : refusal(subject);
    },
    evidence: (_action: Action, subject: R, {hasSeenTransition}: History<R>): Evidence => {
      const state = statusOf(subject);
      if (state?.status === 'DELETED') return TARGET;
      if (state?.status === 'DELETING') return TRANSITION;
      if (state?.status === 'UNKNOWN') return NOTHING;
      return state !== undefined && hasSeenTransition ? isElsewhere(state) : UNCHANGED;
    },
    undo: () => say`a deletion cannot be undone`,
  };
}

/** The progress of something being created, by its state. */
export function stateProgress(
  {status, statusText}: {readonly status: string; readonly statusText: SafeText},
  {going, made}: {readonly going: readonly string[]; readonly made: readonly string[]},
): Evidence {
  if (going.includes(status)) return TRANSITION;
  if (made.includes(status)) return TARGET;
  return FAILED.has(status) ? elsewhere(say`it is ${statusText}`) : NOTHING;
}

const FAILED: ReadonlySet<string> = new Set(['ERROR', 'FAILED', 'DELETING', 'DELETED']);

type NamedObject = {readonly name: SafeText};

/** The common part of all renaming actions. */
export const RENAMING = {
  verb: say`rename`,
  wordsAfter: ({name}: NamedObject) => say`to ${nameInWords(safeText(name))}`,
  overdueAfterMs: 2 * MINUTE_MS,
  precondition: (action: NamedObject, {name}: NamedObject): SafeText | undefined =>
    name === action.name ? say`it already has this name` : undefined,
  evidence: (action: NamedObject, {name}: NamedObject): Evidence => (name === action.name ? TARGET : UNCHANGED),
  refusal: (_subject: NamedObject, _known: unknown, {name}: NamedObject): SafeText | undefined => {
    const mistake = checkName(name, []);
    return mistake === undefined ? undefined : say`name: ${safeText(mistake)}`;
  },
};

/** The command of an action that names its subjects as arguments: `skydeck vm stop <vm...>`. */
type CommandLine = {
  readonly words: readonly [group: string, name: string];
  readonly summary: string;
  readonly options?: readonly CommandOption[];
};

/** Its action on one subject according to the options, or what is wrong with them. */
type ActionCommand<R> = CommandLine & {actionOn(subject: R, flags: object): Action | Unplanned};

type DeclaredCommand<Parameters, R> = CommandLine &
  UnlessOnlyId<Parameters, {parametersFor(subject: R, flags: object): Parameters | Unplanned}>;

/** What an action declares unless the id of its subject is all that it needs. */
type UnlessOnlyId<Parameters, Declared> = [keyof Parameters] extends ['id'] ? Partial<Declared> : Declared;

/** Why there is no action: a usage error, or an answer of the service that does not allow any. */
export type Unplanned = {readonly mistake: SafeText} | {readonly failure: Failure};

export type CommandOption = {
  /** In commander's notation: `--flavor <flavor>`. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** May be given several times; the values come as a list. */
  readonly isRepeated?: boolean;
};

/** The menu groups of the deck, by the key that opens the first; actions are listed in the order of their records. */
const ACTION_MENUS = {power: KEYS.power, edit: KEYS.edit, resize: KEYS.power, delete: undefined} as const;
export type ActionMenu = keyof typeof ACTION_MENUS;

/** A key of an action in the deck. An action can have two, with different parameters. */
type KeyLine<R> = {
  readonly key: string;
  /** Its menu in the pane; without one it is a key of the list itself. */
  readonly menu?: ActionMenu;
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  /** The last part of its command's id; by default that of its kind. */
  readonly name?: string;
  /** The price and the risk after the title, before the key is pressed: of one subject, or of several together. */
  consequence?(subjects: readonly [R, ...R[]], known: AssessmentInput): string;
  /** Why the key is disabled, besides the reasons that apply to the action everywhere. */
  reason?(subject: R, known: AssessmentInput): SafeText | undefined;
};

/** With the action to ask about, or the form to fill in before the question. */
type ActionKey<R> = KeyLine<R> &
  (
    | {readonly form?: undefined; actionOn(subject: R): Action}
    | {form(subject: R, known: AssessmentInput, ask: Ask<Action>): Form}
  );

type DeclaredKey<Parameters, R> = KeyLine<R> &
  (
    | ({readonly form?: undefined} & UnlessOnlyId<Parameters, {parametersFor(subject: R): Parameters}>)
    | {readonly parametersFor?: undefined; form(subject: R, known: AssessmentInput, ask: Ask<Parameters>): Form}
  );

/** The keys as pressed: `p x` is the menu's key and then the action's. */
export function keysText({menu, key}: Pick<KeyLine<never>, 'menu' | 'key'>): SafeText {
  const opener = menu === undefined ? undefined : ACTION_MENUS[menu];
  return opener === undefined ? safeText(key) : say`${opener} ${safeText(key)}`;
}

/** The key n, with which the deck creates something, using a form. */
type CreationKey<Parameters> = {
  reason?(known: AssessmentInput): SafeText | undefined;
  /** There must be an environment, which contains it. */
  readonly isInEnvironment?: true;
  /** Starts with this environment, if the new resource is in one. */
  form(known: AssessmentInput, ask: Ask<Parameters>, environmentName?: string): Form;
};
