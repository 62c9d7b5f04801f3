import {type FilterOutcome, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {memoPer, oncePer} from '../../domain/memo.ts';
import {hourlyUsd, type Rate} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS, SECOND_MS} from '../../domain/time.ts';
import {type Finding, type Severity, subjectInWords} from '../../domain/triage/finding.ts';
import {findingKey, type Mute} from '../../domain/triage/mute.ts';
import {
  alikeFindings,
  type FindingGroup,
  type MutedFinding,
  mutedWords,
  rateOfAll,
  type Triage,
} from '../../domain/triage/triage.ts';
import {presentTriage} from '../../state/triage.ts';
import {formatDuration, formatRateFigure} from '../../ui/format.ts';
import type {TableColumn} from '../../ui/table.ts';
import {widthOf} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import {rowAtCursor} from '../list.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {fixWord} from './fix.ts';
import type {OverviewView} from './view.ts';
import {KEYS} from '../../actions/keys.ts';

/** A line of the list: one finding, or several similar ones. */
export type FindingRow = {
  readonly key: string;
  readonly severity: Severity;
  readonly what: SafeText;
  readonly where: SafeText;
  readonly since: EpochMs | undefined;
  readonly rate: Rate | undefined;
  /** Set for a line that stands for several findings; `member` is one of the lines below it. */
  readonly fold: 'folded' | 'unfolded' | 'member' | undefined;
  /** One finding, or all that a folded line stands for. */
  readonly findings: readonly [Finding, ...Finding[]];
  /** For muted findings: how, and until when. */
  readonly mutes: readonly Mute[];
  readonly now: EpochMs;
};

const FILTER_COLUMNS = ['severity', 'what', 'where', 'cost'];

/** What needs attention now, worst first, similar findings as one line, filtered. */
export function findingRows(
  scene: Scene,
  {filterText, unfolded}: Pick<OverviewView, 'filterText' | 'unfolded'>,
): readonly FindingRow[] {
  const found = presentTriage(scene);
  const stepMs = countsSeconds(found, scene.now) ? SECOND_MS : MINUTES_STEP_MS;
  const now = epochMs(scene.now - (scene.now % stepMs));
  return rowsOnce(found, [now, filterText, unfolded], () => {
    const parsed = parseFindingFilter(filterText);
    return [
      ...groupsOf(found).flatMap(group => rowsOf(group, unfolded.has(group.key), now)),
      // A filter also searches muted findings.
      ...mutedRows(found.muted, filterText !== '' || unfolded.has(MUTED_KEY), now),
    ].filter(row => !parsed.ok || matchesFilter(parsed.filter, filterRow(row)));
  });
}

/** Cached: the list, the cursor and each key ask for the rows in every frame. */
const rowsOnce = memoPer<Triage, readonly FindingRow[]>();
const groupsOf = oncePer(({findings}: Triage): readonly FindingGroup[] => alikeFindings(findings));

/** The subject, within a sentence. */
export function whereInWords({where, findings: [first]}: Pick<FindingRow, 'where' | 'findings'>): SafeText {
  return first.subject.name === where ? subjectInWords(first.subject) : where;
}

/** Rows that show minutes are computed again this often. */
const MINUTES_STEP_MS: DurationMs = 15 * SECOND_MS;

/** Whether a row shows an age in seconds, or did at the last step: that of something that has just begun. */
export function countsSeconds({findings, muted}: Pick<Triage, 'findings' | 'muted'>, now: EpochMs): boolean {
  const isYoung = ({since}: Finding) => since !== undefined && now - since < MINUTE_MS + MINUTES_STEP_MS;
  return findings.some(isYoung) || muted.some(({finding}) => isYoung(finding));
}

