import {describeOperation} from '../../domain/describe-operation.ts';
import type {ReactNode} from 'react';
import {memoPer} from '../../domain/memo.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {type FindingRow, severityCell} from '../../resources/findings.ts';
import {machinesWhere} from '../../resources/related.ts';
import {relatedToSubjects} from '../../resources/resources.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {costliestRunning} from '../../state/triage.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatDollars, formatDuration, formatUtcMoment} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {memoBox, type Scene} from '../pane.ts';
import {TABS} from '../tabs.ts';
import {machineTableLines} from '../list/rows-table.ts';
import {relatedLines} from '../related-lines.ts';
import {evidenceLines} from './evidence.ts';
import type {OverviewLayout} from './layout.ts';
import {countedFix, fixWord} from './fix.ts';
import {whereInWords} from './rows.ts';
import {KEYS} from '../../actions/keys.ts';
import {Part, type BoxProps} from './part.tsx';

/** The finding under the cursor in full: its evidence, what to do, and by which key or command. */
export const Preview = memoBox(function Preview({
  scene,
  layout,
  row,
}: BoxProps & {readonly row: FindingRow | undefined}): ReactNode {
  const none = isNewAccount(scene) ? 'first steps' : 'finding';
  const title: Line = row === undefined ? [{text: none, tone: 'title'}] : titleOf(row);
  const width = textWidth({...layout.preview, isWide: layout.isWide});
  const shown = previewLines(row, scene, layout, width).map((line): Line => [{text: ' '}, ...line]);
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.preview} layout={layout} lines={shown} />;
});

/** What is wrong gives way after the name, which keeps both its ends. */
function titleOf(row: FindingRow): Line {
  return [
    {text: `${row.what}: `, tone: 'title'},
    {text: whereInWords(row), tone: 'title', isName: true},
  ];
}

/**
 * The rows of the preview that show the longest of the texts about these in full, so that its size does not change with
 * the cursor.
 */
export function previewRows(
  rows: readonly FindingRow[],
  {columns, isWide}: {readonly columns: number; readonly isWide: boolean},
): number {
  return rowsOnce(rows, [columns, isWide], () => {
    const width = textWidth({columns, isWide});
    const counts = rows.map(row => {
      if (!isWide && row.findings.length > 1) return row.findings.length + 1;
      const word = fixWord(row);
      const fix = word && say`${word} all ${row.findings[0].fixes?.length ?? 0}`;
      const spark: Line = [{text: ' '.repeat(Math.floor(width / 3))}];
      const options = {fix, isWide, spark: isWide ? [] : [spark], width, rows: MANY_ROWS, ellipsis: ''};
      return [...mutedLines(row), ...findingLines(row, options)].flatMap(line => wrapLine(line, width)).length;
    });
    return Math.max(0, ...counts) + (isWide ? BOX_ROWS : TITLE_ROWS);
  });
}

/** The rows that the text about a finding takes in one column, without its chart; 0 for a line of several. */
export function previewTextRows(row: FindingRow | undefined, columns: number): number {
  if (row === undefined || row.findings.length > 1) return 0;
  return textRowsOnce(row, [columns], () => {
    const fixes = row.findings[0].fixes ?? [];
    const word = fixWord(row);
    // The longest that the count of its actions can make it.
    const fix = fixes.length < 2 ? word : word && say`${word} all ${fixes.length}`;
    const width = textWidth({columns, isWide: false});
    const muted = mutedLines(row).flatMap(line => wrapLine(line, width));
    return TITLE_ROWS + muted.length + joined(narrowTexts(row, fix), width).length;
  });
}

const textRowsOnce = memoPer<FindingRow, number>();

const rowsOnce = memoPer<readonly FindingRow[], number>();

function textWidth({columns, isWide}: {readonly columns: number; readonly isWide: boolean}): number {
  return Math.max(1, columns - (isWide ? 5 : 2));
}

const NOTHING_CHOSEN: Line = [{text: 'there is nothing under the cursor', tone: 'dim'}];

/** What a new account needs before its first machine, in order, with the keys for each step. */
const FIRST_STEPS: readonly {readonly feed: Feed<Listing<unknown>>; readonly words: string; readonly where: string}[] =
  [
    {feed: environmentsFeed, words: 'an environment', where: ':environments, then n'},
    {feed: keyPairsFeed, words: 'a key pair', where: ':key-pairs, then n'},
    {feed: machinesFeed, words: 'a machine', where: `${TABS.machines.key}, then n`},
  ];

