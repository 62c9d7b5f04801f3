import type {ResourceChange} from '../action.ts';
import {type Rate, subtractRates} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {ruleWords} from '../security-rule.ts';
import {rateWords} from '../triage/words.ts';
import type {Firewall} from '../firewall.ts';
import type {EpochMs} from '../time.ts';
import {type Between, subjectKeyOf, type TimelineEntry, type TimelineSubject} from './entry.ts';

/**
 * What can change in a record and is worth an entry: single values, and sets with members added and removed. A value
 * missing from one reading has not changed: the service leaves fields out now and then.
 */
export type Compared<R> = {
  readonly type: TimelineSubject['type'];
  readonly idOf: (record: R) => number;
  readonly nameOf: (record: R) => SafeText;
  /** The words for its state, and what events and operations call a change to it. */
  readonly state?: (record: R) => {readonly word: SafeText; readonly status: string} | undefined;
  readonly values: readonly {
    readonly what: SafeText;
    readonly is?: ResourceChange;
    readonly of: (record: R) => SafeText | undefined;
  }[];
  readonly sets: readonly {
    readonly joined: SafeText;
    readonly left: SafeText;
    /** What a new member is, and one that is no longer there, if another source can report it. */
    readonly are?: readonly [joined: ResourceChange, left: ResourceChange];
    /** Undefined if the record does not list all of them. */
    readonly of: (record: R) => readonly SafeText[] | undefined;
    /** Its members are machines by their ids, such as `#7`, and are shown by their names where those are known. */
    readonly areMachines?: true;
  }[];
};

/** The rules of a machine or a firewall. */
export const RULE_SET: Compared<Pick<Firewall, 'rules' | 'hasUnreadRules'>>['sets'][number] = {
  joined: say`rule added`,
  left: say`rule removed`,
  are: ['rule added', 'rule removed'],
  of: ({rules, hasUnreadRules}) => (hasUnreadRules ? undefined : rules.map(ruleWords)),
};

/** A value or a set that is compared. */
type Part<R> = Compared<R>['values'][number] | Compared<R>['sets'][number];

/** The last reading of a record in which a part could be read, and when that was. */
type LastRead<R> = {readonly record: R; readonly at: EpochMs};

/** Where to find what the present reading of a record lacks: seldom anything. */
export type Lacking<R> = ReadonlyMap<Part<R>, LastRead<R>>;

/** What the reading lacks, from the reading before or what that one lacked itself; undefined if there is nothing. */
export function lackingIn<R>(
  {values, sets}: Compared<R>,
  record: R,
  before: LastRead<R>,
  lackedBefore: Lacking<R> | undefined,
): Lacking<R> | undefined {
  let lacking: Map<Part<R>, LastRead<R>> | undefined;
  for (const part of [...values, ...sets]) {
    if (part.of(record) !== undefined) continue;
    const last = part.of(before.record) === undefined ? lackedBefore?.get(part) : before;
    if (last !== undefined) lacking = (lacking ?? new Map()).set(part, last);
  }
  return lacking;
}

/** The name of a machine by `#7`. */
export type MachineName = (id: SafeText) => SafeText | undefined;

