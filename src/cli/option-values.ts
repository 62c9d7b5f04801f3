import {InvalidArgumentError, Option} from 'commander';

/** An option that may be given several times. Its value is a list, empty if it is not given. */
export function repeatable(flags: string, summary: string): Option {
  return new Option(flags, `${summary}; may be repeated`)
    .argParser((text, texts: readonly string[]) => [...texts, text])
    .default([], 'none');
}

/** Costs and triage judge the same machines. */
export const JUDGED_MACHINES = 50;
const METRICS_FLAGS = '--metrics <none|top:N|all>';
const METRICS_SUMMARY = 'running machines whose metrics are read, the costliest first';

/** The number of running machines whose metrics are read, costliest first; `all` is infinity. */
export function metricsOption(): Option {
  return new Option(METRICS_FLAGS, METRICS_SUMMARY)
    .argParser(measuredCount)
    .default(JUDGED_MACHINES, `top:${JUDGED_MACHINES}`);
}

/** The same for commands that read once: only an explicit number is worth waiting for. */
export function askedMetricsOption(): Option {
  const otherwise = `top:${JUDGED_MACHINES}, or fewer at the request limit`;
  return new Option(METRICS_FLAGS, `${METRICS_SUMMARY} (default: ${otherwise})`).argParser(measuredCount);
}

function measuredCount(text: string): number {
  if (text === 'none') return 0;
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const count = /^top:([1-9]\d{0,5})$/.exec(text)?.[1];
  if (count === undefined) throw new InvalidArgumentError('Use none, top:N or all.');
  return Number(count);
}

/** A parser for an option that takes an integer within limits. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`Use a whole number from ${low} to ${high}.`);
  };
}
