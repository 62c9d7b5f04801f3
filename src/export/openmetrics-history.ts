import {SECOND_MS} from '../domain/time.ts';
import type {PastFamily} from './history.ts';
import type {Labels} from './metric.ts';

/** How much was written. */
export type WrittenHistory = {readonly sampleCount: number; readonly seriesCount: number};

/**
 * Writes the families as OpenMetrics with a time for each sample, for `promtool tsdb create-blocks-from openmetrics`,
 * series by series. That tool silently drops samples out of order, so each series ascends and no two samples share a
 * second. Series without samples, and families without series, are left out.
 * @param added labels given to every series that has none of that name
 */
export async function writeHistory(
  families: readonly PastFamily[],
  {added, write}: {readonly added: Labels; readonly write: (text: string) => Promise<void>},
): Promise<WrittenHistory> {
  let [sampleCount, seriesCount] = [0, 0];
  for (const {name, help, type = 'gauge', series} of families) {
    // The format names a counter without its samples' suffix.
    const family = type === 'counter' ? name.replace(/_total$/, '') : name;
    const known = series.filter(({samples}) => samples.length > 0);
    if (known.length > 0) await write(`# HELP ${family} ${escaped(help)}\n# TYPE ${family} ${type}\n`);
    for (const {labels, samples} of known) {
      const prefix = `${name}${labelText({...added, ...labels})}`;
      const lines: string[] = [];
      let lastSecond = Number.NEGATIVE_INFINITY;
      for (const {sampledAt, value} of samples) {
        const second = Math.floor(sampledAt / SECOND_MS);
        if (second <= lastSecond || !Number.isFinite(value)) continue;
        lastSecond = second;
        lines.push(`${prefix} ${value} ${second}\n`);
      }
      await write(lines.join(''));
      sampleCount += lines.length;
      seriesCount += 1;
    }
  }
  await write('# EOF\n');
  return {sampleCount, seriesCount};
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`).replaceAll('"', String.raw`\"`);
}
