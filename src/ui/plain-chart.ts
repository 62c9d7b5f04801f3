import {chooseGlyphs} from '../terminal/glyphs.ts';
import {axisChart, type ChartOptions, chartSummary} from './chart.ts';
import type {Bins} from './sparkline.ts';
import {textOf} from './text.ts';

/**
 * A chart as plain text, for output outside the deck, with a summary of its samples above. A bin is a mean over its
 * time, so a summary of bins would change with the window.
 */
export function plainChart(
  title: string,
  {bins, samples}: {readonly bins: Bins; readonly samples: Bins},
  {
    isUtf8,
    style,
    ...options
  }: Omit<ChartOptions, 'glyphs'> & {
    readonly isUtf8: boolean;
    readonly style: 'auto' | 'braille' | 'line';
  },
): readonly string[] {
  const glyphs = chooseGlyphs({isUtf8, charts: style === 'auto' ? undefined : style});
  const lines = axisChart(bins, {...options, glyphs}).map(line => textOf(line).trimEnd());
  return [`${title}  ${chartSummary(samples, options.format)}`, ...lines];
}
