import type {BillingFigures} from '../../domain/billing-figures.ts';
import {usdNumber} from '../../domain/money.ts';
import {billingFigures, usageFeed} from '../../state/billing.ts';
import {formatKnown, formatRate, formatShortUsd, formatUsd} from '../../ui/format.ts';
import {sparkline} from '../../ui/sparkline.ts';
import type {Line} from '../../ui/text.ts';
import {budgetLines} from '../budget.ts';
import type {Scene} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import type {OverviewLayout} from './layout.ts';
import {part} from './part.ts';

const LABEL_CELLS = 13;

/** What is burning, what was spent, what is left: in two lines, or a fact a line where there is room. */
export function moneyPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const figures = billingFigures(scene.store, scene.now);
  const lines = layout.isWide ? wideLines(scene, figures) : narrowLines(scene, figures);
  return part('money', scene, usageFeed, layout.money, layout, lines);
}

function narrowLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const today = formatKnown(figures?.days.at(-1)?.cost, formatUsd);
  return [
    [
      {text: figures === undefined ? ' burn ' : ' '},
      {text: formatKnown(figures?.burn, formatRate), tone: ['money', 'strong']},
      {text: `  today ${today}  month ${formatKnown(figures?.monthToDate, formatUsd)}`},
    ],
    [{text: ` credit ${creditText(scene)}  runway `}, ...runwayLine(scene, figures)],
  ];
}

function wideLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const {glyphs} = scene.theme;
  const days = figures?.days.map(({cost}) => usdNumber(cost));
  const width = Math.min(31, Math.max(1, days?.length ?? 0));
  const perDay =
    days === undefined ? [{text: 'unknown', tone: 'dim' as const}] : sparkline(days, {width, glyphs, min: 0});
  return [
    fact('burn', [{text: formatKnown(figures?.burn, formatRate), tone: ['money', 'strong']}]),
    fact('today', [{text: formatKnown(figures?.days.at(-1)?.cost, formatUsd), tone: 'money'}]),
    fact('month', [{text: formatKnown(figures?.monthToDate, formatUsd), tone: 'money'}]),
    fact('per day', perDay),
    fact('if unchanged', [
      {text: formatKnown(figures?.projection.ifNothingChanges, formatShortUsd), tone: 'money'},
      {text: figures === undefined ? '' : ' at month end', tone: 'dim'},
    ]),
    fact('credit', [{text: creditText(scene), tone: 'money'}]),
    fact('runway', runwayLine(scene, figures)),
    ...budgetLines(scene, figures).map((line, index) => fact(index === 0 ? 'budget' : '', line)),
  ];
}

function fact(label: string, value: Line): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...value];
}