function firstSteps({store, theme}: Scene): readonly Line[] {
  return FIRST_STEPS.map(({feed, words, where}, index): Line => {
    const isThere = (lastValue(store.get(feed))?.records.length ?? 0) > 0;
    return [
      {text: `${isThere ? theme.glyphs.check : index + 1} `, tone: isThere ? 'good' : 'key'},
      {text: words.padEnd(STEP_CELLS), tone: isThere ? 'dim' : 'text'},
      {text: where, tone: 'dim'},
    ];
  });
}

const STEP_CELLS = 16;

/** An account counts as new until it has a machine. */
export function isNewAccount({store}: Pick<Scene, 'store'>): boolean {
  return lastValue(store.get(machinesFeed))?.records.length === 0;
}

/** The finding over the whole pane, where its chart and all that is related have room. */
export function detailLines(row: FindingRow, scene: Scene, width: number): readonly Line[] {
  const {what, since, rate, isRateAtLeast, now} = row;
  const facts = [
    ...(since === undefined ? [] : [`since ${formatUtcMoment(since)}, ${formatDuration(now - since)} ago`]),
    ...(rate === undefined ? [] : [`${isRateAtLeast ? 'at least ' : ''}${formatDollars(hourlyUsd(rate))}/h`]),
  ];
  const preview = {columns: width, rows: MANY_ROWS};
  return [
    [...severityCell(row), {text: row.mutes.length > 0 ? '' : '  '}, {text: what, tone: 'strong'}],
    ...(facts.length === 0 ? [] : [[{text: facts.join('  '), tone: 'dim' as const}]]),
    [],
    ...previewLines(row, scene, {isWide: true, preview}, width),
  ];
}

/** More lines than any finding has, because a detail scrolls. */
const MANY_ROWS = 1000;

/** The words, and the room that they leave for the chart. */
function previewLines(
  chosen: FindingRow | undefined,
  scene: Scene,
  {isWide, preview}: Pick<OverviewLayout, 'isWide' | 'preview'>,
  width: number,
): readonly Line[] {
  if (chosen === undefined) return isNewAccount(scene) ? firstSteps(scene) : [NOTHING_CHOSEN];
  const row = withOperation(chosen, scene);
  const [finding, ...others] = row.findings;
  const isDrawn = others.length === 0;
  const spark = isDrawn && !isWide ? evidenceLines(finding, scene, {width: Math.floor(width / 3), rows: 1}) : [];
  const muted = mutedLines(row).flatMap(line => wrapLine(line, width));
  const texts = findingLines(row, {
    fix: countedFix(row, scene),
    isWide,
    spark,
    width,
    rows: preview.rows - TITLE_ROWS - muted.length,
    ellipsis: scene.theme.glyphs.ellipsis,
  }).flatMap(line => wrapLine(line, width));
  // The key that lists it again comes last, and has room however many are muted.
  const shown = muted.length === 0 ? texts : texts.slice(0, textRows({isWide, preview}) - muted.length);
  const lines = [...shown, ...muted];
  if (!isDrawn || !isWide) return lines;
  const room = preview.rows - BOX_ROWS - lines.length;
  const drawn = evidenceLines(finding, scene, {width, rows: room});
  const related = room - drawn.length < MIN_RELATED_ROWS ? [] : relatedTo(finding, scene, width);
  return [...lines, ...drawn, ...related];
}

/** While an operation on the subject of the only finding is under way, that is told instead of what to do. */
function withOperation(row: FindingRow, {operations, now}: Scene): FindingRow {
  const [finding, ...others] = row.findings;
  const {type, id} = finding.subject;
  if (others.length > 0 || id === undefined || type === 'account' || type === 'service') return row;
  const operation = operations?.openOn({type, id});
  if (operation === undefined) return row;
  const advice = describeOperation(operation, now).text;
  return {...row, findings: [{...finding, advice, fixes: [], commands: []}]};
}

function textRows({isWide, preview}: Pick<OverviewLayout, 'isWide' | 'preview'>): number {
  return preview.rows - (isWide ? BOX_ROWS : TITLE_ROWS);
}

/** A title and one object. */
const MIN_RELATED_ROWS = 2;

/** The machines a finding names, or what belongs to its subject; for the account, the largest spenders. */
function relatedTo({subject, machineIds = []}: Finding, scene: Scene, width: number): readonly Line[] {
  const {store} = scene;
  if (machineIds.length > 0) {
    const named = new Set(machineIds);
    return relatedLines(scene, [machinesWhere(store, ({id}) => named.has(id))], width);
  }
  if (subject.type !== 'account') return relatedLines(scene, relatedToSubjects([subject], store), width);
  return machineTableLines(scene, costliestRunning(store).slice(0, MAX_COSTLIEST), width);
}

/** More machines than fit. */
const MAX_COSTLIEST = 20;

/** The edges of a box. */
const BOX_ROWS = 2;
/** If there is no box. */
const TITLE_ROWS = 1;

