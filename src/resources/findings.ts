import type {SafeText} from '../domain/safe-text.ts';
import type {Rate} from '../domain/money.ts';
import type {EpochMs} from '../domain/time.ts';
import type {Finding, Severity} from '../domain/triage/finding.ts';
import {findingKey, type Mute} from '../domain/triage/mute.ts';
import {commandForAll, evidenceWords, type FindingGroup, memberNames} from '../domain/triage/triage.ts';
import type {Line, Span} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';
import {age, type Column, knownPart, number, rate, text} from './column.ts';

/** A line of the list: one finding, or several similar ones. */
export type FindingRow = {
  readonly key: string;
  readonly severity: Severity;
  readonly what: SafeText;
  readonly where: SafeText;
  readonly since: EpochMs | undefined;
  readonly rate: Rate | undefined;
  readonly isRateAtLeast: boolean;
  /** Set for a line that stands for several findings; `member` is one of the lines below it. */
  readonly fold: 'folded' | 'unfolded' | 'member' | undefined;
  /** One finding, or all that a folded line stands for. */
  readonly findings: readonly [Finding, ...Finding[]];
  /** For muted findings: how, and until when. */
  readonly mutes: readonly Mute[];
  readonly now: EpochMs;
};

/** One finding below the line that stands for several. */
export function memberRow(finding: Finding, row: Pick<FindingRow, 'key' | 'mutes' | 'now'>): FindingRow {
  const {severity, summary, subject, since, rate, isRateAtLeast = false} = finding;
  const own = {severity, what: summary, where: subject.name, since, rate, isRateAtLeast};
  return {...row, ...own, fold: 'member', findings: [finding]};
}

/** The line of similar findings, and if it is unfolded one for each. */
export function groupRows(group: FindingGroup, isUnfolded: boolean, now: EpochMs): readonly FindingRow[] {
  const {key, severity, summary, where, findings, since, rate, isRateAtLeast} = group;
  const [, ...others] = findings;
  const own = {key, severity, what: summary, where, since, rate, isRateAtLeast, mutes: [], now};
  if (others.length === 0) return [{...own, fold: undefined, findings}];
  const members = findings.map(finding => memberRow(finding, {key: findingKey(finding), mutes: [], now}));
  const line: FindingRow = {...own, fold: isUnfolded ? 'unfolded' : 'folded', findings};
  return isUnfolded ? [line, ...members] : [line];
}

/** The single finding of a row; undefined for a line for several. */
export function findingOf({findings: [first, ...others]}: FindingRow): Finding | undefined {
  return others.length === 0 ? first : undefined;
}

/** A finding whose rule and type hold for the whole line; undefined for the line of several muted ones, which may differ. */
function commonOf({findings: [first], mutes}: FindingRow): Finding | undefined {
  return mutes.length > 1 ? undefined : first;
}

/** The word for muted findings in the severity column, and the key of the line for all of them. */
export const MUTED_KEY = 'muted';

/** Short enough for a column. */
const SHORT_SEVERITIES: Readonly<Record<Severity, string>> = {critical: 'CRIT', warning: 'WARN', notice: 'NOTE'};
const SEVERITY_RANKS: Readonly<Record<Severity, number>> = {critical: 3, warning: 2, notice: 1};
const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {critical: 'danger', warning: 'warning', notice: 'notice'};

/** Muted findings show no severity; a filter finds them by the word `muted`. */
export function severityCell({severity, mutes}: FindingRow): Line {
  if (mutes.length > 0) return [{text: '', tone: 'dim'}];
  return [severitySpan(severity)];
}

/** `WARN`, in its colour. */
export function severitySpan(severity: Severity): Span {
  return {text: SHORT_SEVERITIES[severity], tone: SEVERITY_TONES[severity]};
}

/** Of a column that takes the rest of the width. */
export const MIN_WHAT_WIDTH = 24;
export const MIN_WHERE_WIDTH = 12;
export const MEMBER_INDENT = '  ';

/** How many objects a printed row names. */
const NAMED_IN_A_ROW = 3;

/** For columns that the list can do without: the preview shows their values, and a filter finds them. */
const ASIDE = {tone: 'dim', absent: '', priority: 2} as const;

export const FINDING_COLUMNS: readonly Column<FindingRow>[] = [
  {
    key: 'severity',
    title: 'SEVERITY',
    value: ({severity, mutes}) =>
      mutes.length > 0
        ? {text: MUTED_KEY, number: 0}
        : {text: severity, words: SHORT_SEVERITIES[severity], number: SEVERITY_RANKS[severity]},
    list: {title: 'SEV', minWidth: 4, draw: severityCell},
    sort: {letter: 's', isLargestFirst: true},
  },
  {
    key: 'what',
    title: 'WHAT',
    isProse: true,
    value: ({what}) => text(what),
    list: {
      minWidth: MIN_WHAT_WIDTH,
      flex: 6,
      draw: ({what, fold, mutes}) => [
        {text: fold === 'member' ? `${MEMBER_INDENT}${what}` : what, tone: mutes.length === 0 ? 'text' : 'dim'},
      ],
    },
  },
  {
    key: 'where',
    title: 'WHERE',
    printed: 'asked',
    value: ({where}) => text(where),
    list: {minWidth: MIN_WHERE_WIDTH, flex: 1, tone: 'strong'},
  },
  {
    // Without unfolding, names and ids are all there is of the objects; the command of the row has the ids of all.
    key: 'objects',
    title: 'WHERE',
    isProse: true,
    value: ({findings}) => text(memberNames(findings, {maxCount: NAMED_IN_A_ROW, withIds: true})),
  },
  {
    key: 'since',
    title: 'SINCE',
    align: 'right',
    unit: 'duration',
    value: ({since, now}) => age(since, now),
    list: {minWidth: 5, priority: 1, tone: 'dim'},
  },
  {
    key: 'cost',
    title: '$/h',
    align: 'right',
    unit: 'dollars',
    value: row => knownPart(rate(row.rate), row.isRateAtLeast),
    list: {minWidth: 7, tone: 'money'},
    sort: {letter: 'c', isLargestFirst: true},
  },
  {
    key: 'type',
    title: 'TYPE',
    printed: 'asked',
    value: row => text(commonOf(row)?.subject.type),
    wideList: {minWidth: 8, ...ASIDE},
  },
  {
    key: 'id',
    title: 'ID',
    printed: 'asked',
    align: 'right',
    value: row => number(findingOf(row)?.subject.id),
    wideList: {minWidth: 7, ...ASIDE},
  },
  {
    key: 'rule',
    title: 'RULE',
    printed: 'asked',
    value: row => text(commonOf(row)?.rule),
    wideList: {minWidth: 20, ...ASIDE},
  },
  {
    // The preview shows all of it; a column saves going through the rows one by one.
    key: 'evidence',
    title: 'EVIDENCE',
    printed: 'asked',
    value: ({findings}) => text(evidenceWords(findings)),
    list: {minWidth: 24, flex: 4, isProse: true, ...ASIDE, priority: 30},
    wideList: {minWidth: 20, flex: 4, isProse: true, ...ASIDE},
  },
  // The last: if a terminal is too narrow, a command is printed whole on a line of its own.
  {key: 'command', title: 'COMMAND', isProse: true, value: ({findings}) => text(commandForAll(findings))},
];