/** What differs between two readings of one record, or for what the first lacks, since the last one that had it. */
export function changesOf<R>(
  {type, idOf, nameOf, state, values, sets}: Compared<R>,
  before: R,
  record: R,
  {
    machineName,
    lacking,
    ...between
  }: Between & {readonly machineName?: MachineName; readonly lacking?: Lacking<R> | undefined},
): readonly TimelineEntry[] {
  const subject = {type, id: idOf(record), name: nameOf(record)};
  const [was, is] = [state?.(before), state?.(record)];
  const hasMoved = was !== undefined && is !== undefined && was.word !== is.word;
  const moves = hasMoved
    ? [
        {
          ...changeEntry(subject, say`${was.word} \u2192 ${is.word}`, between, ...stateChanges(was, is)),
          isTrouble: is.status === 'ERROR' || is.status === 'WARNING' || is.status === 'FAILED',
        },
      ]
    : [];
  const sinceLast = (last: LastRead<R> | undefined): Between =>
    last === undefined ? between : {...between, after: last.at};
  // What a resource receives while it is being created is part of its creation.
  if (was !== undefined && CREATION.has(was.status)) return moves;
  return [
    ...moves,
    ...values.flatMap(value => {
      const {what, is: change, of} = value;
      const last = lacking?.get(value);
      const [old, present] = [of(last?.record ?? before), of(record)];
      if (old === undefined || present === undefined || old === present) return [];
      return changeEntry(subject, say`${what} ${old} \u2192 ${present}`, sinceLast(last), change);
    }),
    ...sets.flatMap(set => {
      const {joined, left, are, of, areMachines} = set;
      const last = lacking?.get(set);
      const [old, present] = [of(last?.record ?? before), of(record)];
      if (old === undefined || present === undefined) return [];
      const between = sinceLast(last);
      const named = (each: SafeText) => (areMachines && machineName?.(each)) ?? each;
      return [
        ...without(present, old).map(each => changeEntry(subject, say`${joined}: ${named(each)}`, between, are?.[0])),
        ...without(old, present).map(each => changeEntry(subject, say`${left}: ${named(each)}`, between, are?.[1])),
      ];
    }),
  ];
}

const CREATION: ReadonlySet<string> = new Set(['CREATING', 'BUILD', 'PRE_ACTIVE']);

/** A record that was not there before, or that is no longer there. */
export function appearance<R>(
  {type, idOf, nameOf}: Compared<R>,
  record: R,
  between: Between,
  is: 'new' | 'gone',
): TimelineEntry {
  const subject = {type, id: idOf(record), name: nameOf(record)};
  return is === 'new'
    ? changeEntry(subject, say`new in the list`, between, 'created')
    : changeEntry(subject, say`no longer in the list`, between, 'deleted');
}

/** A machine's metered rate changed: a step in the burn rate. Undefined if it did not. */
export function rateChangeEntry(
  subject: TimelineSubject,
  {before, rate}: {readonly before: Rate; readonly rate: Rate},
  between: Between,
): TimelineEntry | undefined {
  if (before.numerator * rate.denominator === rate.numerator * before.denominator) return undefined;
  return {
    ...changeEntry(subject, say`rate ${rateWords(before)} \u2192 ${rateWords(rate)}`, between),
    source: 'billing',
    rateChange: subtractRates(rate, before),
  };
}

function stateChanges(was: {readonly status: string}, is: {readonly status: string}): readonly ResourceChange[] {
  if (was.status === 'RESTORING' && is.status === 'HIBERNATED') return ['restore failed'];
  return STATE_CHANGES[is.status] ?? [];
}

/** The common name that events, operations and readings use for the change to a state. */
const STATE_CHANGES: Readonly<Record<string, readonly ResourceChange[]>> = {
  CREATING: ['created'],
  BUILD: ['created'],
  PRE_ACTIVE: ['created'],
  ACTIVE: ['created', 'started', 'restored', 'rebooted', 'resized', 'reconciled'],
  STARTING: ['started'],
  STOPPING: ['stopped'],
  SHUTOFF: ['stopped'],
  REBOOTING: ['rebooted'],
  HIBERNATING: ['hibernated'],
  HIBERNATED: ['hibernated'],
  RESTORING: ['restored'],
  RECONCILING: ['reconciled'],
  DELETING: ['deleted'],
};

function changeEntry(
  subject: TimelineSubject,
  what: SafeText,
  {after, at}: Between,
  ...changes: readonly (ResourceChange | undefined)[]
): TimelineEntry {
  return {
    key: `change ${subjectKeyOf(subject)} ${at} ${what}`,
    at,
    after,
    source: 'change',
    alsoFrom: [],
    subjects: [subject],
    what,
    changes: changes.filter(each => each !== undefined),
    notes: [say`changed between two readings`],
    isTrouble: false,
  };
}

/** The members of the first that are not in the second; duplicates count separately. */
function without(all: readonly SafeText[], others: readonly SafeText[]): readonly SafeText[] {
  const left = [...others];
  return all.filter(each => {
    const index = left.indexOf(each);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