/** Since when it is muted, and how to list it again. */
function mutedLines({mutes: [mute, ...others], fold}: FindingRow): readonly Line[] {
  if (mute === undefined) return [];
  const again: Line = [
    {text: KEYS.mute, tone: 'strong'},
    {text: others.length > 0 ? ' lists all again' : ' lists it again'},
  ];
  if (others.length > 0) return [[...again, {text: '  '}, ...openLine(fold)]];
  const until = mute.kind === 'acknowledged' ? '' : ` until ${formatUtcMoment(mute.until)}`;
  return [[{text: `${mute.kind}${until}; `, tone: 'notice'}, ...again]];
}

function findingLines(
  row: FindingRow,
  {
    fix,
    isWide,
    spark,
    ...room
  }: {
    readonly fix: SafeText | undefined;
    readonly isWide: boolean;
    readonly spark: readonly Line[];
    readonly width: number;
    readonly rows: number;
    readonly ellipsis: string;
  },
): readonly Line[] {
  const {findings, fold, mutes} = row;
  const [{evidence}, ...others] = findings;
  if (others.length > 0) {
    const way = wayLine(row, fix);
    const members = findings.map(
      ({subject, evidence: own}): Line => [
        {text: subject.name, tone: 'strong', isName: true},
        {text: `  ${isWide ? own.join('; ') : (own[0] ?? '')}`},
      ],
    );
    // Muted findings may be of any kind, with no way in common.
    return mutes.length > 0 ? members : [[...way, {text: '  '}, ...openLine(fold)], ...members];
  }
  if (!isWide) {
    const texts = narrowTexts(row, fix);
    const shown = spark.flatMap((line): Line => [...line, {text: '  '}]);
    const withChart = [[...shown, ...texts[0]], texts[1]] as const;
    // The chart gives way if only without it the words are whole. Where they are cut all the same, which is marked, it
    // stays, as does the key.
    const isInTheWay =
      joined(withChart, room.width).length > room.rows && joined(texts, room.width).length <= room.rows;
    return twoTexts(...(isInTheWay ? texts : withChart), room);
  }
  return [...evidence.map((text): Line => [{text}]), adviceLine(row, fix)];
}

function openLine(fold: FindingRow['fold']): Line {
  return [{text: KEYS.open, tone: 'strong'}, {text: fold === 'folded' ? ' lists them' : ' opens them'}];
}

/** The key that asks about its end, or else the command about it. */
function wayLine({findings: [{commands}]}: FindingRow, fix: SafeText | undefined): Line {
  if (fix !== undefined) return [{text: KEYS.fix, tone: 'strong'}, {text: ` ${fix}`}];
  const [command] = commands;
  return command === undefined ? [] : [{text: command, tone: 'dim'}];
}

/** What proves a finding, and what to do about it. */
function narrowTexts(row: FindingRow, fix: SafeText | undefined): readonly [Line, Line] {
  return [[{text: row.findings[0].evidence.join('; ')}], adviceLine(row, fix)];
}

/** What to do, with the key that asks about it before, or a command about it behind. */
function adviceLine(row: FindingRow, fix: SafeText | undefined): Line {
  const advice: Line = [{text: row.findings[0].advice}];
  const way = wayLine(row, fix);
  if (way.length === 0) return advice;
  return fix === undefined ? [...advice, {text: '  '}, ...way] : [...way, {text: '  '}, ...advice];
}

function joined([first, second]: readonly [Line, Line], width: number): readonly Line[] {
  return wrapLine([...first, {text: '  '}, ...second], width);
}

type TextRoom = {readonly width: number; readonly rows: number; readonly ellipsis: string};

/**
 * Texts below each other if each fits on a line, otherwise run together. What still does not fit is cut, the first text
 * before the second.
 */
function twoTexts(first: Line, second: Line, {rows, ...room}: TextRoom): readonly Line[] {
  const apart = [first, second].flatMap(line => wrapLine(line, room.width));
  if (apart.length <= rows) return apart;
  const together = joined([first, second], room.width);
  if (together.length <= rows) return together;
  const firstRows = Math.max(1, rows - wrapLine(second, room.width).length);
  return [...foldedInto(first, {...room, rows: firstRows}), ...foldedInto(second, {...room, rows: rows - firstRows})];
}

/** In at most this many rows; the last one shows that text was cut. */
function foldedInto(line: Line, {width, rows, ellipsis}: TextRoom): readonly Line[] {
  const folded = wrapLine(line, width);
  if (folded.length <= rows) return folded;
  const rest = folded.slice(rows - 1).flatMap((each, index) => (index === 0 ? each : [{text: ' '}, ...each]));
  return [...folded.slice(0, rows - 1), fitLine(rest, width, {ellipsis})];
}
