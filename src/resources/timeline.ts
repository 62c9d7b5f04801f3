import {type Window, WINDOWS_MS} from '../domain/window.ts';
import {accrue, hourlyUsd, minutesOf, type Rate, toMicroUsd} from '../domain/money.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, isoText} from '../domain/time.ts';
import type {Actor, SentOperation, TimelineEntry, TimelineSubject} from '../domain/timeline/entry.ts';
import type {Suspect} from '../domain/timeline/suspects.ts';
import {type Step, stepOfEntry, subjectWords} from '../domain/timeline/timeline.ts';
import {nameOfUser, userOf} from './members.ts';
import {age, type Column, moment, rate, text} from './column.ts';
import {meFeed, organizationFeed} from '../state/account.ts';
import {presentBurn, presentTimeline, type SeenChanges} from '../state/timeline.ts';
import type {TriageInput} from '../state/triage.ts';
import {formatRateFigure, formatUtcFull, formatUtcTime, UNKNOWN} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';

/** One line of the list. */
export type TimelineRow = {
  readonly entry: TimelineEntry;
  readonly key: string;
  readonly step: Step | undefined;
  /** `you` for operations sent from here, a member's name, or `user 12`; undefined if the service does not say. */
  readonly who: SafeText | undefined;
  readonly now: EpochMs;
};

type TimelineSources = TriageInput & {readonly changes?: Pick<SeenChanges, 'entries' | 'risen'> | undefined};

type TimelineRange = {
  readonly since: EpochMs;
  readonly sent: readonly SentOperation[];
  /** The only objects to tell of; all by default. */
  readonly about?: readonly TimelineSubject[] | undefined;
};

/** What happened since a moment, newest first; undefined until machines or usage were read. */
export function timelineRows(
  known: TimelineSources,
  {since, sent, about}: TimelineRange,
): readonly TimelineRow[] | undefined {
  const {store, now, changes} = known;
  const organization = lastValue(store.get(organizationFeed));
  const own = userOf(organization, lastValue(store.get(meFeed)));
  const entries = presentTimeline({known, since, sent, changes, ownUserId: own?.id, about});
  const burn = presentBurn(store);
  const nameOf = (who: Actor | undefined): SafeText | undefined => {
    if (who === undefined || who.kind === 'you') return who && say`you`;
    return nameOfUser(who.id, organization);
  };
  return entries?.map(entry => ({
    entry,
    key: entry.key,
    step: stepOfEntry(entry, burn),
    who: nameOf(entry.who),
    now,
  }));
}

export function windowStart(now: EpochMs, window: Window): EpochMs {
  return epochMs(now - WINDOWS_MS[window]);
}

/** With its sign, since it is a change: `+512.00`. */
export function signedRate(change: Rate): string {
  const figure = formatRateFigure(change);
  return hourlyUsd(change) > 0 ? `+${figure}` : figure;
}

const SOURCE_TONES: Readonly<Record<TimelineEntry['source'], Tone>> = {
  event: 'text',
  billing: 'money',
  finding: 'warning',
  operation: 'focus',
  change: 'accent',
};

const FULL_TIME_CELLS = 20;

export const TIMELINE_COLUMNS: readonly Column<TimelineRow>[] = [
  {
    key: 'time',
    title: 'TIME',
    value: ({entry: {at}}) => moment(at) ?? {text: 'unknown'},
    list: {minWidth: 9, tone: 'dim', draw: row => [{text: timeText(row), tone: 'dim'}]},
    wideList: {minWidth: 9, maxWidth: FULL_TIME_CELLS, flex: 1, draw: timeCell},
  },
  {
    key: 'age',
    title: 'AGO',
    align: 'right',
    unit: 'duration',
    value: ({entry: {at}, now}) => age(at, now),
    list: {minWidth: 5, tone: 'dim', priority: 2},
  },
  {
    key: 'source',
    title: 'SOURCE',
    value: ({entry: {source, alsoFrom}}) => ({text: source, words: alsoFrom.join(' ')}),
    list: {minWidth: 9, tone: ({entry}) => SOURCE_TONES[entry.source], priority: 3},
  },
  {
    key: 'object',
    title: 'OBJECT',
    isSubject: true,
    value: ({entry}) => ({text: subjectWords(entry), words: entry.subjects.map(({name}) => name).join(' ')}),
    list: {minWidth: 10, maxWidth: 32, flex: 1, tone: 'strong'},
  },
  {
    key: 'what',
    title: 'WHAT',
    value: ({entry}) => text(entry.what),
    list: {minWidth: 34, flex: 4, tone: whatTone, isProse: true},
  },
  {
    key: 'who',
    title: 'WHO',
    printRank: 0,
    value: ({who, entry}) => text(who ?? (entry.source === 'event' ? say`not reported` : undefined)),
    list: {minWidth: 10, maxWidth: 20, flex: 1, tone: 'text', absent: '', priority: 1},
  },
  {
    key: 'cost',
    title: '$/h',
    // Empty in most rows.
    printRank: 1,
    align: 'right',
    unit: 'dollars',
    value: ({entry}) => {
      const value = rate(entry.rateChange);
      return value && {...value, text: changeText(entry)};
    },
    list: {minWidth: 7, draw: costCell},
  },
  {
    key: 'type',
    title: 'TYPE',
    printed: 'wide',
    value: ({entry}) => text(entry.subjects[0].type),
    wideList: {minWidth: 8, tone: 'dim', priority: 21},
  },
  {
    key: 'step',
    title: 'STEP',
    printed: 'wide',
    value: ({step}) => text(step),
    wideList: {minWidth: 6, tone: 'warning', absent: '', priority: 20},
  },
  {
    key: 'also',
    title: 'ALSO FROM',
    printed: 'wide',
    value: ({entry}) => text(entry.alsoFrom.join(', ')),
    wideList: {minWidth: 10, tone: 'dim', absent: '', priority: 22},
  },
];

