import {confirmationOf} from '../../actions/actions.ts';
import type {Unplanned} from '../../actions/define.ts';
import type {ParsedRecord} from '../../api/endpoint.ts';
import {type Action, subjectKey, subjectOf} from '../../domain/action.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {ExitCode} from '../../domain/exit-codes.ts';
import {describeFailure, type Failure} from '../../domain/failure.ts';
import {joinSafe, nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {MonotonicMs} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {find, type FindOutcome, otherMeaning} from '../../resources/find.ts';
import {machines} from '../../resources/machines.ts';
import type {Reader} from '../../resources/listing.ts';
import type {Resource} from '../../resources/resource.ts';
import type {AssessmentInput} from '../../actions/question/assessment-input.ts';
import type {Confirmed} from '../../domain/operation.ts';

/** One action as the command line asks for it. */
export type PlannedAction = Confirmed & {
  /** Its subject, as read. */
  readonly subject?: CloudResource | undefined;
  /** Why it is not sent, by the names that were given: the action itself has only ids. */
  readonly reason?: SafeText | undefined;
};

export type Planned =
  | {readonly ok: true; readonly actions: readonly PlannedAction[]}
  | {readonly ok: false; readonly failure: Failure}
  | {readonly ok: false; readonly mistake: SafeText};

/** What can be sent, and what is refused before any question, with the reason. */
export type Sorted = {
  readonly possible: readonly PlannedAction[];
  readonly impossible: readonly Impossible[];
  /** What was read to sort them, if that took more than their own records. */
  readonly known: AssessmentInput | undefined;
  /** When the readings for this plan began: what was read since is not read again for its question. */
  readonly readSince: MonotonicMs;
};
export type Impossible = {
  readonly planned: PlannedAction;
  readonly reason: SafeText;
  readonly exitCode: ExitCode;
};

export type FoundRecord<R> = {readonly ok: true; readonly value: R} | Extract<FindOutcome, {ok: false}>;

/** One object found by id or name, in the domain's form. */
export async function findRecord<R>(
  reader: Reader,
  resource: Resource & {readonly parse: (raw: unknown) => ParsedRecord<R>},
  wanted: string,
): Promise<FoundRecord<R>> {
  const found = await find(reader, resource, wanted);
  if (!found.ok) return found;
  const doubt = await otherMeaning(reader, resource, {wanted, found: found.value});
  if (doubt !== undefined) return doubt;
  const reading = resource.parse(found.value.raw);
  if (reading.ok) return reading;
  const detail = say`"${safeText(wanted)}" could not be read (${joinSafe(reading.fields, ', ')})`;
  return {ok: false, failure: {kind: 'odd-answer', detail}};
}

export function findMachine(reader: Reader, wanted: string): Promise<FoundRecord<VirtualMachine>> {
  return findRecord(reader, machines, wanted);
}

/**
 * An action for each object among the arguments, which may name one twice, by id and by name. Arguments that name
 * nothing end the plan before anything is sent, and are all named.
 */
export async function planEach<R extends CloudResource>(
  words: readonly string[],
  findOne: (word: string) => Promise<FoundRecord<R>>,
  actionOn: (record: R) => PlannedAction | Unplanned,
): Promise<Planned> {
  const actions: PlannedAction[] = [];
  const missing: SafeText[] = [];
  for (const word of new Set(words)) {
    const found = await findOne(word);
    if (!found.ok && 'failure' in found && found.failure.kind === 'not-found') {
      missing.push(describeFailure(found.failure));
      continue;
    }
    if (!found.ok) return found;
    const planned = actionOn(found.value);
    if ('mistake' in planned || 'failure' in planned) return {ok: false, ...planned};
    if (!actions.some(({action}) => isOnSame(action, planned.action))) actions.push({...planned, subject: found.value});
  }
  if (missing.length === 0) return {ok: true, actions};
  return {ok: false, failure: {kind: 'not-found', message: joinSafe(missing, '; '), isSoughtInList: true}};
}

function isOnSame(one: Action, other: Action): boolean {
  return subjectKey(subjectOf(one)) === subjectKey(subjectOf(other));
}

/** An action as asked for and sent: on its subject as read, or without one if it creates something. */
export function plannedOn(action: Action, subject?: CloudResource): PlannedAction {
  const confirmed = confirmationOf(action, {subject});
  return subject === undefined ? confirmed : {...confirmed, subject};
}

/** Why an attachment changes nothing: `pg-data #7 is not attached to it; …`. Undefined if there is nothing to name. */
export function namedReason(
  records: readonly {readonly id: number; readonly name: SafeText}[],
  what: SafeText,
): SafeText | undefined {
  const each = records.map(({id, name}) => say`${nameInWords(name)} #${id} ${what}`);
  return each.length === 0 ? undefined : joinSafe(each, '; ');
}

export function planned(...actions: readonly PlannedAction[]): Planned {
  return {ok: true, actions};
}

/** What was read does not allow the action. */
export function odd(detail: SafeText): {readonly failure: Failure} {
  return {failure: {kind: 'odd-answer', detail}};
}

export function mistaken(mistake: SafeText): {readonly ok: false; readonly mistake: SafeText} {
  return {ok: false, mistake};
}
