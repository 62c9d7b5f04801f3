import {KEYS} from '../../actions/keys.ts';
import {memoPer, oncePer} from '../../domain/memo.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS, SECOND_MS} from '../../domain/time.ts';
import {type Finding, subjectInWords} from '../../domain/triage/finding.ts';
import {findingKey} from '../../domain/triage/mute.ts';
import {
  alikeFindings,
  costOfAll,
  type FindingGroup,
  type MutedFinding,
  mutedWords,
  type Triage,
} from '../../domain/triage/triage.ts';
import {type Column, text} from '../../resources/column.ts';
import {
  FINDING_COLUMNS,
  type FindingRow,
  groupRows,
  memberRow,
  MEMBER_INDENT,
  MIN_WHAT_WIDTH,
  MIN_WHERE_WIDTH,
  MUTED_KEY,
} from '../../resources/findings.ts';
import {UNKNOWN} from '../../ui/format.ts';
import type {TableColumn} from '../../ui/table.ts';
import {widthOf} from '../../ui/text.ts';
import {listColumns, wideColumns} from '../list/list-columns.ts';
import type {RowId} from '../list/resource-list.tsx';
import {fixWord} from './fix.ts';

/** What needs attention now, worst first, similar findings as one line; below them the muted ones. */
export function findingRows(found: Triage, unfolded: ReadonlySet<string>, at: EpochMs): readonly FindingRow[] {
  const stepMs = countsSeconds(found, at) ? SECOND_MS : MINUTES_STEP_MS;
  const now = epochMs(at - (at % stepMs));
  return rowsOnce(found, [now, unfolded], () => [
    ...groupsOf(found).flatMap(group => groupRows(group, unfolded.has(group.key), now)),
    ...mutedRows(found.muted, unfolded.has(MUTED_KEY), now),
  ]);
}

const rowsOnce = memoPer<Triage, readonly FindingRow[]>();
const groupsOf = oncePer(({findings}: Triage): readonly FindingGroup[] => alikeFindings(findings));

/** The subject, within a sentence. */
export function whereInWords({where, findings: [first]}: Pick<FindingRow, 'where' | 'findings'>): SafeText {
  return first.subject.name === where ? subjectInWords(first.subject) : where;
}

/** The same where one finding is meant: several may be about the account, so what was found tells which. */
export function findingInWords(row: Pick<FindingRow, 'what' | 'where' | 'findings'>): SafeText {
  const where = whereInWords(row);
  const {type} = row.findings[0].subject;
  return type === 'account' || type === 'service' ? say`${where}: ${row.what}` : where;
}

/** Rows that show minutes are computed again this often. */
const MINUTES_STEP_MS: DurationMs = 15 * SECOND_MS;

/** Whether a row shows an age in seconds, or did at the last step: that of something that has just begun. */
export function countsSeconds({findings, muted}: Pick<Triage, 'findings' | 'muted'>, now: EpochMs): boolean {
  const isYoung = ({since}: Finding) => since !== undefined && now - since < MINUTE_MS + MINUTES_STEP_MS;
  return findings.some(isYoung) || muted.some(({finding}) => isYoung(finding));
}

/** The filter that finds everything muted, and nothing else. */
export const MUTED_FILTER = 'severity:muted';

/** The keys of the rows that a line for several stands for. */
export function memberKeys({findings, mutes, fold}: FindingRow): readonly string[] {
  if (fold !== 'folded' && fold !== 'unfolded') return [];
  return findings.map(finding => (mutes.length > 0 ? mutedKey(finding) : findingKey(finding)));
}

function mutedKey(finding: Finding): string {
  return `${MUTED_KEY} ${findingKey(finding)}`;
}

/** Whether the row with this key is about findings that still stand, muted or not. */
export function isJudged({findings, muted}: Pick<Triage, 'findings' | 'muted'>, key: RowId): boolean {
  const groups = alikeFindings([...findings, ...muted.map(({finding}) => finding)]);
  return groups.some(
    group => group.key === key || group.findings.some(each => findingKey(each) === key || mutedKey(each) === key),
  );
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
    ...costOfAll(muted.map(({finding}) => finding)),
    fold: isUnfolded ? 'unfolded' : 'folded',
    findings: [first.finding, ...others.map(({finding}) => finding)],
    mutes: muted.map(({mute}) => mute),
    now,
  };
  const members = muted.map(({finding, mute}) => memberRow(finding, {key: mutedKey(finding), mutes: [mute], now}));
  return isUnfolded ? [line, ...members] : [line];
}

/** The findings of the rows, each once: an unfolded line and the rows below it share them. */
export function findingsOf(rows: readonly FindingRow[]): readonly Finding[] {
  return [...new Set(rows.flatMap(({findings}) => findings))];
}

