import type {ReactNode} from 'react';
import {presentSent} from '../../actions/sent.ts';
import {soFar} from '../../domain/billing-history.ts';
import {type HandoverLine, markdownOf, textOf} from '../../domain/handover.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import {organizationFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed, historyFeed} from '../../state/billing.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {machinesFeed} from '../../state/machines.ts';
import {presentHandover} from '../../state/handover.ts';
import {TRIAGE_LISTS} from '../../state/triage.ts';
import type {Line} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {KEYS} from '../../actions/keys.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {feedFrame} from '../feed-state.ts';
import {moveCommands} from '../list/cursor.ts';
import type {PaneContext, PaneDefinition} from '../pane.ts';
import {offsetOf, type Page, SCROLL_START, type Scroll, scrolled, linesInSight} from '../scroll.ts';

type HandoverView = {readonly windowIndex: number; readonly scroll: Scroll};
type HandoverContext = PaneContext<HandoverView>;

/** How far back it reaches. */
const WINDOWS = [
  {name: '8h', lengthMs: 8 * HOUR_MS},
  {name: '1d', lengthMs: DAY_MS},
  {name: '7d', lengthMs: 7 * DAY_MS},
  {name: '1h', lengthMs: HOUR_MS},
] as const;

const BOX_EDGES = 2;

const COMMANDS: readonly Command<HandoverContext, PaneOutcome<HandoverView>>[] = [
  ...moveCommands<HandoverView>('handover', {
    pageRows: ({scene}) => Math.max(1, scene.size.rows - BOX_EDGES),
    moved: (context, step) => ({
      ...context.view,
      scroll: scrolled(context.view.scroll, step, pageOf(context)),
    }),
  }),
  {
    id: 'handover.window',
    title: say`since`,
    help: 'The last 8 hours, day, week or hour.',
    keys: ['w'],
    group: 'Look',
    isInStatusBar: true,
    run: ({view}) => ({
      kind: 'view',
      view: {...view, windowIndex: (view.windowIndex + 1) % WINDOWS.length, scroll: SCROLL_START},
    }),
  },
  {
    id: 'handover.copy',
    title: say`copy`,
    help: `Copies the handover, with the checks not run and why, as Markdown through the terminal, also over SSH; ${KEYS.save} saves it as a file.`,
    keys: [KEYS.copy],
    group: 'Look',
    isInStatusBar: true,
    run: context => {
      const [title = '', ...lines] = linesOf(context).map(markdownOf);
      const more = lines.map(line => safeText(line));
      return {kind: 'copy', text: safeText(title), more, instead: say`${KEYS.save} saves it as a file`};
    },
  },
];

/** What the next person on call has to know, on one screen; opened by name with `:handover`. */
export const handoverPane: PaneDefinition<HandoverView> = {
  id: 'handover',
  key: '',
  title: say`Handover`,
  aliases: ['handover', 'shift', 'report', 'checks'],
  initialView: {windowIndex: 0, scroll: SCROLL_START},
  commands: COMMANDS,
  openDetail: context => ({
    page: pageOf(context),
    scroll: context.view.scroll,
    withScroll: scroll => ({...context.view, scroll}),
  }),
  wants: context => [
    {feed: billFeed(sinceOf(context), context), priority: 2},
    // Read ahead, or each minute the cost would be an estimate until its own bill was read.
    {feed: billFeed(epochMs(sinceOf(context) + MINUTE_MS), context), priority: 3},
    {feed: organizationFeed, priority: 2},
    {feed: creditFeed, priority: 2},
    {feed: deletedUsageFeed, priority: 3},
    {feed: priceBookFeed, priority: 4},
    ...TRIAGE_LISTS.map(({feed}) => ({feed, priority: 1})),
  ],
  adjust: context => {
    const offset = offsetOf(context.view.scroll, pageOf(context));
    return offset === context.view.scroll.offset
      ? context.view
      : {...context.view, scroll: {...context.view.scroll, offset}};
  },
  trail: () => ['handover'],
  back: view => (view.scroll.searchText === '' ? undefined : {...view, scroll: {...view.scroll, searchText: ''}}),
  table: context => ({
    columns: ['line'],
    rows: linesOf(context).map(line => [textOf(line)]),
    markdown: `${linesOf(context).map(markdownOf).join('\n')}\n`,
  }),
  Screen: HandoverScreen,
};

function HandoverScreen(context: HandoverContext): ReactNode {
  const {scene, view} = context;
  const page = pageOf(context);
  return (
    <TitledBox
      {...feedFrame(scene, machinesFeed)}
      title={`handover of the last ${windowOf(context).name}`}
      lines={linesInSight(view.scroll, page)}
      width={scene.size.columns}
      height={scene.size.rows}
    />
  );
}

function windowOf({view}: Pick<HandoverContext, 'view'>): (typeof WINDOWS)[number] {
  return WINDOWS[view.windowIndex] ?? WINDOWS[0];
}

function pageOf(context: HandoverContext): Page {
  const {columns, rows} = context.scene.size;
  const width = columns - BOX_EDGES - 1;
  const lines = linesOf(context).flatMap(line => wrapLine([{text: textOf(line), tone: toneOf(line)}], width));
  return {lines: lines.map((line): Line => [{text: ' '}, ...line]), rows: Math.max(1, rows - BOX_EDGES)};
}

function toneOf(line: HandoverLine): Tone {
  if (line.kind === 'title' || line.kind === 'heading') return 'title';
  const isUrgent = line.kind === 'finding' && line.severity === 'critical' && line.muted === undefined;
  return isUrgent ? 'danger' : 'text';
}

function linesOf(context: HandoverContext): readonly HandoverLine[] {
  const {scene} = context;
  const {unreadableCount: unreadableLineCount = 0} = scene.journal?.() ?? {};
  return presentHandover(scene, {since: sinceOf(context), sent: presentSent(scene), unreadableLineCount});
}

/** To the whole minute, as it is shown. */
function sinceOf({scene, view}: HandoverContext): EpochMs {
  return epochMs(Math.floor((scene.now - windowOf({view}).lengthMs) / MINUTE_MS) * MINUTE_MS);
}

function billFeed(since: EpochMs, {scene}: HandoverContext) {
  return historyFeed(soFar(since, scene.now));
}