/** Nothing where the entry changed no cost, and the sign of an unknown value where by how much is unknown. */
function costCell({entry}: TimelineRow): Line {
  return entry.isUnpriced === true ? [{text: UNKNOWN, tone: 'dim'}] : [{text: changeText(entry), tone: 'money'}];
}

/** `~+1.00` if it is estimated; empty if the entry has no change. */
function changeText({rateChange, isEstimated}: TimelineEntry): string {
  return rateChange === undefined ? '' : `${isEstimated ? '~' : ''}${signedRate(rateChange)}`;
}

function whatTone({entry, step}: TimelineRow): Tone {
  return troubleTone(entry) ?? (step === 'burn' ? 'warning' : 'text');
}

/** A warning is no louder here than in the list of findings; undefined if nothing went wrong. */
export function troubleTone({isTrouble, isWarning}: TimelineEntry): Tone | undefined {
  return !isTrouble ? undefined : isWarning === true ? 'warning' : 'danger';
}

/** The time only for today, otherwise with the date. */
/** With the date in full, if there is room. */
function timeCell(row: TimelineRow, width: number): Line {
  const {at} = row.entry;
  return [{text: width < FULL_TIME_CELLS || at === undefined ? timeText(row) : formatUtcFull(at), tone: 'dim'}];
}

function timeText({entry: {at}, now}: TimelineRow): string {
  if (at === undefined) return 'unknown';
  const isToday = Math.floor(at / DAY_MS) === Math.floor(now / DAY_MS);
  return isToday ? formatUtcTime(at) : safeText(dayText(at));
}

/** For example `21 02:10Z`; beside an age, the day of the month is enough. */
function dayText(at: EpochMs): string {
  const iso = isoText(at);
  return `${iso.slice(8, 10)} ${iso.slice(11, 16)}`;
}

/** An entry for scripts, with what may have caused its step. */
export function timelineRecord({entry, step}: TimelineRow, suspects: readonly Suspect[]): object {
  const {at, after, until, source, alsoFrom, subjects, what, who, rateChange, isEstimated, notes} = entry;
  return {
    at: isoOrNull(at),
    ...(after === undefined ? {} : {after: isoOrNull(after)}),
    ...(until === undefined ? {} : {until: isoOrNull(until)}),
    source,
    alsoFrom,
    subjects: subjects.map(subjectRecord),
    what,
    who: whoRecord(who),
    perHourMicrousd: rateChange === undefined ? null : toMicroUsd(accrue(rateChange, minutesOf(HOUR_MS))),
    ...(isEstimated ? {isEstimated} : {}),
    step: step ?? null,
    notes,
    suspects: suspects.map(({entry: suspect, count, touches}) => ({
      at: isoOrNull(suspect.at),
      source: suspect.source,
      subject: subjectRecord(suspect.subjects[0]),
      what: suspect.what,
      who: whoRecord(suspect.who),
      count,
      touches,
    })),
  };
}

function isoOrNull(at: TimelineEntry['at']): string | null {
  return at === undefined ? null : isoText(at);
}

function subjectRecord({type, id, name}: TimelineSubject): object {
  return {type, id: id ?? null, name};
}

function whoRecord(who: Actor | undefined): object | null {
  if (who === undefined) return null;
  return who.kind === 'you' ? {you: true} : {you: false, userId: who.id};
}