/** Its key is of the deck alone; a command prints a command in its place. */
const FIX: Column<FindingRow> = {
  key: 'fix',
  title: 'FIX',
  value: row => text(fixWord(row)),
  list: {
    minWidth: 3,
    draw: row => (fixWord(row) === undefined ? [{text: UNKNOWN, tone: 'dim'}] : [{text: KEYS.fix, tone: 'accent'}]),
  },
};

/** The wide list has type, id and rule too. */
export const LISTED_COLUMNS = FINDING_COLUMNS.filter(({list, wideList}) => list ?? wideList).flatMap(column =>
  column.key === 'cost' ? [column, FIX] : [column],
);

const NARROW_COLUMNS = listColumns(LISTED_COLUMNS);
const WIDE_COLUMNS = wideColumns(LISTED_COLUMNS);

/**
 * Each column is as narrow as its content allows; the rest of the width goes to the names, which tell objects apart.
 */
export function findingColumns(
  {isWide}: {readonly isWide: boolean},
  rows: readonly FindingRow[],
  width: number,
): readonly TableColumn<FindingRow>[] {
  return columnsOnce(rows, [isWide, width], () => {
    const hasWords = width >= FIX_WORDS_FROM;
    // In the wide list, further columns are worth more than uncut names.
    const isUncut = hasWords && !isWide;
    const texts = rows.map(({what, where, fold}) => ({
      what: widthOf(what) + (fold === 'member' ? MEMBER_INDENT.length : 0),
      where: widthOf(where),
    }));
    const what = Math.max(MIN_WHAT_WIDTH, ...texts.map(each => each.what));
    const names = Math.max(MIN_WHERE_WIDTH, ...texts.map(({where}) => where));
    const room = width - FIGURE_CELLS;
    const isTight = !hasWords && !isWide && what + names > room;
    const maxWhat = isTight ? leastCutWidth(texts, room) : what;
    const widths: Readonly<Record<string, Partial<TableColumn<FindingRow>>>> = {
      what: {maxWidth: maxWhat, ...(isUncut ? {minWidth: Math.min(what, WIDE_WHAT_WIDTH)} : {})},
      where: isUncut ? {minWidth: Math.min(names, WIDE_WHERE_WIDTH)} : {},
      fix: hasWords ? fixWords(rows) : {},
      evidence: hasWords || isWide ? {} : {minWidth: NARROW_EVIDENCE_WIDTH},
    };
    return (isWide ? WIDE_COLUMNS : NARROW_COLUMNS).map(column => ({...column, ...widths[column.key]}));
  });
}

/** The row's gutter, the columns of severity, age, cost and fix, and the blank between two columns. */
const FIGURE_CELLS = 3 + 4 + 5 + 7 + 3 + 5;

/**
 * The width of the column `what`, within the room that it shares with `where`, at which the fewest letters are cut.
 * Letters of a name count twice, because a name tells objects apart; the title of the preview shows in full what is
 * wrong.
 */
function leastCutWidth(texts: readonly {readonly what: number; readonly where: number}[], room: number): number {
  const cutAt = (width: number) =>
    texts.reduce((sum, {what, where}) => sum + Math.max(0, what - width) + 2 * Math.max(0, where - (room - width)), 0);
  let best = MIN_WHAT_WIDTH;
  let leastCut = Number.POSITIVE_INFINITY;
  for (let width = MIN_WHAT_WIDTH; width <= room - MIN_WHERE_WIDTH; width += 1) {
    const cut = cutAt(width);
    if (cut >= leastCut) continue;
    leastCut = cut;
    best = width;
  }
  return best;
}

const columnsOnce = memoPer<readonly FindingRow[], readonly TableColumn<FindingRow>[]>();

/** If the list has room for the key only, the preview says what it does. */
const FIX_WORDS_FROM = 110;
/** If there is room for evidence, what is wrong and where is not cut for it. */
const WIDE_WHAT_WIDTH = 44;
const WIDE_WHERE_WIDTH = 32;
/** In a list too narrow for uncut names it would cut them, so it needs more room of its own to be worth that. */
const NARROW_EVIDENCE_WIDTH = 40;

function fixWords(rows: readonly FindingRow[]): Pick<TableColumn<FindingRow>, 'minWidth' | 'cell'> {
  return {
    minWidth: Math.max('FIX'.length, ...rows.map(row => widthOf(fixWord(row) ?? '') + widthOf(`${KEYS.fix} `))),
    cell: row => {
      const word = fixWord(row);
      return word === undefined
        ? [{text: UNKNOWN, tone: 'dim'}]
        : [{text: `${KEYS.fix} `, tone: 'accent'}, {text: word}];
    },
  };
}
