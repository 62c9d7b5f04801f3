import type {Glyphs} from '../terminal/glyphs.ts';
import {type Threshold, toneOf} from './sparkline.ts';
import type {Line} from './text.ts';
import type {Tone} from './theme.ts';

export type GaugeOptions = {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly tone?: Tone;
  /** In ratios: `{from: 0.9, tone: 'danger'}`. */
  readonly thresholds?: readonly Threshold[];
};

/** `████████▌░░░`: a ratio as a filled bar, to an eighth of a cell. An unknown ratio is a row of gap dots. */
export function gaugeBar(ratio: number | undefined, options: GaugeOptions): Line {
  const {glyphs, width, tone = 'accent', thresholds = []} = options;
  if (width <= 0) return [];
  if (ratio === undefined || !Number.isFinite(ratio)) return [{text: glyphs.gap.repeat(width), tone: 'dim'}];
  const filled = filledBar(Math.min(1, Math.max(0, ratio)), width, glyphs);
  const cells = [...filled].length;
  return [
    {text: filled, tone: toneOf(ratio, thresholds, tone)},
    {text: glyphs.barEmpty.repeat(width - cells), tone: 'dim'},
  ];
}

/** `▮▮▮▯▯▯▯▯▯▯`: used out of a limit. Any use shows at least one cell, and only full use shows all. */
export function meter(used: number | undefined, limit: number | undefined, options: GaugeOptions): Line {
  const {glyphs, width, tone = 'accent', thresholds = []} = options;
  const ratio = used === undefined || limit === undefined || !(limit > 0) ? Number.NaN : used / limit;
  if (!Number.isFinite(ratio)) return [{text: glyphs.gap.repeat(width), tone: 'dim'}];
  const nearest = Math.round(ratio * width);
  const cells = ratio <= 0 ? 0 : ratio >= 1 ? width : Math.min(width - 1, Math.max(1, nearest));
  return [
    {text: glyphs.meterFull.repeat(Math.max(0, cells)), tone: toneOf(ratio, thresholds, tone)},
    {text: glyphs.meterEmpty.repeat(width - Math.max(0, cells)), tone: 'dim'},
  ];
}

/** A bar without its empty part, for example beside a name in a list of shares. */
export function shareBar(ratio: number | undefined, options: GaugeOptions): Line {
  const [filled] = gaugeBar(ratio, options);
  return filled === undefined ? [] : [filled];
}

function filledBar(ratio: number, width: number, glyphs: Glyphs): string {
  const steps = glyphs.barParts.length + 1;
  const parts = Math.round(ratio * width * steps);
  // A value above zero is always visible.
  const shown = ratio > 0 ? Math.max(1, parts) : 0;
  const whole = Math.floor(shown / steps);
  return `${glyphs.barFull.repeat(whole)}${glyphs.barParts[(shown % steps) - 1] ?? ''}`;
}
