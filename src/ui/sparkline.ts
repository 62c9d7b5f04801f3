import type {Glyphs} from '../terminal/glyphs.ts';
import type {Line, Span} from './text.ts';
import type {Tone} from './theme.ts';

/** One value per cell; undefined if there was no sample. */
export type Bins = readonly (number | undefined)[];

/** From this value on (in the bins' unit) the cell has this tone; the highest threshold reached counts. */
export type Threshold = {readonly from: number; readonly tone: Tone};

export type SparklineOptions = {
  readonly width: number;
  readonly glyphs: Glyphs;
  /** The value of a full cell. By default the largest bin fills its cell. */
  readonly max?: number | undefined;
  readonly min?: number;
  readonly tone?: Tone;
  readonly thresholds?: readonly Threshold[];
};

/** A row of small bars, newest at the right. A gap is a dot, zero the lowest bar. */
export function sparkline(bins: Bins, options: SparklineOptions): Line {
  const {width, glyphs, min = 0, tone = 'series', thresholds = []} = options;
  const shown = lastBins(bins, width);
  const max = options.max ?? largest(shown) ?? min;
  const spans: Span[] = [];
  for (const bin of shown) {
    const isGap = !isPresent(bin);
    const text = isGap ? glyphs.gap : levelGlyph(glyphs, (bin - min) / (max - min));
    addSpan(spans, text, isGap ? 'dim' : toneOf(bin, thresholds, tone));
  }
  return spans;
}

/** The tone of a value by its thresholds. */
export function toneOf(value: number, thresholds: readonly Threshold[], otherwise: Tone): Tone {
  let reached: Threshold | undefined;
  for (const threshold of thresholds) {
    if (value >= threshold.from && threshold.from >= (reached?.from ?? Number.NEGATIVE_INFINITY)) reached = threshold;
  }
  return reached?.tone ?? otherwise;
}

/** Exactly `width` bins: the newest, with gaps in front if there are too few. */
export function lastBins(bins: Bins, width: number): Bins {
  const kept = bins.slice(Math.max(0, bins.length - Math.max(0, width)));
  return [...Array.from({length: Math.max(0, width - kept.length)}, () => undefined), ...kept];
}

export function isPresent(bin: number | undefined): bin is number {
  return bin !== undefined && Number.isFinite(bin);
}

export function largest(bins: Bins): number | undefined {
  let most: number | undefined;
  for (const bin of bins) if (isPresent(bin)) most = Math.max(most ?? bin, bin);
  return most;
}

export function smallest(bins: Bins): number | undefined {
  let least: number | undefined;
  for (const bin of bins) if (isPresent(bin)) least = Math.min(least ?? bin, bin);
  return least;
}

/** The highest level would fill the cell, and graphs in adjacent rows would merge. */
function levelGlyph({levels}: Glyphs, share: number): string {
  // Without any range (for example, all bins zero) every bar is the lowest.
  const safeShare = Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
  const count = levels.length - 1;
  return levels[Math.max(0, Math.ceil(safeShare * count) - 1)] ?? '';
}

function addSpan(spans: Span[], text: string, tone: Tone): void {
  const last = spans.at(-1);
  if (last?.tone === tone) spans[spans.length - 1] = {text: last.text + text, tone};
  else spans.push({text, tone});
}
