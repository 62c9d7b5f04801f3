import {type SafeText, say} from '../safe-text.ts';
import type {Sample} from '../series.ts';
import {DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import {memoryUtilization} from '../utilization.ts';
import {asOf, machineSubject, type TriageRule, judgeRunning} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/** A shorter time shows no trend, and with less memory in use there is no reason to look. */
const MIN_SPAN_MS = 3 * HOUR_MS;
const MIN_SAMPLES = 12;
/** Over a longer time, a leak that began today is not a straight line. */
const WINDOW_MS = 12 * HOUR_MS;
const MIN_RATIO = 0.5;
/** The least share of the variance that the line explains (R²): a sawtooth or a step is far below it. */
const MIN_FIT = 0.95;
const HORIZON_MS = DAY_MS;
/** Older samples say nothing about the future. */
const CURRENT_MS: DurationMs = 15 * MINUTE_MS;

/** A machine whose memory grows in a straight line and will be full within a day. */
export const memoryLeak: TriageRule = {
  id: 'memory-leak',
  looksFor: say`growing memory`,
  needsState: true,
  judge: account =>
    judgeRunning(account, (machine, metrics, readAt) => {
      const all = memoryUtilization(metrics, machine.flavor?.ramGb);
      const last = all.at(-1);
      if (last === undefined || last.value < MIN_RATIO || readAt - last.sampledAt > CURRENT_MS) return undefined;
      const line = fittedLine([...all].filter(({sampledAt}) => readAt - sampledAt <= WINDOW_MS));
      if (line === undefined || line.perMs <= 0 || line.fit < MIN_FIT) return undefined;
      const leftMs = (1 - last.value) / line.perMs;
      // Impossible figures give no number here, and no finding.
      if (!(leftMs <= HORIZON_MS) || last.value >= 1) return undefined;
      const rate = account.rates?.get(machine.id);
      const perHour = line.perMs * HOUR_MS;
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`memory full in ${hoursWords(leftMs)}`,
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`memory at ${percentWords(last.value)}, growing by ${percentWords(perHour)} an hour: if that continues, full in about ${durationWords(leftMs)}`,
          ...asOf(readAt, account.now),
        ],
        chart: 'memory',
        advice: say`Find the process whose memory grows, and restart it before it is killed.`,
        commands: [say`skydeck metrics ${machine.id} --duration 1d`],
      };
    }),
};

/** Whole hours, so that similar findings are grouped in one line. */
function hoursWords(duration: DurationMs): SafeText {
  return duration < HOUR_MS ? say`an hour` : say`${Math.round(duration / HOUR_MS)} h`;
}

/** The least-squares line through a series: its slope, and the share of the variance that it explains. */
function fittedLine(series: readonly Sample[]): {readonly perMs: number; readonly fit: number} | undefined {
  const [first, last] = [series[0], series.at(-1)];
  if (first === undefined || last === undefined || series.length < MIN_SAMPLES) return undefined;
  if (last.sampledAt - first.sampledAt < MIN_SPAN_MS) return undefined;
  const meanTime = series.reduce((sum, {sampledAt}) => sum + (sampledAt - first.sampledAt), 0) / series.length;
  const meanValue = series.reduce((sum, {value}) => sum + value, 0) / series.length;
  let [timeSquares, valueSquares, products] = [0, 0, 0];
  for (const {sampledAt, value} of series) {
    const [time, height] = [sampledAt - first.sampledAt - meanTime, value - meanValue];
    timeSquares += time * time;
    valueSquares += height * height;
    products += time * height;
  }
  if (timeSquares === 0 || valueSquares === 0) return undefined;
  return {perMs: products / timeSquares, fit: (products * products) / (timeSquares * valueSquares)};
}