function rowsOf(group: FindingGroup, isUnfolded: boolean, now: EpochMs): readonly FindingRow[] {
  const {key, severity, summary, where, findings, since, rate} = group;
  const [, ...others] = findings;
  const own = {key, severity, what: summary, where, since, rate, mutes: [], now};
  if (others.length === 0) return [{...own, fold: undefined, findings}];
  const members = findings.map(
    (finding): FindingRow => ({
      key: findingKey(finding),
      severity,
      what: finding.summary,
      where: finding.subject.name,
      since: finding.since,
      rate: finding.rate,
      fold: 'member',
      findings: [finding],
      mutes: [],
      now,
    }),
  );
  const line: FindingRow = {...own, fold: isUnfolded ? 'unfolded' : 'folded', findings};
  return isUnfolded ? [line, ...members] : [line];
}

const MUTED_KEY = 'muted';
/** The filter that finds everything muted, and nothing else. */
export const MUTED_FILTER = 'severity:muted';

/** The keys of the rows that a line for several stands for. */
export function memberKeys({findings, mutes}: FindingRow): readonly string[] {
  return findings.map(finding => (mutes.length > 0 ? mutedKey(finding) : findingKey(finding)));
}

function mutedKey(finding: Finding): string {
  return `${MUTED_KEY} ${findingKey(finding)}`;
}

/** Muted findings: one line below all others, which can be unfolded. */
function mutedRows(muted: readonly MutedFinding[], isUnfolded: boolean, now: EpochMs): readonly FindingRow[] {
  const [first, ...others] = muted;
  if (first === undefined) return [];
  const line: FindingRow = {
    key: MUTED_KEY,
    severity: 'notice',
    what: say`muted: ${mutedWords(muted)}`,
    where: others.length === 0 ? first.finding.subject.name : say`${muted.length} findings`,
    since: undefined,
    rate: rateOfAll(muted.map(({finding}) => finding)),
    fold: isUnfolded ? 'unfolded' : 'folded',
    findings: [first.finding, ...others.map(({finding}) => finding)],
    mutes: muted.map(({mute}) => mute),
    now,
  };
  const members = muted.map(
    ({finding, mute}): FindingRow => ({
      key: mutedKey(finding),
      severity: finding.severity,
      what: finding.summary,
      where: finding.subject.name,
      since: finding.since,
      rate: finding.rate,
      fold: 'member',
      findings: [finding],
      mutes: [mute],
      now,
    }),
  );
  return isUnfolded ? [line, ...members] : [line];
}

export function parseFindingFilter(text: string): FilterOutcome {
  return parseFilter(text, FILTER_COLUMNS);
}

function filterRow({severity, what, where, rate, mutes}: FindingRow): Parameters<typeof matchesFilter>[1] {
  const cells = new Map<string, {text: string; number?: number}>([
    ['severity', {text: mutes.length > 0 ? MUTED_KEY : SEVERITY_WORDS[severity]}],
    ['what', {text: what}],
    ['where', {text: where}],
    ['cost', rate === undefined ? {text: ''} : {text: formatRateFigure(rate), number: hourlyUsd(rate)}],
  ]);
  return {cell: column => cells.get(column), shownTexts: () => [...cells.values()].map(({text}) => text)};
}

/** There is no row under the cursor. */
export const NOTHING_FOUND = {findings: []} as const;

export function underCursor({scene, view}: PaneContext<OverviewView>): FindingRow | undefined {
  return rowAtCursor(view, findingRows(scene, view), ({key}) => key);
}

/** The single finding of a row; undefined for a line for several. */
export function findingOf({findings: [first, ...others]}: FindingRow): Finding | undefined {
  return others.length === 0 ? first : undefined;
}

/** Short enough for a column. */
export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {critical: 'CRIT', warning: 'WARN', notice: 'NOTE'};
const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {critical: 'danger', warning: 'warning', notice: 'notice'};

