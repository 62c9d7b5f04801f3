import {chooseGlyphs} from '../terminal/glyphs.ts';
import {axisChart, type ChartOptions, chartSummary} from './chart.ts';
import {textOf} from './text.ts';

type Bins = Parameters<typeof axisChart>[0];

/** A chart as plain lines, for output that is no deck: its summary above it, nothing but text. */
export function plainChart(
  title: string,
  values: Bins,
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
  const lines = axisChart(values, {...options, glyphs}).map(line => textOf(line).trimEnd());
  return [`${title}  ${chartSummary(values, options.format)}`, ...lines];
}
