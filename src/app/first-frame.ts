import type {LastScreen} from '../config/last-screen.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {EpochMs} from '../domain/time.ts';
import {TABS} from '../panes/tabs.ts';
import type {Size} from '../terminal/frame.ts';
import {formatDuration} from '../ui/format.ts';
import {frameBox} from '../ui/frame-box.ts';
import {cutMiddle, type Line, paintLine} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import {tabLine} from './tab-line.ts';

const FIRST_OPEN = TABS.overview.id;

const MAX_NAME_CELLS = 24;
/** Header and tabs above, message and keys below. */
const FRAME_ROWS = 4;
/** Below this size the deck has no boxes. */
const MIN_SIZE: Size = {columns: 60, rows: 16};

/**
 * What the screen shows before anything is loaded: the header, the tabs, and the last screen, dim, with its age. Later, as
 * long as the service does not answer, the reason stands below it.
 */
export function firstFrame({
  size,
  theme,
  last,
  now,
  isSimulated,
  isReadOnly,
  unanswered,
}: {
  readonly size: Size;
  readonly theme: Theme;
  readonly last: LastScreen | undefined;
  readonly now: EpochMs;
  readonly isSimulated: boolean;
  readonly isReadOnly: boolean;
  /** Why there is no answer yet. */
  readonly unanswered?: SafeText | undefined;
}): string {
  const {columns, rows} = size;
  const header: Line = [
    {text: ' '},
    {text: 'skydeck', tone: 'title'},
    {text: '  '},
    {
      text: cutMiddle(last === undefined ? 'account unknown' : safeText(last.organization), MAX_NAME_CELLS),
      tone: 'header',
    },
    ...(isSimulated ? [{text: '  '}, {text: ' SIMULATED ', tone: 'loud'} as const] : []),
    ...(isReadOnly ? [{text: '  '}, {text: ' READ-ONLY ', tone: 'loud'} as const] : []),
    ...(last === undefined
      ? []
      : [{text: `  last seen ${formatDuration(Math.max(0, now - last.readAt))} ago`, tone: 'warning'} as const]),
  ];
  const isSmall = columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
  const above = isSmall ? [header] : [header, tabLine(Object.values(TABS), FIRST_OPEN, columns)];
  const isShown = last !== undefined && widthOfLines(last) <= columns;
  const body = isSmall ? [READING] : bodyLines({columns, rows: rows - FRAME_ROWS}, theme, last, unanswered);
  const below = unanswered === undefined || isSmall ? [] : belowLines(unanswered, isShown);
  return [...above, ...body, ...below].map(line => paintLine(line, columns, theme)).join('\n');
}

/** Nothing can be sent from an old screen: the keys that do something first open the deck as it is now. */
function belowLines(unanswered: SafeText, isScreenShown: boolean): readonly Line[] {
  return [
    [{text: ` no answer yet: ${unanswered}`, tone: 'warning'}],
    [{text: ` keys open the live deck${isScreenShown ? ' instead of this old screen' : ''}  <q>quit`, tone: 'dim'}],
  ];
}

const READING: Line = [{text: ' reading…', tone: 'dim'}];

function widthOfLines({lines}: LastScreen): number {
  return Math.max(0, ...lines.map(line => line.length));
}

/** Lines saved at a larger width cannot be shown, so the boxes stay empty but for the reason. */
function bodyLines(
  {columns, rows}: Size,
  theme: Theme,
  last: LastScreen | undefined,
  unanswered: SafeText | undefined,
): readonly Line[] {
  const savedColumns = last === undefined ? 0 : widthOfLines(last);
  if (last !== undefined && savedColumns <= columns) {
    return last.lines.slice(0, rows).map(line => [{text: safeText(line), tone: ['dim', 'stale']}]);
  }
  const tooWide = ` the last screen was ${savedColumns} columns wide and does not fit here`;
  const lines: readonly Line[] = [
    ...(last === undefined ? [] : [[{text: tooWide, tone: 'dim'} as const]]),
    ...(unanswered === undefined ? [READING] : []),
  ];
  return frameBox(lines, {title: 'overview', width: columns, height: rows, theme});
}