/** As narrow as its content allows: the rest goes to the names, which tell objects apart. */
export function findingColumns(rows: readonly FindingRow[], width: number): readonly TableColumn<FindingRow>[] {
  const longest = Math.max(MIN_WHAT_WIDTH, ...rows.map(({what}) => widthOf(what)));
  const hasWords = width >= FIX_WORDS_FROM;
  const what = {...WHAT_COLUMN, maxWidth: longest, ...(hasWords ? {minWidth: Math.min(longest, WIDE_WHAT_WIDTH)} : {})};
  const names = Math.min(WIDE_WHERE_WIDTH, Math.max(...rows.map(({where}) => widthOf(where))));
  const place = hasWords ? {...WHERE_COLUMN, minWidth: Math.max(WHERE_COLUMN.minWidth, names)} : WHERE_COLUMN;
  const fix = hasWords ? fixColumn(rows) : FIX_KEY_COLUMN;
  return [SEVERITY_COLUMN, what, place, ...FIGURE_COLUMNS, fix, EVIDENCE_COLUMN];
}

/** If the list has room for the key only, the preview says what it does. */
const FIX_WORDS_FROM = 110;
/** If there is room for evidence, what is wrong and where is not cut for it. */
const WIDE_WHAT_WIDTH = 44;
const WIDE_WHERE_WIDTH = 32;

const FIX_KEY_COLUMN: TableColumn<FindingRow> = {
  key: 'fix',
  title: 'FIX',
  minWidth: 3,
  cell: row => [fixWord(row) === undefined ? {text: '–', tone: 'dim'} : {text: KEYS.fix, tone: 'accent'}],
};

function fixColumn(rows: readonly FindingRow[]): TableColumn<FindingRow> {
  return {
    key: 'fix',
    title: 'FIX',
    minWidth: Math.max('FIX'.length, ...rows.map(row => widthOf(fixWord(row) ?? '') + widthOf(`${KEYS.fix} `))),
    cell: row => {
      const word = fixWord(row);
      return word === undefined ? [{text: '–', tone: 'dim'}] : [{text: `${KEYS.fix} `, tone: 'accent'}, {text: word}];
    },
  };
}

const MIN_WHAT_WIDTH = 24;

const SEVERITY_COLUMN: TableColumn<FindingRow> = {
  key: 'severity',
  title: 'SEV',
  minWidth: 4,
  cell: ({severity, mutes}) => [
    mutes.length === 0 ? {text: SEVERITY_WORDS[severity], tone: SEVERITY_TONES[severity]} : {text: '', tone: 'dim'},
  ],
};

const WHAT_COLUMN: TableColumn<FindingRow> = {
  key: 'what',
  title: 'WHAT',
  minWidth: MIN_WHAT_WIDTH,
  flex: 6,
  cell: ({what, fold, mutes}) => [
    {text: fold === 'member' ? `  ${what}` : what, tone: mutes.length === 0 ? 'text' : 'dim'},
  ],
};

/** The preview has all of it; here it saves opening each row. */
const EVIDENCE_COLUMN: TableColumn<FindingRow> = {
  key: 'evidence',
  title: 'EVIDENCE',
  minWidth: 40,
  flex: 4,
  priority: 2,
  cell: ({findings: [{evidence}, ...others]}) => [{text: others.length > 0 ? '' : evidence.join('; '), tone: 'dim'}],
};

const WHERE_COLUMN: TableColumn<FindingRow> = {
  key: 'where',
  title: 'WHERE',
  minWidth: 12,
  flex: 1,
  cell: ({where}) => [{text: where, tone: 'strong', isName: true}],
};

const FIGURE_COLUMNS: readonly TableColumn<FindingRow>[] = [
  {
    key: 'since',
    title: 'SINCE',
    minWidth: 5,
    align: 'right',
    priority: 1,
    cell: ({since, now}) => [{text: since === undefined ? '–' : formatDuration(now - since), tone: 'dim'}],
  },
  {
    key: 'cost',
    title: '$/h',
    minWidth: 7,
    align: 'right',
    cell: ({rate}) => [
      {text: rate === undefined ? '–' : formatRateFigure(rate), tone: rate === undefined ? 'dim' : 'money'},
    ],
  },
];
