import {expect, it} from 'vitest';
import {monthSoFar, todaySoFar} from '../../src/domain/billing-history.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {burnLines, evidenceLines} from '../../src/panes/overview/evidence.ts';
import {overviewPane} from '../../src/panes/overview/pane.tsx';
import type {Scene} from '../../src/panes/pane.ts';
import {BurnChart} from '../../src/panes/timeline/burn-chart.tsx';
import {timelinePane} from '../../src/panes/timeline/pane.tsx';
import {historyFeed, usageFeed} from '../../src/state/billing.ts';
import {textOf} from '../../src/ui/text.ts';
import {shownLines} from '../support/shown-lines.ts';
import {aUsageRecord, NOW} from './a-known-scene.ts';
import {aReadScene, listed} from './a-read-scene.ts';

const [USAGE, NO_BILL] = [listed(usageFeed, [aUsageRecord(1, '4')]), listed(historyFeed(monthSoFar(NOW)), [])];
const BILL = [{billedCost: usd(rational(2n, 1n))}];
const MONTH = listed(historyFeed(monthSoFar(NOW)), BILL);
const TODAY = todaySoFar(NOW);
const YESTERDAY = {startsAt: epochMs(TODAY.startsAt - DAY_MS), endsAt: TODAY.startsAt};

const ofOverview = (scene: Scene) => textOf(burnLines(scene, {width: 60, rows: 6})[0] ?? []);
const ofTimeline = (scene: Scene) =>
  shownLines(
    <BurnChart scene={scene} window="1d" rows={[]} chosen={undefined} place={{columns: 120, rows: 9}} />,
    120,
  )[0] ?? '';

it.each([
  ['overview', ofOverview],
  ['timeline', ofTimeline],
])('the burn chart of the %s says that it is an estimate until the bills of its days were read', (_, titleOf) => {
  expect(titleOf(aReadScene([USAGE]))).toContain('reading bills…');
  expect(titleOf(aReadScene([USAGE, MONTH]))).toContain('reading bills…');
  const today = listed(historyFeed(TODAY), BILL);
  expect(titleOf(aReadScene([USAGE, MONTH, today]))).toContain('reading bills…');
  const all = aReadScene([USAGE, MONTH, today, listed(historyFeed(YESTERDAY), [])]);
  expect(titleOf(all)).not.toContain('reading bills…');
  // A provider without bills.
  expect(titleOf(aReadScene([USAGE, NO_BILL]))).not.toContain('reading bills…');
});

it('the burn chart of the overview has its times below it, if that leaves enough lines for the dots', () => {
  const last = (rows: number) => textOf(burnLines(aReadScene([USAGE, NO_BILL]), {width: 60, rows}).at(-1) ?? []);
  expect(last(6)).toMatch(/^ +20:58Z +08:58Z +20:58Z$/);
  expect(last(5)).toMatch(/^ *\$0┤/);
});

it('a row of bars, with no room for words, is marked as an estimate until then', () => {
  const finding = {
    rule: 'burn-anomaly',
    severity: 'critical',
    subject: {type: 'account', name: safeText('account')},
    summary: safeText('burn rate up'),
    evidence: [],
    advice: safeText('Ask.'),
    commands: [],
    chart: 'burn',
  } as const;
  const row = (scene: Scene) => textOf(evidenceLines(finding, scene, {width: 60, rows: 1})[0] ?? []);
  expect(row(aReadScene([USAGE]))).toMatch(/^burn \$\/h 24h ~ /);
  expect(row(aReadScene([USAGE, NO_BILL]))).toMatch(/^burn \$\/h 24h [^~]/);
});

it('overview and timeline read the bills of the days in their burn charts', () => {
  const scene = aReadScene([USAGE, MONTH]);
  const wants = [
    overviewPane.wants({scene, view: overviewPane.initialView}),
    timelinePane.wants({scene, view: timelinePane.initialView}),
  ];
  const days = [monthSoFar(NOW), TODAY, YESTERDAY].map(period => historyFeed(period).key);
  for (const wanted of wants) expect(wanted.map(({feed}) => feed.key)).toEqual(expect.arrayContaining(days));
});
