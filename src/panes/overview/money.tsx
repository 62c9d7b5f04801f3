import type {ReactNode} from 'react';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {usdNumber} from '../../domain/money.ts';
import {billingFigures, usageFeed} from '../../state/billing.ts';
import {formatKnown, formatRate, formatShortUsd, formatUsd} from '../../ui/format.ts';
import {sparkline} from '../../ui/sparkline.ts';
import type {Line} from '../../ui/text.ts';
import {budgetLines} from '../budget.ts';
import {type Scene, useUntilNews} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import {Part, type PartProps} from './part.tsx';

const LABEL_CELLS = 13;

/** What is burning, what was spent, what is left: in two lines, or a fact a line where there is room. */
export function Money({scene, layout}: PartProps): ReactNode {
  const figures = billingFigures(scene);
  const lines = useUntilNews(scene, () => (layout.isWide ? wideLines(scene, figures) : narrowLines(scene, figures)));
  return <Part title="money" scene={scene} feed={usageFeed} place={layout.money} layout={layout} lines={lines} />;
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
