import type {ReactNode} from 'react';
import {verbOf} from '../../actions/actions.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatUtcMoment} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {type Scene, useUntilNews} from '../pane.ts';
import {evidenceLines} from './evidence.ts';
import type {OverviewLayout} from './layout.ts';
import type {FindingRow} from './rows.ts';
import {Part, type PartProps} from './part.tsx';

/** The finding under the cursor whole: what proves it, what to do, and by which key or command. */
export function Preview({scene, layout, row}: PartProps & {readonly row: FindingRow | undefined}): ReactNode {
  const {columns} = layout.preview;
  const title = row === undefined ? 'finding' : `${row.what}: ${row.where}`;
  const width = Math.max(1, columns - (layout.isWide ? 5 : 2));
  const shown = useUntilNews(
    scene,
    () => previewLines(row, scene, layout, width).map((line): Line => [{text: ' '}, ...line]),
    row?.findings,
  );
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.preview} layout={layout} lines={shown} />;
}

const NOTHING_CHOSEN: Line = [{text: 'nothing is under the cursor', tone: 'dim'}];

/** The words, and what they leave of the room for what shows it to the eye. */
function previewLines(
  row: FindingRow | undefined,
  scene: Scene,
  {isWide, preview}: OverviewLayout,
  width: number,
): readonly Line[] {
  if (row === undefined) return [NOTHING_CHOSEN];
  const [finding, ...others] = row.findings;
  const isDrawn = others.length === 0;
  const spark = isDrawn && !isWide ? evidenceLines(finding, scene, {width: Math.floor(width / 2), rows: 1}) : [];
  const lines = [
    ...mutedLines(row),
    ...findingLines(row, {isWide, spark, width, ellipsis: scene.theme.glyphs.ellipsis}),
  ].flatMap(line => wrapLine(line, width));
  const rows = preview.rows - BOX_ROWS - lines.length;
  return isDrawn && isWide ? [...lines, ...evidenceLines(finding, scene, {width, rows})] : lines;
}

/** The edges of a box. */
const BOX_ROWS = 2;

/** Since when it is not listed, and how it is listed again. */
function mutedLines({mutes: [mute, ...others]}: FindingRow): readonly Line[] {
  if (mute === undefined) return [];
  const again: Line = [{text: 'A', tone: 'strong'}, {text: others.length > 0 ? ' lists all again' : ' lists it again'}];
  if (others.length > 0) return [again];
  const until = mute.kind === 'acknowledged' ? '' : ` until ${formatUtcMoment(mute.until)}`;
  return [[{text: `${mute.kind}${until}; `, tone: 'notice'}, ...again]];
}

function findingLines(
  {findings, mutes, fold}: FindingRow,
  {
    isWide,
    spark,
    width,
    ellipsis,
  }: {readonly isWide: boolean; readonly spark: readonly Line[]; readonly width: number; readonly ellipsis: string},
): readonly Line[] {
  const [{advice, evidence, commands}, ...others] = findings;
  const fixes = mutes.length > 0 ? [] : findings.flatMap(each => each.fixes ?? []);
  const [fix] = fixes;
  const [command] = commands;
  const way: Line =
    fix !== undefined
      ? [{text: 'f', tone: 'strong'}, {text: ` ${verbOf(fix.kind)}${fixes.length > 1 ? ` all ${fixes.length}` : ''}`}]
      : command === undefined
        ? []
        : [{text: command, tone: 'dim'}];
  if (others.length > 0) {
    const members = findings.map(
      ({subject, evidence: [proof]}): Line => [
        {text: subject.name, tone: 'strong', isName: true},
        {text: `  ${proof ?? ''}`},
      ],
    );
    return [
      [...way, {text: '  enter', tone: 'strong'}, {text: fold === 'folded' ? ' lists them' : ' opens them'}],
      ...members,
    ];
  }
  // A few lines hold the proof and the key; the advice has room where there is a box.
  if (!isWide) {
    const shown = spark.flatMap((line): Line => [{text: '  '}, ...line]);
    // The key and the chart stay in view however long the words are, and what is cut is seen to be.
    const lines: readonly Line[] = [
      [{text: evidence.join('; ')}],
      [...way, ...shown, {text: `  ${advice}`, tone: 'dim'}],
    ];
    return lines.map(line => fitLine(line, width, {ellipsis}));
  }
  return [...evidence.map((text): Line => [{text}]), [{text: advice, tone: 'dim'}], way];
}
